"""A set of traces grows by the traces that are worth most: those with which most other examples need no search.

An example that the rules of the set cannot solve is sampled many times. Each of its traces is tried as a rule: how many
examples, of this lesson and of the next, would then be solved by rules alone? A trace that serves its own example only
is worth little, whatever it looks like. A convention that many traces share cannot be left by one of them alone: so a
decision is given up, mostly one on the way of examples that stay unsolved, all traces that make it leave the set, and
it grows again without.
"""

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache

from ness.config import LoopConfig, SearchConfig
from ness.learn.coding import CodedSource, CodedStatus, CodedTrace, Sample, Step
from ness.paper.agreement import DecisionKey, TraceAgreement
from ness.paper.known_rules import ExtractedRules
from ness.paper.moments import Moment
from ness.paper.prospects import Prospects
from ness.paper.questions import Answers
from ness.paper.recombination import untold
from ness.paper.sampling import sampled_search, search_together
from ness.paper.swaps import Counterparts, SwapAnalogies
from ness.paper.trace_set import FollowResult, RuleDecisions, Traces, TraceSet, follow

UNSOLVED = 100.0  # nats: an example without a trace agrees with nothing
_AT_ONCE = 3  # examples that are sampled for one trace to join
_PATIENCE = 4  # times that this may fail one after the other
_CANDIDATES = 8  # traces of most worth, of which the first that helps joins
_VAIN = 2  # batches of samples with no better trace, after which no more are drawn
_WRONG = 20  # examples with a wrong answer that a trace is tried on

Over = Callable[[], bool]
Candidate = tuple[int, float, Sample, CodedTrace]  # its worth, negative; its disagreement
Unsolved = dict[CodedStatus, list[Moment]]  # by the status that rules do not know; wrong ones by the first status


