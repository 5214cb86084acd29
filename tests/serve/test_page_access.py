"""Who can use the page: on a phone, in the dark, with a screen reader, with a token, to read only."""

from itertools import pairwise
from pathlib import Path

import pytest
from page_actions import PHONE, Open, learned, translate, type_examples
from playwright.sync_api import expect
from served import OPEN, save_model, server

from nine_examples import NINE
from viewer_browser import complaints

pytest_plugins = ["lesson_fixtures"]
pytestmark = pytest.mark.slow


def test_it_works_on_a_phone(lesson: str, show: Open) -> None:
    page = show(lesson, **PHONE)
    type_examples(page, NINE)
    learned(page, 9)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("navigation", name="Parts of the page").get_by_role("link", name="Try").tap()
    assert translate(page, "jump twice") == "JUMP JUMP"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    small = page.evaluate(
        "[...document.querySelectorAll('button, input:not([type=checkbox]), select')]"
        ".filter((each) => each.offsetParent && each.getBoundingClientRect().height < 30).map((each) => each.outerHTML)"
    )
    assert small == []  # large enough for a finger


def test_everything_has_a_name_and_news_are_announced(lesson: str, show: Open) -> None:
    page = show(lesson, color_scheme="dark")
    type_examples(page, NINE)
    learned(page, 9)
    nameless = page.evaluate(
        "[...document.querySelectorAll('button, input, select, textarea, iframe, section, nav, dialog')]"
        ".filter((each) => !(each.labels?.length || each.getAttribute('aria-label') || each.title"
        " || each.getAttribute('aria-labelledby') || (each.tagName === 'BUTTON' && each.textContent.trim())))"
        ".map((each) => each.outerHTML)"
    )
    assert nameless == []
    assert page.locator("[aria-live], [role=status], [role=alert]").count() >= 4
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((each) => Number(each.tagName[1]))")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_axe_has_nothing_against_the_page(lesson: str, show: Open) -> None:
    page = show(lesson)
    assert complaints(page) == []
    type_examples(page, OPEN)
    learned(page, 9)
    page.get_by_role("button", name="Edit: jump becomes JUMP").click()
    page.get_by_label("What jump becomes").fill("LEAP")
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(page.locator(".mark.against").first).to_be_visible()
    for options in ({}, {"color_scheme": "dark"}, PHONE):
        other = show(lesson, **options)
        translate(other, "walk and jump twice")
        other.get_by_role("button", name="That is wrong").click()
        other.get_by_role("button", name="Copy a link").click()
        expect(other.get_by_label("Link", exact=True)).to_be_visible()
        expect(other.locator(".choice").first).to_be_visible()
        assert complaints(other) == []
        other.get_by_role("button", name="Show the steps").click()
        expect(other.frame_locator("#trace-frame").locator("#count")).to_contain_text("Step 1")
        assert complaints(other) == []


def test_read_only_shows_the_models(show: Open, tmp_path: Path) -> None:
    save_model(tmp_path / "nine")
    save_model(tmp_path / "letters", {"a": "A", "b": "B"})
    with server(tmp_path / "nine", tmp_path / "letters", "--read-only") as (address, _):
        page = show(address)
        expect(page.locator("#rule-list")).to_contain_text("[● twice]")
        assert translate(page, "jump twice") == "JUMP JUMP"
        page.get_by_label("Model").select_option("letters")
        assert translate(page, "b") == "B"
        expect(page.locator("#examples")).not_to_be_visible()


def test_a_token_comes_with_the_address(show: Open) -> None:
    with server("--no-browser", "--token", "correct-horse", command="teach") as (address, _):
        page = show(f"{address}/#token=correct-horse")
        type_examples(page, {"walk": "WALK"})
        learned(page, 1)
        assert "correct-horse" not in page.url


def test_the_api_is_described(lesson: str, show: Open) -> None:
    page = show(f"{lesson}/docs")
    expect(page.get_by_role("heading", name="POST /v1/translate")).to_be_visible()
    expect(page.get_by_role("cell", name="n_best")).to_be_visible()
    assert complaints(page) == []
