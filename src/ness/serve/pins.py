"""Rules by hand as the page writes them; learning obeys them (`ness.rules.hand`).

A rule is written as the page shows it: `hop → HOP` for words, `X twice → X X` for a template, in which X, Y, Z stand
for translated parts, M for the part in the memory. A target token that looks like one of these is put in quotes.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from ness.errors import DataError
from ness.machine import PHRASE, Operator, Parts, kind_of, without_kind, without_kinds
from ness.rules.hand import HandRules
from ness.rules.table import Categories, ConcatKey, RuleTable

LABELS = ("X", "Y", "Z", *(f"X{number}" for number in range(4, 40)))
MEMORY = "M"
Kind = Literal["word", "CONCAT_M", "CONCAT_S"]
Action = Literal["pin", "forbid"]


@dataclass(frozen=True, slots=True)
class Pin:
    """A rule that a person wants, or does not want."""

    action: Action
    kind: Kind
    left: str
    right: str
    like: str = ""  # of a new word: the word that it behaves like

    def __str__(self) -> str:
        return f"{self.left} → {self.right}"


def hand_of(pins: Iterable[Pin], table: RuleTable) -> HandRules:
    """Return the rules by hand that pins stand for, given what was learned: a template is for all words alike."""
    hand = HandRules(RuleTable(), RuleTable())
    groups: list[tuple[str, ...]] = []
    for pin in pins:
        wanted = hand.pinned if pin.action == "pin" else hand.forbidden
        if pin.kind == "word":
            frame, phrase = tuple(pin.left.split()), tuple(pin.right.split())
            if not phrase or not frame:
                raise DataError("a word rule has words on both sides, as in: hop → HOP")
            wanted.reduce.setdefault(frame, Counter())[phrase] = 1
            if pin.action == "pin" and frame not in table.reduce:
                groups.append((_known(table, frame, pin.like), frame[0]))
        else:
            for key, parts in _templates(table, pin):
                wanted.concat.setdefault(key, Counter())[parts] = 1
    hand.pinned.categories = Categories(groups)
    return hand


def _known(table: RuleTable, frame: tuple[str, ...], like: str) -> str:
    """The known word that a new one behaves like."""
    if len(frame) > 1:
        raise DataError(f"no example has “{' '.join(frame)}” as one piece; add an example with it")
    known = [word for word in (like, *like.split()) if (word,) in table.reduce]
    if not known:
        raise DataError(f"“{frame[0]}” is a new word; say which known word it behaves like, as walk does")
    return known[0]


def _templates(table: RuleTable, pin: Pin) -> list[tuple[ConcatKey, Parts]]:
    view, memory = read_pattern(pin.left)
    wanted = (Operator(pin.kind), table.categories.view(view), memory)
    parts = read_parts(pin.right, view, memory)
    keys = [key for key in table.concat if (key[0], table.categories.view(key[1]), key[2]) == wanted]
    if not keys:
        raise DataError(f"no example leads to “{pin.left}”; add an example with it")
    if all(without_kinds(top) == top for _, top, _ in keys):
        return [(key, parts) for key in keys]
    # Where phrases are of kinds, the page shows frames of several kinds alike: those are meant that have this rule.
    known = [(key, each) for key in keys for each in table.concat[key] if without_kind(each) == parts]
    return known or [(key, (*parts, *_kind_in(table, key))) for key in keys]


def _kind_in(table: RuleTable, key: ConcatKey) -> Parts:
    """The kind of what most traces make of a frame, as a part."""
    kind = kind_of(table.concat[key].most_common(1)[0][0])
    return (-kind,) if kind else ()


def read_pattern(text: str) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Read the left side of a template: what the top frame shows, and the memory."""
    tokens = text.split()
    memory = (PHRASE,) if MEMORY in tokens else ()
    return tuple(PHRASE if token in LABELS else _plain(token) for token in tokens if token != MEMORY), memory


def read_parts(text: str, view: tuple[Any, ...], memory: tuple[Any, ...]) -> tuple[Any, ...]:
    """Read the right side of a template: positions of parts, and target tokens."""
    places = positions_of(view, memory)
    parts = tuple(places[token] if token in places else _token(token, places) for token in text.split())
    if not any(isinstance(part, int) for part in parts):
        raise DataError(f"a template uses a part of its left side ({', '.join(places)}), as in: X twice → X X")
    return parts


def _token(token: str, places: dict[str, int]) -> str:
    if token == MEMORY or token in LABELS:
        raise DataError(f"{token} is not on the left side; there are {', '.join(places)}")
    return _plain(token)


def positions_of(view: tuple[Any, ...], memory: tuple[Any, ...]) -> dict[str, int]:
    """Name the parts that a template can use: label to position among the candidates."""
    phrases = [place for place, item in enumerate(view) if item is PHRASE]
    named = dict(zip(LABELS, phrases, strict=False))
    return named | ({MEMORY: len(view)} if memory else {})


def show_pattern(view: tuple[Any, ...], memory: tuple[Any, ...]) -> str:
    """Write the left side of a template."""
    labels = iter(LABELS)
    shown = [next(labels) if item is PHRASE else _quoted(item) for item in view]
    return " ".join([*shown, *([MEMORY] if memory else [])])


def show_parts(parts: tuple[Any, ...], view: tuple[Any, ...], memory: tuple[Any, ...]) -> str:
    """Write the right side of a template."""
    names = {place: label for label, place in positions_of(view, memory).items()}
    return " ".join(names[part] if isinstance(part, int) else _quoted(part) for part in without_kind(parts))


def _quoted(token: str) -> str:
    return f'"{token}"' if token == MEMORY or token in LABELS else token


def _plain(token: str) -> str:
    return token[1:-1] if len(token) > 2 and token[0] == token[-1] == '"' else token