class Growth:
    """Grows and changes sets of traces of a working set; judges are examples that are only foreseen."""

    def __init__(
        self,
        search: SearchConfig,
        loop: LoopConfig,
        base: Answers | None,
        rng: random.Random,
        words: Collection[int],
        over: Over = lambda: False,
        imagined: Sequence[CodedSource] = (),
        counterparts: Counterparts | None = None,
        analogies: SwapAnalogies | None = None,
    ) -> None:
        self._search, self._loop, self._base, self._rng, self._words = search, loop, base, rng, words
        self.over, self.imagined = over, imagined
        self._counterparts = Counterparts() if counterparts is None else counterparts
        self._analogies = analogies
        self._first = cache(Moment)
        self.steps = 0  # executed by searches

    def grow(
        self, start: TraceSet, working: Sequence[Sample], judges: Sequence[Sample], banned: DecisionKey | None = None
    ) -> TraceSet:
        """Let traces join until each example of the working set has one, or no search helps it."""
        rules, traces = self.rules(start), dict(start.traces)
        rules.banned = banned
        for tearing in (False, True):  # what parts words of one category waits until nothing else helps
            rules = self._let_join(rules, traces, working, judges, tearing)
        rules.banned = None
        return TraceSet(traces, rules.classes, _total(rules, traces, working))

    def _let_join(
        self,
        rules: TraceAgreement,
        traces: Traces,
        working: Sequence[Sample],
        judges: Sequence[Sample],
        tearing: bool,
    ) -> TraceAgreement:
        """Add traces of examples that have none; return the rules with them."""
        pending = [sample for sample in working if sample not in traces]
        failures = 0
        while pending and failures < _PATIENCE and not self.over():
            followed = self._follow(rules, [*working, *judges])
            ruled = {sample: trace for sample in pending if (trace := followed[sample].trace) is not None}
            for trace in ruled.values():
                rules.add(trace)
            traces |= ruled
            pending = [sample for sample in pending if sample not in ruled]
            before, rules = rules, self._categorised(rules)
            if rules is not before or not pending:
                continue
            tried = self._most_needed(rules, pending, followed)
            candidates = self._most_worth(rules, tried, self._unsolved(followed))
            joined, rules = self._first_that_helps(rules, candidates, followed, tearing)
            failures = 0 if joined else failures + 1
            traces |= joined
            done = joined or tried
            pending = [sample for sample in pending if sample not in done]
        return rules

    def _most_needed(
        self, rules: TraceAgreement, pending: Sequence[Sample], followed: dict[Sample, FollowResult]
    ) -> list[Sample]:
        """Draw short examples that are stuck where many others are: what these need comes before what is rare."""
        shortest = min(len(sample[0]) for sample in pending)
        near = [sample for sample in pending if len(sample[0]) <= shortest + 1]
        places = {s: rules.by_category(each.stuck.status) for s, each in followed.items() if each.stuck is not None}
        crowds = Counter(places.values())
        weights = [crowds[places[sample]] ** 2 if sample in places else 1 for sample in near]
        return list(dict.fromkeys(self._rng.choices(near, weights, k=_AT_ONCE)))

    def _first_that_helps(
        self,
        rules: TraceAgreement,
        candidates: Iterable[Candidate],
        followed: dict[Sample, FollowResult],
        tearing: bool,
    ) -> tuple[Traces, TraceAgreement]:
        """Let the first trace join with which, and the categories that it leaves, more is solved than without.

        What is solved otherwise than its counterpart does not count, unless nothing else helps.
        """
        solved = self._count_alike(rules, followed, tearing)
        for _, _, sample, trace in candidates:
            rules.add(trace)
            categorised = self._categorised(rules)
            kept = tearing or not _tears(rules.classes, categorised.classes)
            if kept and (self._loop.keep != "worth" or self._count_alike(categorised, followed, tearing) > solved):
                return {sample: trace}, categorised
            rules.add(trace, -1)
        return {}, rules

    def _count_alike(self, rules: TraceAgreement, samples: Collection[Sample], tearing: bool) -> int:
        followed = self._follow(rules, samples)
        return _count_solved(followed) - (0 if tearing else len(self.unlike(rules, followed)))

    def change(
        self, found: TraceSet, working: Sequence[Sample], judges: Sequence[Sample], tried: set[DecisionKey]
    ) -> TraceSet | None:
        """Give up a decision that was not tried yet, and grow again without: all traces that make it are searched anew.

        The more it stands in the way of examples that rules do not solve, and the rarer it is, the sooner it is tried;
        perhaps every other time however rare it is: what many share may be wrong, and what is rare only patch it up.
        If they solve the working set, every other time one that stands in the way of what is only foreseen.
        """
        rules = self.rules(found)
        odd = [way for ways in self.unlike(rules, self._follow(rules, working)) for way in ways]
        suspicions = [suspicion_of(rules, [*self._failures(rules, working), *odd], tried)]
        if not any(suspicions):
            unforeseen = [*self._failures(rules, judges), *self.untold(rules).values()]
            suspicions = [suspicion_of(rules, ways, tried) for ways in (unforeseen, found.traces.values())]
        if not any(suspicions):
            return None
        suspicion = self._rng.choice([each for each in suspicions if each])
        rare = self._loop.suspects == "rare" or self._rng.random() < 0.5
        weights = [count / max(rules.uses[each], 1) if rare else count for each, count in suspicion.items()]
        (banned,) = self._rng.choices(list(suspicion), weights)
        tried.add(banned)
        left = {sample: trace for sample, trace in found.traces.items() if not rules.makes(trace, banned)}
        return self.grow(TraceSet(left, found.classes), working, judges, banned)

    def _failures(self, rules: TraceAgreement, samples: Sequence[Sample]) -> list[Sequence[Step]]:
        """The steps that the rules take before they are stuck or wrong."""
        return [each.steps for each in self._follow(rules, samples).values() if not each.solved and each.steps]

    def unlike(
        self, rules: TraceAgreement, followed: Mapping[Sample, FollowResult]
    ) -> list[tuple[Sequence[Step], Sequence[Step]]]:
        """Take examples and counterparts of which the first is solved, and the second is not, or by other operators."""
        pairs = {sample: other for sample in followed if (other := self._counterparts[sample]) is not None}
        others = self._follow(rules, [other for other in pairs.values() if other not in followed])
        found: list[tuple[Sequence[Step], Sequence[Step]]] = []
        for sample, other in pairs.items():
            one, two = followed[sample], followed.get(other) or others[other]
            if one.solved and not one.alike(two):
                found.append((one.steps, two.steps))
        return found

    def count_unlike(self, rules: TraceAgreement, samples: Sequence[Sample]) -> int:
        """Count the samples that rules solve otherwise than their counterparts."""
        return len(self.unlike(rules, self._follow(rules, samples)))

    def foreseen(self, rules: TraceAgreement, samples: Sequence[Sample]) -> int:
        """Count the samples that rules solve without search."""
        return _count_solved(self._follow(rules, samples))

    def untold(self, rules: TraceAgreement) -> dict[CodedSource, Sequence[Step]]:
        """The imagined inputs on whose way there is a status that no trace decides, and the way up to it."""
        ways = {source: untold(rules, source) for source in self.imagined}
        return {source: way for source, way in ways.items() if way is not None}

    def rules(self, found: TraceSet) -> TraceAgreement:
        """Return the rules of a set of traces."""
        rules = TraceAgreement(found.classes, self._loop, self._base, self._analogies)
        for trace in found.traces.values():
            rules.add(trace)
        return rules

    def _categorised(self, rules: TraceAgreement) -> TraceAgreement:
        classes = rules.categories(self._words)
        return rules if classes == rules.classes else rules.by_other_categories(classes)

    def _follow(self, rules: TraceAgreement, samples: Iterable[Sample]) -> dict[Sample, FollowResult]:
        decisions = RuleDecisions(rules.decide)
        return {sample: follow(decisions, self._first(sample)) for sample in samples}

    def _unsolved(self, followed: dict[Sample, FollowResult]) -> Unsolved:
        """Tell where the rules are stuck, and begin anew where they are wrong."""
        moments = [each.stuck for each in followed.values() if each.stuck is not None]
        wrong = [sample for sample, each in followed.items() if not each.solved and each.stuck is None]
        moments += [self._first(sample) for sample in self._rng.sample(wrong, min(_WRONG, len(wrong)))]
        unsolved: Unsolved = {}
        for moment in moments:
            unsolved.setdefault(moment.status, []).append(moment)
        return unsolved

    def _most_worth(self, rules: TraceAgreement, samples: Collection[Sample], unsolved: Unsolved) -> list[Candidate]:
        """Sample traces of some examples until none is better; return the best of those that help any example."""
        found: dict[CodedTrace, Candidate] = {}
        tried: set[CodedTrace] = set()
        best: Candidate | None = None
        vain = 0
        stages = [Prospects(each, self._search) for each in (rules, ExtractedRules())]
        while vain < _VAIN:
            for sample in samples:
                for trace in self._sampled(rules, stages, sample):
                    if trace not in tried:
                        tried.add(trace)
                        worth = _worth(rules, trace, unsolved) if self._loop.keep == "worth" else 1
                        if worth:
                            found[trace] = -worth, rules.disagreement(trace), sample, trace
            before, best = best, min(found.values(), default=None)
            vain = vain + 1 if best == before else 0
        return sorted(found.values())[:_CANDIDATES]

    def _sampled(self, rules: TraceAgreement, stages: Sequence[Prospects], sample: Sample) -> Iterable[CodedTrace]:
        """Sample distinct traces, three of four along the rules as far as these lead."""
        along = [stages, stages, stages, stages[1:]]
        searches = [
            sampled_search(self._first(sample), along[number % 4], random.Random(self._rng.getrandbits(64)))
            for number in range(self._loop.samples)
        ]
        found = search_together(rules, searches)
        self.steps += sum(each.steps for each in found)
        traces = dict.fromkeys(each.trace for each in found if not each.degenerate)
        return [trace for trace in traces if rules.banned is None or not rules.makes(trace, rules.banned)]


