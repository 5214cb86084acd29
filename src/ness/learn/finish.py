"""The last step of learning: run every training sample through the table, mend it, memorise what is left.

Hypotheses learn from part of a large lesson. Here all samples are run; what the table gets wrong is searched
again together with the samples behind the table. A sample that does not decompose gets its degenerate trace (SHIFT
to the end, one REDUCE), as in the paper, if that breaks no other sample.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from ness.config import Config
from ness.learn.cleaning import ODD_LINES, near_misses, without_suspects
from ness.learn.coding import CodedTrace, Sample, by_size, degenerate_trace
from ness.learn.costs import RuleCosts
from ness.learn.cues import Cues
from ness.learn.fit import Hypothesis, fit
from ness.learn.freedom import FREEDOMS
from ness.learn.lexicon import Lexicon
from ness.learn.replay import Replay
from ness.learn.suspects import find_suspects
from ness.learn.words import learn_words
from ness.machine import MAX_FRAME

_ROUNDS = 3
_SEARCHED_AGAIN = 60  # samples per round, the shortest first


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
        few = len(self.odd) <= max(1, ODD_LINES * len(self.traces))
        return few and not self.memorised and set(self.odd).issuperset(self.unsolved)


class _RunThrough(NamedTuple):
    """A hypothesis with what its rules do with all samples."""

    hypothesis: Hypothesis
    rules: RuleCosts
    traces: dict[Sample, CodedTrace]
    unsolved: list[Sample]


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
    run = _run_with_words(_run_through(hypothesis, hypothesis.rules(config.costs, Cues()), samples), samples, config)
    cleaned, (_, suspicious) = without_suspects(run.hypothesis, run.rules, samples, lonely_too=True, solved=run.traces)
    samples, unsolved = ([s for s in part if s not in suspicious] for part in (samples, run.unsolved))
    run = run._replace(unsolved=unsolved)
    if cleaned is not run.hypothesis:
        run = _run_through(cleaned, cleaned.rules(config.costs, Cues()), samples)
    wrong_lines = bool(suspicious or doubted)
    run, nodes = _search_again(run, samples, config, deadline, wrong_lines)
    if nodes and run.unsolved:  # the rules know more now
        run = _run_with_words(run, samples, config)
        judged = find_suspects(run.rules, samples, solved=run.traces).suspects
        suspicious = suspicious | judged
        wrong_lines = wrong_lines or bool(judged)
        samples, unsolved = ([s for s in part if s not in judged] for part in (samples, run.unsolved))
        run = run._replace(unsolved=unsolved)
    odd = _odd_lines(run, wrong_lines)
    run, memorised = _memorise(run, samples, odd, config)
    solved, _ = run_all(run.rules, list(doubted))
    suspicious = suspicious | {sample: output for sample, output in doubted.items() if sample not in solved}
    return FinishedRules(run.rules, run.traces | solved, memorised, run.unsolved, nodes, suspicious, odd)


def _run_through(hypothesis: Hypothesis, rules: RuleCosts, samples: list[Sample]) -> _RunThrough:
    return _RunThrough(hypothesis, rules, *run_all(rules, samples))


def _run_with_words(run: _RunThrough, samples: list[Sample], config: Config) -> _RunThrough:
    """Run the samples again with the words that can be learned from those that are not solved."""
    with_words = _with_words(run) if run.unsolved else run.hypothesis
    if with_words is run.hypothesis:
        return run
    return _run_through(with_words, with_words.rules(config.costs, Cues()), samples)


def _odd_lines(run: _RunThrough, wrong_lines: bool) -> list[Sample]:
    """What differs little from what the rules give, where lines are wrong: no rule bends to it."""
    return near_misses(run.rules, run.unsolved) if wrong_lines else []


def _search_again(
    run: _RunThrough, samples: list[Sample], config: Config, deadline: float, wrong_lines: bool
) -> tuple[_RunThrough, int]:
    """Fit the hypothesis to unsolved samples beside its own, as long as that solves more; also the nodes spent."""
    freedom = FREEDOMS[run.hypothesis.freedom]
    lexicon = Lexicon(samples) if run.unsolved else None
    nodes = 0
    for _ in range(_ROUNDS):
        if lexicon is None or not run.unsolved or time.monotonic() > deadline:
            break
        left = set(run.unsolved).difference(_odd_lines(run, wrong_lines))
        again = sorted(left, key=by_size)[:_SEARCHED_AGAIN]
        if not again:
            break
        hypothesis = run.hypothesis
        working = sorted({*hypothesis.traces, *again}, key=by_size)
        start = hypothesis.rules(freedom.costs(config.costs), Cues(samples, config.costs.pair))
        fitted = fit(hypothesis, start, working, lexicon, {}, freedom.search(config.search), config.learner, deadline)
        nodes += fitted.nodes
        mended = _run_through(fitted.hypothesis, fitted.rules, samples)
        if len(mended.unsolved) >= len(run.unsolved):
            break
        run = mended
    return run, nodes


def _memorise(
    run: _RunThrough, samples: list[Sample], odd: list[Sample], config: Config
) -> tuple[_RunThrough, list[Sample]]:
    """Give unsolved samples their degenerate traces if that breaks no other; also the samples that have them now."""
    # An engine refuses longer frames.
    short = [sample for sample in run.unsolved if len(sample[0]) <= MAX_FRAME and sample not in odd]
    if not short:
        return run, []
    by_heart = {sample: degenerate_trace(sample) for sample in short}
    allowed = {sample: trace for sample, trace in by_heart.items() if run.hypothesis.pins.obeyed_by(trace)}
    hypothesis = replace(run.hypothesis, traces={**run.hypothesis.traces, **allowed}, bans=frozenset())
    rules = hypothesis.rules(config.costs, Cues())
    traces, unsolved = run_all(rules, samples, by_heart_too=True)
    if set(unsolved) - set(run.unsolved):
        return run, []
    return _RunThrough(hypothesis, rules, traces, unsolved), [sample for sample in run.unsolved if sample in traces]


def _with_words(run: _RunThrough) -> Hypothesis:
    """Learn the words that no solved sample has, with the rules as they are, and a trace of each."""
    hypothesis, rules = run.hypothesis, run.rules
    seen = {word for source, _ in run.traces for word in source}
    meanings = learn_words(rules, run.unsolved, seen)
    if not meanings:
        return hypothesis
    rules.classes = {**hypothesis.classes, **{word: meaning.category for word, meaning in meanings.items()}}
    if rules.own:
        rules.own = {**{word: meaning.phrase for word, meaning in meanings.items()}, **rules.own}
    for word, meaning in meanings.items():
        if (word,) not in rules.pins.reduce:  # what a person says counts, whatever the examples have
            rules.reduce[word,] = {meaning.phrase: 1}
    traces, _ = run_all(rules, [s for s in run.unsolved if not seen.issuperset(s[0])])
    # A trace that the rules of all others do not follow may have such a word inside a longer REDUCE.
    kept = {sample: trace for sample, trace in hypothesis.traces.items() if meanings.keys().isdisjoint(sample[0])}
    return replace(hypothesis, traces=kept | traces, classes=rules.classes, own=rules.own)


def run_all(
    rules: RuleCosts, samples: list[Sample], by_heart_too: bool = False
) -> tuple[dict[Sample, CodedTrace], list[Sample]]:
    replay = Replay(rules)
    traces: dict[Sample, CodedTrace] = {}
    unsolved = []
    for sample in samples:
        trace = replay.trace(sample, by_heart_too)
        if trace is None:
            unsolved.append(sample)
        else:
            traces[sample] = trace
    return traces, unsolved
