"""What a person does on the page, for the tests of the page."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, ViewportSize, expect

PHONE: dict[str, Any] = {"viewport": ViewportSize(width=390, height=844), "is_mobile": True, "has_touch": True}
Open = Callable[..., Page]


def type_examples(page: Page, pairs: dict[str, str]) -> None:
    """Type into the table with nothing but keys, from its first field on."""
    page.get_by_label("Input 1", exact=True).focus()
    for source, target in pairs.items():
        page.keyboard.type(source)
        page.keyboard.press("Enter")
        page.keyboard.type(target)
        page.keyboard.press("Enter")


def learned(page: Page, count: int) -> None:
    expect(page.locator("#state")).to_contain_text(f"learned {count} of {count} examples")


def translate(page: Page, text: str) -> str:
    page.get_by_label("An input to translate").fill(text)
    page.get_by_role("button", name="Translate", exact=True).click()
    expect(page.locator(".asked")).to_have_text(text.replace(" ", ""))
    return " ".join(page.locator(".answer .output .chip").all_inner_texts())
