"""The last step of learning: run every training sample through the table, mend it, memorise what is left.

Hypotheses learn from part of a large lesson. Here all samples are run; what the table gets wrong is searched
again together with the samples behind the table. A sample that does not decompose gets its degenerate trace (SHIFT
to the end, one REDUCE), as in the paper, if that breaks no other sample.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from ness.config import Config
from ness.learn.cleaning import near_misses, without_suspects
from ness.learn.coding import CodedTrace, Sample, degenerate_trace
from ness.learn.costs import RuleCosts
from ness.learn.cues import Cues
from ness.learn.fit import Hypothesis, fit
from ness.learn.freedom import FREEDOMS
from ness.learn.lexicon import Lexicon
from ness.learn.replay import Memo, greedy_trace
from ness.learn.suspects import find_suspects
from ness.learn.words import learn_words
from ness.machine import MAX_FRAME

_ROUNDS = 3
_SEARCHED_AGAIN = 60  # samples per round, the shortest first
_ODD_LINES = 0.03  # of the samples may be odd without being suspicious, where others are wrong


@dataclass
class FinishedRules:
    """The final rules with a trace for each solved sample."""

    rules: RuleCosts
    traces: dict[Sample, CodedTrace]
    memorised: list[Sample]  # solved by heart, by their degenerate traces
    unsolved: list[Sample]
    nodes: int
    suspicious: dict[Sample, str] = field(default_factory=dict)  # not learned: probably wrong; the output expected
    odd: list[Sample] = field(default_factory=list)  # of the unsolved: where lines are wrong, these may be so, too

    @property
    def is_enough(self) -> bool:
        """Whether everything is solved, but for few odd lines."""
        few = len(self.odd) <= max(1, _ODD_LINES * len(self.traces))
        return few and not self.memorised and set(self.odd).issuperset(self.unsolved)


def finish(
    hypothesis: Hypothesis,
    samples: list[Sample],
    config: Config,
    deadline: float,
    doubted: Mapping[Sample, str] = MappingProxyType({}),
) -> FinishedRules:
    """Run all samples; search again what is wrong; memorise the rest where that is safe.

    `doubted` are others that are probably wrong, with the outputs expected; the rules have the last word.
    """
    rules = hypothesis.rules(config.costs, Cues())
    traces, unsolved = run_all(rules, samples)
    freedom = FREEDOMS[hypothesis.freedom]
    if unsolved:
        with_words = _with_words(hypothesis, rules, unsolved)
        if with_words is not hypothesis:
            hypothesis, rules = with_words, with_words.rules(config.costs, Cues())
            traces, unsolved = run_all(rules, samples)
    cleaned, (_, suspicious) = without_suspects(hypothesis, rules, samples, lonely_too=True, solved=traces)
    samples, unsolved = ([s for s in part if s not in suspicious] for part in (samples, unsolved))
    if cleaned is not hypothesis:
        hypothesis, rules = cleaned, cleaned.rules(config.costs, Cues())
        traces, unsolved = run_all(rules, samples)

    def odd_lines(rules: RuleCosts, unsolved: list[Sample]) -> list[Sample]:
        """What differs little from what the rules give, where lines are wrong: no rule bends to it."""
        return near_misses(rules, unsolved) if suspicious or doubted else []

    nodes = 0
    lexicon = Lexicon(samples) if unsolved else None
    for _ in range(_ROUNDS):
        if not unsolved or lexicon is None or time.monotonic() > deadline:
            break
        left = set(unsolved).difference(odd_lines(rules, unsolved))
        again = sorted(left, key=lambda s: (len(s[0]), len(s[1]), s))[:_SEARCHED_AGAIN]
        if not again:
            break
        working = sorted({*hypothesis.traces, *again}, key=lambda s: (len(s[0]), len(s[1]), s))
        start = hypothesis.rules(freedom.costs(config.costs), Cues(samples, config.costs.pair))
        fitted = fit(hypothesis, start, working, lexicon, {}, freedom.search(config.search), config.learner, deadline)
        nodes += fitted.nodes
        mended_traces, mended_unsolved = run_all(fitted.rules, samples)
        if len(mended_unsolved) >= len(unsolved):
            break
        hypothesis, rules = fitted.hypothesis, fitted.rules
        traces, unsolved = mended_traces, mended_unsolved
    if nodes and unsolved:  # the rules know more now
        judged = find_suspects(rules, samples, solved=traces).suspects
        suspicious = suspicious | judged
        samples, unsolved = ([s for s in part if s not in judged] for part in (samples, unsolved))
    memorised: list[Sample] = []
    odd = odd_lines(rules, unsolved)
    # An engine refuses longer frames.
    short = [sample for sample in unsolved if len(sample[0]) <= MAX_FRAME and sample not in odd]
    if short:
        by_heart = {sample: degenerate_trace(sample) for sample in short}
        allowed = {sample: trace for sample, trace in by_heart.items() if hypothesis.pins.obeyed_by(trace)}
        with_memorised = replace(hypothesis, traces={**hypothesis.traces, **allowed}, bans=frozenset()).rules(
            config.costs, Cues()
        )
        kept_traces, kept_unsolved = run_all(with_memorised, samples, by_heart_too=True)
        if not set(kept_unsolved) - set(unsolved):
            memorised = [sample for sample in unsolved if sample in kept_traces]
            rules, traces, unsolved = with_memorised, kept_traces, kept_unsolved
    solved, _ = run_all(rules, list(doubted))
    suspicious = suspicious | {sample: output for sample, output in doubted.items() if sample not in solved}
    return FinishedRules(rules, traces | solved, memorised, unsolved, nodes, suspicious, odd)


def _with_words(hypothesis: Hypothesis, rules: RuleCosts, unsolved: list[Sample]) -> Hypothesis:
    """Learn the words that no trace of the hypothesis has, with the rules as they are, and a trace of each."""
    seen = {word for source, _ in hypothesis.traces for word in source}
    meanings = learn_words(rules, unsolved, seen)
    if not meanings:
        return hypothesis
    rules.classes = {**hypothesis.classes, **{word: meaning.category for word, meaning in meanings.items()}}
    for word, meaning in meanings.items():
        if (word,) not in rules.pins.reduce:  # what a person says counts, whatever the examples have
            rules.reduce[word,] = {meaning.phrase: 1}
    traces, _ = run_all(rules, [s for s in unsolved if not seen.issuperset(s[0])])
    return replace(hypothesis, traces=hypothesis.traces | traces, classes=rules.classes)


def run_all(
    rules: RuleCosts, samples: list[Sample], by_heart_too: bool = False
) -> tuple[dict[Sample, CodedTrace], list[Sample]]:
    memo: Memo = {}
    traces: dict[Sample, CodedTrace] = {}
    unsolved = []
    for sample in samples:
        trace = greedy_trace(rules, sample, memo, by_heart_too)
        if trace is None:
            unsolved.append(sample)
        else:
            traces[sample] = trace
    return traces, unsolved
