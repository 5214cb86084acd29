"""The steps of many traces: how many traces use each, and something else in the place of each.

Traces share most steps as objects, and a step is a nested tuple, slow to compare: its identity is looked at first.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TypeVar

from ness.learn.coding import CodedTrace, Sample, Step

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class SharedSteps:
    """The steps of traces."""

    def __init__(self, traces: Iterable[Sequence[Step]]) -> None:
        self._traces = list(traces)
        self._by_id: dict[int, Step] = {}
        for trace in self._traces:
            self._by_id.update(zip(map(id, trace), trace, strict=True))

    def count(self, kind_of: Callable[[Step], K]) -> dict[K, int]:
        """Count each kind of step once for each trace that has it; in the order in which they are met first."""
        numbers: dict[K, int] = {}
        kinds = self.map(lambda step: numbers.setdefault(kind_of(step), len(numbers)))
        names = list(numbers)
        return {names[kind]: count for kind, count in Counter(chain.from_iterable(map(dict.fromkeys, kinds))).items()}

    def map(self, value_of: Callable[[Step], V]) -> list[tuple[V, ...]]:
        """Exchange each step of each trace for a value."""
        values = {key: value_of(step) for key, step in self._by_id.items()}
        return [tuple(map(values.__getitem__, map(id, trace))) for trace in self._traces]


def share_steps(traces: Mapping[Sample, CodedTrace]) -> dict[Sample, CodedTrace]:
    """The same traces, with one object for all equal steps."""
    known: dict[Step, Step] = {}
    return {sample: tuple([known.setdefault(step, step) for step in trace]) for sample, trace in traces.items()}


def count_uses(traces: Iterable[Sequence[Step]]) -> dict[Step, int]:
    """Count each step once for each trace that has it; in the order in which they are met first."""
    return SharedSteps(traces).count(lambda step: step)
