"""The trace learner: examples in, coherent traces, categories and rules out. Nobody supplies traces."""

import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple

from ness.config import Config
from ness.data.example import Example
from ness.data.lessons import by_length
from ness.execute.here import InProcess
from ness.execute.jobs import Executor, Job
from ness.execute.processes import Processes
from ness.execute.session import results
from ness.learn.analogies import contradicted_by_analogy
from ness.learn.attempts import Attempt, Journal, LessonReport, Snapshot
from ness.learn.bans import conflicts, frame_decisions
from ness.learn.coded_rules import Ban
from ness.learn.coding import Codec, CodedTrace, Sample, Step
from ness.learn.constituents.learning import FREEDOM, ByPatterns, learn_by_patterns
from ness.learn.costs import Policy, RuleCosts
from ness.learn.cues import Cues
from ness.learn.derivations.attempt import derived
from ness.learn.extend import Extended, extended
from ness.learn.finish import Finished, finish
from ness.learn.fit import Hypothesis
from ness.learn.freedom import FREEDOMS, FULL, GLANCE, PAPER, QUICK, schedule
from ness.learn.judge import Judge, Judged, Lessons, Readings, Refit, familiar
from ness.learn.lexical import lexical_words
from ness.learn.pins import coded_pins
from ness.learn.population import Population
from ness.learn.readings import Enclosure, Reading, enclosure, explained
from ness.learn.replay import errors
from ness.learn.suspects import tell_apart
from ness.machine import Program, without_boundaries
from ness.rules import Categories, RuleTable
from ness.rules.hand import NO_RULES, HandRules, obeying

_CHECKED = 2_000  # training samples that judge an attempt
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
    deadline = started + config.learner.time_limit
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
        more = extended(codec, known, samples, config, deadline, pins, doubted)
        if more is not None:
            return _of_extended(more, codec, hand, contradictory, started)
    rival = learn_by_patterns(consistent, config.seed) if config.machine != "paper" and hand.empty else None
    if rival is not None and rival.is_short:
        return _by_patterns(rival, contradictory, started)
    parts = by_length(consistent) if lessons is None else lessons
    keep = set(consistent)
    coded: Lessons = [[codec.encode(*example) for example in dict.fromkeys(part) if example in keep] for part in parts]
    coded = [kept for part in coded if (kept := [sample for sample in part if sample not in doubted()])]
    everything = [sample for part in coded for sample in part]
    reports: list[LessonReport] = []

    def note(lesson_report: LessonReport) -> None:
        reports.append(lesson_report)
        report(lesson_report)

    around = None if codec.reserved or not hand.allow_boundaries else enclosure(everything)
    readings = _readings(codec, coded, around, hand.allow_boundaries and not codec.reserved)
    with _judge(readings, config, len(consistent), executor) as judge:
        population = Population(readings, config, judge, deadline, note, pins=pins)
        population.show = lambda sample: " -> ".join(" ".join(part) for part in _text(codec, sample))
        if config.machine != "paper":
            population.lexical = lexical_words(everything)
            population.content = population.lexical.keys() | _rare_words(everything)
        if journal is not None:
            population.journal = journal(
                [sample for lessons in readings.values() for part in lessons for sample in part]
            )
        if guides is not None:
            population.guide_of = guides(codec)
        outcomes, nodes, interrupted = _attempts(population, config, deadline, rival)
    if rival is not None and all((rival.wrong, not rival.foreseen) < outcome[:2] for outcome in outcomes):
        return _by_patterns(rival, contradictory, started, nodes, len(outcomes))
    best = _best(outcomes).best
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
        odd = {codec.wrapped(sample): output for sample, output in odd.items()}
    finished = finish(hypothesis, samples, config, started if interrupted else deadline, odd)
    table, programs = _decode(codec, finished.rules, finished.traces)
    return Learned(
        obeying(table, hand),
        programs,
        [Example(*_text(codec, sample)) for sample in finished.unsolved],
        [Example(*_text(codec, sample)) for sample in finished.memorised],
        contradictory,
        time.monotonic() - started,
        nodes + finished.nodes,
        len(outcomes),
        reports,
        interrupted,
        best.hypothesis.freedom,
        _compared(outcomes),
        _expected(codec, finished),
        _survivors(codec, outcomes, best, outward, len(everything) - len(finished.traces), config),
        bool(finished.unsolved or finished.memorised) and time.monotonic() > deadline,
    )


def _of_extended(
    more: Extended, codec: Codec, hand: HandRules, contradictory: list[Example], started: float
) -> Learned:
    """What was learned by going on from known rules, in words."""
    table, programs = _decode(codec, more.finished.rules, more.finished.traces)
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
        suspicious=_expected(codec, more.finished),
    )


