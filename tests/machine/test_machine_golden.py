"""The tables in tests/golden: whole executions and single steps, as a reader would check them by hand."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from ness.machine import Frame, Phrase, State, format_program, is_degenerate, parse_program, run, step

GOLDEN = Path(__file__).parents[1] / "golden"


def cases(name: str) -> list[Any]:
    table = tomllib.loads((GOLDEN / name).read_text(encoding="utf-8"))
    return [pytest.param(case, id=case["name"]) for case in table["case"]]


@pytest.mark.parametrize("case", cases("machine.toml"))
def test_execution(case: dict[str, str]) -> None:
    program = parse_program(case["trace"])
    output, trace = run(case["source"].split(), program)
    assert " ".join(output) == case["output"]
    assert tuple(step.instruction for step in trace) == program
    assert format_program(program) == " ".join(case["trace"].split())
    assert is_degenerate(program) == case["name"].startswith("degenerate")


def frame(items: list[str | list[str]]) -> Frame:
    return tuple(item if isinstance(item, str) else tuple(item) for item in items)


def memory(items: list[list[str]]) -> tuple[Phrase, ...]:
    return tuple(map(tuple, items))


@pytest.mark.parametrize("case", cases("steps.toml"))
def test_step(case: dict[str, Any]) -> None:
    before = State(("next",), 0, tuple(map(frame, case["stack"])), memory(case["memory"]))
    (instruction,) = parse_program(case["instruction"])
    after = step(before, instruction)
    assert after.stack == tuple(map(frame, case["stack_after"]))
    assert after.memory == memory(case["memory_after"])
