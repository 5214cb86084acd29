"""The trace viewer in a real browser: buttons, keys, slider, content, and what a screen reader hears."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect
from viewer_traces import around, deep_blocks, enclosed, lambda_chain, named, odd

from controller_task import table
from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.answer.trace_view import answer_json, trace_json
from ness.machine import parse_program, run
from ness.web import render_html, render_traces_html, title_of
from viewer_browser import chromium, complaints

Open = Callable[..., Page]
EVIL = "</script><img src=x onerror=\"document.title='hacked'\"><!--&amp;"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def window(browser: Browser) -> Page:
    """A page that tests share: a new one costs more than most tests."""
    return browser.new_context(viewport=ViewportSize(width=1280, height=860), offline=True).new_page()


@pytest.fixture
def show(browser: Browser, window: Page, tmp_path: Path) -> Iterator[Open]:
    """Open a page from a file without a network; fail on any error or request that it makes."""
    problems: list[str] = []
    requests: list[str] = []
    watchers: dict[str, Callable[[Any], None]] = {
        "pageerror": lambda error: problems.append(str(error)),
        "console": lambda message: problems.append(message.text),
        "request": lambda request: requests.append(request.url),
    }
    pages: list[Page] = []

    def open_page(html: str, **options: Any) -> Page:
        path = tmp_path / "trace.html"
        path.write_text(html, encoding="utf-8")
        page = browser.new_context(offline=True, **options).new_page() if options else window
        pages.append(page)
        for event, watcher in watchers.items():
            page.on(event, watcher)  # type: ignore[call-overload]
        page.set_default_timeout(120_000)
        page.goto(path.as_uri())
        return page

    yield open_page
    for page in pages:
        if page is not window:
            page.context.close()
            continue
        for event, watcher in watchers.items():
            page.remove_listener(event, watcher)
    assert problems == []
    assert all(url.startswith(("file:", "data:")) for url in requests)


def step_shown(page: Page) -> str:
    return page.locator("#count").inner_text()


def test_buttons_walk_through_the_execution(show: Open) -> None:
    page = show(render_html(around(), "jump around right"))
    assert page.title() == "jump around right"
    assert step_shown(page) == "Step 1 of 10"
    page.get_by_role("button", name="Forward").click()
    assert step_shown(page) == "Step 2 of 10"
    assert page.locator("#instruction").inner_text() == "REDUCE JUMP"
    assert page.locator("#effect").inner_text() == "Replaces “jump” by JUMP."
    page.get_by_role("button", name="Last step").click()
    assert step_shown(page) == "Step 10 of 10"
    assert page.locator("#instruction").inner_text() == "FINAL"
    page.get_by_role("button", name="Forward").click(force=True)  # it is marked as disabled
    assert step_shown(page) == "Step 10 of 10"
    page.get_by_role("button", name="Back").click()
    assert step_shown(page) == "Step 9 of 10"
    page.get_by_role("button", name="First step").click()
    assert step_shown(page) == "Step 1 of 10"
    assert page.locator("#back").get_attribute("aria-disabled") == "true"


def test_keys_walk_through_the_execution(show: Open) -> None:
    page = show(render_html(around(), "keys"))
    moves = {"ArrowRight": 2, "End": 10, "ArrowLeft": 9, "Home": 1}
    for key, shown in moves.items():
        page.keyboard.press(key)
        assert step_shown(page) == f"Step {shown} of 10"


def test_the_slider_moves_and_has_its_own_keys(show: Open) -> None:
    page = show(render_html(around(), "slider"))
    slider = page.get_by_role("slider", name="Step")
    slider.fill("8")
    assert step_shown(page) == "Step 8 of 10"
    slider.press("ArrowRight")
    assert step_shown(page) == "Step 9 of 10"
    assert slider.get_attribute("aria-valuetext") == "Step 9 of 10: CONCAT_S 1,1,1,1"


def test_space_plays_and_pauses(show: Open) -> None:
    page = show(render_html(around(), "play"), locale="en")  # its clock is its own
    page.clock.install()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_have_attribute("aria-pressed", "true")
    page.clock.run_for(2100)
    assert step_shown(page) == "Step 3 of 10"
    page.keyboard.press("Space")
    page.clock.run_for(5000)
    assert step_shown(page) == "Step 3 of 10"
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(20_000)
    assert step_shown(page) == "Step 10 of 10"
    expect(page.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "false")
    page.get_by_role("button", name="Play").click()
    assert step_shown(page) == "Step 1 of 10"


def test_space_on_a_focused_button_presses_that_button_only(show: Open) -> None:
    page = show(render_html(around(), "focus"))
    page.locator("#forward").focus()
    page.keyboard.press("Space")
    assert step_shown(page) == "Step 2 of 10"
    assert page.locator("#play").get_attribute("aria-pressed") == "false"


def test_the_machine_is_drawn(show: Open) -> None:
    page = show(render_html(around(), "machine"))
    page.locator("#slider").fill("6")  # REDUCE RTURN in the second frame
    assert page.locator("#queue .read").count() == 3
    assert page.locator("#stack > .frame > .item").count() == 2
    assert page.locator("#stack > .frame > .frame.active > .word").inner_text().endswith("right")
    page.locator("#slider").fill("8")  # CONCAT_M 2,0
    assert page.locator("#stack .phrase .number").all_inner_texts() == ["0", "2"]
    assert page.locator("#stack .touched").count() == 2
    assert page.locator("#memory").inner_text() == "empty"
    page.locator("#slider").fill("9")
    assert "RTURN JUMP" in page.locator("#memory .phrase.touched").inner_text()


def test_templates_and_boundaries_are_drawn(show: Open) -> None:
    page = show(render_html(enclosed(), title_of(enclosed()["source"])))
    assert page.title() == "a and b"
    assert page.locator("#source").inner_text() == "a and b"
    assert page.locator("#effect").inner_text() == "Reads the beginning of the input onto the top frame."
    page.locator("#slider").fill("12")
    assert page.locator("#instruction").inner_text() == 'CONCAT_S [ 1 "," "0" 3 ]'
    assert page.locator("#effect").inner_text() == (
        "Joins “[” + A + “,” + “0” + B + “]” into one phrase, now the whole top frame."
    )
    assert page.locator("#stack .touched").all_inner_texts() == page.locator("#stack .phrase").all_inner_texts()
    assert page.locator("#stack .phrase .number").all_inner_texts() == ["1", "3"]
    page.locator("#slider").fill("13")
    assert "[ A , 0 B ]" in page.locator("#stack .phrase").inner_text()


def test_a_word_that_is_named_is_numbered_and_says_what_it_stands_for(show: Open) -> None:
    page = show(render_html(named(), "named"))
    page.locator("#slider").fill("3")
    assert page.locator("#instruction").inner_text() == "CONCAT_S * 1"
    assert page.locator("#effect").inner_text() == (
        "Joins “*” + cat (for katze) into one phrase, now the whole top frame."
    )
    assert page.locator("#stack .word .number").all_inner_texts() == ["1"]
    assert page.locator("#stack .touched").count() == 1


def test_the_reason_is_told(show: Open) -> None:
    page = show(render_html(around(), "why"))
    reason = page.locator("#reason").inner_text()
    assert reason == "Seen in training with other words of the same categories. Support: 12 traces."
    assert page.locator("#options li").all_inner_texts() == ["SHIFT\n75%", "PUSH\n20%", "POP\n< 0.1%"]
    widths = page.locator("#options .bar i").evaluate_all("bars => bars.map(bar => bar.style.width)")
    assert widths == ["75%", "20%", "0.04%"]
    assert "next 'jump'" in page.locator("#status").inner_text()


@pytest.mark.parametrize(
    ("support", "told"),
    [
        (3, "Decided by the network. Support: 3 traces."),
        (0, "Decided by the network. Never seen in training: extrapolated."),
    ],
)
def test_the_network_says_whether_training_supports_it(support: int, told: str, show: Open) -> None:
    trace = around()
    status = "next end of input, top [●], second none, memory []"
    trace["steps"][0]["reason"] = {"rule": "network", "support": support, "probability": 1.0, "status": status}
    page = show(render_html(trace, "why"))
    assert page.locator("#reason").inner_text() == told
    assert page.locator("#status").inner_text() == f"It saw: {status}; ● is any phrase."


def test_without_reasons_the_panel_is_hidden(show: Open) -> None:
    page = show(render_html(lambda_chain(3), "no reasons"))
    expect(page.locator(".why")).to_be_hidden()


def test_each_step_is_a_plain_sentence_for_a_screen_reader(show: Open) -> None:
    page = show(render_html(around(), "sentence"))
    live = page.locator("[aria-live=polite]")
    page.keyboard.press("ArrowRight")
    text = live.inner_text()
    assert text.startswith("Step 2 of 10. REDUCE. Replaces “jump” by JUMP. Before it: next word around; 1 frame;")
    assert "top frame: word jump; memory: empty." in text
    for control in page.locator("button, select:visible, input").all():
        assert control.get_attribute("aria-label") or control.inner_text().strip()


def test_the_program_jumps_to_a_step_and_keeps_the_focus(show: Open) -> None:
    page = show(render_html(around(), "program"))
    page.get_by_role("button", name="4 PUSH").click()
    assert step_shown(page) == "Step 4 of 10"
    assert page.evaluate("document.activeElement.textContent") == "4PUSH"
    assert page.locator("#program [aria-current=step]").inner_text().endswith("PUSH")


def test_several_traces_share_a_page(show: Open) -> None:
    page = show(render_traces_html([("One", around()), ("Two", lambda_chain(3))], "Both"))
    page.keyboard.press("End")
    page.get_by_label("Example").select_option("Two")
    assert step_shown(page) == f"Step 1 of {len(lambda_chain(3)['steps'])}"
    assert page.locator("#source").inner_text() == "a b b b"
    assert page.locator("h1").inner_text() == "Both"


def test_one_trace_needs_no_list(show: Open) -> None:
    expect(show(render_html(around(), "one")).locator("#chooser")).to_be_hidden()


def test_long_phrases_unfold_on_demand(show: Open) -> None:
    trace = lambda_chain()
    page = show(render_html(trace, "long"))
    output = page.locator("#output")
    assert "…" in output.inner_text()
    button = output.get_by_role("button", name="182 tokens")
    assert button.get_attribute("title") == " ".join(trace["output"])
    button.click()
    assert output.inner_text().removesuffix("show less").split() == trace["output"]
    output.get_by_role("button", name="show less").click()
    assert "…" in output.inner_text()


def test_long_inputs_and_deep_stacks_stay_small(show: Open) -> None:
    page = show(render_traces_html([("Long", lambda_chain()), ("Deep", deep_blocks())]))
    page.locator("#slider").fill("200")
    assert page.locator("#queue").inner_text().startswith("… 23 read")
    assert "more words" in page.locator("#queue").inner_text()
    assert page.locator("#program li").first.inner_text() == "… 119 earlier steps"
    expect(page.locator("#program [aria-current]")).to_be_in_viewport()
    page.get_by_label("Example").select_option("Deep")
    steps = deep_blocks()["steps"]
    deepest = max(range(len(steps)), key=lambda number: len(steps[number]["stack"]))
    page.locator("#slider").fill(str(deepest + 1))
    assert f"… {len(steps[deepest]['stack']) - 5} frames below" in page.locator("#stack").inner_text()


@pytest.mark.parametrize("word", [EVIL, "@@script@@", "\ud800", "\u2028", "<b>bold</b>", "שלום", "x" * 500, ""])
def test_words_never_become_markup(show: Open, word: str) -> None:
    page = show(render_traces_html([(word or "none", odd(word)), ("other", odd(word))], "safe"))
    page.keyboard.press("End")
    assert page.title() == "safe"
    assert page.locator("img, b").count() == 0
    drawn = page.locator("#stack .phrase > span").last.evaluate("node => node.textContent")
    assert drawn == word
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_hostile_title_stays_text(show: Open) -> None:
    page = show(render_html(around(), EVIL))
    assert page.locator("h1").inner_text() == EVIL
    assert page.locator("img").count() == 0


def test_a_trace_that_failed_says_so(show: Open) -> None:
    trace = around() | {"output": None, "error": "Then no rule covers the next step."}
    trace["steps"] = trace["steps"][:4]
    page = show(render_html(trace, "failed"))
    assert page.locator("#output").inner_text() == "no output"
    page.keyboard.press("End")
    assert page.locator("#effect").inner_text().endswith("Then no rule covers the next step.")


def test_a_trace_without_steps_is_no_error(show: Open) -> None:
    page = show(render_html({"source": ["hop"], "output": None, "steps": [], "error": "unknown word 'hop'"}, "none"))
    assert step_shown(page) == "No steps"
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Play").click()
    assert page.locator("#effect").inner_text() == "unknown word 'hop'"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_it_fits_every_width_and_axe_has_nothing_against_it(show: Open, scheme: str, width: int) -> None:
    options = {"viewport": ViewportSize(width=width, height=860), "color_scheme": scheme, "reduced_motion": "reduce"}
    page = show(render_traces_html([("Deep", deep_blocks())]), **options)
    for step in ("1", "30"):
        page.locator("#slider").fill(step)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert complaints(page) == []


def test_reduced_motion_is_respected(show: Open) -> None:
    page = show(render_html(around(), "calm"), reduced_motion="reduce")
    page.keyboard.press("ArrowRight")
    names = page.locator(".enter").evaluate_all("nodes => nodes.map(node => getComputedStyle(node).animationName)")
    assert names
    assert set(names) == {"none"}


def test_the_focus_is_visible(show: Open) -> None:
    page = show(render_html(around(), "focus"))
    for _ in range(3):
        page.keyboard.press("Tab")
        style = page.evaluate(
            "(({outlineStyle, outlineWidth}) => [outlineStyle, outlineWidth])(getComputedStyle(document.activeElement))"
        )
        assert style == ["solid", "3px"]


def extrapolated() -> dict[str, Any]:
    """A trace whose third and eighth step no training example shows."""
    trace = around()
    for index in (2, 7):
        trace["steps"][index]["reason"] |= {"rule": "frame", "support": 0}
    return trace


def test_extrapolated_steps_are_marked_and_can_be_jumped_to(show: Open) -> None:
    page = show(render_html(extrapolated(), "doubt"))
    assert page.locator("#program .extrapolated").all_inner_texts() == [
        "3\nSHIFT\nextrapolated",
        "8\nCONCAT_M 2,0\nextrapolated",
    ]
    jump = page.get_by_role("button", name="next extrapolated step")
    for shown in (3, 8, 3):
        jump.click()
        assert step_shown(page) == f"Step {shown} of 10"
    page.keyboard.press("e")
    assert step_shown(page) == "Step 8 of 10"
    assert not show(render_html(around(), "no doubt")).locator("#doubt").is_visible()


def test_a_number_in_the_address_opens_that_step(show: Open, tmp_path: Path) -> None:
    page = show(render_html(around(), "address"))
    page.goto("about:blank")
    page.goto((tmp_path / "trace.html").as_uri() + "#7")
    assert step_shown(page) == "Step 7 of 10"
    page.evaluate("location.hash = '#4'")
    expect(page.locator("#count")).to_have_text("Step 4 of 10")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("location.hash") == "#5"
    page.goto("about:blank")
    page.goto((tmp_path / "trace.html").as_uri() + "#999")
    assert step_shown(page) == "Step 10 of 10"


def test_the_whole_output_is_shown_at_the_end(show: Open) -> None:
    trace = lambda_chain(60)
    page = show(render_html(trace, "long"))
    page.keyboard.press("End")
    assert page.locator("#instruction").inner_text() == "FINAL"
    assert page.locator("#stack .phrase").inner_text().endswith(" ".join(trace["output"]))
    assert page.locator("#output").inner_text() == " ".join(trace["output"])


def test_a_refused_input_shows_how_far_it_came_and_why_it_stopped(show: Open) -> None:
    engine = RuleEngine(table())
    unknown, stuck = translate(engine, [("walk", "fly"), ("walk", "and")])
    page = show(render_html(answer_json(engine, unknown), "refused"))
    assert page.locator("#queue").inner_text().split() == ["walk", "fly"]
    assert step_shown(page) == "Step 1 of 1"
    assert page.locator("#instruction").inner_text() == "Stopped here"
    assert "unknown word 'fly'" in page.locator("#effect").inner_text()
    page = show(render_html(answer_json(engine, stuck), "stuck"))
    page.keyboard.press("End")
    assert stuck.steps > 0
    assert page.locator("#stack .word").last.inner_text().endswith("and")
    assert page.locator("#effect").inner_text() == stuck.error


def test_a_backslash_is_one_backslash(show: Open) -> None:
    _, steps = run(("sqrt",), parse_program(r"SHIFT; REDUCE \sqrt {; FINAL"))
    page = show(render_html(trace_json(("sqrt",), steps), "latex"))
    page.keyboard.press("ArrowRight")
    assert page.locator("#instruction").inner_text() == r"REDUCE \sqrt {"
    assert r"REDUCE \sqrt {" in page.locator("#program").inner_text()


def test_a_title_is_not_cut_in_the_middle_of_a_word() -> None:
    source = "jump around right and walk opposite left twice after turn around right thrice and run"
    assert title_of(source.split(" ")) == f"{source.removesuffix(' and run')} …"
    assert title_of(["short", "one"]) == "short one"
    assert len(title_of(["x" * 200])) <= 82