def _tears(before: Mapping[int, int], now: Mapping[int, int]) -> bool:
    """Whether words of one category are no longer together."""
    return any(now[word] != now[other] for word, other in before.items())


def suspicion_of(
    rules: TraceAgreement, ways: Iterable[Sequence[Step]], tried: set[DecisionKey]
) -> Counter[DecisionKey]:
    """Count the ways on which each decision stands that was not tried yet, in the order in which they are met.

    The order decides what is drawn; that of a set of strings would be another one in each process.
    """
    suspicion: Counter[DecisionKey] = Counter()
    for way in ways:
        met = dict.fromkeys(each for step in way for each in rules.decisions(step))
        suspicion.update([each for each in met if each not in tried])
    return suspicion


def _count_solved(followed: dict[Sample, FollowResult]) -> int:
    return sum(each.solved for each in followed.values())


def _worth(rules: TraceAgreement, trace: CodedTrace, unsolved: Unsolved) -> int:
    """Count the examples that rules do not solve now but would with this trace among them."""
    with rules.joined(trace):
        decisions = RuleDecisions(rules.decide)
        return sum(
            follow(decisions, moment).solved
            for moments in unsolved.values()
            if decisions.ask(moments[0]) is not None
            for moment in moments
        )


def _total(rules: TraceAgreement, traces: Traces, samples: Sequence[Sample]) -> float:
    """How much all traces disagree, each with the others."""
    cost = UNSOLVED * (len(samples) - len(traces))
    for trace in traces.values():
        rules.add(trace, -1)
        cost += rules.disagreement(trace)
        rules.add(trace)
    return cost
