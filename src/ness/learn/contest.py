"""The contest of attempts: several freedoms, one judge.

Errors decide, then whether the last lessons were foreseen, then the length of the program.
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ness.config import Config
from ness.learn.attempts import Attempt, Snapshot
from ness.learn.bans import contradicted_decisions, frame_decisions
from ness.learn.cleaning import errors_of_rules
from ness.learn.coded_rules import Ban
from ness.learn.coding import CodedTrace, Sample, by_size
from ness.learn.constituents.learning import PatternResult
from ness.learn.costs import RuleCosts
from ness.learn.cues import Cues
from ness.learn.derivations.attempt import attempt_by_derivations, attempt_for_paper
from ness.learn.finish import run_all
from ness.learn.fit import Hypothesis, description_length
from ness.learn.freedom import FREEDOMS, FULL, GLANCE, PAPER, QUICK, Effort, Freedom, judge_costs, schedule
from ness.learn.judge import with_known_words
from ness.learn.lexical_words import words_decide
from ness.learn.population import Population
from ness.learn.readings import Reading, inputs_share_word

_DERIVING = 0.6  # of the time, at most; the rest is for the search
CHECKED = 2_000  # training samples that judge an attempt
_COMPARED = 300  # of these, where code lengths are compared
_EXCEPTION = 12.0  # nats of a wrong line: which one it is, and what is wrong about it


class Outcome(NamedTuple):
    """A finished attempt, after what it is judged by: the less the better, the first counts most."""

    wrong: float  # share of the checked samples
    unforeseen: bool  # whether the last lessons were solved only after they were learned from
    score: float
    number: int
    attempt: Attempt


class ContestResult(NamedTuple):
    """All finished attempts, the nodes of their searches, and whether a person stopped them."""

    outcomes: list[Outcome]
    nodes: int
    interrupted: bool


class _Start(NamedTuple):
    """What an attempt starts with, in the order in which a population takes it."""

    snapshots: Sequence[Snapshot]
    bans: Sequence[frozenset[Ban]]
    last: bool  # no other follows: it goes on whatever its errors
    freedom: str
    effort: Effort


def run_contest(population: Population, config: Config, deadline: float, rival: PatternResult | None) -> ContestResult:
    """Attempt until one has no errors or the budget is used up.

    Each freedom is tried, from little to much, until one solves everything and foresaw it; if none does, each with
    more effort; then the best is tried again. Nothing is searched where a rival solves everything and foresaw it.
    """

    def rivalled() -> bool:
        return rival is not None and rival.wrong == 0 and rival.foreseen

    finished, enough = _derive(population, config, deadline, rivalled)
    if enough or rivalled():
        return ContestResult(finished, 0, False)
    rng = random.Random(config.seed)
    plan = _plan(population, config, rng)
    quick = sum(effort == QUICK for _, effort in plan)
    lessons = len(population.readings[Reading.PLAIN])
    nodes = 0
    interrupted = False
    known = rival is not None and rival.wrong == 0
    certain = any(outcome.wrong == 0 and not outcome.unforeseen for outcome in finished)  # but the least freedom may do
    for number in range(max(1, config.learner.attempts)):
        left = config.learner.node_budget - nodes
        if finished and (left <= 0 or time.monotonic() > deadline):
            break
        solved = known + sum(outcome.wrong == 0 for outcome in finished)
        start = _start(number, plan, finished, known, left, config, rng)
        try:
            attempt = population.attempt(number + 1, rng, round(left * start.effort.budget), *start)
        except KeyboardInterrupt:
            interrupted, attempt = True, population.so_far
            if not attempt.snapshots and not finished:
                raise
            if not attempt.snapshots:
                break
        nodes += attempt.nodes
        outcome = _outcome(attempt, number, lessons, population, config)
        if outcome.wrong == 0 and finished and _explains_more(finished[0], attempt, population, config):
            break
        if outcome.wrong == 0:  # the lines that are suspicious to what solves all others are learned from no more
            hypothesis = attempt.best.hypothesis
            population.set_aside(hypothesis.rules(config.costs, Cues()), FREEDOMS[hypothesis.freedom].reading)
        finished.append(outcome)
        solved += outcome.wrong == 0
        all_tried = (
            certain or number + 1 == quick or number + 1 >= len(plan) > 1 or solved > config.learner.extra_attempts
        )
        if interrupted or (outcome.wrong == 0 and not outcome.unforeseen) or (solved and all_tried):
            break
    return ContestResult(finished, nodes, interrupted)


def _plan(population: Population, config: Config, rng: random.Random) -> Sequence[tuple[Freedom, Effort]]:
    """Choose the samples that judge attempts; return which freedoms to try, with which effort."""
    readings = population.readings
    everything = {reading: [sample for part in lessons for sample in part] for reading, lessons in readings.items()}
    size = len(everything[Reading.PLAIN])
    chosen = rng.sample(range(size), min(CHECKED, size))
    population.checked = {reading: [samples[place] for place in chosen] for reading, samples in everything.items()}
    if config.machine == "paper":
        return schedule(config.machine, readings)
    searched = set(readings) - ({Reading.INSIDE} if inputs_share_word(everything[Reading.PLAIN]) else set())
    return schedule(config.machine, searched, words_decide(everything[Reading.PLAIN], population.lexical))


def _derive(
    population: Population, config: Config, deadline: float, rivalled: Callable[[], bool]
) -> tuple[list[Outcome], bool]:
    """Attempt it by derivations, without a search; also whether nothing better is to be found."""
    paper = config.machine == "paper"
    if not config.learner.derivations or (paper and config.search.strategy == "sampled"):
        return [], False
    now = time.monotonic()
    until = now + _DERIVING * (deadline - now)
    if paper:
        first = attempt_for_paper(population.readings[Reading.PLAIN], config, until)
    else:
        first = attempt_by_derivations(population.readings, config, until, rivalled)
    if first is None or not all(map(population.pins.obeyed_by, first.attempt.best.hypothesis.traces.values())):
        return [], False
    first.attempt.best.hypothesis.pins = population.pins
    # A shorter program does not make a better one of what neither foresaw: derivations are taken first.
    score = first.attempt.best.score if first.wrong or first.copied else 0.0
    # What is copied can be read in many ways, but what the paper's machine does needs no shorter program, where many
    # samples confirm it; where there are few, what else would solve them tells what to ask.
    bare = first.attempt.best.hypothesis.freedom == PAPER.name
    enough = first.certain and (not first.copied or (bare and first.confirmed))
    return [Outcome(first.wrong, not first.foreseen, score, -1, first.attempt)], enough


def _start(
    number: int,
    plan: Sequence[tuple[Freedom, Effort]],
    finished: Sequence[Outcome],
    known: bool,
    left: int,
    config: Config,
    rng: random.Random,
) -> _Start:
    """Decide what the next attempt starts with; `known` says that there are rules that solve everything."""
    solved = known or any(outcome.wrong == 0 for outcome in finished)
    snapshots: Sequence[Snapshot] = ()
    bans: Sequence[frozenset[Ban]] = ()
    if number < len(plan):
        freedom, effort = plan[number][0].name, plan[number][1]
    else:
        freedom, effort = best_attempt(finished).best.hypothesis.freedom, FULL
        if not solved:  # where all is solved, but not foreseen, another beginning may foresee it
            snapshots, bans = _retry(best_attempt(finished), config, rng)
    last = left < 0.3 * config.learner.node_budget or number == config.learner.attempts - 1 or solved
    if effort == QUICK and (known or (finished and finished[0].number < 0 and finished[0].wrong == 0)):
        effort, last = GLANCE, False  # derivations or patterns already solve everything
    return _Start(snapshots, bans, last, freedom, effort)


def _outcome(attempt: Attempt, number: int, lessons: int, population: Population, config: Config) -> Outcome:
    """Judge an attempt."""
    hypothesis = attempt.best.hypothesis
    rules, reading = hypothesis.rules(config.costs, Cues()), FREEDOMS[hypothesis.freedom].reading
    known = with_known_words(hypothesis, population.checked[reading], population.content)
    taught, wrong_lines = attempt.snapshots[-1], population.wrong_lines
    wrong = max(_error_rate(rules, known, wrong_lines), _error_rate(rules, taught.samples, wrong_lines))
    foreseen = attempt.foreseen(lessons, population.flawless_lessons(hypothesis.freedom, taught))
    return Outcome(wrong, not foreseen, attempt.best.score, number, attempt)


def _explains_more(outcome: Outcome, attempt: Attempt, population: Population, config: Config) -> bool:
    """Tell whether an outcome explains all lines, also those that an attempt would call wrong, at no greater length.

    Such lines may be the only ones that tell; of the others an attempt that searches knows no more, then.
    """

    def replayed(hypothesis: Hypothesis) -> tuple[list[Sample], dict[Sample, CodedTrace]]:
        samples = list(population.checked[FREEDOMS[hypothesis.freedom].reading])
        return samples, run_all(hypothesis.rules(config.costs, Cues()), samples)[0]

    explaining, doubting = outcome.attempt.best.hypothesis, attempt.best.hypothesis
    samples, traces = replayed(doubting)
    doubted = [place for place, sample in enumerate(samples) if sample not in traces]
    if outcome.wrong > 0 or not doubted:
        return False
    others, all_traces = replayed(explaining)
    if len(all_traces) < len(others):
        return False
    places = sorted({*range(min(_COMPARED, len(samples))), *doubted}, key=lambda place: by_size(samples[place]))
    kept = [samples[place] for place in places if samples[place] in traces]
    exceptions = _length(doubting, kept, traces, config) + _EXCEPTION * len(doubted)
    return _length(explaining, [others[place] for place in places], all_traces, config) <= exceptions


def _length(
    hypothesis: Hypothesis, samples: Sequence[Sample], traces: dict[Sample, CodedTrace], config: Config
) -> float:
    return description_length(replace(hypothesis, traces=traces), samples, judge_costs(config), Cues())


def lengths_by_freedom(finished: Sequence[Outcome]) -> dict[str, float]:
    """The code length of the shortest solution of each freedom that has one."""
    lengths: dict[str, float] = {}
    for outcome in finished:
        if outcome.wrong == 0:
            best = outcome.attempt.best
            freedom = best.hypothesis.freedom
            lengths[freedom] = min(best.length, lengths.get(freedom, best.length))
    return lengths


def best_attempt(finished: Sequence[Outcome]) -> Attempt:
    return min(finished, key=lambda outcome: outcome[:-1]).attempt


def _retry(best: Attempt, config: Config, rng: random.Random) -> tuple[Sequence[Snapshot], Sequence[frozenset[Ban]]]:
    """Where the next attempt starts, and which decisions it may do without.

    Mostly: the lesson that failed again, without a decision that its traces contradict. Else: a few lessons back,
    or from the beginning, without any decision at all.
    """
    rules = best.best.hypothesis.rules(config.costs, Cues())
    contradicted = contradicted_decisions(rules)
    done = len(best.snapshots)
    if contradicted and rng.random() < 0.6:
        return best.snapshots[: done - rng.choice((1, 1, 2))], contradicted
    return best.snapshots[: max(0, done - rng.choice((1, 2, 2, 3, done)))], frame_decisions(rules)


def _error_rate(rules: RuleCosts, samples: Sequence[Sample], wrong_lines: int) -> float:
    return len(errors_of_rules(rules, samples, wrong_lines)) / max(1, len(samples))
