"""Who may talk to the server, and how much they may ask for."""

import hmac
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from served import client_of, in_a_thread, service_of
from starlette.testclient import TestClient

from ness.errors import ConfigError
from ness.model.run_folder import load_run
from ness.serve.limits import Limits
from ness.serve.models import AnswerOptions, Engines
from ness.serve.run import address, check_access
from ness.serve.security import Access

pytest_plugins = ["lesson_fixtures"]

TOKEN = "correct-horse-battery"


@pytest.fixture(scope="module")
def client(run: Path) -> Iterator[TestClient]:
    with client_of(service_of([run])) as started:
        yield started


@pytest.fixture(scope="module")
def guarded(run: Path) -> Iterator[TestClient]:
    with client_of(service_of([run], access=Access("0.0.0.0", TOKEN, frozenset({"ness.example"})))) as started:
        yield started


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8000", "localhost:1", "LOCALHOST", "[::1]:8000", "127.8.8.8"])
def test_loopback_hosts_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/v1/models", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:8000", "192.168.1.5", "localhost.evil.example", "", "[::1", "::1", "\xe9"),
        *("a@127.0.0.1", "127.0.0.1@a", "127.0.0.1/a", "127.0.0.1?a", "[::1].a", "127.0.0.1:a", "127.0.0.1:1:2"),
        *("127.1", "2130706433", "0.0.0.0", "localhost.", "127.0.0.1 a", "127.0.0.1\ta", "127.0.0.1\\a"),
    ],
)
def test_other_hosts_are_refused(client: TestClient, host: str) -> None:
    reply = client.get("/v1/models", headers={b"host": host.encode("latin-1")})
    assert reply.status_code == 403
    assert "--name" in reply.json()["error"]


def test_beyond_loopback_addresses_and_given_names_are_answered(guarded: TestClient) -> None:
    bearer = {"authorization": f"Bearer {TOKEN}"}
    for host in ("10.0.0.7:8000", "ness.example", "NESS.example:443", "localhost"):
        assert guarded.get("/v1/models", headers={"host": host, **bearer}).status_code == 200
    assert guarded.get("/v1/models", headers={"host": "evil.example", **bearer}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:3000"},
        {"origin": "file://127.0.0.1:8000"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "object"},
    ],
)
def test_pages_of_other_origins_are_refused(client: TestClient, headers: dict[str, str]) -> None:
    reply = client.get("/v1/models", headers=headers)
    assert reply.status_code == 403
    assert "access-control-allow-origin" not in reply.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://127.0.0.1:8000", "sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"},
    ],
)
def test_the_own_page_and_followed_links_are_answered(client: TestClient, headers: dict[str, str]) -> None:
    assert client.get("/v1/models", headers=headers).status_code == 200


@pytest.mark.parametrize("name", ["host", "origin", "sec-fetch-site", "authorization"])
def test_two_values_of_a_header_that_decides_are_refused(client: TestClient, name: str) -> None:
    good = {"host": "127.0.0.1:8000", "origin": "http://127.0.0.1:8000", "sec-fetch-site": "none"}
    headers = [("host", good["host"])] * (name != "host") + [(name, "evil"), (name, good.get(name, f"Bearer {TOKEN}"))]
    reply = client.get("/v1/models", headers=headers)
    assert (reply.status_code, reply.json()) == (400, {"error": f"the header '{name}' is there twice"})


@pytest.mark.parametrize(
    "given", [None, "", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", "Bearer \xe9"]
)
def test_without_the_token_nothing_is_told(guarded: TestClient, given: str | None) -> None:
    headers = {} if given is None else {b"authorization": given.encode("latin-1")}
    for path in ("/v1/models", "/v1/rules", "/metrics", "/v1/nothing"):
        reply = guarded.get(path, headers=headers)
        assert reply.status_code == 401
        assert reply.headers["www-authenticate"] == "Bearer"
    assert guarded.post("/v1/translate", json={"inputs": ["walk"]}, headers=headers).status_code == 401
    assert guarded.get("/v1/health").status_code == 200


def test_the_token_is_compared_in_constant_time(guarded: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    real = hmac.compare_digest

    def noting(one: bytes, other: bytes) -> bool:
        compared.append(one)
        return real(one, other)

    monkeypatch.setattr(hmac, "compare_digest", noting)
    assert guarded.get("/v1/models", headers={"authorization": f"bearer {TOKEN}"}).status_code == 200
    assert compared == [TOKEN.encode()]


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static/%2fetc/passwd",
        "/static//etc/passwd",
        "/static/..\\app.py",
        "/static/%00",
        "/static/" + "a" * 5000,
        "/v1/rules?model=../nine",
        "/v1/rules?model=/etc/passwd",
        "/v1/rules?model=%00",
    ],
)
def test_no_path_reaches_the_file_system(client: TestClient, path: str) -> None:
    reply = client.get(path)
    assert reply.status_code in (404, 422)
    assert "import" not in reply.text
    assert "root:" not in reply.text


def test_oversized_bodies_are_refused_before_they_are_read(run: Path) -> None:
    with client_of(service_of([run], Limits(body=1000))) as client:
        large = b'{"inputs": ["' + b"walk " * 1000 + b'"]}'
        headers = {"content-type": "application/json"}
        told = client.post("/v1/translate", content=large, headers=headers)
        assert (told.status_code, told.headers["connection"]) == (413, "close")

        def chunks() -> Iterator[bytes]:  # without a length, as a chunked request has none
            yield from (large[start : start + 100] for start in range(0, len(large), 100))

        reply = client.post("/v1/translate", content=chunks(), headers=headers)
        assert (reply.status_code, "1,000 bytes" in reply.json()["error"]) == (413, True)
        assert reply.headers["connection"] == "close"
        assert client.post("/v1/translate", json={"inputs": ["walk"]}).status_code == 200


