"""The page in a real browser: a person teaches from nothing, is asked, corrects, pins a rule, takes the result away."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, ViewportSize, expect
from served import OPEN, save_model, server

from ness.data.spelling import KINDS, cut
from nine_examples import NINE
from viewer_browser import chromium, complaints

PHONE: dict[str, Any] = {"viewport": ViewportSize(width=390, height=844), "is_mobile": True, "has_touch": True}
Open = Callable[..., Page]

pytestmark = pytest.mark.slow


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
        return page

    yield open_page
    for page in pages:
        page.context.close()
    assert problems == []


def own(url: str, origin: str) -> bool:
    return url.startswith((origin, "data:", "blob:", "about:"))


@pytest.fixture
def lesson() -> Iterator[str]:
    with server("--no-browser", command="teach") as (address, _):
        yield address


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


def test_a_person_teaches_from_nothing_and_takes_a_translator_away(lesson: str, show: Open, tmp_path: Path) -> None:
    page = show(lesson)
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


def test_rules_and_network_answer_side_by_side(lesson: str, show: Open) -> None:
    page = show(lesson)
    type_examples(page, NINE)
    learned(page, 9)
    page.get_by_label("Train a neural network as well").check()
    assert translate(page, "jump twice").startswith("JUMP JUMP")  # the last good model answers meanwhile
    expect(page.locator(".answer h3")).to_have_text(["By rules", "By the network"])
    assert page.locator(".answer .output").all_inner_texts() == ["JUMP\nJUMP"] * 2


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


def test_lines_are_marked_pasted_undone(lesson: str, show: Open) -> None:
    page = show(lesson)
    page.get_by_text("Paste many").click()
    page.get_by_label("Lines of TSV, CSV or JSON").fill("walk\tWALK\nwalk\tRUN\nno tab\n")
    page.get_by_role("button", name="Add these lines").click()
    expect(page.locator("#problem")).to_contain_text("2 lines added; line 3")
    expect(page.locator(".mark.contradictory")).to_have_count(2)
    expect(page.locator(".mark").first).to_contain_text("The same input has the output “RUN” on line 2.")
    page.get_by_label("Delete line 2", exact=True).click()
    expect(page.locator(".mark")).to_have_count(0)
    expect(page.get_by_label("Input 1", exact=True)).to_have_value("walk")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Output 2", exact=True)).to_have_value("RUN")
    page.get_by_label("Input 2", exact=True).focus()
    expect(page.locator(".tokens .chip")).to_have_text(["walk", "RUN"])


def test_texts_are_cut_as_chosen_and_shown_so(lesson: str, show: Open) -> None:
    page = show(lesson)
    page.get_by_text("Paste many").click()
    rows = 'Input,Output\n"Fetch bolts",take(bolts)\nFetch nuts,take(nuts)\n'
    rows += "Count bolts,scan(bolts)\nCount nuts,scan(nuts)\n"
    page.get_by_label("Lines of TSV, CSV or JSON").fill(rows)
    page.get_by_role("button", name="Add these lines").click()
    page.get_by_text("How texts are cut").click()
    page.get_by_label("Outputs into").select_option("punctuation")
    page.get_by_label("Inputs into").select_option("punctuation")
    with page.expect_response("**/v1/lesson/spelling"):
        page.get_by_label("Read inputs in capitals as others").check()
    expect(page.locator("#learning")).to_be_hidden()
    learned(page, 4)
    page.get_by_label("Input 1", exact=True).focus()
    expect(page.locator(".tokens .chip")).to_have_text(["fetch", "bolts", "take", "(", "bolts", ")"])
    page.get_by_label("An input to translate").fill("COUNT nuts.")
    page.get_by_role("button", name="Translate", exact=True).click()
    expect(page.locator(".answer .output .chip")).to_have_text(["scan", "(", "nuts", ")"])


CUT_TEXTS = [
    "Fetch bolts.",
    "f(x, y_1)",
    "Don’t stop: it's 3.5 or 1,000!",
    "e\u0301te\u0301  a␣b",
    "👩‍🚀👍🏽!",
    "नमस्ते दुनिया।",
]


def test_the_page_cuts_as_the_server_does(lesson: str, show: Open) -> None:
    page = show(lesson)
    page.wait_for_selector("body[data-ready]")
    for kind in KINDS:
        chosen = {"tokens": kind, "target_tokens": kind, "lowercase": False}
        script = """async ([chosen, texts]) => {
          const [{ cutTarget }, { send }] = [await import("/static/spelling.js"), await import("/static/lesson.js")];
          await send("PUT", "/v1/lesson/spelling", chosen);
          return texts.map(cutTarget);
        }"""
        assert page.evaluate(script, [chosen, CUT_TEXTS]) == [cut(text, kind) for text in CUT_TEXTS]


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


def test_a_wrong_line_is_marked_with_its_reason(lesson: str, show: Open) -> None:
    page = show(lesson)
    pairs = {f"{one} and {two}": f"{one} {two}".upper() for one in ("walk", "jump") for two in ("run", "jump")}
    rows = NINE | pairs | {"jump twice": "JUMP WALK JUMP"}
    page.get_by_text("Paste many").click()
    page.get_by_label("Lines of TSV, CSV or JSON").fill("".join(f"{one}\t{two}\n" for one, two in rows.items()))
    page.get_by_role("button", name="Add these lines").click()
    mark = page.locator(".mark.suspicious")
    expect(mark).to_have_count(1)
    expect(mark).to_have_text("suspicious The other examples lead to “JUMP JUMP”. Is this line right?")
    wrong = page.locator(".line", has=mark)
    expect(wrong.locator(".source")).to_have_value("jump twice")
    described = wrong.locator(".target").get_attribute("aria-describedby")
    expect(page.locator(f"#{described}")).to_contain_text("Is this line right?")  # which a screen reader says
    wrong.locator(".target").fill("JUMP JUMP")
    expect(mark).to_have_count(0)
    learned(page, len(rows))


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


def test_html_in_examples_stays_text(lesson: str, show: Open) -> None:
    evil = "<img src=x onerror=\"document.title='hacked'\">"
    page = show(lesson)
    type_examples(page, {evil: f"</script>{evil}", "walk": "WALK"})
    learned(page, 2)
    assert translate(page, evil).startswith("</script>")
    page.get_by_role("button", name="Show the steps").click()
    expect(page.frame_locator("#trace-frame").locator("#count")).to_contain_text("Step 1")
    assert page.title() == "NeSS: teach a translator"


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
    page.wait_for_selector("body[data-ready]")
    assert complaints(page) == []
    type_examples(page, OPEN)
    learned(page, 9)
    page.get_by_role("button", name="Edit: jump becomes JUMP").click()
    page.get_by_label("What jump becomes").fill("LEAP")
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(page.locator(".mark.against").first).to_be_visible()
    for options in ({}, {"color_scheme": "dark"}, PHONE):
        other = show(lesson, **options)
        other.wait_for_selector("body[data-ready]")
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
