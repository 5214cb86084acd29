"""What the instructions do, once, whatever items are.

The plain machine has words and phrases in its frames, the paper's search has codes, the network has labels: all of them
change their frames by `after`.
"""

from typing import Generic, NamedTuple, TypeVar, assert_never

from ness.machine.instructions import Operator, Parts

I = TypeVar("I")  # noqa: E741 - an item


class Frames(NamedTuple, Generic[I]):
    """A stack of frames and a memory, and how much of the input was read; `stack[-1]` is the top frame."""

    position: int = 0
    stack: tuple[tuple[I, ...], ...] = ((),)
    memory: tuple[I, ...] = ()

    @property
    def candidates(self) -> tuple[I, ...]:
        """What the positions of a CONCAT point at: the top frame's items, then the memory."""
        return self.stack[-1] + self.memory


def after(frames: Frames[I], operator: Operator, parts: Parts, word: I, phrase: I) -> Frames[I]:
    """Return the frames after a legal instruction.

    SHIFT reads `word`; `phrase` is what REDUCE or CONCAT makes; `parts` are those of a CONCAT.
    """
    position, stack, memory = frames
    top, below = stack[-1], stack[:-1]
    match operator:
        case Operator.SHIFT:
            return Frames(position + 1, (*below, (*top, word)), memory)
        case Operator.REDUCE:
            return Frames(position, (*below, (phrase,)), memory)
        case Operator.PUSH:
            return Frames(position, (*stack, ()), memory)
        case Operator.POP:
            return Frames(position, (*below[:-1], below[-1] + top), memory)
        case Operator.CONCAT_M:
            return Frames(position, (*below, remaining(top, parts)), (phrase,))
        case Operator.CONCAT_S:
            return Frames(position, (*below, (phrase,)), ())
        case Operator.FINAL:
            return frames
        case _:
            assert_never(operator)


def remaining(top: tuple[I, ...], parts: Parts) -> tuple[I, ...]:
    """What a CONCAT_M leaves in the top frame: all that it did not select."""
    return tuple([item for position, item in enumerate(top) if position not in parts])