def test_long_and_many_inputs_are_refused(run: Path) -> None:
    with client_of(service_of([run], Limits(inputs=2, words=5, shown=3))) as client:

        def ask(inputs: list[str], **more: object) -> tuple[int, str]:
            reply = client.post("/v1/translate", json={"inputs": inputs, **more})
            return reply.status_code, reply.json().get("error", "")

        assert ask(["walk", "walk"])[0] == 200
        assert ask(["walk"] * 3) == (422, "3 inputs are more than 2; send them in parts")
        assert ask(["walk", "walk " * 6]) == (422, "inputs[1] has 6 words, more than 5; cut it")
        assert ask(["walk and run and run"], n_best=2) == (422, "inputs[0] has 5 words, more than 3; cut it")
        assert client.post("/v1/trace", json={"input": "walk and run and run"}).status_code == 422
        too_long = client.post("/v1/translate", json={"inputs": ["walk twice twice twice twice"]}).json()["outputs"][0]
        assert "longer than 5 tokens" in too_long["error"]


@pytest.mark.slow
def test_an_exponential_output_is_refused(client: TestClient) -> None:
    reply = client.post("/v1/translate", json={"inputs": ["walk" + " twice" * 100]})
    assert "longer than 10,000 tokens" in reply.json()["outputs"][0]["error"]
    reply = client.post("/v1/translate", json={"inputs": ["walk" + " twice" * 100], "n_best": 5})
    assert reply.json()["outputs"][0]["candidates"] == []
    traced = client.post("/v1/trace", json={"input": "walk" + " twice" * 100})
    assert "longer than" in traced.json()["error"]


def test_requests_beyond_the_number_at_once_are_told_to_come_again(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = service_of([run], Limits(at_once=1))
    entered, go_on = threading.Event(), threading.Event()
    answer = service.models["nine"].engines.answer

    def slow(wanted: object, sources: object) -> object:
        entered.set()
        assert go_on.wait(30)
        return answer(wanted, sources)  # type: ignore[arg-type]

    monkeypatch.setattr(service.models["nine"].engines, "answer", slow)
    statuses = []
    with client_of(service) as client:
        body = {"inputs": ["walk"]}
        first = threading.Thread(target=lambda: statuses.append(client.post("/v1/translate", json=body).status_code))
        first.start()
        assert entered.wait(30)
        busy = client.post("/v1/translate", json=body)
        assert (busy.status_code, busy.headers["retry-after"]) == (503, "1")
        assert client.get("/v1/health").status_code == 200  # which a supervisor asks for
        go_on.set()
        first.join(30)
        assert statuses == [200]
        assert client.post("/v1/translate", json=body).status_code == 200


def test_a_body_that_does_not_come_is_not_waited_for(run: Path) -> None:
    with in_a_thread(service_of([run], Limits(seconds=0.2, at_once=1))) as address:
        name, _, port = address.removeprefix("http://").partition(":")
        with socket.create_connection((name, int(port)), timeout=60) as caller:
            head = f"POST /v1/translate HTTP/1.1\r\nHost: {name}\r\nContent-Type: application/json\r\n"
            caller.sendall(f"{head}Content-Length: 100\r\n\r\n{{".encode())
            told = caller.makefile("rb").read()  # to the end: the connection is closed
        assert told.startswith(b"HTTP/1.1 503 ")
        assert b"longer than 0.2 s" in told
        assert httpx2.post(f"{address}/v1/translate", json={"inputs": ["walk"]}).status_code in (200, 503)


def test_work_that_nobody_waits_for_is_given_up(run: Path) -> None:
    engines = Engines(load_run(run), Limits(seconds=-1.0))
    with pytest.raises(TimeoutError):
        engines.answer(AnswerOptions(), [("walk",)])


def test_answers_carry_the_headers_that_protect_the_page(client: TestClient) -> None:
    headers = client.get("/docs").headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert "server" not in headers


def test_a_query_changes_no_page(client: TestClient) -> None:
    for path in ("/", "/docs"):
        assert "<b>" not in client.get(f"{path}?text=<b>evil</b>&request=<b>&name=<b>").text


def test_a_host_without_a_token_is_warned_about() -> None:
    assert check_access("127.0.0.1", None, frozenset())[1] == ""
    assert check_access("::1", None, frozenset())[1] == ""
    assert "--token" in check_access("0.0.0.0", None, frozenset())[1]
    assert check_access("0.0.0.0", TOKEN, frozenset())[1] == ""
    for bad in ("short", "with a space", "é" * 10, ""):
        with pytest.raises(ConfigError, match="at least 8"):
            check_access("0.0.0.0", bad, frozenset())


def test_the_address_can_be_opened() -> None:
    assert address("0.0.0.0", 8000) == "http://127.0.0.1:8000"
    assert address("::1", 1) == "http://[::1]:1"


def test_a_port_in_use_is_told_in_one_line(run: Path) -> None:
    from commands import ness

    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = ness("serve", run, "--port", str(taken.getsockname()[1]))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "--port 0" in done.stderr
