"""`ness run`: execute a hand-written program and draw every step."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ness.machine import Instruction, TraceStep


def run(
    program: Annotated[str, typer.Argument(metavar="PROGRAM", help="Instructions, as in 'SHIFT; REDUCE JUMP; FINAL'.")],
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The input, its words separated by spaces.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the trace as one JSON object.")] = False,
) -> None:
    """Execute a hand-written program on the stack machine and draw every step."""
    from rich.console import Console

    from ness.answer.trace_view import draw_trace, trace_json
    from ness.errors import MachineError
    from ness.machine import parse_program

    words = tuple(source.split())
    steps, problem = _execute(words, parse_program(program))
    trace = trace_json(words, steps)
    if as_json:
        print(json.dumps(trace, ensure_ascii=False))
    else:
        draw_trace(Console(), trace)
    if problem:
        raise MachineError(problem)


def _execute(source: tuple[str, ...], program: Sequence["Instruction"]) -> tuple[list["TraceStep"], str | None]:
    """Go as far as the program can; return the steps and what stopped it, if anything did."""
    from ness.machine import Final, State, TraceStep, step, why_illegal

    state = State(source)
    steps = []
    for number, instruction in enumerate(program, start=1):
        steps.append(TraceStep(state, instruction))
        if reason := why_illegal(state, instruction):
            return steps, f"step {number}: {instruction} is illegal here: {reason}"
        if isinstance(instruction, Final) and number < len(program):
            return steps, f"step {number}: FINAL ends the program, but more follows; make it the last instruction"
        state = step(state, instruction)
    if not isinstance(program[-1], Final):
        return steps, "the program ends without FINAL; add it as the last instruction"
    return steps, None
