"""Small models and servers that the tests of serving share."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from starlette.testclient import TestClient

from ness import Transducer
from ness.serve.app import Service, make_app
from ness.serve.limits import Limits
from ness.serve.metrics import Metrics
from ness.serve.models import load_models
from ness.serve.security import Access

NINE = {
    "walk": "WALK",
    "run": "RUN",
    "jump": "JUMP",
    "walk twice": "WALK WALK",
    "run twice": "RUN RUN",
    "walk and run": "WALK RUN",
    "run and walk": "RUN WALK",
    "walk twice and run": "WALK WALK RUN",
    "run and walk twice": "RUN WALK WALK",
}


def save_model(path: Path, examples: dict[str, str] | None = None) -> None:
    """Learn rules from examples and write the run folder."""
    given = NINE if examples is None else examples
    Transducer(rules_only=True).fit(list(given), list(given.values())).save(path)


def service_of(paths: Sequence[Path], limits: Limits | None = None, access: Access | None = None) -> Service:
    """Make what a server without a lesson uses."""
    limits, metrics = limits or Limits(), Metrics()
    return Service(load_models(paths, limits, metrics), limits, access or Access(), metrics)


@contextmanager
def client_of(service: Service) -> Iterator[TestClient]:
    """Talk to the application without a network."""
    app = make_app(service)
    with TestClient(app, base_url="http://127.0.0.1:8000", raise_server_exceptions=False) as client:
        yield client


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
