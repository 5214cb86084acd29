"""Makes the pictures of docs/teaching.md: plays its story in Chromium against `ness teach`.

PYTHONPATH=tests python scripts/screenshots.py [FOLDER]
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, expect

from viewer_browser import chromium

EXAMPLES = {
    "walk": "WALK",
    "run": "RUN",
    "jump": "JUMP",
    "walk twice": "WALK WALK",
    "run twice": "RUN RUN",
    "walk and run": "WALK RUN",
    "run and walk": "RUN WALK",
    "jump and walk": "JUMP WALK",
    "walk twice and run": "WALK WALK RUN",
}
AGAINST = 7  # examples that are solved while a pinned rule contradicts the other three
WIDE: dict[str, Any] = {"viewport": {"width": 1200, "height": 900}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "color_scheme": "dark"}


def learned(page: Page, count: int, solved: int | None = None) -> None:
    expect(page.locator("#state")).to_contain_text(f"learned {count if solved is None else solved} of {count}")
    expect(page.locator("#question")).to_contain_text("What should come out of")


def translate(page: Page, text: str) -> None:
    page.get_by_label("An input to translate").fill(text)
    page.get_by_role("button", name="Translate", exact=True).click()
    expect(page.locator(".answer")).to_be_visible()


def tell(browser: Browser, address: str, folder: Path) -> None:
    """Play the story of the tutorial, with a picture after each part."""
    page = browser.new_context(**WIDE).new_page()
    page.goto(address)
    page.get_by_label("Input 1", exact=True).focus()
    for word in (word for pair in EXAMPLES.items() for word in pair):
        page.keyboard.type(word)
        page.keyboard.press("Enter")
    learned(page, 9)
    translate(page, "walk and jump twice")
    page.screenshot(path=folder / "teach-learned.png")
    page.get_by_role("button", name="That is wrong").click()
    page.get_by_label("The right output").fill("WALK JUMP WALK JUMP")
    page.locator("#correct-form").get_by_role("button", name="Teach it").click()
    learned(page, 10)
    page.locator("#try").screenshot(path=folder / "teach-corrected.png")
    page.get_by_role("button", name="Edit: jump becomes JUMP").click()
    page.get_by_label("What jump becomes").fill("LEAP")
    page.get_by_role("button", name="Pin", exact=True).click()
    learned(page, 10, AGAINST)
    page.locator("#rules").screenshot(path=folder / "teach-rules.png")
    dark = browser.new_context(**WIDE, color_scheme="dark").new_page()
    dark.goto(address)
    learned(dark, 10, AGAINST)
    dark.screenshot(path=folder / "teach-dark.png")
    phone = browser.new_context(**PHONE).new_page()
    phone.goto(address)
    learned(phone, 10, AGAINST)
    phone.get_by_role("link", name="Ask me").click()
    phone.wait_for_timeout(600)
    phone.screenshot(path=folder / "teach-phone.png")
    for path in folder.glob("teach-*.png"):
        shrink(path)


def shrink(path: Path) -> None:
    """Keep 128 colours: a page of this kind does not miss the others."""
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    """Start the server, take the pictures."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images")
    command = [sys.executable, "-m", "ness", "teach", "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    address = re.search(r"http://\S+", process.stdout.readline())
    assert address, "the server did not start"
    try:
        with chromium() as browser:
            tell(browser, address[0], folder)
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main()
