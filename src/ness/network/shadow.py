"""The machine without contents: frames of labels, for replaying what a decision saw.

A label is what one wants to know of an item: a word, a number, PHRASE for any phrase, or the mark of its kind.
"""

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from ness.machine import (
    EOS,
    PHRASE,
    ConcatM,
    ConcatS,
    Frames,
    Instruction,
    Next,
    Seen,
    Status,
    Word,
    after,
    kind_made,
    phrase_mark,
)

L = TypeVar("L")


class Shadow(Generic[L]):
    """A stack of frames and a memory that hold labels; it trusts the program to be legal."""

    __slots__ = ("frames",)

    def __init__(self) -> None:
        self.frames: Frames[L] = Frames()

    @property
    def position(self) -> int:
        return self.frames.position

    @property
    def stack(self) -> tuple[tuple[L, ...], ...]:
        return self.frames.stack

    @property
    def memory(self) -> tuple[L, ...]:
        return self.frames.memory

    def apply(self, instruction: Instruction, word: L, phrase: L) -> None:
        """Execute: SHIFT moves the label `word`; what REDUCE and CONCAT make is labelled `phrase`."""
        parts = instruction.parts if isinstance(instruction, ConcatM | ConcatS) else ()
        self.frames = after(self.frames, instruction.operator, parts, word, phrase)


def status_at(shadow: Shadow[Seen], source: tuple[Word, ...]) -> Status:
    """Return the local status of a shadow that is labelled with words, and PHRASE for phrases."""
    position, stack, memory = shadow.frames
    word: Next = source[position] if position < len(source) else EOS
    return Status(word, stack[-1], stack[-2] if len(stack) > 1 else None, memory)


def replay(source: tuple[Word, ...], program: Iterable[Instruction]) -> Iterator[tuple[Status, Instruction]]:
    """Yield each instruction of a legal program with the status that it was decided in."""
    shadow: Shadow[Seen] = Shadow()
    for instruction in program:
        status = status_at(shadow, source)
        yield status, instruction
        made = phrase_mark(kind_made(instruction))
        shadow.apply(instruction, status.next if isinstance(status.next, str) else PHRASE, made)
