"""Traces that agree: of several sampled traces of an example, the one that the other examples' traces support is kept.

Alone, each example may choose another way, and a convention that all examples share cannot be left by any of them
alone. So whole blocks move as well: one decision is forbidden, every trace that makes it is searched anew, and the new
traces stay if all traces together agree better.
"""

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from ness.config import LoopConfig, SearchConfig
from ness.learn.coding import Argument, CodedStatus, CodedTrace, Sample, Step, degenerate_trace
from ness.machine import Frames
from ness.machine.opcodes import FINAL
from ness.paper.agreement import ByCategory, DecisionKey, TraceAgreement
from ness.paper.sampled import (
    Answers,
    CodedFrames,
    ExtractedRules,
    KnownRules,
    execute,
    sampled_search,
    search_together,
    status_of,
)
from ness.rules.categories import equivalence_classes

Traces = dict[Sample, CodedTrace]
_STEPS_PER_WORD = 8  # of an execution without search
UNSOLVED = 100.0  # nats: an example without a trace agrees with nothing


@dataclass(frozen=True)
class TraceSet:
    """Traces of a working set, the categories that they showed, and how much they disagree."""

    traces: Traces = field(default_factory=dict)
    classes: dict[int, int] = field(default_factory=dict)
    disagreement: float = 0.0


class CoherentSearch:
    """Searches the traces of a working set together."""

    def __init__(self, search: SearchConfig, loop: LoopConfig, base: Answers | None, rng: random.Random) -> None:
        self._search, self._loop, self._base, self._rng = search, loop, base, rng
        self.steps = 0  # executed

    def fit(
        self,
        start: TraceSet,
        samples: Sequence[Sample],
        words: Collection[int],
        over: Callable[[], bool] = lambda: False,
    ) -> TraceSet:
        """Find traces for all samples, beginning with those of another set, and make them agree until time is over."""
        traces = dict(start.traces)
        categories = ByCategory(start.classes)
        agreement = self._agreement(traces, categories)
        for sample in samples:
            if sample not in traces:
                self._search_anew(agreement, traces, sample)
        for _ in range(self._loop.passes):
            order = self._rng.sample(samples, len(samples))
            if not sum([self._search_anew(agreement, traces, sample) for sample in order]) or over():
                break
        cost = _total(agreement, traces, samples)
        for _ in range(self._loop.moves):
            if over():
                break
            moved = self._move(agreement, traces, samples, categories)
            if moved is not None and (moved_cost := _total(*moved, samples)) <= cost:
                (agreement, traces), cost = moved, moved_cost
        return TraceSet(traces, joined(start.classes, operational_classes(traces.values(), words)), cost)

    def _agreement(self, traces: Traces, categories: ByCategory) -> TraceAgreement:
        agreement = TraceAgreement(categories, self._loop, self._base)
        for trace in traces.values():
            agreement.add(trace)
        return agreement

    def _move(
        self, agreement: TraceAgreement, traces: Traces, samples: Sequence[Sample], categories: ByCategory
    ) -> tuple[TraceAgreement, Traces] | None:
        """Forbid a decision and search all traces that make it anew; None if they are too many."""
        banned = self._rng.choice([decision for decision, uses in agreement.uses.items() if uses > 0])
        block = [sample for sample, trace in traces.items() if _makes(agreement, trace, banned)]
        if len(block) > self._loop.block:
            return None
        left = {sample: trace for sample, trace in traces.items() if sample not in set(block)}
        others = self._agreement(left, categories)
        others.banned = banned
        for sample in self._rng.sample(block, len(block)):
            self._search_anew(others, left, sample)
        others.banned = None
        for sample in [*block, *(sample for sample in samples if sample not in left)]:
            self._search_anew(others, left, sample)
        return others, left

    def _search_anew(self, agreement: TraceAgreement, traces: Traces, sample: Sample) -> bool:
        """Sample traces, half of them along the rules of all others, and keep the best; tell whether it is new."""
        old = traces.pop(sample, None)
        candidates = []
        if old is not None:
            agreement.add(old, -1)
            candidates.append(old)
        along: list[KnownRules] = [agreement, ExtractedRules()]
        searches = [
            sampled_search(sample, along[number % 2], self._search, random.Random(self._rng.getrandbits(64)))
            for number in range(self._loop.samples)
        ]
        for found in search_together(agreement, searches):
            self.steps += found.steps
            if not found.degenerate:
                candidates.append(found.trace)
        if not candidates:
            return False
        best = min(candidates, key=agreement.disagreement)
        traces[sample] = best
        agreement.add(best)
        return best != old

    def rules(self, found: TraceSet) -> TraceAgreement:
        """Return the rules of a set of traces."""
        return self._agreement(found.traces, ByCategory(found.classes))


def _total(agreement: TraceAgreement, traces: Traces, samples: Sequence[Sample]) -> float:
    """How much all traces disagree, each with the others."""
    cost = UNSOLVED * (len(samples) - len(traces))
    for trace in traces.values():
        agreement.add(trace, -1)
        cost += agreement.disagreement(trace)
        agreement.add(trace)
    return cost


def _makes(agreement: TraceAgreement, trace: CodedTrace, decision: DecisionKey) -> bool:
    return any(decision == each for step in trace for each in agreement.decisions(step))


def operational_classes(traces: Iterable[CodedTrace], words: Collection[int]) -> dict[int, int]:
    """Put words into one category if exchanging them keeps every operator that the traces show."""
    counts: dict[CodedStatus, Counter[int]] = {}
    for trace in traces:
        for status, operator, _ in trace:
            counts.setdefault(status, Counter())[operator] += 1
    decisions = {status: min(each, key=lambda o: (-each[o], o)) for status, each in counts.items()}
    return equivalence_classes(decisions, set(words))


def joined(before: Mapping[int, int], now: Mapping[int, int]) -> dict[int, int]:
    """Keep words in one category that were: categories only fill in, and one odd trace would tear them all apart."""
    classes = dict(now)
    for word, other in before.items():
        one, two = classes.get(word, word), classes.get(other, other)
        for each, representative in list(classes.items()):
            if representative in (one, two):
                classes[each] = min(one, two)
    return classes


Decide = Callable[[CodedStatus], tuple[int, Argument] | None]


def follow(decide: Decide, sample: Sample) -> CodedTrace | None:
    """Execute the rules without any search; return the trace if it yields the target, the degenerate one aside."""
    source, target = sample
    frames: CodedFrames = Frames()
    trace: list[Step] = []
    for _ in range(_STEPS_PER_WORD * len(source) + 6):
        status = status_of(frames, source)
        decision = decide(status)
        if decision is None:
            return None
        operator, argument = decision
        trace.append((status, operator, argument))
        if operator == FINAL:
            right = frames.stack[-1] == (target,)
            degenerate = len(target) > 1 and tuple(trace) == degenerate_trace(sample)
            return tuple(trace) if right and not degenerate else None
        if isinstance(argument, tuple) and not _selectable(frames, argument):
            return None
        frames = execute(frames, source, operator, argument)
    return None


def _selectable(frames: CodedFrames, indices: tuple[int, ...]) -> bool:
    """Whether the indices of a CONCAT are phrases."""
    items = frames.candidates
    return all(index < len(items) and isinstance(items[index], str) for index in indices)


def solved(rules: TraceAgreement, samples: Iterable[Sample]) -> Traces:
    """Return the traces of the samples that the rules solve without search."""
    decide = cache(rules.decide)
    traces = {sample: follow(decide, sample) for sample in samples}
    return {sample: trace for sample, trace in traces.items() if trace is not None}
