"""The trace learner: examples in, coherent traces, categories and rules out. Nobody supplies traces."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache

from ness.config import Config
from ness.data.example import Example
from ness.data.lessons import by_length
from ness.execute.here import InProcess
from ness.execute.jobs import Executor, Job
from ness.execute.processes import Processes
from ness.execute.session import results
from ness.learn.analogies import contradicted_by_analogy
from ness.learn.attempts import Journal, LessonReport
from ness.learn.coding import Codec, Sample
from ness.learn.constituents.learning import FREEDOM, PatternResult, learn_by_patterns
from ness.learn.contest import CHECKED, Outcome, best_attempt, lengths_by_freedom, run_contest
from ness.learn.costs import Policy
from ness.learn.cues import Cues
from ness.learn.deadline import Deadline
from ness.learn.decoding import decode_rules, decode_suspects, text_of
from ness.learn.extend import ExtendedRules, extend_rules
from ness.learn.finish import finish
from ness.learn.fit import Hypothesis
from ness.learn.freedom import FREEDOMS, PAPER
from ness.learn.judge import Judge, Lessons, Readings, Refit, ScoredHypothesis
from ness.learn.lexical_words import lexical_words
from ness.learn.pins import coded_pins
from ness.learn.population import Population
from ness.learn.readings import Enclosure, Reading, find_enclosure
from ness.learn.replay import unsolved_samples
from ness.machine import Program
from ness.rules import RuleTable
from ness.rules.hand import NO_RULES, HandRules, obeying

_PATTERN_SHARE = 0.5  # of the time limit, for patterns: the search needs some, too
_FINISHING = 0.05  # of the time limit, to run all examples through the rules
_SURVIVORS = 3  # other rules that are kept for questions
_RARE = 0.05  # of the samples have a word at most that may be content, whatever the counts say
_PARALLEL_FROM = 60  # examples; below, starting processes takes longer than learning


@dataclass
class Learned:
    """What was learned, and from what."""

    table: RuleTable
    traces: dict[Example, Program]
    unsolved: list[Example]  # no trace follows the final table
    memorised: list[Example]  # solved by heart only: nothing to generalise from
    contradictory: list[Example]  # another target of the same source is more frequent
    seconds: float
    nodes: int
    attempts: int
    lessons: list[LessonReport] = field(default_factory=list)
    interrupted: bool = False  # by Ctrl-C: this is what there was by then
    freedom: str = PAPER.name  # what the rules may use (see ness.learn.freedom)
    compared: dict[str, float] = field(default_factory=dict)  # nats of the best solution of each freedom that has one
    suspicious: dict[Example, tuple[str, ...]] = field(default_factory=dict)  # probably wrong; the output expected
    survivors: list[RuleTable] = field(default_factory=list)  # other rules that solve the same examples
    cut_off: bool = False  # by the time limit, with examples unsolved or learned by heart

    @property
    def solved(self) -> bool:
        return not self.unsolved


def learn(
    examples: Sequence[Example],
    config: Config,
    lessons: Sequence[Sequence[Example]] | None = None,
    report: Callable[[LessonReport], None] = lambda _: None,
    journal: Callable[[list[Sample]], Journal] | None = None,
    guides: Callable[[Codec], Callable[[Hypothesis], Policy | None]] | None = None,
    known: RuleTable | None = None,
    executor: Executor | None = None,
    hand: HandRules = NO_RULES,
) -> Learned:
    """Find traces for the examples that together follow one small deterministic program.

    With a journal, made for the samples given to it, learning goes on after the last lesson kept there. Ctrl-C
    ends learning with what there is, if there is anything. `guides` makes what trains a policy on a hypothesis: it
    has a say in the search of the next lesson. `known` are rules of an earlier run: where they and a search of what
    they do not solve are enough, nothing else is searched. `hand` are rules to obey. `executor` is where hypotheses
    are fitted: by default in processes of this machine.
    """
    started = time.monotonic()
    deadline = started + (1 - _FINISHING) * config.learner.time_limit
    consistent, contradictory = majority(examples)
    codec = Codec([*consistent, hand.vocabulary()])
    pins = coded_pins(codec, hand)

    @cache
    def doubted() -> dict[Sample, str]:
        """Samples that are probably wrong, with the outputs expected."""
        found = contradicted_by_analogy(consistent)
        return {codec.encode(*example): codec.encode((), output)[1] for example, output in found.items()}

    if known is not None:
        samples = [codec.encode(*example) for example in consistent]
        more = extend_rules(codec, known, samples, config, deadline, pins, doubted)
        if more is not None:
            return _result_of_extended(more, codec, hand, contradictory, started)
    rival = None
    if config.machine != "paper" and hand.empty:
        half = Deadline(started + _PATTERN_SHARE * config.learner.time_limit)
        rival = learn_by_patterns(consistent, config.seed, half)
    if rival is not None and rival.is_short:
        return _result_of_patterns(rival, contradictory, started)
    parts = by_length(consistent) if lessons is None else lessons
    keep = set(consistent)
    coded: Lessons = [[codec.encode(*example) for example in dict.fromkeys(part) if example in keep] for part in parts]
    coded = [kept for part in coded if (kept := [sample for sample in part if sample not in doubted()])]
    everything = [sample for part in coded for sample in part]
    reports: list[LessonReport] = []

    def note(lesson_report: LessonReport) -> None:
        reports.append(lesson_report)
        report(lesson_report)

    around = None if codec.has_boundary_words or not hand.allow_boundaries else find_enclosure(everything)
    readings = _readings(codec, coded, around, hand.allow_boundaries and not codec.has_boundary_words)
    with _judge(readings, config, len(consistent), executor) as judge:
        population = Population(readings, config, judge, deadline, note, pins=pins)
        population.show = lambda sample: " -> ".join(" ".join(part) for part in text_of(codec, sample))
        if config.machine != "paper":
            population.lexical = lexical_words(everything)
            population.content = population.lexical.keys() | _rare_words(everything)
        if journal is not None:
            population.journal = journal(
                [sample for lessons in readings.values() for part in lessons for sample in part]
            )
        if guides is not None:
            population.guide_of = guides(codec)
        outcomes, nodes, interrupted = run_contest(population, config, deadline, rival)
    if rival is not None and all((rival.wrong, not rival.foreseen) < outcome[:2] for outcome in outcomes):
        return _result_of_patterns(rival, contradictory, started, nodes, len(outcomes))
    best = best_attempt(outcomes).best
    everything_read = {reading: [sample for part in parts for sample in part] for reading, parts in readings.items()}

    def outward(hypothesis: Hypothesis) -> tuple[Hypothesis, list[Sample]]:
        """A hypothesis with what encloses the outputs, and the samples as it reads them."""
        reading = FREEDOMS[hypothesis.freedom].reading
        if reading == Reading.INSIDE and around is not None:
            hypothesis, reading = _enclosed(hypothesis, around, codec, everything), Reading.BOUNDED
        return hypothesis, everything_read[reading]

    hypothesis, samples = outward(best.hypothesis)
    odd = doubted()
    if FREEDOMS[hypothesis.freedom].reading != Reading.PLAIN:
        odd = {codec.with_boundaries(sample): output for sample, output in odd.items()}
    finished = finish(hypothesis, samples, config, started if interrupted else deadline, odd)
    table, programs = decode_rules(codec, finished.rules, finished.traces)
    return Learned(
        obeying(table, hand),
        programs,
        [Example(*text_of(codec, sample)) for sample in finished.unsolved],
        [Example(*text_of(codec, sample)) for sample in finished.memorised],
        contradictory,
        time.monotonic() - started,
        nodes + finished.nodes,
        len(outcomes),
        reports,
        interrupted,
        best.hypothesis.freedom,
        lengths_by_freedom(outcomes),
        decode_suspects(codec, finished.suspicious),
        _survivors(codec, outcomes, best, outward, len(everything) - len(finished.traces), config),
        bool(finished.unsolved or finished.memorised) and time.monotonic() > deadline,
    )


def _result_of_extended(
    more: ExtendedRules, codec: Codec, hand: HandRules, contradictory: list[Example], started: float
) -> Learned:
    """What was learned by going on from known rules, in words."""
    table, programs = decode_rules(codec, more.finished.rules, more.finished.traces)
    return Learned(
        obeying(table, hand),
        programs,
        [],
        [],
        contradictory,
        time.monotonic() - started,
        more.finished.nodes,
        attempts=1,
        freedom=more.freedom,
        suspicious=decode_suspects(codec, more.finished.suspicious),
    )


def _result_of_patterns(
    found: PatternResult, contradictory: list[Example], started: float, nodes: int = 0, others: int = 0
) -> Learned:
    """What was learned by patterns, after other attempts."""
    return Learned(
        found.table,
        found.traces,
        found.unsolved,
        memorised=[],
        contradictory=contradictory,
        seconds=time.monotonic() - started,
        nodes=nodes,
        attempts=others + 1,
        freedom=FREEDOM,
    )


def _rare_words(samples: Sequence[Sample]) -> set[int]:
    """Words too rare to tell whether they are words of a construct."""
    counts = Counter(word for source, _ in samples for word in set(source))
    return {word for word, count in counts.items() if count < _RARE * len(samples)}


def _readings(codec: Codec, lessons: Lessons, around: Enclosure | None, bounded: bool) -> Readings:
    """The lessons in all ways in which they can be read."""
    readings = {Reading.PLAIN: lessons}
    if bounded:
        readings[Reading.BOUNDED] = [[codec.with_boundaries(sample) for sample in part] for part in lessons]
    if around is not None:
        readings[Reading.INSIDE] = [[around.inside(sample) for sample in part] for part in lessons]
    return readings


def _enclosed(hypothesis: Hypothesis, around: Enclosure, codec: Codec, samples: list[Sample]) -> Hypothesis:
    """What was learned inside an enclosure, with the enclosure."""
    traces = {
        codec.with_boundaries(sample): around.around(hypothesis.traces[inner], *codec.boundaries)
        for sample in samples
        if (inner := around.inside(sample)) in hypothesis.traces
    }
    return replace(hypothesis, traces=traces, bans=frozenset())


def majority(examples: Sequence[Example]) -> tuple[list[Example], list[Example]]:
    """Keep the most frequent target of each source (the first of several); return the rest apart."""
    counts = Counter(examples)
    best: dict[tuple[str, ...], Example] = {}
    for example in counts:
        rival = best.get(example.source)
        if rival is None or counts[example] > counts[rival]:
            best[example.source] = example
    kept = [example for example in counts if best[example.source] is example]
    return kept, [example for example in counts if best[example.source] is not example]


def _survivors(
    codec: Codec,
    finished: Sequence[Outcome],
    best: ScoredHypothesis,
    outward: Callable[[Hypothesis], tuple[Hypothesis, list[Sample]]],
    unsolved: int,
    config: Config,
) -> list[RuleTable]:
    """Other rules that solve as many examples as the best: of its own population first, then of other attempts."""
    ordered = sorted(finished, key=lambda outcome: outcome[:-1])
    judged = [one for outcome in ordered for one in outcome.attempt.snapshots[-1].population if one is not best]
    found: list[RuleTable] = []
    for one in judged[: 2 * _SURVIVORS]:
        hypothesis, samples = outward(one.hypothesis)
        rules = hypothesis.rules(config.costs, Cues())
        if len(unsolved_samples(rules, samples[:CHECKED])) <= unsolved and len(found) < _SURVIVORS:
            found.append(decode_rules(codec, rules, hypothesis.traces)[0])
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
