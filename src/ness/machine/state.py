"""What the machine holds: an immutable `State`, and the `Status` that a decision may look at.

A status shows every phrase as `PHRASE`, or as one of its kind: what a phrase says never matters to a decision, only
that it is there, and of which kind. This locality is why the method generalises, and why decisions can be remembered.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple, Self

from ness.machine.boundaries import BEGIN, END
from ness.machine.frames import Frames
from ness.machine.instructions import Frame, Item, Phrase, Word


class PhraseMark:
    """Stands for a phrase in a view: `PHRASE` for any, others for those of a kind. Made by `phrase_mark` alone."""

    __slots__ = ("kind",)

    def __init__(self, kind: int = 0) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"phrase_mark({self.kind})" if self.kind else "PHRASE"

    def __reduce__(self) -> tuple[Callable[[int], "PhraseMark"], tuple[int]]:
        return phrase_mark, (self.kind,)


class PhraseOfKind(tuple[str, ...]):
    """A phrase that decisions tell from those of other kinds."""

    kind: int

    def __new__(cls, tokens: Iterable[str], kind: int) -> Self:
        phrase = super().__new__(cls, tokens)
        phrase.kind = kind
        return phrase

    def __getnewargs__(self) -> tuple[Phrase, int]:
        return tuple(self), self.kind

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PhraseOfKind) and self.kind == other.kind and super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((tuple(self), self.kind))


class EndMark:
    """Stands for the next word when the input is used up: `EOS` is the only one."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "EOS"

    def __reduce__(self) -> str:
        return "EOS"


PHRASE: Final = PhraseMark()
_MARKS = {0: PHRASE}
EOS: Final = EndMark()
_PART = "a translated part"  # a phrase, for people who do not know the machine
_LISTED = 6  # items of a frame

Seen = Word | PhraseMark  # an item as a decision sees it
View = tuple[Seen, ...]  # a frame as a decision sees it: words, and marks for phrases
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


def phrase_mark(kind: int) -> PhraseMark:
    """The mark of phrases of a kind; 0: PHRASE."""
    return _MARKS.get(kind) or _MARKS.setdefault(kind, PhraseMark(kind))


def made_phrase(tokens: Phrase, kind: int) -> Phrase:
    """A phrase of a kind; 0: none."""
    return PhraseOfKind(tokens, kind) if kind else tokens


def view(items: Iterable[Word | Phrase]) -> View:
    """Show each phrase as a mark and each word as itself."""
    return tuple([item if isinstance(item, str) else phrase_mark(getattr(item, "kind", 0)) for item in items])


def count_phrases(items: View) -> int:
    """How many phrases a view shows."""
    return sum([not isinstance(item, str) for item in items])


def is_one_phrase(items: View) -> bool:
    """Tell whether a view shows one phrase and nothing else."""
    return len(items) == 1 and not isinstance(items[0], str)


def without_kinds(items: View) -> View:
    """Show phrases of all kinds alike."""
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
    shown = [named.get(item, f"'{item}'") for item in without_kinds(items)[-_LISTED:]]
    if len(items) > _LISTED:
        shown.insert(0, f"{len(items) - _LISTED} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:]))) or "nothing"


def show_view(items: View) -> str:
    """Draw a view in brackets, phrases as ●, those of a kind with its number."""
    return "[" + " ".join(item if isinstance(item, str) else show_phrase(item) for item in items) + "]"


def show_phrase(mark: PhraseMark) -> str:
    """Draw a phrase."""
    return f"●{mark.kind or ''}"
