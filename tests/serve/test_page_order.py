"""Replies that come late: the page shows what is newest, whatever comes first."""

import pytest
from page_actions import Open, learned, translate, type_examples
from playwright.sync_api import Route, expect
from served import OPEN

from nine_examples import NINE

pytest_plugins = ["lesson_fixtures"]
pytestmark = pytest.mark.slow


def test_a_question_from_before_cannot_be_answered_after_learning(lesson: str, show: Open) -> None:
    page = show(lesson)
    type_examples(page, OPEN)
    learned(page, 9)
    expect(page.locator(".choice").first).to_be_visible()
    held: list[Route] = []
    page.route("**/v1/lesson/questions*", lambda route: held.append(route))
    translate(page, "walk and jump twice")
    page.get_by_role("button", name="That is wrong").click()
    page.get_by_label("The right output").fill("WALK JUMP WALK JUMP")
    page.locator("#correct-form").get_by_role("button", name="Teach it").click()
    learned(page, 10)
    expect(page.locator(".choice")).to_have_count(0)  # the answers to choose from were those of other rules
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    expect(page.locator(".asked-about")).to_have_text("jumpandrunandwalk")


def test_what_was_asked_earlier_and_comes_later_is_not_shown(lesson: str, show: Open) -> None:
    page = show(lesson)
    type_examples(page, NINE)
    learned(page, 9)
    held: list[Route] = []
    page.route("**/v1/lesson/try", lambda route: held.append(route))
    for text in ("walk twice", "jump twice"):
        page.get_by_label("An input to translate").fill(text)
        page.keyboard.press("Enter")
    while len(held) < 2:
        page.wait_for_timeout(20)
    held[1].continue_()
    expect(page.locator(".asked")).to_have_text("jumptwice")
    with page.expect_response("**/v1/lesson/try"):
        held[0].continue_()
    page.wait_for_timeout(100)  # a moment to show it, if it were
    expect(page.locator(".asked")).to_have_text("jumptwice")
    assert page.locator(".answer .output .chip").all_inner_texts() == ["JUMP", "JUMP"]


def test_a_change_is_shown_though_a_state_from_before_it_comes_first(lesson: str, show: Open) -> None:
    page = show(lesson)
    held: list[Route] = []
    page.route("**/v1/lesson/paste", lambda route: held.append(route))
    page.get_by_text("Paste many").click()
    page.get_by_label("Lines of TSV, CSV or JSON").fill("walk\tWALK\n")
    page.get_by_role("button", name="Add these lines").click()
    while not held:
        page.wait_for_timeout(20)
    page.evaluate("import('/static/lesson.js').then((module) => module.refresh())")  # asked later, answered without it
    held[0].continue_()
    learned(page, 1)
