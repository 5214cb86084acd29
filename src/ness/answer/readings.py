"""Other readings of an input: what follows if one unsure step is taken in another way that the rules know. No torch."""

from collections.abc import Iterator, Sequence

from ness.answer.engine import Engine
from ness.errors import NessError
from ness.machine import (
    BARE,
    ConcatM,
    ConcatS,
    Final,
    Instruction,
    Operator,
    Phrase,
    Reduce,
    State,
    Status,
    legal_operators,
    status_of,
    step,
    why_illegal,
)
from ness.rules.table import RuleTable

LONGEST_OUTPUT = 200  # tokens of a candidate


def readings(engine: Engine, table: RuleTable, states: Sequence[State]) -> Iterator[Phrase]:
    """Yield what follows if an unsure step is taken in each way that the rules know, the likeliest first."""
    for state in states:
        status = status_of(state)
        (decision,) = engine.decide([status])
        options = [] if decision is None else [decision.instruction, *(each for each, _ in decision.alternatives)]
        options += [each for operator in legal_operators(status) for each in _instructions(table, operator, status)]
        for instruction in dict.fromkeys(options):
            if why_illegal(state, instruction) is None:
                output = _finish(engine, state, instruction)
                if output is not None:
                    yield output


def _instructions(table: RuleTable, operator: Operator, status: Status) -> Iterator[Instruction]:
    if operator in BARE:
        yield BARE[operator]
    elif operator is Operator.REDUCE:
        frame = tuple(word for word in status.top if isinstance(word, str))
        kind = table.reduce_kinds.get(frame, 0)
        yield from (Reduce(phrase, kind) for phrase in table.reduce.get(frame, ()))
    else:
        make = ConcatM if operator is Operator.CONCAT_M else ConcatS
        known = (parts for key, arguments in table.concat.items() if key[0] is operator for parts in arguments)
        yield from map(make, dict.fromkeys(known))


def _finish(engine: Engine, state: State, instruction: Instruction) -> Phrase | None:
    """Take one step and go on greedily; None where that leads nowhere."""
    for _ in range(20 * len(state.source) + 20):
        try:
            following = step(state, instruction)
        except NessError:
            return None
        if isinstance(instruction, Final):
            output = state.top[0]
            return output if isinstance(output, tuple) else None
        if max(map(len, (*following.top, *following.memory)), default=0) > LONGEST_OUTPUT:
            return None
        state = following
        (decision,) = engine.decide([status_of(state)])
        if decision is None:
            return None
        instruction = decision.instruction
    return None
