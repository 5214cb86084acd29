"""What the machine holds: an immutable `State`, and the `Status` that a decision may look at.

A status shows every phrase as `PHRASE`: what a phrase says never matters to a decision, only that it
is there. This locality is why the method generalises, and why decisions can be remembered.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from ness.machine.boundaries import BEGIN, END
from ness.machine.frames import Frames
from ness.machine.instructions import Frame, Item, Phrase, Word


class PhraseMark:
    """Stands for any phrase in a view: `PHRASE` is the only one."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "PHRASE"

    def __reduce__(self) -> str:
        return "PHRASE"


class EndMark:
    """Stands for the next word when the input is used up: `EOS` is the only one."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "EOS"

    def __reduce__(self) -> str:
        return "EOS"


PHRASE: Final = PhraseMark()
EOS: Final = EndMark()
_PART = "a translated part"  # a phrase, for people who do not know the machine
_LISTED = 6  # items of a frame

Seen = Word | PhraseMark  # an item as a decision sees it
View = tuple[Seen, ...]  # a frame as a decision sees it: words, and PHRASE for phrases
Next = Word | EndMark  # the next word, or EOS


class Status(NamedTuple):
    """The local status: all that a decision may look at."""

    next: Next
    top: View
    second: View | None  # None: there is no second frame
    memory: View  # () or (PHRASE,)

    def __str__(self) -> str:
        second = "none" if self.second is None else show_view(self.second)
        word = "end of input" if self.next is EOS else f"'{self.next}'"
        return f"next {word}, top {show_view(self.top)}, second {second}, memory {show_view(self.memory)}"

    def in_words(self) -> str:
        """Say for people who do not know the machine where it stands and what it holds."""
        place = "at the end of the input" if self.next in (EOS, END) else f"before the word '{self.next}'"
        holds = f"{_list(self.top)} on top of the stack" if self.top or self.second else "an empty stack"
        below = f", {_list(self.second)} below it" if self.second else ""
        memory = f", {_PART} in the memory" if self.memory else ""
        return f"{place}, with {holds}{below}{memory}"

    def wanted(self) -> str:
        """Say which example would teach what to do here."""
        at_end = self.next in (EOS, END)
        return "add a short example " + ("that ends so" if at_end else f"with '{self.next}' in such a place")


@dataclass(frozen=True, slots=True)
class State:
    """One moment of an execution; `stack[-1]` is the top frame."""

    source: tuple[Word, ...]
    position: int = 0
    stack: tuple[Frame, ...] = ((),)
    memory: Frame = ()

    @property
    def top(self) -> Frame:
        return self.stack[-1]

    @property
    def candidates(self) -> Frame:
        """What the positions of a CONCAT point at: the top frame's items, then the memory."""
        return self.stack[-1] + self.memory

    @property
    def frames(self) -> Frames[Item]:
        """The state without its source."""
        return Frames(self.position, self.stack, self.memory)

    @property
    def exhausted(self) -> bool:
        return self.position == len(self.source)


def view(items: Iterable[Word | Phrase]) -> View:
    """Show each phrase as PHRASE and each word as itself."""
    return tuple([item if isinstance(item, str) else PHRASE for item in items])


def status_of(state: State) -> Status:
    """Return the part of `state` that a decision may look at."""
    return Status(
        next=EOS if state.exhausted else state.source[state.position],
        top=view(state.stack[-1]),
        second=view(state.stack[-2]) if len(state.stack) > 1 else None,
        memory=view(state.memory),
    )


def _list(items: View) -> str:
    """List the items of a frame, of a long one the last."""
    named = {PHRASE: _PART, BEGIN: "the beginning"}
    shown = [named.get(item, f"'{item}'") for item in items[-_LISTED:]]
    if len(items) > _LISTED:
        shown.insert(0, f"{len(items) - _LISTED} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:]))) or "nothing"


def show_view(items: View) -> str:
    """Draw a view in brackets, phrases as ●."""
    return "[" + " ".join(item if isinstance(item, str) else "●" for item in items) + "]"
