"""The steps of many traces: each one, and how many traces use it.

Traces share most steps as objects, and a step is a nested tuple, slow to compare: its identity is looked at first.
"""

from collections import Counter
from collections.abc import Iterable
from itertools import chain

from ness.learn.coding import CodedTrace, Step


def steps_by_id(traces: Iterable[CodedTrace]) -> dict[int, Step]:
    """All steps of traces, which must be kept as long as this is used."""
    steps: dict[int, Step] = {}
    for trace in traces:
        steps.update(zip(map(id, trace), trace, strict=True))
    return steps


def count_uses(traces: Iterable[CodedTrace]) -> dict[Step, int]:
    """Count each step once for each trace that has it; in the order in which they are met first."""
    kept = list(traces)
    steps = steps_by_id(kept)
    first: dict[Step, int] = {}
    same = {number: first.setdefault(step, number) for number, step in steps.items()}
    counts = Counter(chain.from_iterable([dict.fromkeys(map(same.__getitem__, map(id, trace))) for trace in kept]))
    return {steps[number]: count for number, count in counts.items()}
