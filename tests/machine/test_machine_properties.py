"""What holds for every program and every state."""

from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ness.errors import IllegalInstruction
from ness.machine import (
    ConcatM,
    ConcatS,
    Entry,
    Execution,
    Final,
    Instruction,
    Operator,
    Pop,
    Push,
    Reduce,
    Shift,
    State,
    Status,
    degenerate_program,
    entry,
    format_program,
    is_degenerate,
    legal_operators,
    parse_program,
    run,
    status_of,
    step,
    why_illegal,
)
from strategies import Execution as Drawn
from strategies import complete_instructions, executions, instructions, states


@given(states(), instructions)
def test_step_raises_exactly_when_why_illegal_speaks(state: State, instruction: Instruction) -> None:
    reason = why_illegal(state, instruction)
    if reason is None:
        after = step(state, instruction)
        assert after.source == state.source
        assert after.position == state.position + isinstance(instruction, Shift)
    else:
        with pytest.raises(IllegalInstruction) as caught:
            step(state, instruction)
        assert caught.value.reason == reason


@given(states(), instructions)
def test_a_decision_is_entered_exactly_when_it_is_legal(state: State, instruction: Instruction) -> None:
    assert (entry(status_of(state), instruction) is None) == (why_illegal(state, instruction) is not None)


@given(states())
def test_legal_operators_are_those_that_some_argument_makes_legal(state: State) -> None:
    pointers = [(index,) for index in range(len(state.candidates))]
    everything: list[Instruction] = [Shift(), Reduce(("X",)), Push(), Pop(), Final()]
    everything += [*map(ConcatM, pointers), *map(ConcatS, pointers)]
    legal = {instruction.operator for instruction in everything if why_illegal(state, instruction) is None}
    assert legal_operators(status_of(state)) == tuple(operator for operator in Operator if operator in legal)


@given(st.lists(complete_instructions, min_size=1).map(tuple))
def test_the_text_form_round_trips(program: tuple[Instruction, ...]) -> None:
    text = format_program(program)
    assert text.splitlines() == [text]
    assert text.isprintable()
    assert parse_program(text) == program


@given(executions())
def test_a_program_that_is_run_again_gives_the_same(drawn: Drawn) -> None:
    output, trace = run(drawn.source, drawn.program)
    assert output == drawn.output
    assert tuple(step.state for step in trace) == drawn.states


@given(executions(), st.lists(st.sampled_from("XYZ"), min_size=1).map(tuple))
def test_the_degenerate_program_gives_any_target(drawn: Drawn, target: tuple[str, ...]) -> None:
    program = degenerate_program(drawn.source, target)
    assert run(drawn.source, program)[0] == target
    assert is_degenerate(program) == (len(target) > 1)
    if is_degenerate(drawn.program):
        *shifts, reduced, final = drawn.program
        assert isinstance(reduced, Reduce)
        assert (*shifts, Reduce(reduced.phrase), final) == degenerate_program(drawn.source, drawn.output)


class Script(Mapping[Status, Entry]):
    """A table that answers with a program's instructions in turn, as far as they are revealed."""

    def __init__(self, program: tuple[Instruction, ...]) -> None:
        self.program = program
        self.revealed = 0
        self.asked: list[Status] = []

    def __getitem__(self, key: Status) -> Entry:
        status = Status(*key)
        if len(self.asked) == self.revealed:
            raise KeyError(status)
        found = entry(status, self.program[len(self.asked)], support=len(self.asked) + 5)
        assert found is not None
        self.asked.append(status)
        return found

    def __iter__(self) -> Iterator[Status]:
        return iter(self.asked)

    def __len__(self) -> int:
        return len(self.asked)


@given(executions(), st.data())
def test_the_fast_machine_equals_the_plain_one(drawn: Drawn, data: st.DataObject) -> None:
    """Every status on the way is the same too, and it stops wherever the table lacks one, and goes on."""
    expected = [status_of(state) for state in drawn.states]
    script = Script(drawn.program)
    execution = Execution(drawn.source)
    while script.revealed < len(drawn.program):
        script.revealed = data.draw(st.integers(script.revealed + 1, len(drawn.program)))
        missing = execution.advance(script)
        assert script.asked == expected[: script.revealed]
        assert execution.steps == script.revealed
        assert missing == (expected[script.revealed] if script.revealed < len(expected) else None)
    assert execution.output == drawn.output
    assert execution.support == 5
