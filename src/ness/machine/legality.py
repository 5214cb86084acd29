"""When an instruction is legal, once: by the local status, which tells all that it takes."""

from functools import cache
from typing import assert_never

from ness.machine.instructions import (
    MAX_KIND,
    ConcatM,
    ConcatS,
    Final,
    Instruction,
    Operator,
    Parts,
    Phrase,
    Pop,
    Push,
    Reduce,
    Shift,
    kind_of,
    positions,
    without_kind,
)
from ness.machine.state import EOS, Status, View, count_phrases, is_one_phrase

_BAD_KIND = f"a kind is a number from 1 to {MAX_KIND}"


@cache
def allowed(
    ended: bool, words: bool, phrases: int, nested: bool, memory: bool, own: bool = False
) -> tuple[Operator, ...]:
    """List the operators that some argument makes legal.

    All that matters: whether the input has ended, whether the top frame holds words and how many phrases (0, 1, 2 for
    more), whether there is a frame below, and whether the memory is full. `own`: words may stand for their own phrases.
    """
    one_phrase = phrases == 1 and not words
    legal = {
        Operator.SHIFT: not ended,
        Operator.REDUCE: not phrases and (words or memory),
        Operator.PUSH: not ended and (words or phrases > 0),
        Operator.POP: nested and one_phrase,
        Operator.CONCAT_M: phrases > 0,
        Operator.CONCAT_S: phrases > 0 or memory or (own and words),
        Operator.FINAL: ended and not nested and one_phrase and not memory,
    }
    return tuple(operator for operator, is_legal in legal.items() if is_legal)


def legal_operators(status: Status, own: bool = False) -> tuple[Operator, ...]:
    """List the operators that some argument makes legal; a status tells it all.

    `own`: whether CONCAT_S may name words, which stand for their own phrases; then a frame of words alone is enough.
    """
    phrases = count_phrases(status.top)
    words = len(status.top) > phrases
    nested = status.second is not None
    return allowed(status.next is EOS, words, min(phrases, 2), nested, bool(status.memory), own)


def why_illegal_in(status: Status, instruction: Instruction) -> str | None:
    """Say why `instruction` cannot run in `status`; None means it can."""
    top = status.top
    ended = status.next is EOS
    one_phrase = is_one_phrase(top)
    match instruction:
        case Shift():
            if ended:
                return "the input is used up"
        case Reduce(phrase, kind):
            if count_phrases(top):
                return "the top frame holds a phrase; REDUCE takes words only"
            if not top and not status.memory:
                return "the top frame is empty, and so is the memory"
            if not phrase:
                return "REDUCE needs at least one target token"
            if not 0 <= kind <= MAX_KIND:
                return _BAD_KIND
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
            if kind_of(parts):
                return "only REDUCE and CONCAT_S make phrases of a kind"
            if not any(position < len(top) for position in positions(parts)):
                return "CONCAT_M must select a phrase of the top frame"
        case ConcatS(parts, own):
            return _why_bad_parts(status, parts, own)
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


def word_positions(candidates: View, parts: Parts) -> tuple[int, ...]:
    """The positions among the parts of a CONCAT that hold words, each once, in their order."""
    inside = [position for position in dict.fromkeys(positions(parts)) if 0 <= position < len(candidates)]
    return tuple([position for position in inside if isinstance(candidates[position], str)])


def _why_bad_parts(status: Status, parts: Parts, own: tuple[Phrase, ...] = ()) -> str | None:
    selected = positions(parts)
    if not selected:
        return "at least one position is needed"
    if any(isinstance(part, int) and part < 0 for part in without_kind(parts)):
        return "the kind of the phrase that is made comes last"
    if kind_of(parts) > MAX_KIND:
        return _BAD_KIND
    candidates = status.top + status.memory
    for position in selected:
        if not 0 <= position < len(candidates):
            return f"position {position} is outside 0..{len(candidates) - 1}"
        if isinstance(candidates[position], str) and not own:
            return f"position {position} is the word '{candidates[position]}', not a phrase"
    if len(own) != len(word_positions(candidates, parts)):
        return "each position of a word needs one phrase of its own, and no other does"
    if not all(own):
        return "a word's own phrase needs at least one target token"
    return None
