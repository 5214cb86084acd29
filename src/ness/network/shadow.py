"""The machine without contents: frames of labels, for replaying what a decision saw.

A label is what one wants to know of an item: a word, a number, None for any phrase.
"""

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from ness.machine import ConcatM, ConcatS, Instruction, Pop, Push, Reduce, Shift, Status, Word

L = TypeVar("L")


class Shadow(Generic[L]):
    """A stack of frames and a memory that hold labels; it trusts the program to be legal."""

    __slots__ = ("memory", "position", "stack")

    def __init__(self) -> None:
        self.position = 0
        self.stack: list[tuple[L, ...]] = [()]
        self.memory: tuple[L, ...] = ()

    def apply(self, instruction: Instruction, word: L, phrase: L) -> None:
        """Execute: SHIFT moves the label `word`; what REDUCE and CONCAT make is labelled `phrase`."""
        stack = self.stack
        kind = type(instruction)
        if kind is Shift:
            stack[-1] = (*stack[-1], word)
            self.position += 1
        elif kind is Push:
            stack.append(())
        elif kind is Pop:
            top = stack.pop()
            stack[-1] += top
        elif kind is Reduce:
            stack[-1] = (phrase,)
        elif isinstance(instruction, ConcatM):
            chosen = instruction.indices
            stack[-1] = tuple(label for index, label in enumerate(stack[-1]) if index not in chosen)
            self.memory = (phrase,)
        elif kind is ConcatS:
            stack[-1] = (phrase,)
            self.memory = ()


def status_at(shadow: Shadow[Word | None], source: tuple[Word, ...]) -> Status:
    """Return the local status of a shadow that is labelled with words, and None for phrases."""
    position, stack = shadow.position, shadow.stack
    word = source[position] if position < len(source) else None
    memory: tuple[None, ...] = (None,) if shadow.memory else ()
    return Status(word, stack[-1], stack[-2] if len(stack) > 1 else None, memory)


def replay(source: tuple[Word, ...], program: Iterable[Instruction]) -> Iterator[tuple[Status, Instruction]]:
    """Yield each instruction of a legal program with the status that it was decided in."""
    shadow: Shadow[Word | None] = Shadow()
    for instruction in program:
        status = status_at(shadow, source)
        yield status, instruction
        shadow.apply(instruction, status.next, None)
