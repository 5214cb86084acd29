"""Learning from the beginning: lessons in, the best attempt of a contest out, with all examples run through it."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from ness.config import Config
from ness.data.example import Example
from ness.data.lessons import by_length
from ness.execute.in_process import InProcess
from ness.execute.jobs import Executor, Job
from ness.execute.processes import Processes
from ness.execute.session import results
from ness.learn.attempts import Journal, LessonReport
from ness.learn.coding import Codec, Sample
from ness.learn.constituents.learning import FREEDOM, PatternResult, learn_by_patterns
from ness.learn.constituents.writing import unsolved_by
from ness.learn.contest import CHECKED, ContestResult, Outcome, best_attempt, lengths_by_freedom, run_contest
from ness.learn.costs import Policy
from ness.learn.cues import Cues
from ness.learn.deadline import Deadline
from ness.learn.decoding import decode_rules, decode_suspects, text_of
from ness.learn.finish import FinishedRules, finish
from ness.learn.fit import Hypothesis
from ness.learn.freedom import FREEDOMS
from ness.learn.judge import Judge, Lessons, Readings, Refit, ScoredHypothesis
from ness.learn.lexical_words import lexical_words
from ness.learn.pins import coded_pins
from ness.learn.population import Population
from ness.learn.readings import Enclosure, Reading, find_enclosure
from ness.learn.replay import unsolved_samples
from ness.learn.result import SURVIVORS, LearningResult
from ness.learn.set_phrases import set_phrases
from ness.rules import RuleTable
from ness.rules.hand import HandRules, obeying

_PATTERN_SHARE = 0.5  # of the time limit, for patterns: the search needs some, too
_FINISHING = 0.05  # of the time limit, to run all examples through the rules
_RARE = 0.05  # of the samples have a word at most that may be content, whatever the counts say
_PARALLEL_FROM = 60  # examples; below, starting processes takes longer than learning


@dataclass(frozen=True)
class Setup:
    """How to learn, whatever the examples."""

    config: Config
    report: Callable[[LessonReport], None]
    journal: Callable[[list[Sample]], Journal] | None  # made for the samples given to it
    guides: Callable[[Codec], Callable[[Hypothesis], Policy | None]] | None
    executor: Executor | None
    hand: HandRules
    started: float  # by the monotonic clock

    @property
    def deadline(self) -> float:
        return self.started + (1 - _FINISHING) * self.config.learner.time_limit


class FreshResult(NamedTuple):
    """What was learned, and whether nothing needs to be learned again: but for few odd lines, everything is solved."""

    learned: LearningResult
    is_enough: bool


@dataclass(frozen=True)
class _CodedLessons:
    """The lessons, coded, in all ways in which they can be read."""

    codec: Codec
    readings: Readings
    around: Enclosure | None

    def samples(self, reading: Reading = Reading.PLAIN) -> list[Sample]:
        return [sample for part in self.readings[reading] for sample in part]

    def outward(self, hypothesis: Hypothesis) -> tuple[Hypothesis, list[Sample]]:
        """A hypothesis with what encloses the outputs, and the samples as it reads them."""
        reading = FREEDOMS[hypothesis.freedom].reading
        if reading == Reading.INSIDE and self.around is not None:
            hypothesis, reading = _enclosed(hypothesis, self.around, self.codec, self.samples()), Reading.BOUNDED
        return hypothesis, self.samples(reading)


def learn_from_scratch(
    examples: Sequence[Example],
    lessons: Sequence[Sequence[Example]] | None,
    setup: Setup,
    doubted: Mapping[Example, tuple[str, ...]],
    sure: Sequence[Example] = (),
) -> FreshResult:
    """Learn from examples of different sources, without the doubted ones, for which other outputs are expected.

    With `sure` ones, rules are learned from these; the others are run through them in the end.
    """
    config, started = setup.config, setup.started
    codec = Codec([*examples, setup.hand.vocabulary()])
    believed = [example for example in examples if example not in doubted]
    learned_from = list(sure) or believed
    rival = None
    if config.machine != "paper" and setup.hand.empty:
        half = Deadline(started + _PATTERN_SHARE * config.learner.time_limit)
        rival = learn_by_patterns(learned_from, config.seed, half)
    if rival is not None and rival.is_short:
        return _result_of_patterns(rival, examples, doubted, started)
    keep = set(learned_from)
    parts = [[e for e in dict.fromkeys(part) if e in keep] for part in lessons or by_length(learned_from)]
    coded = _code(codec, [part for part in parts if part], setup.hand.allow_boundaries)
    reports: list[LessonReport] = []
    with _judge(coded.readings, config, len(learned_from), setup.executor) as judge:
        population = _population(coded, setup, judge, reports)
        population.wrong_lines = len(doubted)
        contest = run_contest(population, config, setup.deadline, rival)
    if rival is not None and all((rival.wrong, not rival.foreseen) < outcome[:2] for outcome in contest.outcomes):
        return _result_of_patterns(rival, examples, doubted, started, contest.nodes, len(contest.outcomes))
    finished = _finish(coded, contest, [example for example in believed if example not in keep], doubted, setup)
    return FreshResult(_result(coded, contest, finished, reports, setup), finished.is_enough)


def _code(codec: Codec, lessons: Sequence[Sequence[Example]], boundaries: bool) -> _CodedLessons:
    """Code the lessons; `boundaries` says whether rules may see where an input begins and ends."""
    plain: Lessons = [[codec.encode(*example) for example in part] for part in lessons]
    readings = {Reading.PLAIN: plain}
    around = None
    if boundaries and not codec.has_boundary_words:
        readings[Reading.BOUNDED] = [[codec.with_boundaries(sample) for sample in part] for part in plain]
        around = find_enclosure([sample for part in plain for sample in part])
        if around is not None:
            readings[Reading.INSIDE] = [[around.inside(sample) for sample in part] for part in plain]
    return _CodedLessons(codec, readings, around)


def _population(
    coded: _CodedLessons,
    setup: Setup,
    judge: Callable[[list[Refit]], list[ScoredHypothesis]],
    reports: list[LessonReport],
) -> Population:
    """What makes the attempts; `reports` gets what is reported."""

    def note(lesson_report: LessonReport) -> None:
        reports.append(lesson_report)
        setup.report(lesson_report)

    codec, pins = coded.codec, coded_pins(coded.codec, setup.hand)
    population = Population(coded.readings, setup.config, judge, setup.deadline, note, pins=pins)
    population.show = lambda sample: " -> ".join(" ".join(part) for part in text_of(codec, sample))
    if setup.config.machine != "paper":
        everything = coded.samples()
        population.lexical = lexical_words(everything)
        population.set_phrases = set_phrases(everything)
        population.content = population.lexical.keys() | _rare_words(everything)
    if setup.journal is not None:
        population.journal = setup.journal([sample for reading in coded.readings for sample in coded.samples(reading)])
    if setup.guides is not None:
        population.guide_of = setup.guides(codec)
    return population


def _finish(
    coded: _CodedLessons,
    contest: ContestResult,
    others: Sequence[Example],
    doubted: Mapping[Example, tuple[str, ...]],
    setup: Setup,
) -> FinishedRules:
    """Run all examples, also those that were not learned from, through the best rules."""
    codec = coded.codec
    hypothesis, _ = coded.outward(best_attempt(contest.outcomes).best.hypothesis)
    samples = [*coded.samples(), *[codec.encode(*example) for example in others]]
    odd = {codec.encode(*example): codec.encode((), output)[1] for example, output in doubted.items()}
    if FREEDOMS[hypothesis.freedom].reading != Reading.PLAIN:
        samples = [codec.with_boundaries(sample) for sample in samples]
        odd = {codec.with_boundaries(sample): output for sample, output in odd.items()}
    return finish(hypothesis, samples, setup.config, setup.started if contest.interrupted else setup.deadline, odd)


def _result(
    coded: _CodedLessons, contest: ContestResult, finished: FinishedRules, reports: list[LessonReport], setup: Setup
) -> LearningResult:
    """What was learned, in words."""
    codec = coded.codec
    table, programs = decode_rules(codec, finished.rules, finished.traces)
    unsolved = max(0, len(coded.samples()) - len(finished.traces))
    return LearningResult(
        obeying(table, setup.hand),
        programs,
        [Example(*text_of(codec, sample)) for sample in finished.unsolved],
        [Example(*text_of(codec, sample)) for sample in finished.memorised],
        contradictory=[],
        seconds=time.monotonic() - setup.started,
        nodes=contest.nodes + finished.nodes,
        attempts=len(contest.outcomes),
        lessons=reports,
        interrupted=contest.interrupted,
        freedom=best_attempt(contest.outcomes).best.hypothesis.freedom,
        compared=lengths_by_freedom(contest.outcomes),
        suspicious=decode_suspects(codec, finished.suspicious),
        survivors=_survivors(coded, contest.outcomes, unsolved, setup.config),
        cut_off=bool(finished.unsolved or finished.memorised) and time.monotonic() > setup.deadline,
    )


def _result_of_patterns(
    found: PatternResult,
    examples: Sequence[Example],
    doubted: Mapping[Example, tuple[str, ...]],
    started: float,
    nodes: int = 0,
    others: int = 0,
) -> FreshResult:
    """What was learned by patterns, after other attempts; it is enough where all but the doubted were learned from."""
    seen = set(found.examples)
    wrong = unsolved_by(found.table, [example for example in examples if example not in seen])
    learned = LearningResult(
        found.table,
        found.traces,
        [*found.unsolved, *[example for example in wrong if example not in doubted]],
        memorised=[],
        contradictory=[],
        seconds=time.monotonic() - started,
        nodes=nodes,
        attempts=others + 1,
        freedom=FREEDOM,
        suspicious={example: doubted[example] for example in wrong if example in doubted},
    )
    return FreshResult(learned, len(seen) + len(doubted) >= len(examples))


def _rare_words(samples: Sequence[Sample]) -> set[int]:
    """Words too rare to tell whether they are words of a construct."""
    counts = Counter(chain.from_iterable([set(source) for source, _ in samples]))
    return {word for word, count in counts.items() if count < _RARE * len(samples)}


def _enclosed(hypothesis: Hypothesis, around: Enclosure, codec: Codec, samples: list[Sample]) -> Hypothesis:
    """What was learned inside an enclosure, with the enclosure."""
    traces = {
        codec.with_boundaries(sample): around.around(inner, hypothesis.traces[inner], *codec.boundaries)
        for sample in samples
        if (inner := around.inside(sample)) in hypothesis.traces
    }
    return replace(hypothesis, traces=traces, bans=frozenset())


def _survivors(coded: _CodedLessons, finished: Sequence[Outcome], unsolved: int, config: Config) -> list[RuleTable]:
    """Other rules that solve as many examples as the best: of its own population first, then of other attempts."""
    best = best_attempt(finished).best
    ordered = sorted(finished, key=lambda outcome: outcome[:-1])
    judged = [one for outcome in ordered for one in outcome.attempt.snapshots[-1].population if one is not best]
    found: list[RuleTable] = []
    for one in judged[: 2 * SURVIVORS]:
        hypothesis, samples = coded.outward(one.hypothesis)
        rules = hypothesis.rules(config.costs, Cues())
        if len(unsolved_samples(rules, samples[:CHECKED])) <= unsolved and len(found) < SURVIVORS:
            found.append(decode_rules(coded.codec, rules, hypothesis.traces)[0])
    return found


@contextmanager
def _judge(
    readings: Readings, config: Config, size: int, executor: Executor | None
) -> Iterator[Callable[[list[Refit]], list[ScoredHypothesis]]]:
    """Judge hypotheses in this process, or elsewhere where that pays."""
    judge = Judge(readings, config)
    count = config.learner.workers or os.cpu_count() or 1
    if size < _PARALLEL_FROM or config.learner.controller_guides:  # a network is not sent around
        executor = InProcess()
    elif executor is None:
        executor = Processes(count) if count > 1 else InProcess()
    with executor.pool(judge) as pool:

        def judged(refits: list[Refit]) -> list[ScoredHypothesis]:
            if len(refits) == 1:
                return [judge(refits[0])]
            names = (f"refit {number} of lesson {refit.lesson + 1}" for number, refit in enumerate(refits, 1))
            return results(pool, [Job(name, refit) for name, refit in zip(names, refits, strict=True)])

        yield judged
