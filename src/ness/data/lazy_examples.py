"""A list of examples that is made as far as it is looked at."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import overload

from ness.data.example import Example


class LazyExamples(Sequence[Example]):
    """Knows its length at once; draws and keeps each example when it is first asked for."""

    def __init__(self, length: int, draw: Callable[[], Iterator[Example]]) -> None:
        self._length = length
        self._draw = draw
        self._source: Iterator[Example] | None = None
        self._made: list[Example] = []

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Example: ...
    @overload
    def __getitem__(self, index: slice) -> list[Example]: ...
    def __getitem__(self, index: int | slice) -> Example | list[Example]:
        if isinstance(index, slice):
            wanted = range(self._length)[index]
            self._make(max(wanted, default=-1) + 1)
            return [self._made[number] for number in wanted]
        number = range(self._length)[index]
        self._make(number + 1)
        return self._made[number]

    def _make(self, count: int) -> None:
        if self._source is None:
            self._source = self._draw()
        missing = count - len(self._made)
        if missing > 0:
            self._made.extend(islice(self._source, missing))
