"""What the page and the notebook table hold, without a browser."""

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from viewer_traces import around, deep_blocks, lambda_chain, odd

from ness.machine import parse_program
from ness.rules import Categories, RuleTable
from ness.web import render_fragment, render_html, render_rules_fragment, render_traces_html


class Elements(HTMLParser):
    """Collects tags and texts, and checks that tags are closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_refers_to_nothing_outside() -> None:
    html = render_html(around(), "title")
    assert not re.search(r"https?:|//[a-z]|@import|url\(", html)
    assert "default-src 'none'" in html
    assert "@@" not in html


def test_the_data_in_the_page_is_the_trace() -> None:
    trace = around()
    html = render_traces_html([("a", trace), ("b", trace)], "two")
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert data
    assert json.loads(data[1]) == [{"title": "a", "trace": trace}, {"title": "b", "trace": trace}]


def test_a_page_needs_a_trace() -> None:
    with pytest.raises(ValueError, match="at least one trace"):
        render_traces_html([])


def test_the_table_has_a_row_for_each_step() -> None:
    elements = Elements(render_fragment(around(), "jump around right"))
    assert elements.tags.count("tr") == 11
    assert not {"script", "style", "link", "img"} & set(elements.tags)
    assert {"CONCAT_M 2,0", "RTURN JUMP", "jump around right"} <= set(elements.texts)
    tooltips = [value for name, value in elements.attributes if name == "title" and value and "rule" in value]
    assert tooltips[0].startswith("rule category; support 12; probability 0.75; status next 'jump'")
    assert tooltips[0].endswith("next best: PUSH 0.200, POP 0.000")


@pytest.mark.parametrize("word", ["<script>alert(1)</script>", '"><img>', "&lt;", "\ud800", "a\nb"])
def test_words_in_the_table_stay_text(word: str) -> None:
    html = render_fragment(odd(word), title=word)
    html.encode("utf-8")
    elements = Elements(html)
    assert not {"script", "img"} & set(elements.tags)
    assert word.replace("\ud800", "?") in elements.texts


def test_long_traces_lose_their_middle_in_the_table() -> None:
    trace = lambda_chain()
    html = render_fragment(trace)
    elements = Elements(html)
    assert elements.tags.count("tr") == 1 + 200 + 1
    assert f"… {len(trace['steps']) - 200} more steps …" in elements.texts
    assert any(text.endswith("(182 tokens)") for text in elements.texts)


def test_deep_stacks_are_counted_in_the_table() -> None:
    assert any("frames below" in text for text in Elements(render_fragment(deep_blocks())).texts)


def test_the_table_of_a_failed_trace() -> None:
    trace: dict[str, Any] = {"source": ["hop"], "output": None, "steps": []}
    assert "no output" in Elements(render_fragment(trace)).texts


def test_rules_are_shown_section_by_section() -> None:
    program = parse_program("SHIFT; REDUCE X; FINAL")
    table = RuleTable.from_traces([(("<i>",), program), (("b",), program)], Categories([["<i>", "b"]]))
    elements = Elements(render_rules_fragment(table))
    assert elements.tags.count("details") == 6
    assert {"categories", "operators", "reduce", "concat_m", "concat_s", "tokens"} <= set(elements.texts)
    assert '  <"<i>"> = "<i>" b' in elements.texts
    assert "i" not in elements.tags


def test_blank_lines_in_words_do_not_split_sections() -> None:
    program = parse_program("SHIFT; REDUCE X; FINAL")
    table = RuleTable.from_traces([(("a\n\nb",), program)], Categories())
    assert Elements(render_rules_fragment(table)).tags.count("details") == 6
