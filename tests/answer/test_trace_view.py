"""The trace as data, and its drawing: narrow enough, long things shortened, reasons shown."""

import io
import json
from typing import Any

from hypothesis import given, settings
from rich.console import Console

from ness.answer.trace_view import abbreviate, draw_trace, trace_json
from ness.machine import Item, parse_program, run
from ness.machine.state import made_phrase
from strategies import Execution, executions


def drawn(
    source: str, program: str, reasons: list[dict[str, object] | None] | None = None, *, columns: int = 80
) -> str:
    words = source.split()
    _, steps = run(words, parse_program(program))
    console = Console(file=io.StringIO(), width=columns)
    draw_trace(console, trace_json(words, steps, reasons))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def item(shown: dict[str, Any]) -> Item:
    """Read an item as a trace shows it."""
    return shown["word"] if "word" in shown else made_phrase(tuple(shown["phrase"]), shown.get("kind", 0))


@given(executions())
def test_the_data_holds_the_whole_trace(drawn: Execution) -> None:
    _, steps = run(drawn.source, drawn.program)
    trace = json.loads(json.dumps(trace_json(drawn.source, steps)))
    assert trace["source"] == list(drawn.source)
    assert trace["output"] == list(drawn.output)
    assert parse_program("; ".join(row["instruction"] for row in trace["steps"])) == drawn.program
    for row, state in zip(trace["steps"], drawn.states, strict=True):
        frames = [tuple(map(item, frame)) for frame in row["stack"]]
        assert tuple(frames) == state.stack
        assert tuple(map(item, row["memory"])) == state.memory
        assert row["position"] == state.position


@settings(max_examples=25)
@given(executions())
def test_every_line_fits_into_80_columns(drawn: Execution) -> None:
    _, steps = run(drawn.source, drawn.program)
    console = Console(file=io.StringIO(), width=80)
    draw_trace(console, trace_json(drawn.source, steps))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines[: lines.index(next(line for line in lines if line.startswith("output")))])) <= 80


def test_words_are_not_broken_in_a_terminal_that_is_too_narrow() -> None:
    program = "SHIFT; REDUCE WALK; SHIFT; CONCAT_S 0,0; FINAL"
    assert "   4  end         [WALK] twice " in drawn("walk twice", program, columns=20)


def test_words_that_are_named_come_with_what_they_stand_for() -> None:
    words = ["the", "cow"]
    _, steps = run(words, parse_program("SHIFT; SHIFT; CONCAT_S la 1 own: vaca; FINAL"))
    rows = trace_json(words, steps)["steps"]
    assert [row.get("own") for row in rows] == [None, None, {"1": ["vaca"]}, None]
    assert "CONCAT_S la 1 own: vaca" in drawn("the cow", "SHIFT; SHIFT; CONCAT_S la 1 own: vaca; FINAL")
    long = drawn("the cow", "SHIFT; SHIFT; CONCAT_S" + " la" * 10 + " 1 own: vaca; FINAL")
    assert "own: vaca" in " ".join(long.split())


def test_long_phrases_lose_their_middle() -> None:
    assert abbreviate([str(n) for n in range(8)]) == "0 1 2 3 4 5 6 7"
    assert abbreviate([str(n) for n in range(100)]) == "0 1 2 3 …92… 96 97 98 99"
    assert "A A A A …12… A A A A" in drawn("a", "SHIFT; REDUCE" + " A" * 20 + "; FINAL")


def test_long_inputs_and_deep_stacks_are_counted() -> None:
    text = drawn("a " * 10, "SHIFT; PUSH; " * 9 + "SHIFT; REDUCE X; " + "POP; CONCAT_S 1; " * 9 + "FINAL")
    assert "…2 more" in text
    assert "…6 frames below" in text


def test_wide_frames_are_counted() -> None:
    assert "…4…" in drawn("a " * 12, "SHIFT; " * 12 + "REDUCE X; FINAL")


def test_reasons_are_shown_below_the_instruction() -> None:
    text = drawn("a", "SHIFT; REDUCE X; FINAL", [{"support": 12, "probability": 0.98765}, None, None])
    assert "support 12" in text
    assert "0.988" in text


def test_an_illegal_end_has_no_output() -> None:
    _, steps = run(["a"], parse_program("SHIFT; REDUCE X; FINAL"))
    assert trace_json(["a"], steps[:2])["output"] is None
    assert trace_json(["a"], [])["output"] is None


def test_templates_are_drawn_so_that_tokens_and_positions_cannot_be_confused() -> None:
    text = drawn("a and b", 'SHIFT; REDUCE A; SHIFT; PUSH; SHIFT; REDUCE B; POP; CONCAT_S "0" 0 "," 2; FINAL')
    assert 'CONCAT_S "0" 0 ","' in text
    assert "output 0 A , B" in text
