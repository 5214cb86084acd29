"""Fit one hypothesis: passes over its samples until every trace agrees with the table of all the others."""

import math
import time
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType

from ness.config import CostConfig, LearnerConfig, SearchConfig
from ness.learn.best_first import search
from ness.learn.coded_rules import Ban
from ness.learn.coding import CodedStatus, CodedTrace, Sample, by_size, words_named
from ness.learn.costs import Policy, RuleCosts
from ness.learn.cues import Cues
from ness.learn.freedom import PAPER
from ness.learn.lexicon import Lexicon
from ness.learn.mixed_policy import MixedPolicy
from ness.learn.pins import NO_PINS, CodedPins
from ness.learn.replay import Replay
from ness.learn.suspects import is_contradicted
from ness.learn.uses import count_uses
from ness.machine.opcodes import CONCAT_M, CONCAT_S, REDUCE
from ness.rules.backoff import most_used
from ness.rules.categories import equivalence_classes

_CONTRADICTED = 0.1  # of the nodes of a search, for a sample that well supported rules contradict
_SETTLED = 10  # uses of a rule after which one more costs nothing
_UNSOLVED_COST = 40.0  # nats for a sample without a trace, in the code length


@dataclass
class Hypothesis:
    """A trace for each solved sample, and what they share: categories; what it does without: bans."""

    traces: dict[Sample, CodedTrace] = field(default_factory=dict)
    classes: dict[int, int] = field(default_factory=dict)
    bans: frozenset[Ban] = frozenset()
    freedom: str = PAPER.name  # what its search may use
    pins: CodedPins = NO_PINS  # rules by hand, which it obeys
    own: Mapping[int, str] = field(default_factory=dict)  # phrases of words that a CONCAT_S may name
    set_phrases: frozenset[Sample] = frozenset()  # samples that one REDUCE may solve
    contextual: bool = False  # whether the second frame may tell the argument of a CONCAT

    def rules(
        self,
        config: CostConfig,
        cues: Cues,
        seed: int = 0,
        noise: float = 0.0,
        lexical: Mapping[int, str] = MappingProxyType({}),
    ) -> RuleCosts:
        rules = RuleCosts(config, cues, seed, noise, lexical)
        rules.classes = self.classes
        rules.bans = self.bans
        rules.pins = self.pins
        rules.own = self.own
        rules.set_phrases = self.set_phrases
        rules.contextual = self.contextual
        rules.rebuild(self.traces.values())
        return rules

    def forgetting(self, samples: Container[Sample]) -> "Hypothesis":
        """The hypothesis without the traces of some samples."""
        return replace(self, traces={sample: trace for sample, trace in self.traces.items() if sample not in samples})


@dataclass
class FitResult:
    """A hypothesis after fitting, the traces of escalated searches, and the nodes spent."""

    hypothesis: Hypothesis
    rules: RuleCosts
    hard: dict[Sample, CodedTrace]
    nodes: int


class _Fitting:
    """A hypothesis while it is fitted: its traces so far, what was searched, the nodes spent."""

    def __init__(
        self,
        traces: Mapping[Sample, CodedTrace],
        rules: RuleCosts,
        policy: Policy,
        lexicon: Lexicon,
        config: SearchConfig,
        deadline: float,
    ) -> None:
        self.traces = dict(traces)
        self.rules = rules
        self.nodes = 0
        self._policy, self._lexicon, self._config, self._deadline = policy, lexicon, config, deadline
        self._brief = replace(config, nodes=round(config.nodes * _CONTRADICTED))
        self._doubted: set[Sample] = set()

    def search(self, sample: Sample, config: SearchConfig | None = None, escalated: bool = False) -> CodedTrace | None:
        found = search(
            self._policy, self.rules, self._lexicon, sample, config or self._config, escalated, self._deadline
        )
        self.nodes += found.nodes
        return found.trace

    def go_over(self, samples: Sequence[Sample], failures: int) -> tuple[bool, list[Sample]]:
        """Follow the rules on each sample, else search, until so many cheap searches have failed.

        Tell whether a trace is another one now, and which samples have none.
        """
        rules, traces = self.rules, self.traces
        changed = False
        unsolved: list[Sample] = []
        replay = Replay(rules)
        for sample in samples:
            old = traces.get(sample)
            if old is not None and rules.is_settled(old):
                continue
            if old is not None:
                rules.add(old, -1)
                replay = Replay(rules)
            new = replay.trace(sample)
            followed = new is not None  # the remembered decisions stay good: the rules are only confirmed
            doubtful = new is None and old is None and is_contradicted(rules, sample, replay)
            if doubtful and sample not in self._doubted:
                self._doubted.add(sample)
                new = self.search(sample, self._brief)
            if new is None and not doubtful and (old is not None or len(unsolved) < failures):
                new = self.search(sample)
            if new is None:
                new = old
                if old is None and not doubtful:
                    unsolved.append(sample)
            if new is not None:
                changed |= new != old
                self.keep(sample, new)
                if not followed:
                    replay = Replay(rules)
        return changed, unsolved

    def keep(self, sample: Sample, trace: CodedTrace) -> None:
        self.traces[sample] = trace
        self.rules.add(trace)


