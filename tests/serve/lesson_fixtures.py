"""A lesson behind its API for tests that call it, and behind a page for tests that look at it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from page_actions import Open
from playwright.sync_api import Browser, Page
from served import client_of, emptied, save_model, server, service_of
from starlette.testclient import TestClient

from ness.serve.lesson import Lesson
from viewer_browser import chromium


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small model."""
    path = tmp_path_factory.mktemp("runs") / "nine"
    save_model(path)
    return path


@pytest.fixture(scope="module")
def shared_client() -> Iterator[TestClient]:
    """One server for all: each has a learning process, which takes a second to start."""
    with client_of(service_of(lesson=Lesson())) as client:
        yield client


@pytest.fixture
def client(shared_client: TestClient) -> TestClient:
    return emptied(shared_client)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def show(browser: Browser) -> Iterator[Open]:
    """Open a page; fail on any error in it, and on any request to another place."""
    problems: list[str] = []
    pages: list[Page] = []

    def open_page(address: str, **options: Any) -> Page:
        origin = "/".join(address.split("/")[:3])
        page = browser.new_context(accept_downloads=True, **options).new_page()
        pages.append(page)
        page.set_default_timeout(120_000)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: None if own(request.url, origin) else problems.append(request.url))
        page.goto(address)
        page.wait_for_selector("body[data-ready]")  # before that, a click goes nowhere
        return page

    yield open_page
    for page in pages:
        page.context.close()
    assert problems == []


def own(url: str, origin: str) -> bool:
    return url.startswith((origin, "data:", "blob:", "about:"))


@pytest.fixture(scope="module")
def shared_lesson() -> Iterator[str]:
    """One server for all: the command and its learning process take seconds to start."""
    with server("--no-browser", command="teach") as (address, _):
        yield address


@pytest.fixture
def lesson(shared_lesson: str) -> str:
    with httpx2.Client(base_url=shared_lesson) as client:
        emptied(client)
    return shared_lesson


@pytest.fixture
def new_lesson() -> Iterator[str]:
    """A server without a past."""
    with server("--no-browser", command="teach") as (address, _):
        yield address
