"""Runs the application: binds the address, tells it, stops gracefully."""

import logging
import signal
import socket
import sys
from collections.abc import Callable
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from ness.errors import ConfigError
from ness.serve.security import Access, is_loopback

GRACE_SECONDS = 10  # for the requests that are being answered when the server is stopped


def run_app(app: ASGIApp, host: str, port: int, started: Callable[[str], None]) -> None:
    """Serve until Ctrl-C or SIGTERM; `started` is told the address. Requests in progress are answered first."""
    listening = _bind(host, port)
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    config = uvicorn.Config(
        app,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=30,
    )
    started(address(host, listening.getsockname()[1]))
    # The server hands the signal on when it has stopped; it has been obeyed by then.
    before = {number: signal.signal(number, _obeyed) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def address(host: str, port: int) -> str:
    """Return the URL to open; one that listens everywhere is opened on this machine."""
    name = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def check_access(host: str, token: str | None, names: frozenset[str]) -> tuple[Access, str]:
    """Return who may use the server, and a warning where that is anybody."""
    if token is not None and (not token.isascii() or not token.isprintable() or len(token) < 8 or " " in token):
        raise ConfigError("A token has at least 8 ASCII characters and no spaces; try: openssl rand -hex 16")
    access = Access(host.lower(), token, frozenset(name.lower() for name in names))
    if is_loopback(host) or token is not None:
        return access, ""
    return access, (
        f"warning: everybody who can reach {host} may use the models, and teaching is off; "
        "give --token or NESS_TOKEN to ask for one"
    )


def _bind(host: str, port: int) -> socket.socket:
    try:
        kind, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(place[:2], family=kind)
    except OSError as error:
        reason = error.strerror.lower() if error.strerror else error
        raise ConfigError(f"Cannot listen on {host}, port {port}: {reason}; --port 0 picks a free one") from None


def _obeyed(number: int, frame: FrameType | None) -> None:
    """Do nothing: the server has stopped already."""
