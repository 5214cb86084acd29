"""Stretches of a pattern that may be constituents, each with what it may make and its context."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from ness.learn.constituents.patterns import OpenPattern, Span, is_balanced, replace_spans

_HOLE = "\0hole"  # the place of a constituent in its context
ALONE = OpenPattern((_HOLE,), (0,))  # the context of a whole
_LONGEST = 8  # items of a constituent


def stretches(
    pattern: OpenPattern, pairs: Sequence[tuple[str, str]], around: int
) -> Iterator[tuple[OpenPattern, OpenPattern, int]]:
    """Yield what may be a constituent, its context and where it begins."""
    source, target = pattern
    where: defaultdict[int, list[int]] = defaultdict(list)
    for place, item in enumerate(target):
        if isinstance(item, int):
            where[item].append(place)
    for begin in range(len(source)):
        for end in range(begin + 1, min(len(source), begin + _LONGEST) + 1):
            if end - begin == len(source):
                continue
            # A single item makes no tokens but its own.
            for spans in _target_spans(target, where, begin, end, around if end - begin > 1 else 0):
                body = target[slice(*spans[0])]
                if is_balanced(body, pairs):
                    made = tuple([item - begin if isinstance(item, int) else item for item in body])
                    context = replace_spans(pattern, begin, end, spans, _HOLE)
                    yield OpenPattern(source[begin:end], made), context, begin


def _target_spans(
    target: tuple[int | str, ...], where: Mapping[int, list[int]], begin: int, end: int, around: int
) -> Iterator[list[Span]]:
    """Yield the parts of the target that source items may make: equal ones, where they make something twice."""
    inside = [place for place in range(begin, end) if place in where]
    if not inside:
        return
    copies = len(where[inside[0]])
    if any(len(where[place]) != copies for place in inside):
        copies = 1
    places = sorted(place for item in inside for place in where[item])
    size = len(places) // copies
    hulls = [(places[copy * size], places[copy * size + size - 1] + 1) for copy in range(copies)]
    if not all(_only_of_items(target[start:stop], begin, end) for start, stop in hulls):
        return
    for before in range(around + 1):
        for behind in range(around + 1):
            spans = [(start - before, stop + behind) for start, stop in hulls]
            if spans[0][0] < 0 or spans[-1][1] > len(target):
                continue
            if any(one[1] > other[0] for one, other in pairwise(spans)):
                continue
            bodies = {target[start:stop] for start, stop in spans}
            if len(bodies) == 1 and _only_of_items(bodies.pop(), begin, end):
                yield spans


def _only_of_items(body: tuple[int | str, ...], begin: int, end: int) -> bool:
    """Tell whether all numbers are of these source items."""
    return all(begin <= item < end for item in body if isinstance(item, int))
