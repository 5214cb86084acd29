"""Take the pictures of the trace viewer that the docs show.

    python scripts/viewer-screenshots.py trace.html docs/images --step 22

`trace.html` comes from `ness trace RUN TEXT --html trace.html`.
"""

import argparse
import shutil
from pathlib import Path

from playwright.sync_api import ViewportSize, sync_playwright

SHOTS = {
    "viewer-light": {"size": ViewportSize(width=1120, height=800), "scheme": "light"},
    "viewer-dark": {"size": ViewportSize(width=1120, height=800), "scheme": "dark"},
    "viewer-phone": {"size": ViewportSize(width=390, height=844), "scheme": "dark"},
}


def main() -> None:
    """Open the page at a step and save one picture per setting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--step", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or "/usr/bin/chromium"
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for name, shot in SHOTS.items():
            page = browser.new_page(viewport=shot["size"], color_scheme=shot["scheme"], reduced_motion="reduce")  # type: ignore[arg-type]
            page.goto(options.page.resolve().as_uri())
            page.locator("#slider").fill(str(options.step))
            page.locator("#slider").blur()
            page.screenshot(path=options.folder / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
