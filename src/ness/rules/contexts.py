"""The argument of a CONCAT by what lies below its frame, where the frame alone does not tell it.

`and` joins names after `show`, conditions after `where`: `● and ●` has two arguments, and the second frame tells which,
as the paper's argument predictors see it. Where it does not tell, nothing is said here: most traces decide. Standard
library only, Python 3.9: it goes into exported files.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

from ness.rules.backoff import FrameNotation, nearest

Row = Mapping[Any, int]  # arguments with their counts
_LEAST = 2  # traces for an argument: a single one may be a mistake


class Contexts:
    """The arguments of one frame, by the second frame; to be asked only where second frames `tell` them."""

    def __init__(self, rows: Mapping[Any, Row], frames: FrameNotation) -> None:
        """Take the arguments with their counts by second frames, shown by category."""
        self._frames = frames
        self._exact = _agreed(rows, lambda second: second)
        self._nearest = _agreed(rows, self._end)
        traces: dict[Any, int] = {}
        for row in rows.values():
            for argument, count in row.items():
                traces[argument] = traces.get(argument, 0) + count
        told = all(argument is not None for argument in self._exact.values())
        self.tell = told and len(traces) > 1 and min(traces.values()) >= _LEAST

    def _end(self, second: Any) -> Any:
        return None if second == self._frames.none else nearest(second, self._frames)

    def find(self, second: Any) -> Any:
        """The argument above a second frame; None where none that ends like it was seen, or different things were."""
        if second in self._exact:
            return self._exact[second]
        return self._nearest.get(self._end(second))


def agreed_above(contexts: Iterable[Contexts], others: Iterable[Any], second: Any) -> Any:
    """The one argument that frames have, some of them above a second frame; None where they have several."""
    found = {each.find(second) for each in contexts}.union(others)
    return found.pop() if len(found) == 1 else None


def _agreed(rows: Mapping[Any, Row], key: Callable[[Any], Hashable]) -> dict[Hashable, Any]:
    """The one argument that rows of a key have; None where they have several."""
    found: dict[Hashable, set[Any]] = {}
    for second, row in rows.items():
        found.setdefault(key(second), set()).update(row)
    return {each: next(iter(arguments)) if len(arguments) == 1 else None for each, arguments in found.items()}
