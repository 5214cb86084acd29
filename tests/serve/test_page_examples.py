"""The table of examples on the page: pasted, cut into tokens, marked, undone."""

import pytest
from page_actions import Open, learned, translate, type_examples
from playwright.sync_api import Route, expect

from ness.data.spelling import KINDS, cut
from nine_examples import NINE

pytest_plugins = ["lesson_fixtures"]
pytestmark = pytest.mark.slow


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


def test_the_reply_to_an_earlier_choice_does_not_undo_a_later_one(lesson: str, show: Open) -> None:
    page = show(lesson)
    held: list[Route] = []
    page.route("**/v1/lesson/spelling", lambda route: held.append(route))
    page.get_by_text("How texts are cut").click()
    page.get_by_label("Inputs into").select_option("punctuation")
    box = page.get_by_label("Read inputs in capitals as others")
    box.check()
    while len(held) < 2:
        page.wait_for_timeout(20)
    for number in range(2):
        with page.expect_response("**/v1/lesson/spelling"):
            held[number].continue_()
        page.wait_for_timeout(50)  # for the page to take it
        expect(box).to_be_checked(timeout=1)


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
    for kind in KINDS:
        chosen = {"tokens": kind, "target_tokens": kind, "lowercase": False}
        script = """async ([chosen, texts]) => {
          const [{ cutTarget }, { send }] = [await import("/static/spelling.js"), await import("/static/lesson.js")];
          await send("PUT", "/v1/lesson/spelling", chosen);
          return texts.map(cutTarget);
        }"""
        assert page.evaluate(script, [chosen, CUT_TEXTS]) == [cut(text, kind) for text in CUT_TEXTS]


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


def test_html_in_examples_stays_text(lesson: str, show: Open) -> None:
    evil = "<img src=x onerror=\"document.title='hacked'\">"
    page = show(lesson)
    type_examples(page, {evil: f"</script>{evil}", "walk": "WALK"})
    learned(page, 2)
    assert translate(page, evil).startswith("</script>")
    page.get_by_role("button", name="Show the steps").click()
    expect(page.frame_locator("#trace-frame").locator("#count")).to_contain_text("Step 1")
    assert page.title() == "NeSS: teach a translator"
