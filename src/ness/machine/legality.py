"""When an instruction is legal, once: by the local status, which tells all that it takes."""

from functools import cache
from typing import assert_never

from ness.machine.instructions import (
    ConcatM,
    ConcatS,
    Final,
    Instruction,
    Operator,
    Parts,
    Pop,
    Push,
    Reduce,
    Shift,
    positions,
)
from ness.machine.state import EOS, PHRASE, Status


@cache
def allowed(ended: bool, words: bool, phrases: int, nested: bool, memory: bool) -> tuple[Operator, ...]:
    """List the operators that some argument makes legal.

    All that matters: whether the input has ended, whether the top frame holds words and how many phrases (0, 1, 2 for
    more), whether there is a frame below, and whether the memory is full.
    """
    one_phrase = phrases == 1 and not words
    legal = {
        Operator.SHIFT: not ended,
        Operator.REDUCE: not phrases and (words or memory),
        Operator.PUSH: not ended and (words or phrases > 0),
        Operator.POP: nested and one_phrase,
        Operator.CONCAT_M: phrases > 0,
        Operator.CONCAT_S: phrases > 0 or memory,
        Operator.FINAL: ended and not nested and one_phrase and not memory,
    }
    return tuple(operator for operator, is_legal in legal.items() if is_legal)


def legal_operators(status: Status) -> tuple[Operator, ...]:
    """List the operators that some argument makes legal; a status tells it all."""
    phrases = status.top.count(PHRASE)
    words = len(status.top) > phrases
    return allowed(status.next is EOS, words, min(phrases, 2), status.second is not None, bool(status.memory))


def why_illegal_in(status: Status, instruction: Instruction) -> str | None:
    """Say why `instruction` cannot run in `status`; None means it can."""
    top = status.top
    ended = status.next is EOS
    one_phrase = top == (PHRASE,)
    match instruction:
        case Shift():
            if ended:
                return "the input is used up"
        case Reduce(phrase):
            if PHRASE in top:
                return "the top frame holds a phrase; REDUCE takes words only"
            if not top and not status.memory:
                return "the top frame is empty, and so is the memory"
            if not phrase:
                return "REDUCE needs at least one target token"
        case Push():
            if ended:
                return "the input is used up; a new frame would stay empty"
            if not top:
                return "the top frame is still empty"
        case Pop():
            if status.second is None:
                return "only the bottom frame is left"
            if not one_phrase:
                return "the top frame is not exactly one phrase"
        case ConcatM(parts):
            if reason := _why_bad_parts(status, parts):
                return reason
            if not any(position < len(top) for position in positions(parts)):
                return "CONCAT_M must select a phrase of the top frame"
        case ConcatS(parts):
            return _why_bad_parts(status, parts)
        case Final():
            if not ended:
                return "input is left"
            if status.second is not None:
                return "more than one frame is left"
            if not one_phrase:
                return "the frame is not exactly one phrase"
            if status.memory:
                return "the memory is not empty"
        case _:
            assert_never(instruction)
    return None


def _why_bad_parts(status: Status, parts: Parts) -> str | None:
    selected = positions(parts)
    if not selected:
        return "at least one position is needed"
    candidates = status.top + status.memory
    for position in selected:
        if not 0 <= position < len(candidates):
            return f"position {position} is outside 0..{len(candidates) - 1}"
        if candidates[position] is not PHRASE:
            return f"position {position} is the word '{candidates[position]}', not a phrase"
    return None
