"""The page in a real browser: a person teaches from nothing, is asked, corrects, pins a rule, takes the result away."""

import subprocess
import sys
from pathlib import Path

import pytest
from page_actions import Open, learned, translate, type_examples
from playwright.sync_api import Page, expect
from served import OPEN, server

from nine_examples import NINE

pytest_plugins = ["lesson_fixtures"]
pytestmark = pytest.mark.slow


def test_a_person_teaches_from_nothing_and_takes_a_translator_away(new_lesson: str, show: Open, tmp_path: Path) -> None:
    page = show(new_lesson)
    type_examples(page, OPEN)
    learned(page, 9)

    assert translate(page, "walk and jump twice") == "WALK JUMP JUMP"
    expect(page.locator(".sure")).to_contain_text("extrapolated")
    page.get_by_role("button", name="That is wrong").click()
    page.get_by_label("The right output").fill("WALK JUMP WALK JUMP")
    page.locator("#correct-form").get_by_role("button", name="Teach it").click()
    learned(page, 10)
    expect(page.locator("#changes")).to_contain_text("walk and jump twice")
    assert translate(page, "run and walk twice") == "RUN WALK RUN WALK"
    expect(page.locator(".sure")).to_contain_text("follows 1 example")

    for count in (11, 12):
        expect(page.locator("#question")).to_contain_text("What should come out of")
        page.locator(".choice").first.click()
        learned(page, count)

    page.get_by_role("button", name="Pin: X twice becomes X X").click()
    expect(page.locator(".rule.pin")).to_contain_text("pinned")
    page.get_by_role("button", name="Edit: jump becomes JUMP").click()
    page.get_by_label("What jump becomes").fill("LEAP")
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(page.locator(".mark.against").first).to_contain_text("“jump → LEAP”")
    assert translate(page, "jump twice") == "LEAP LEAP"

    inputs = ["jump twice", "walk and jump twice", "run and walk and run", "walk twice and jump", "run twice twice"]
    shown = [translate(page, text) for text in inputs]
    with page.expect_download() as download:
        page.get_by_role("button", name="Translator (Python)").click()
    translator = tmp_path / download.value.suggested_filename
    download.value.save_as(translator)
    command = [sys.executable, "-I", str(translator)]
    done = subprocess.run(command, input="\n".join(inputs) + "\n", capture_output=True, text=True)
    assert done.stdout.splitlines() == shown


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the element with this label or text has the focus."""
    script = """() => {
      const { activeElement: now } = document;
      return (now.getAttribute("aria-label") || now.labels?.[0]?.textContent || now.textContent).trim();
    }"""
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate(script).startswith(name):
            return
    raise AssertionError(f"no way to {name} by the Tab key")


def test_the_whole_story_without_a_mouse(lesson: str, show: Open, tmp_path: Path) -> None:
    page = show(lesson)
    expect(page.get_by_label("Input 1", exact=True)).to_be_visible()
    tab_to(page, "Skip to the examples")
    page.keyboard.press("Enter")
    tab_to(page, "Input 1")
    for source, target in OPEN.items():
        page.keyboard.type(source)
        page.keyboard.press("Enter")
        page.keyboard.type(target)
        page.keyboard.press("Enter")
    learned(page, 9)
    tab_to(page, "An input to translate")
    page.keyboard.type("walk and jump twice")
    page.keyboard.press("Enter")
    expect(page.locator(".answer")).to_be_visible()
    tab_to(page, "That is wrong")
    page.keyboard.press("Enter")
    page.keyboard.type("WALK JUMP WALK JUMP")  # the field has the focus
    page.keyboard.press("Enter")
    learned(page, 10)
    expect(page.locator(".choice").first).to_be_visible()
    tab_to(page, "It is ")
    page.keyboard.press("Enter")
    learned(page, 11)
    expect(page.locator(".choice").first).to_be_focused()
    page.keyboard.press("Enter")
    learned(page, 12)
    tab_to(page, "Pin: X twice becomes X X")
    page.keyboard.press("Enter")
    expect(page.locator(".rule.pin")).to_contain_text("pinned")
    tab_to(page, "Translator (Python)")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert "RULES" in Path(download.value.path()).read_text(encoding="utf-8")


def test_rules_and_network_answer_side_by_side(new_lesson: str, show: Open) -> None:
    page = show(new_lesson)
    type_examples(page, NINE)
    learned(page, 9)
    page.get_by_label("Train a neural network as well").check()
    assert translate(page, "jump twice").startswith("JUMP JUMP")  # the last good model answers meanwhile
    expect(page.locator(".answer h3")).to_have_text(["By rules", "By the network"])
    assert page.locator(".answer .output").all_inner_texts() == ["JUMP\nJUMP"] * 2


def test_a_link_holds_the_lesson(lesson: str, show: Open) -> None:
    page = show(lesson)
    type_examples(page, NINE)
    learned(page, 9)
    page.get_by_role("button", name="Forbid: jump becomes JUMP").click()
    expect(page.locator(".rule.forbid")).to_have_count(1)
    page.get_by_role("button", name="Copy a link").click()
    expect(page.locator("#taken")).to_contain_text("ness teach")
    link = page.get_by_label("Link", exact=True).input_value()
    with server(link, "--no-browser", command="teach") as (address, _):
        other = show(address)
        expect(other.locator(".rule.forbid")).to_have_count(1)
        expect(other.get_by_label("Output 9", exact=True)).to_have_value("RUN WALK WALK")
        other.get_by_label("Delete line 9", exact=True).click()
        expect(other.get_by_label("Input 9", exact=True)).to_have_value("")
        hash_part = link.partition("#")[2]
        other.goto(f"{address}/#{hash_part}")  # Playwright says no to questions, unless told otherwise
        expect(other).to_have_url(f"{address}/")
        expect(other.get_by_label("Input 9", exact=True)).to_have_value("")
        other.once("dialog", lambda question: question.accept())
        other.goto(f"{address}/#{hash_part}")
        expect(other.get_by_label("Output 9", exact=True)).to_have_value("RUN WALK WALK")
        expect(other).to_have_url(f"{address}/")  # so that a reload takes nothing back
        expect(other.locator("#learning")).to_be_hidden()


def test_the_steps_are_shown(lesson: str, show: Open) -> None:
    page = show(lesson)
    type_examples(page, {"walk": "WALK"})
    learned(page, 1)
    translate(page, "walk")
    page.get_by_role("button", name="Show the steps").click()
    frame = page.frame_locator("#trace-frame")
    expect(frame.locator("#count")).to_have_text("Step 1 of 3")
    frame.get_by_role("button", name="Forward").click()
    expect(frame.locator("#instruction")).to_have_text("REDUCE WALK")
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#trace")).not_to_be_visible()
