"""The steps of many traces: each one, and how many traces use it.

Traces share most steps as objects, and a step is a nested tuple, slow to compare: its identity is looked at first.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from typing import TypeVar

from ness.learn.coding import CodedTrace, Step

K = TypeVar("K", bound=Hashable)


def steps_by_id(traces: Iterable[Sequence[Step]]) -> dict[int, Step]:
    """All steps of traces, which must be kept as long as this is used."""
    steps: dict[int, Step] = {}
    for trace in traces:
        steps.update(zip(map(id, trace), trace, strict=True))
    return steps


def count_uses(traces: Iterable[CodedTrace]) -> dict[Step, int]:
    """Count each step once for each trace that has it; in the order in which they are met first."""
    return count_kinds(traces, lambda step: step)


def count_kinds(traces: Iterable[Sequence[Step]], kind_of: Callable[[Step], K]) -> dict[K, int]:
    """Count each kind of step once for each trace that has it; in the order in which they are met first."""
    kept = list(traces)
    numbers: dict[K, int] = {}
    by_id = {key: numbers.setdefault(kind_of(step), len(numbers)) for key, step in steps_by_id(kept).items()}
    counts = Counter(chain.from_iterable([dict.fromkeys(map(by_id.__getitem__, map(id, trace))) for trace in kept]))
    kinds = list(numbers)
    return {kinds[number]: count for number, count in counts.items()}
