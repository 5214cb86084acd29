"""The stack machine: one pure function, `step`, and the question that guards it, `why_illegal`.

Nothing here knows about tensors, files or randomness.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, assert_never

from ness.errors import IllegalInstruction, MachineError, StepLimitReached
from ness.machine.instructions import (
    ConcatM,
    ConcatS,
    Final,
    Indices,
    Instruction,
    Operator,
    Phrase,
    Pop,
    Push,
    Reduce,
    Shift,
    Word,
)
from ness.machine.state import EOS, PHRASE, State, Status, status_of


class TraceStep(NamedTuple):
    """A state and the instruction that was executed in it."""

    state: State
    instruction: Instruction


Program = tuple[Instruction, ...]

MAX_FRAME = 200  # items; nothing learned piles up that many, and each longer frame would be a status of its own
MAX_OUTPUT = 50_000_000  # tokens; nested repetition can ask for exponentially many


def why_illegal(state: State, instruction: Instruction) -> str | None:
    """Say why `instruction` cannot run in `state`; None means it can."""
    top = state.stack[-1]
    match instruction:
        case Shift():
            if state.exhausted:
                return "the input is used up"
        case Reduce(phrase):
            if not all(isinstance(item, str) for item in top):
                return "the top frame holds a phrase; REDUCE takes words only"
            if not top and not state.memory:
                return "the top frame is empty, and so is the memory"
            if not phrase:
                return "REDUCE needs at least one target token"
        case Push():
            if state.exhausted:
                return "the input is used up; a new frame would stay empty"
            if not top:
                return "the top frame is still empty"
        case Pop():
            if len(state.stack) == 1:
                return "only the bottom frame is left"
            if len(top) != 1 or isinstance(top[0], str):
                return "the top frame is not exactly one phrase"
        case ConcatM(indices):
            if reason := _why_bad_indices(state, indices):
                return reason
            if not any(index < len(top) for index in indices):
                return "CONCAT_M must select a phrase of the top frame"
        case ConcatS(indices):
            return _why_bad_indices(state, indices)
        case Final():
            if not state.exhausted:
                return "input is left"
            if len(state.stack) > 1:
                return "more than one frame is left"
            if len(top) != 1 or isinstance(top[0], str):
                return "the frame is not exactly one phrase"
            if state.memory:
                return "the memory is not empty"
        case _:
            assert_never(instruction)
    return None


def _why_bad_indices(state: State, indices: Indices) -> str | None:
    if not indices:
        return "at least one index is needed"
    candidates = state.candidates
    for index in indices:
        if not 0 <= index < len(candidates):
            return f"index {index} is outside 0..{len(candidates) - 1}"
        if isinstance(candidates[index], str):
            return f"index {index} is the word '{candidates[index]}', not a phrase"
    return None


def step(state: State, instruction: Instruction) -> State:
    """Execute one instruction and return the next state; FINAL leaves the state as it is."""
    if reason := why_illegal(state, instruction):
        raise IllegalInstruction(state, instruction, reason)
    source, position, stack, memory = state.source, state.position, state.stack, state.memory
    top, below = stack[-1], stack[:-1]
    match instruction:
        case Shift():
            return State(source, position + 1, (*below, (*top, source[position])), memory)
        case Reduce(phrase):
            return State(source, position, (*below, (phrase,)), memory)
        case Push():
            return State(source, position, (*stack, ()), memory)
        case Pop():
            return State(source, position, (*below[:-1], below[-1] + top), memory)
        case ConcatM(indices):
            kept = tuple([item for index, item in enumerate(top) if index not in indices])
            return State(source, position, (*below, kept), (_concatenate(state, indices),))
        case ConcatS(indices):
            return State(source, position, (*below, (_concatenate(state, indices),)))
        case Final():
            return state
        case _:
            assert_never(instruction)


def _concatenate(state: State, indices: Indices) -> Phrase:
    candidates = state.candidates
    if sum([len(candidates[index]) for index in indices]) > MAX_OUTPUT:
        raise StepLimitReached(f"a phrase would be longer than {MAX_OUTPUT:,} tokens; give a shorter input")
    return tuple([token for index in indices for token in candidates[index]])


def run(source: Sequence[Word], program: Iterable[Instruction]) -> tuple[Phrase, tuple[TraceStep, ...]]:
    """Execute a whole program, which ends with its only FINAL; return the output and every step."""
    instructions = tuple(program)
    finals = [instruction for instruction in instructions if isinstance(instruction, Final)]
    if len(finals) != 1 or instructions[-1] is not finals[0]:
        raise MachineError("a program needs exactly one FINAL, as its last instruction")
    remaining = iter(instructions)
    return drive(source, lambda _: next(remaining), len(instructions))


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
            return phrase, tuple(trace)
    raise StepLimitReached(no_end(limit, len(source), status_of(state)))


def no_end(limit: int, length: int, status: Status) -> str:
    """Say that an execution goes round in circles, and where."""
    words = "1 word" if length == 1 else f"{length} words"
    return f"no FINAL within {limit} steps for {words}, still {status.in_words()}; {status.wanted()}"


def legal_operators(status: Status) -> tuple[Operator, ...]:
    """List the operators that some argument makes legal; a status tells it all."""
    has_phrase = PHRASE in status.top
    legal = []
    if status.next is not EOS:
        legal.append(Operator.SHIFT)
    if not has_phrase and (status.top or status.memory):
        legal.append(Operator.REDUCE)
    if status.next is not EOS and status.top:
        legal.append(Operator.PUSH)
    if status.second is not None and status.top == (PHRASE,):
        legal.append(Operator.POP)
    if has_phrase:
        legal.append(Operator.CONCAT_M)
    if has_phrase or status.memory:
        legal.append(Operator.CONCAT_S)
    if status.next is EOS and status.second is None and status.top == (PHRASE,) and not status.memory:
        legal.append(Operator.FINAL)
    return tuple(legal)


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
