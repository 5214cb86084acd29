"""Who may talk to the server: the right Host, no page of another origin, and the token where there is one."""

import base64
import hashlib
import hmac
import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ness.serve.limits import refuse

# Neither secrets nor models: the page itself, its files, how to use the API, and whether the server lives.
OPEN = ("/", "/docs", "/openapi.json", "/v1/health")
OPEN_FOLDER = "/static/"
_SHOWN = 60  # characters of a header in a message
_ONCE = ("host", "origin", "authorization", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest")
_HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::[0-9]*)?")


@dataclass(frozen=True, slots=True)
class Access:
    """Where the server listens, under which names, and what a caller must know."""

    host: str = "127.0.0.1"
    token: str | None = None
    names: frozenset[str] = field(default_factory=frozenset)  # more host names, as behind a proxy

    @property
    def loopback(self) -> bool:
        return is_loopback(self.host)

    def knows_host(self, name: str) -> bool:
        """Tell whether a Host header's name is this server.

        A name that somebody else's DNS can point here is refused; an address cannot be pointed.
        """
        if name == "localhost" or name in self.names or name == self.host.lower():
            return True
        return is_loopback(name) if self.loopback else _is_address(name)


class Guard:
    """Refuses requests that should not reach the models, and adds the headers that protect the page."""

    def __init__(self, app: ASGIApp, access: Access, content_policy: str) -> None:
        self._app = app
        self._access = access
        self._headers = [
            (b"content-security-policy", content_policy.encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"x-frame-options", b"SAMEORIGIN"),
            (b"referrer-policy", b"no-referrer"),
            (b"cache-control", b"no-cache"),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self._headers]
            await send(message)

        if refusal := _said_twice(scope) or self._why_refused(scope, _headers(scope)):
            status, problem = refusal
            await refuse(send_protected, status, problem, {"www-authenticate": "Bearer"} if status == 401 else None)
        else:
            await self._app(scope, receive, send_protected)

    def _why_refused(self, scope: Scope, headers: Mapping[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if not self._access.knows_host(_name_of(host)):
            return 403, f"the host '{host[:_SHOWN]}' is not served here; if it should be, start with --name"
        origin = headers.get("origin")
        if origin is not None and not _same_origin(origin, host):
            return 403, f"pages of '{origin[:_SHOWN]}' may not use this server"
        if not _own_fetch(scope["method"], headers):
            return 403, "pages of other sites may not use this server"
        path = scope["path"]
        if self._access.token is None or path in OPEN or path.startswith(OPEN_FOLDER):
            return None
        return None if self._has_token(headers) else (401, "a token is needed: Authorization: Bearer TOKEN")

    def _has_token(self, headers: Mapping[str, str]) -> bool:
        kind, _, given = headers.get("authorization", "").partition(" ")
        expected = (self._access.token or "").encode()
        # Compared in constant time, so that nobody learns the token character by character.
        return hmac.compare_digest(given.strip().encode("latin-1"), expected) and kind.lower() == "bearer"


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


def _said_twice(scope: Scope) -> tuple[int, str] | None:
    """Refuse two values where one decides: somebody between may have looked at the other one."""
    names = [name.decode("latin-1") for name, _ in scope["headers"]]
    twice = [name for name in _ONCE if names.count(name) > 1]
    return (400, f"the header '{twice[0]}' is there twice") if twice else None


def content_policy(framed: str) -> str:
    """Allow the page its own files only, and the scripts and styles inside one page that it shows in a frame."""
    hashes = {
        tag: " ".join(_hash(text) for text in re.findall(rf"<{tag}>(.*?)</{tag}>", framed, re.DOTALL))
        for tag in ("script", "style")
    }
    return (
        f"default-src 'none'; script-src 'self' {hashes['script']}; style-src 'self' {hashes['style']}; "
        "img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def is_loopback(name: str) -> bool:
    """Tell whether a name or address is this machine's own."""
    if name == "localhost":
        return True
    return _is_address(name) and ipaddress.ip_address(name).is_loopback


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _name_of(host: str) -> str:
    """Return a Host header without its port; "" where it is not well formed."""
    found = _HOST.fullmatch(host.lower())
    return (found["address"] or found["name"]) if found else ""


def _same_origin(origin: str, host: str) -> bool:
    scheme, _, place = origin.partition("://")
    return scheme in ("http", "https") and place.lower() == host.lower()


def _own_fetch(method: str, headers: Mapping[str, str]) -> bool:
    """Tell what browsers say about a request: from this page, typed by a person, or a link that was followed."""
    if headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
        return True
    followed = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return method == "GET" and followed
