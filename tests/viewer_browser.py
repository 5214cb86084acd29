"""Headless Chromium for the tests of pages, and what they are to be like for everybody."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

expect.set_options(timeout=120_000)  # milliseconds: no test may fail because the machine is busy

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium_path() -> str | None:
    """Find an installed Chromium; nothing is downloaded."""
    known = [shutil.which("chromium"), shutil.which("chromium-browser"), shutil.which("google-chrome")]
    return next((path for path in [*known, "/usr/bin/chromium"] if path and Path(path).exists()), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium, or skip the test where there is none."""
    path = chromium_path()
    if path is None:
        pytest.skip("no Chromium found; install Debian's with scripts/ensure-chromium.sh")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


def complaints(page: Page) -> list[str]:
    """What axe has against a page: contrast, names, landmarks, sizes, and other rules for accessible pages."""
    found = Axe().run(page, options={"resultTypes": ["violations"], "iframes": False})
    return [f"{each['help']}: {each['nodes'][0]['html']}" for each in found.response["violations"]]
