"""Traces for the viewer's tests, as `ness.answer.trace_view` makes them."""

from typing import Any

import oracles
from ness.answer.trace_view import trace_json
from ness.machine import TraceStep, drive, parse_program, run, status_of

AROUND = "SHIFT; REDUCE JUMP; SHIFT; PUSH; SHIFT; REDUCE RTURN; POP; CONCAT_M 2,0; CONCAT_S 1,1,1,1; FINAL"


def reason(step: TraceStep) -> dict[str, Any]:
    """A reason such as the rule engine gives."""
    return {
        "rule": "category",
        "support": 12,
        "probability": 0.75,
        "status": str(status_of(step.state)),
        "alternatives": [{"instruction": "PUSH", "probability": 0.2}, {"instruction": "POP", "probability": 0.0004}],
    }


def around() -> dict[str, Any]:
    """Ten steps that use every instruction."""
    _, steps = run(("jump", "around", "right"), parse_program(AROUND))
    return trace_json(("jump", "around", "right"), steps, map(reason, steps))


def lambda_chain(words: int = 60) -> dict[str, Any]:
    """A long execution with long phrases and no reasons."""
    source = ("a", *("b",) * words)
    return trace_json(source, drive(source, oracles.lambda_lang)[1])


def deep_blocks(depth: int = 8) -> dict[str, Any]:
    """An execution with many frames."""
    source = tuple(("while x == y { " * depth + "x = y " + "} " * depth).split())
    return trace_json(source, drive(source, oracles.while_lang)[1])


def odd(word: str) -> dict[str, Any]:
    """A word and a token that try to be something else."""
    _, steps = run((word,), parse_program("SHIFT; REDUCE X; FINAL"))
    trace = trace_json((word,), steps)
    trace["output"] = [word]
    trace["steps"][2]["stack"] = [[{"phrase": [word]}]]
    trace["steps"][1] |= {"instruction": f"REDUCE {word}", "argument": [word]}
    return trace


def enclosed() -> dict[str, Any]:
    """A template with tokens that look like a position, a comma and an empty place, read with the boundaries."""
    source = ("‹begin›", "a", "and", "b", "‹end›")
    program = (
        'SHIFT; PUSH; SHIFT; REDUCE A; POP; SHIFT; PUSH; SHIFT; REDUCE B; POP; SHIFT; CONCAT_S [ 1 "," "0" 3 ]; FINAL'
    )
    _, steps = run(source, parse_program(program))
    return trace_json(source, steps)


def named() -> dict[str, Any]:
    """A word that stands for its own phrase."""
    _, steps = run(("die", "katze"), parse_program("SHIFT; SHIFT; CONCAT_S * 1 own: cat; FINAL"))
    return trace_json(("die", "katze"), steps)