def _by_patterns(
    found: ByPatterns, contradictory: list[Example], started: float, nodes: int = 0, others: int = 0
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
        readings[Reading.BOUNDED] = [[codec.wrapped(sample) for sample in part] for part in lessons]
    if around is not None:
        readings[Reading.INSIDE] = [[around.inside(sample) for sample in part] for part in lessons]
    return readings


def _enclosed(hypothesis: Hypothesis, around: Enclosure, codec: Codec, samples: list[Sample]) -> Hypothesis:
    """What was learned inside an enclosure, with the enclosure."""
    traces = {
        codec.wrapped(sample): around.around(hypothesis.traces[inner], *codec.boundaries)
        for sample in samples
        if (inner := around.inside(sample)) in hypothesis.traces
    }
    return replace(hypothesis, traces=traces, bans=frozenset())


def _expected(codec: Codec, finished: Finished) -> dict[Example, tuple[str, ...]]:
    """Suspicious examples with the output that the rules expect, in words."""
    return {Example(*_text(codec, sample)): codec.phrase(output) for sample, output in finished.suspicious.items()}


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


def _attempts(
    population: Population, config: Config, deadline: float, rival: ByPatterns | None
) -> "tuple[list[_Outcome], int, bool]":
    """Attempt until one has no errors or the budget is used up; also the nodes, and whether it was stopped.

    Each freedom is tried, from little to much, until one solves everything and foresaw it; if none does, each with
    more effort; then the best is tried again. Nothing is searched where a rival solves everything and foresaw it.
    """
    rng = random.Random(config.seed)
    readings = population.readings
    everything = {reading: [sample for part in lessons for sample in part] for reading, lessons in readings.items()}
    size = len(everything[Reading.PLAIN])
    chosen = rng.sample(range(size), min(_CHECKED, size))
    population.checked = {reading: [samples[place] for place in chosen] for reading, samples in everything.items()}
    searched = set(readings) - ({Reading.INSIDE} if explained(everything[Reading.PLAIN]) else set())
    plan = schedule(config.machine, searched)
    quick = sum(effort == QUICK for _, effort in plan)
    finished: list[_Outcome] = []
    if config.machine != "paper":
        first = derived(readings, config, deadline)
        if first is not None and all(map(population.pins.obeyed_by, first.attempt.best.hypothesis.traces.values())):
            first.attempt.best.hypothesis.pins = population.pins
            # A shorter program does not make a better one of what neither foresaw: derivations are taken first.
            score = first.attempt.best.score if first.wrong else 0.0
            finished.append(_Outcome(first.wrong, not first.foreseen, score, -1, first.attempt))
            if first.wrong == 0 and first.foreseen:
                return finished, 0, False
        if rival is not None and rival.wrong == 0 and rival.foreseen:
            return finished, 0, False
    nodes = 0
    interrupted = False
    known = rival is not None and rival.wrong == 0
    for number in range(max(1, config.learner.attempts)):
        left = config.learner.node_budget - nodes
        if finished and (left <= 0 or time.monotonic() > deadline):
            break
        start: Sequence[Snapshot] = ()
        bans: Sequence[frozenset[Ban]] = ()
        solved = known + sum(outcome.wrong == 0 for outcome in finished)
        if number < len(plan):
            freedom, effort = plan[number][0].name, plan[number][1]
        else:
            freedom, effort = _best(finished).best.hypothesis.freedom, FULL
            if not solved:  # where all is solved, but not foreseen, another beginning may foresee it
                start, bans = _retry(_best(finished), config, rng)
        last = left < 0.3 * config.learner.node_budget or number == config.learner.attempts - 1 or solved > 0
        if effort == QUICK and (known or (finished and finished[0].number < 0 and finished[0].wrong == 0)):
            effort, last = GLANCE, False  # derivations or patterns already solve everything
        budget = round(left * effort.budget)
        try:
            attempt = population.attempt(number + 1, rng, budget, start, bans, last, freedom, effort)
        except KeyboardInterrupt:
            interrupted, attempt = True, population.so_far
            if not attempt.snapshots and not finished:
                raise
            if not attempt.snapshots:
                break
        nodes += attempt.nodes
        hypothesis = attempt.best.hypothesis
        rules, reading = hypothesis.rules(config.costs, Cues()), FREEDOMS[hypothesis.freedom].reading
        wrong = max(
            _error_rate(rules, familiar(hypothesis, population.checked[reading], population.content)),
            attempt.best.errors,
        )
        if wrong == 0:
            population.set_aside(rules, reading)
        foreseen = attempt.foreseen(len(readings[Reading.PLAIN]), config.learner.calm)
        finished.append(_Outcome(wrong, not foreseen, attempt.best.score, number, attempt))
        solved += wrong == 0
        compared = number + 1 == quick or number + 1 >= len(plan) > 1 or solved > config.learner.doubts
        if interrupted or (wrong == 0 and foreseen) or (solved and compared):
            break
    return finished, nodes, interrupted


class _Outcome(NamedTuple):
    """A finished attempt, after what it is judged by: the less the better, the first counts most."""

    wrong: float  # share of the checked samples
    unforeseen: bool  # whether the last lessons were solved only after they were learned from
    score: float
    number: int
    attempt: Attempt


def _compared(finished: Sequence[_Outcome]) -> dict[str, float]:
    """The code length of the shortest solution of each freedom that has one."""
    lengths: dict[str, float] = {}
    for outcome in finished:
        if outcome.wrong == 0:
            best = outcome.attempt.best
            freedom = best.hypothesis.freedom
            lengths[freedom] = min(best.length, lengths.get(freedom, best.length))
    return lengths


def _survivors(
    codec: Codec,
    finished: Sequence[_Outcome],
    best: Judged,
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
        if len(errors(rules, samples[:_CHECKED])) <= unsolved and len(found) < _SURVIVORS:
            found.append(_decode(codec, rules, hypothesis.traces)[0])
    return found


def _best(finished: Sequence[_Outcome]) -> Attempt:
    return min(finished, key=lambda outcome: outcome[:-1]).attempt


def _retry(best: Attempt, config: Config, rng: random.Random) -> tuple[Sequence[Snapshot], Sequence[frozenset[Ban]]]:
    """Where the next attempt starts, and which decisions it may do without.

    Mostly: the lesson that failed again, without a decision that its traces contradict. Else: a few lessons back,
    or from the beginning, without any decision at all.
    """
    rules = best.best.hypothesis.rules(config.costs, Cues())
    contradicted = conflicts(rules)
    done = len(best.snapshots)
    if contradicted and rng.random() < 0.6:
        return best.snapshots[: done - rng.choice((1, 1, 2))], contradicted
    return best.snapshots[: max(0, done - rng.choice((1, 2, 2, 3, done)))], frame_decisions(rules)


def _error_rate(rules: RuleCosts, samples: list[Sample]) -> float:
    return len(tell_apart(rules, samples).errors) / max(1, len(samples))


def _decode(
    codec: Codec, rules: RuleCosts, traces: dict[Sample, CodedTrace]
) -> tuple[RuleTable, dict[Example, Program]]:
    """Rules with counts and programs, in words."""
    used: Counter[Step] = Counter()
    for trace in traces.values():
        used.update(list(dict.fromkeys(trace)))  # in their order, which decides among equally frequent rules
    members: dict[int, list[str]] = {}
    for word, representative in rules.classes.items():
        members.setdefault(representative, []).append(codec.word(word))
    classes = Categories(group for group in members.values() if len(group) > 1)
    table = RuleTable(categories=classes, tokens=tuple(codec.tokens))
    for (status, operator, argument), count in sorted(used.items(), key=lambda kv: kv[0][0]):
        table.add(codec.status(status), codec.instruction(operator, argument), count)
    table.index()
    return table, {Example(*_text(codec, sample)): codec.program(trace) for sample, trace in traces.items()}


def _text(codec: Codec, sample: Sample) -> tuple[tuple[str, ...], tuple[str, ...]]:
    source, target = sample
    return without_boundaries([codec.word(word) for word in source]), codec.phrase(target)


@contextmanager
def _judge(
    readings: Readings, config: Config, size: int, executor: Executor | None
) -> Iterator[Callable[[list[Refit]], list[Judged]]]:
    """Judge hypotheses in this process, or elsewhere where that pays."""
    judge = Judge(readings, config)
    count = config.learner.workers or os.cpu_count() or 1
    if size < _PARALLEL_FROM or config.learner.controller_guides:  # a network is not sent around
        executor = InProcess()
    elif executor is None:
        executor = Processes(count) if count > 1 else InProcess()
    with executor.pool(judge) as pool:

        def judged(refits: list[Refit]) -> list[Judged]:
            if len(refits) == 1:
                return [judge(refits[0])]
            names = (f"refit {number} of lesson {refit.lesson + 1}" for number, refit in enumerate(refits, 1))
            return results(pool, [Job(name, refit) for name, refit in zip(names, refits, strict=True)])

        yield judged
