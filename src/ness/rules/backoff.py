"""How a decision is found: by the whole status or, where that was never seen, by less and less of it.

The levels are data, and counting and deciding stand here only: the learner's costs, the rule table and exported
translators use them, so what judged a hypothesis is what answers. A status is (next word, top frame, second frame,
memory), whatever words and phrases are made of. Standard library only, Python 3.9: an exported file holds this text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Shape = Callable[[Any], Any]  # shows a frame without saying which words stand in it
Row = dict[Any, int]  # operators with their counts


class FrameNotation(NamedTuple):
    """How frames are written."""

    shape: Shape
    none: Any = None  # the second frame where there is none


class Level(NamedTuple):
    """One way to look at a status."""

    name: str
    key: Callable[[Any, FrameNotation], Any]  # what is left of a status
    kinds_of: str | None  # count what differs at that level, whose key says it all; None: count the traces
    supported: bool  # whether a decision at this level rests on examples of the same status, not on extrapolation
    by_category: bool = True  # whether words are shown as their categories
    decides: bool = True  # False: for prices only


def nearest(view: Any, frames: FrameNotation) -> Any:
    """A frame from its last word on: as with operator precedence, that and the next word tell what binds tighter."""
    words = [place for place, mark in enumerate(frames.shape(view) or ()) if mark != view[place]]
    return view[words[-1] :] if words else view


# Below categories what differs is counted, not how often it is used: one frequent construct must not speak for all.
LEVELS = (
    Level("status", lambda status, frames: tuple(status), None, True, by_category=False),
    Level("category", lambda status, frames: tuple(status), None, True),
    Level("outline", lambda status, frames: (*status[:2], frames.shape(status[2]), status[3]), "category", False),
    Level("nearest", lambda status, frames: (*status[:2], nearest(status[2], frames), status[3]), "category", False),
    # With no frame below, nothing can be closed: what was done there tells less about a frame above another.
    Level("height", lambda status, frames: (*status[:2], status[2] == frames.none, status[3]), "outline", False),
    Level("next", lambda status, frames: (*status[:2], status[3]), "outline", False),
    Level("frame", lambda status, frames: (status[1], status[3]), None, False),
    Level("shape", lambda status, frames: (frames.shape(status[1]), status[3]), "frame", False, decides=False),
)
# The levels that count what differs at another level; under None those that count the traces.
_KINDS = {
    name: [level for level in LEVELS if level.kinds_of == name] for name in (None, *[each.name for each in LEVELS])
}

REFUSED: Any = object()  # an argument that rules leave open

# Between what was seen and what is extrapolated: what constituents in new places would take, if the learner tells.
IMAGINED = Level("imagined", lambda status, frames: tuple(status), None, False)


class BackOff:
    """Counts of operators at every level."""

    def __init__(self, operators: Sequence[Any], frames: FrameNotation) -> None:
        self._frames = frames
        self._shift, _, self._push, self._pop = operators[:4]  # they come in the paper's order
        self._rank = {operator: rank for rank, operator in enumerate(operators)}  # of equal counts the first decides
        self.rows: dict[str, dict[Any, Row]] = {level.name: {} for level in LEVELS}
        self.imagined: dict[Any, Row] = {}

    def add(self, status: Any, by_category: Any, operator: Any, times: int = 1) -> None:
        """Count traces that use an operator in a status (a negative number takes them back)."""
        self._count(_KINDS[None], status, by_category, operator, times)

    def _count(self, levels: Sequence[Level], status: Any, by_category: Any, operator: Any, times: int) -> None:
        for level in levels:
            key = level.key(by_category if level.by_category else status, self._frames)
            change = bump(self.rows[level.name], key, operator, times)
            if change:
                self._count(_KINDS[level.name], status, by_category, operator, change)

    def levels(self, status: Any, by_category: Any) -> Iterator[tuple[Level, Row]]:
        """Yield the levels that know something of a status, from the most exact one."""
        for level in LEVELS:
            if level.decides:
                key = level.key(by_category if level.by_category else status, self._frames)
                counts = self.rows[level.name].get(key)
                if counts and not level.supported:
                    counts = self._leading_on(counts, by_category, level.name != "frame")
                if counts:
                    yield level, counts
                if level.name == "category" and tuple(by_category) in self.imagined:
                    yield IMAGINED, self.imagined[tuple(by_category)]

    def _leading_on(self, counts: Row, by_category: Any, by_word: bool) -> Row:
        """Leave out what nothing could follow.

        That is SHIFT into a frame that no rule has, PUSH for a word that begins none, POP where all of that is so next.
        Instead, nothing is begun where the next word was not asked (`by_word` is false), but something may be ended.
        """
        word, top, second, memory = by_category
        dead = set()
        if ((*top, word), memory) not in self.rows["frame"]:
            dead.add(self._shift)
        if (word, (), memory) not in self.rows["next"]:
            dead.add(self._push)
        if self._pop in counts and second != self._frames.none:
            joined = (*second, *top)
            after = self.rows["frame"].get((joined, memory), {})
            if not self._leading_on(after, (word, joined, self._frames.none, memory), True):
                dead.add(self._pop)
        if not by_word and not dead.isdisjoint(counts):
            dead |= {self._shift, self._push}
        return {operator: count for operator, count in counts.items() if operator not in dead}

    def ranked(self, counts: Mapping[Any, int], legal: Collection[Any]) -> list[Any]:
        """The legal operators of a row, the most counted first."""
        return sorted((o for o in counts if o in legal), key=lambda o: (-counts[o], self._rank[o]))

    def decide(
        self, status: Any, by_category: Any, legal: Collection[Any], argument_of: Callable[[Any], Any]
    ) -> tuple[Any, Any, Level] | None:
        """Return the operator, its argument and the level; None where nothing covers the status.

        `argument_of` completes an operator: None where no rule has an argument for it; REFUSED where rules leave open
        which, and so is then what to do: nothing else is tried.
        """
        for level, counts in self.levels(status, by_category):
            for operator in self.ranked(counts, legal):
                argument = argument_of(operator)
                if argument is not None:
                    return operator, argument, level
        return None


def bump(rows: dict[Any, Row], key: Any, entry: Any, times: int) -> int:
    """Add to a count; empty entries go. Return 1 if the entry is new, -1 if it has gone, else 0."""
    row = rows.get(key)
    if row is None:
        row = rows[key] = {}
    before = row.get(entry, 0)
    after = before + times
    if after:
        row[entry] = after
        return 0 if before else 1
    row.pop(entry, None)
    if not row:
        del rows[key]
    return -1 if before else 0


def most_used(counts: Mapping[Any, int] | None, order: Callable[[Any], Any] | None = None) -> Any:
    """The argument with the highest count, the smallest of several; None if there is none."""
    if not counts:
        return None
    best = max(counts.values())
    return min((argument for argument, count in counts.items() if count == best), key=order)
