"""The machine again, for long inputs: a linked stack, phrases as ropes, decisions from a table.

Time is linear in input plus output. `Execution.advance` stops at a status that the table lacks, so that
the missing decisions of many inputs can be asked together. It trusts the table: an instruction that the
status does not allow must never be entered (`entry` checks that once per status, not once per step).
"""

from collections.abc import Mapping
from typing import Any, Final

from ness.errors import StepLimitReached
from ness.machine.instructions import ConcatM, ConcatS, Instruction, Operator, Phrase, Reduce, Word
from ness.machine.state import EOS, PHRASE, Status
from ness.machine.step import MAX_OUTPUT, legal_operators, step_limit

SHIFT, REDUCE, PUSH, POP, CONCAT_M, CONCAT_S, FINAL = range(7)
_CODES: Final = {operator: code for code, operator in enumerate(Operator)}

# (code, argument, support): what to do in a status, and how many training traces stand behind it.
Entry = tuple[int, Any, int]
Table = Mapping[Status, Entry]

_SURELY_SHORT = 100_000  # tokens; a longer output is measured before it is joined on

# A rope is a phrase (a tuple of tokens) or a list of ropes; flattened once, at FINAL.
Rope = Phrase | list[Any]


def entry(status: Status, instruction: Instruction, support: int = 0) -> Entry | None:
    """Compile a decision for the table; None if the instruction is illegal in this status."""
    operator = instruction.operator
    if operator not in legal_operators(status):
        return None
    argument: Phrase | tuple[int, ...] | None = None
    if isinstance(instruction, Reduce):
        argument = instruction.phrase
        if not argument:
            return None
    elif isinstance(instruction, ConcatM | ConcatS):
        argument = instruction.indices
        candidates = status.top + status.memory
        if not argument or any(not 0 <= i < len(candidates) or candidates[i] is not PHRASE for i in argument):
            return None
        if operator is Operator.CONCAT_M and not any(i < len(status.top) for i in argument):
            return None
    return _CODES[operator], argument, support


class Execution:
    """One run of the machine that can stop for a missing decision and go on."""

    __slots__ = (
        "_below",
        "_frame",
        "_memory",
        "_memory_view",
        "_position",
        "_view",
        "output",
        "source",
        "steps",
        "support",
    )

    def __init__(self, source: tuple[Word, ...]) -> None:
        self.source = source
        self.steps = 0
        self.support: int | None = None  # the least support among the decisions so far
        self.output: Phrase | None = None  # set at FINAL
        self._position = 0
        self._frame: tuple[Any, ...] = ()
        self._view: tuple[Word | None, ...] = ()
        self._below: tuple[Any, ...] | None = None  # (frame, view, below)
        self._memory: tuple[Any, ...] = ()
        self._memory_view: tuple[None, ...] = ()

    def advance(self, table: Table, max_output: int = MAX_OUTPUT) -> Status | None:
        """Run until FINAL (None; see `output`) or until a status that `table` lacks (returned)."""
        source, position, frame, view = self.source, self._position, self._frame, self._view
        below, memory, memory_view = self._below, self._memory, self._memory_view
        second = None if below is None else below[1]
        length, steps, limit = len(source), self.steps, step_limit(len(self.source))
        support = self.support
        lookup: Any = table.get
        while True:
            key = (source[position] if position < length else EOS, view, second, memory_view)
            found = lookup(key)
            if found is None or steps >= limit:
                break
            code, argument, known = found
            steps += 1
            if support is None or known < support:
                support = known
            if code == SHIFT:
                word = (source[position],)
                frame += word
                view += word
                position += 1
            elif code == PUSH:
                below, second = (frame, view, below), view
                frame = view = ()
            elif code == REDUCE:
                frame, view = (argument,), (PHRASE,)
            elif code == POP:
                assert below is not None
                lower, second, below = below
                frame = (*lower, *frame)
                view = (*second, PHRASE)
                second = None if below is None else below[1]
            elif code == FINAL:
                self.output = flatten(frame[0], max_output)
                self.steps, self.support = steps, support
                return None
            else:
                candidates = frame + memory
                # A single part stays itself: with two parts or more in every rope, flattening is linear.
                rope = candidates[argument[0]] if len(argument) == 1 else [candidates[index] for index in argument]
                if code == CONCAT_M:
                    kept = [index for index in range(len(frame)) if index not in argument]
                    frame = tuple([frame[index] for index in kept])
                    view = tuple([view[index] for index in kept])
                    memory, memory_view = (rope,), (PHRASE,)
                else:
                    frame, view, memory, memory_view = (rope,), (PHRASE,), (), ()
        self._position, self._frame, self._view, self._below = position, frame, view, below
        self._memory, self._memory_view, self.steps, self.support = memory, memory_view, steps, support
        if steps >= limit:
            raise StepLimitReached(f"no FINAL within {limit} steps for {length} input words")
        return Status(*key)


def flatten(rope: Rope, max_output: int = MAX_OUTPUT) -> Phrase:
    """Join a rope's tokens, left to right, without recursion."""
    tokens: list[str] = []
    pending: list[Rope] = [rope]
    unchecked = min(max_output, _SURELY_SHORT)
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending.extend(reversed(part))
        else:
            tokens.extend(part)
            if len(tokens) > unchecked:
                if rope_length(rope) > max_output:
                    raise StepLimitReached(f"the output would be longer than {max_output:,} tokens")
                unchecked = max_output
    return tuple(tokens)


def rope_length(rope: Rope) -> int:
    """Count a rope's tokens without joining them: shared parts are counted once, then multiplied."""
    lengths: dict[int, int] = {}
    pending: list[tuple[Rope, bool]] = [(rope, False)]
    while pending:
        part, parts_known = pending.pop()
        if id(part) in lengths:
            continue
        if not isinstance(part, list):
            lengths[id(part)] = len(part)
        elif parts_known:
            lengths[id(part)] = sum(lengths[id(each)] for each in part)
        else:
            pending.append((part, True))
            pending.extend((each, False) for each in part)
    return lengths[id(rope)]