def fit(
    hypothesis: Hypothesis,
    rules: RuleCosts,
    samples: Sequence[Sample],
    lexicon: Lexicon,
    pool: dict[Sample, CodedTrace],
    search_config: SearchConfig,
    config: LearnerConfig,
    deadline: float = math.inf,
    guide: Policy | None = None,
) -> FitResult:
    """Pass over the samples: take a sample's counts out, follow the rules, else search.

    Only few cheap searches may fail in a pass; then the shortest unsolved sample gets one large search, or its
    trace from the pool (a trace is valid whatever the table: other hypotheses may have found it). A guide has a
    say in the searches beside the rules. What well supported rules contradict is probably wrong itself: it is searched
    once, with few nodes, and never with many.
    """
    policy = rules if guide is None else MixedPolicy(rules, guide, config.guide_weight)
    fitting = _Fitting(hypothesis.traces, rules, policy, lexicon, search_config, deadline)
    hard: dict[Sample, CodedTrace] = {}
    tried: set[Sample] = set()
    lost = False
    words = {word for source, _ in samples for word in source}
    for pass_ in range(config.passes):
        changed, unsolved = fitting.go_over(samples, config.failures)
        classes = categories(rules, words)
        if classes != rules.classes:
            rules.classes = classes
            rules.rebuild(fitting.traces.values())
        replay = Replay(rules)
        todo = [s for s in unsolved if s not in tried and not is_contradicted(rules, s, replay)]
        if todo and pass_ < config.passes - 1 and not lost:
            sample = min(todo, key=by_size)
            tried.add(sample)
            trace = pool.get(sample)
            if trace is None:
                trace = fitting.search(sample, escalated=True)
                if trace is not None:
                    hard[sample] = trace
                lost = trace is None  # what comes later is harder still: leave it to another hypothesis
            if trace is not None:
                fitting.keep(sample, trace)
                changed = True
        if (not changed and not todo) or time.monotonic() > deadline:
            break
    return FitResult(replace(hypothesis, traces=fitting.traces, classes=rules.classes), rules, hard, fitting.nodes)


def categories(rules: RuleCosts, words: set[int]) -> dict[int, int]:
    """Categories of operationally equivalent words, by the decisions of the table."""
    return _classes(rules.by_status, words)


def categories_of_traces(traces: Iterable[CodedTrace], words: set[int]) -> dict[int, int]:
    """Categories of operationally equivalent words, by the decisions of traces."""
    rows: dict[CodedStatus, dict[int, int]] = {}
    for (status, operator, _), times in count_uses(traces).items():
        row = rows.setdefault(status, {})
        row[operator] = row.get(operator, 0) + times
    return _classes(rows, words)


def _classes(rows: Mapping[CodedStatus, Mapping[int, int]], words: set[int]) -> dict[int, int]:
    decisions = frozenset((status, most_used(counts)) for status, counts in rows.items())
    return dict(_known_classes(decisions, frozenset(words)))


@lru_cache(maxsize=64)  # passes and refits often end with the same decisions
def _known_classes(decisions: frozenset[tuple[CodedStatus, int]], words: frozenset[int]) -> dict[int, int]:
    return equivalence_classes(dict(decisions), set(words))


def description_length(hypothesis: Hypothesis, samples: Iterable[Sample], config: CostConfig, cues: Cues) -> float:
    """The code length of all traces, each coded with the rules of those before it."""
    rules = replace(hypothesis, traces={}, bans=frozenset()).rules(config, cues)
    total = 0.0
    for sample in samples:
        trace = hypothesis.traces.get(sample)
        if trace is None:
            total += _UNSOLVED_COST
            continue
        for status, operator, argument in trace:
            row = rules.by_status.get(status)
            if row and len(row) == 1 and row.get(operator, 0) >= _SETTLED:
                total += config.step  # the rest is below a hundredth of a nat
            else:
                total += rules.operator_costs(status, (operator,))[0]
            if operator == REDUCE:
                assert isinstance(argument, str)
                total += rules.reduce_costs(status[1], (argument,))[0]
            elif operator in (CONCAT_M, CONCAT_S):
                assert isinstance(argument, tuple)
                total += rules.concat_costs(operator, status[1], status[3], (argument,), status[2])[0]
                for word in words_named(status[1], argument) if rules.own else ():
                    total += rules.reduce_costs((word,), (rules.own[word],))[0]
        rules.add(trace)
    assert math.isfinite(total)
    return total
