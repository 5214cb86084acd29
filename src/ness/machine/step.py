"""The stack machine on words and phrases: one pure function, `step`, and the question that guards it, `why_illegal`.

Nothing here knows about tensors, files or randomness.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ness.errors import IllegalInstruction, MachineError, StepLimitReached
from ness.machine.frames import after
from ness.machine.instructions import (
    ConcatM,
    ConcatS,
    Final,
    Instruction,
    Item,
    Parts,
    Phrase,
    Reduce,
    Shift,
    Word,
    kind_of,
    positions,
    without_kind,
)
from ness.machine.legality import why_illegal_in
from ness.machine.state import State, Status, made_phrase, status_of


class TraceStep(NamedTuple):
    """A state and the instruction that was executed in it."""

    state: State
    instruction: Instruction

    @property
    def status(self) -> Status:
        """What the decision saw."""
        return status_of(self.state)


Program = tuple[Instruction, ...]

MAX_FRAME = 200  # items; nothing learned piles up that many, and each longer frame would be a status of its own
MAX_OUTPUT = 50_000_000  # tokens; nested repetition can ask for exponentially many


def why_illegal(state: State, instruction: Instruction) -> str | None:
    """Say why `instruction` cannot run in `state`; None means it can."""
    return why_illegal_in(status_of(state), instruction)


def step(state: State, instruction: Instruction) -> State:
    """Execute one instruction and return the next state; FINAL leaves the state as it is."""
    if reason := why_illegal(state, instruction):
        raise IllegalInstruction(state, instruction, reason)
    word: Item = "" if state.exhausted else state.source[state.position]
    parts: Parts = ()
    phrase: Phrase = ()
    match instruction:
        case Reduce(made, kind):
            phrase = made_phrase(made, kind)
        case ConcatM(parts):
            phrase = join(state.candidates, parts)
        case ConcatS(parts, own):
            phrase = made_phrase(join(with_own(state.candidates, parts, own), parts), kind_of(parts))
    return State(state.source, *after(state.frames, instruction.operator, parts, word, phrase))


def with_own(candidates: Sequence[Item], parts: Parts, own: Sequence[Phrase]) -> list[Item]:
    """Put their own phrases in the place of the words that the parts name."""
    items, phrases = list(candidates), iter(own)
    for position in dict.fromkeys(positions(parts)):
        if isinstance(candidates[position], str):
            items[position] = next(phrases)
    return items


def join(candidates: Sequence[Item], parts: Parts) -> Phrase:
    """Join the phrases at the positions and the tokens."""
    joined = [candidates[part] if isinstance(part, int) else (part,) for part in without_kind(parts)]
    if sum(map(len, joined)) > MAX_OUTPUT:
        raise StepLimitReached(f"a phrase would be longer than {MAX_OUTPUT:,} tokens; give a shorter input")
    return tuple([token for phrase in joined for token in phrase])


def run(source: Sequence[Word], program: Iterable[Instruction]) -> tuple[Phrase, tuple[TraceStep, ...]]:
    """Execute a whole program, which ends with its only FINAL; return the output and every step."""
    instructions = tuple(program)
    finals = [instruction for instruction in instructions if isinstance(instruction, Final)]
    if len(finals) != 1 or instructions[-1] is not finals[0]:
        raise MachineError("a program needs exactly one FINAL, as its last instruction")
    remaining = iter(instructions)
    return drive(source, lambda _: next(remaining), len(instructions))


def steps_of(source: tuple[Word, ...], program: Iterable[Instruction]) -> Iterator[TraceStep]:
    """Execute a program, state by state, as far as it is asked for."""
    state = State(source)
    for instruction in program:
        yield TraceStep(state, instruction)
        state = step(state, instruction)


def step_limit(length: int) -> int:
    """How many steps an input of this length may take; coherent programs stay far below."""
    return 20 * length + 100


def drive(
    source: Sequence[Word], decide: Callable[[Status], Instruction], max_steps: int | None = None
) -> tuple[Phrase, tuple[TraceStep, ...]]:
    """Run the machine on `source`, asking `decide` for each instruction until FINAL."""
    state = State(tuple(source))
    limit = step_limit(len(source)) if max_steps is None else max_steps
    trace: list[TraceStep] = []
    while len(trace) < limit:
        instruction = decide(status_of(state))
        trace.append(TraceStep(state, instruction))
        state = step(state, instruction)
        if isinstance(instruction, Final):
            phrase = state.stack[-1][0]
            assert isinstance(phrase, tuple)
            return tuple(phrase), tuple(trace)
    raise StepLimitReached(no_end(limit, len(source), status_of(state)))


def no_end(limit: int, length: int, status: Status) -> str:
    """Say that an execution goes round in circles, and where."""
    words = "1 word" if length == 1 else f"{length} words"
    return f"no FINAL within {limit} steps for {words}, still {status.in_words()}; {status.wanted()}"


def degenerate_program(source: Sequence[Word], target: Phrase) -> Program:
    """SHIFT to the end, one REDUCE with the whole output, FINAL."""
    return (*(Shift() for _ in source), Reduce(tuple(target)), Final())


def is_degenerate(program: Sequence[Instruction]) -> bool:
    """Tell whether a program only memorises: SHIFTs, one REDUCE of several tokens, FINAL."""
    *shifts, reduce_, final = program if len(program) >= 2 else (None, None)
    return (
        isinstance(final, Final)
        and isinstance(reduce_, Reduce)
        and len(reduce_.phrase) > 1
        and all(isinstance(instruction, Shift) for instruction in shifts)
    )
