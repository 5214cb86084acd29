"""Small models and servers that the tests of serving share."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import uvicorn
from starlette.testclient import TestClient

from ness import Transducer
from ness.serve.app import Service, make_app
from ness.serve.lesson import Lesson
from ness.serve.limits import Limits
from ness.serve.metrics import Metrics
from ness.serve.models import load_models
from ness.serve.security import Access
from nine_examples import NINE

OPEN = {source: target for source, target in NINE.items() if source != "run and walk twice"} | {
    "jump and walk": "JUMP WALK"
}


def save_model(path: Path, examples: dict[str, str] | None = None) -> None:
    """Learn rules from examples and write the run folder."""
    given = NINE if examples is None else examples
    Transducer(rules_only=True).fit(list(given), list(given.values())).save(path)


def service_of(
    paths: Sequence[Path] = (),
    limits: Limits | None = None,
    access: Access | None = None,
    lesson: Lesson | None = None,
) -> Service:
    """Make what a server uses."""
    limits, metrics = limits or Limits(), Metrics()
    return Service(load_models(paths, limits, metrics), limits, access or Access(), metrics, lesson)


Client = TypeVar("Client", TestClient, httpx2.Client)


def settled(client: TestClient | httpx2.Client) -> dict[str, Any]:
    """Wait until nothing is being learned; return the lesson."""
    while True:
        state: dict[str, Any] = client.get("/v1/lesson").json()
        if state["progress"]["state"] != "learning":
            return state
        time.sleep(0.02)


@contextmanager
def client_of(service: Service) -> Iterator[TestClient]:
    """Talk to the application without a network."""
    app = make_app(service)
    with TestClient(app, base_url="http://127.0.0.1:8000", raise_server_exceptions=False) as client:
        yield client


@contextmanager
def in_a_thread(service: Service) -> Iterator[str]:
    """Serve on a real socket from this process; yield the address."""
    listening = socket.create_server(("127.0.0.1", 0))
    running = uvicorn.Server(uvicorn.Config(make_app(service), log_level="error", ws="none"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        running.should_exit = True
        thread.join(60)
        listening.close()


@contextmanager
def server(*arguments: str | Path, command: str = "serve") -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Start the real command; yield its address and process, and stop it at the end."""
    words = [sys.executable, "-m", "ness", command, *map(str, arguments), "--port", "0"]
    environment = {name: value for name, value in os.environ.items() if name != "NESS_TOKEN"}
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        address = re.search(r"http://\S+", line)
        assert address, (line, process.poll(), process.stderr and process.stderr.read() if process.poll() else "")
        yield address[0], process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


def lines_of(pairs: dict[str, str]) -> list[dict[str, str]]:
    return [{"source": source, "target": target} for source, target in pairs.items()]


def give(client: TestClient, pairs: dict[str, str]) -> dict[str, Any]:
    reply = client.put("/v1/lesson/examples", json={"lines": lines_of(pairs)})
    assert reply.status_code == 200, reply.text
    return settled(client)


def answer(client: TestClient, text: str) -> dict[str, Any]:
    found: dict[str, Any] = client.post("/v1/lesson/try", json={"input": text}).json()["answers"][0]
    return found


def marks(state: dict[str, Any]) -> list[list[str]]:
    return [[mark["kind"] for mark in line["marks"]] for line in state["lines"]]


def emptied(client: Client) -> Client:
    """A client whose lesson begins anew."""
    assert client.put("/v1/lesson", json={"lines": []}).status_code == 200
    settled(client)
    return client
