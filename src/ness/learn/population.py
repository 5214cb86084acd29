"""A population of hypotheses over the lessons: refit, judge by training data only, keep the best.

Short lessons leave several conventions open, and single samples cannot flip a convention that all others share.
So each survivor is refitted several times with noise on the cost of new rules, and judged by its code length,
its errors, and its errors on the next lesson, which it has not seen. All of it is a function of the seed; jobs
run on any number of processes.
"""

import math
import random
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from ness.config import Config
from ness.execute.jobs import Say, silent
from ness.learn.bans import odd
from ness.learn.cleaning import without_suspects
from ness.learn.coded_rules import Ban, CodedRules
from ness.learn.coding import CodedTrace, Sample
from ness.learn.costs import Policy
from ness.learn.cues import Cues
from ness.learn.fit import Hypothesis, description_length, fit
from ness.learn.freedom import FREEDOMS, FULL, PAPER, Effort, judge_costs
from ness.learn.lexical import lexical_words
from ness.learn.lexicon import Lexicon
from ness.learn.pins import NO_PINS, CodedPins
from ness.learn.readings import Reading
from ness.learn.suspects import tell_apart

Lessons = list[list[Sample]]
Readings = Mapping[Reading, Lessons]
_MANY_WORDS = 100  # content words: beyond, structure is learned with part of them, the others later
_ODD_LINES = 2  # samples that stay wrong do not end an attempt: they may be wrong themselves
_FAMILIAR = 0.8  # of the samples that tell whether to go on must have no new word


@dataclass(frozen=True)
class Refit:
    """One job: fit a hypothesis to the samples so far, with a taste of its own."""

    hypothesis: Hypothesis
    lesson: int
    samples: tuple[Sample, ...]
    upcoming: tuple[Sample, ...]
    order: int  # seed of the order among samples of equal length
    seed: int
    noise: float
    harsh: bool
    pool: dict[Sample, CodedTrace]
    deadline: float  # the outer stop, by the monotonic clock
    guide: Policy | None = None  # has a say in the search beside the rules
    effort: Effort = FULL

    def __getstate__(self) -> dict[str, Any]:
        """Send the deadline by the clock on the wall: monotonic clocks of two machines have nothing in common."""
        return self.__dict__ | {"deadline": self.deadline - time.monotonic() + time.time()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"deadline": state["deadline"] - time.time() + time.monotonic()})


@dataclass
class Judged:
    """A fitted hypothesis and its score: code length plus errors, lower is better."""

    hypothesis: Hypothesis
    score: float
    length: float
    errors: float  # share of the samples so far
    next_errors: float  # share of the next lesson's
    hard: dict[Sample, CodedTrace]
    nodes: int
    rules: int


@dataclass
class Snapshot:
    """What an attempt has after a lesson; an attempt can start from another's."""

    population: list[Judged]
    samples: list[Sample]


@dataclass(frozen=True)
class Kept:
    """A lesson's snapshot, and the nodes that its attempt has spent so far."""

    snapshot: Snapshot
    nodes: int


class Journal(Protocol):
    """Keeps what there is after each lesson, so that a stopped run can go on."""

    def get(self, attempt: int, lesson: int, rng: random.Random) -> Kept | None:
        """Return what was kept, and set the random generator to how it was then."""

    def add(self, attempt: int, lesson: int, kept: Kept, rng: random.Random) -> None:
        """Keep a lesson."""


@dataclass
class Attempt:
    """One run over the lessons, finished or given up."""

    snapshots: list[Snapshot]
    nodes: int

    @property
    def best(self) -> Judged:
        return self.snapshots[-1].population[0]

    def foreseen(self, lessons: int, recent: int) -> bool:
        """Tell whether the most recent lessons were solved before they were learned from, or needed no learning."""
        if len(self.snapshots) < lessons:
            return True
        before = self.snapshots[:-1][-recent:] if recent else []
        return all(snapshot.population[0].next_errors == 0 for snapshot in before)


@dataclass(frozen=True)
class LessonReport:
    """Progress after a lesson."""

    attempt: int
    lesson: int
    lessons: int
    samples: int
    errors: float
    next_errors: float
    rules: int
    description_length: float
    nodes: int
    stuck: str = ""  # the shortest example so far that does not fit


@dataclass
class Material:
    """What there is to learn from, as hypotheses of one reading see it, and its evidence."""

    lessons: Lessons
    cues: Cues
    lexical: dict[int, str]
    _lexicons: dict[int, Lexicon] = field(default_factory=dict)

    @classmethod
    def of(cls, lessons: Lessons, config: Config) -> "Material":
        everything = [sample for part in lessons for sample in part]
        return cls(lessons, Cues(everything, config.costs.pair), lexical_words(everything))

    def lexicon(self, lesson: int) -> Lexicon:
        """Evidence from all lessons up to the next one: training data, known from the start."""
        if lesson not in self._lexicons:
            self._lexicons = {lesson: Lexicon([s for part in self.lessons[: lesson + 2] for s in part])}
        return self._lexicons[lesson]


class Judge:
    """Fits and judges hypotheses: a function of the job, the lessons and the settings alone."""

    def __init__(self, readings: Readings, config: Config) -> None:
        self._readings, self._config = readings, config
        self._materials: dict[Reading, Material] = {}

    def __call__(self, job: Refit, say: Say = silent) -> Judged:
        """Fit and judge one hypothesis."""
        config = self._config
        freedom = FREEDOMS[job.hypothesis.freedom]
        material = self._material(freedom.reading)
        costs = freedom.costs(config.costs)
        if job.harsh:
            costs = replace(costs, explained=costs.explained * config.learner.harsh)
        rng = random.Random(job.order)
        samples = sorted(job.samples, key=lambda s: (len(s[0]), len(s[1]) + 2 * rng.random()))
        lexical = material.lexical if freedom.literals else {}
        rules = job.hypothesis.rules(costs, material.cues, job.seed, job.noise, lexical)
        lexicon = material.lexicon(job.lesson)
        search, learner = job.effort.search(freedom.search(config.search)), config.learner
        fitted = fit(job.hypothesis, rules, samples, lexicon, job.pool, search, learner, job.deadline, job.guide)
        hypothesis, verdict = without_suspects(fitted.hypothesis, fitted.rules, job.samples)
        if hypothesis is not fitted.hypothesis:
            fitted.rules = hypothesis.rules(costs, material.cues)
        upcoming = familiar(hypothesis, job.upcoming)
        # What is to come may be beyond the rules, which is no reason to doubt what they do with the samples so far.
        foreseen = tell_apart(fitted.rules, upcoming, job.samples)
        wrong, wrong_next = verdict.failed / len(job.samples), foreseen.failed / len(upcoming) if upcoming else 1.0
        # Tastes differ, the judge does not.
        length = description_length(hypothesis, job.samples, judge_costs(config), material.cues)
        score = length + config.learner.error_weight * wrong + config.learner.next_weight * wrong_next
        n_rules = len(fitted.rules.by_category) + len(fitted.rules.reduce) + len(fitted.rules.concat_by_category)
        # Suspicious lines count in the score, but are no errors of the rules.
        wrong = len(verdict.errors) / len(job.samples)
        wrong_next = len(foreseen.errors) / len(upcoming) if upcoming else 1.0
        return Judged(hypothesis, score, length, wrong, wrong_next, fitted.hard, fitted.nodes, n_rules)

    def _material(self, reading: Reading) -> Material:
        if reading not in self._materials:
            self._materials[reading] = Material.of(self._readings[reading], self._config)
        return self._materials[reading]


@dataclass
class Population:
    """Runs attempts over the lessons."""

    readings: Readings
    config: Config
    judge: Callable[[list[Refit]], list[Judged]]  # does jobs, here or in other processes
    deadline: float
    report: Callable[[LessonReport], None]
    journal: Journal | None = None
    # By reading: an attempt that solves them all lesson after lesson needs no further ones.
    checked: Mapping[Reading, Sequence[Sample]] = field(default_factory=dict)
    lexical: Mapping[int, str] = field(default_factory=dict)  # words with a token of their own
    guide_of: Callable[[Hypothesis], Policy | None] | None = None  # trains a guide on the best hypothesis so far
    pins: CodedPins = NO_PINS  # rules by hand
    show: Callable[[Sample], str] = repr  # writes a sample for people
    so_far: Attempt = field(default_factory=lambda: Attempt([], 0))  # of the attempt that is running

    def attempt(
        self,
        number: int,
        rng: random.Random,
        node_budget: int,
        start: Sequence[Snapshot] = (),
        bans: Sequence[frozenset[Ban]] = (),
        last: bool = False,
        freedom: str = PAPER.name,
        effort: Effort = FULL,
    ) -> Attempt:
        """Go over the lessons, from the beginning or from snapshots of an earlier attempt.

        `bans` are decisions of a failed attempt; each refit of the first lesson does without one of them, and
        every trace that uses it is searched anew. A lesson with too many errors ends an attempt, except the `last`.
        """
        config = self.config.learner
        lessons = self.readings[FREEDOMS[freedom].reading]
        snapshots = list(start)
        nodes = calm = 0
        self.so_far = Attempt([], 0)
        for lesson in range(len(snapshots), len(lessons)):
            kept = self.journal.get(number, lesson, rng) if self.journal else None
            if kept is None:
                snapshot, spent = self._lesson(snapshots, lesson, rng, bans, freedom, effort)
                kept = Kept(snapshot, nodes + spent)
                if self.journal:
                    self.journal.add(number, lesson, kept, rng)
            for one in kept.snapshot.population:
                one.hypothesis.pins = self.pins  # which a journal does not keep
            nodes = kept.nodes
            snapshots.append(kept.snapshot)
            self.so_far = Attempt(snapshots, nodes)
            best = kept.snapshot.population[0]
            self.report(
                LessonReport(
                    number,
                    lesson + 1,
                    len(lessons),
                    len(kept.snapshot.samples),
                    best.errors,
                    best.next_errors,
                    best.rules,
                    best.length,
                    nodes,
                    self._stuck(kept.snapshot),
                )
            )
            if nodes > node_budget or time.monotonic() > self.deadline:
                break
            if best.errors > max(config.give_up, _ODD_LINES / max(1, len(kept.snapshot.samples))) and not last:
                break
            calm = calm + 1 if self._is_calm(snapshots) else 0
            if 0 < config.calm <= calm:
                break
            bans = ()
        return Attempt(snapshots, nodes)

    def set_aside(self, rules: CodedRules, reading: Reading) -> None:
        """Learn no more from the lines that are suspicious by the rules of an attempt that explains all others."""
        aside = set(tell_apart(rules, self.checked[reading]).suspects)
        if not aside:
            return
        chosen = self.checked[reading]
        places = [place for place, sample in enumerate(chosen) if sample in aside]
        wrong = {each: {self.checked[each][place] for place in places} for each in self.checked}
        self.checked = {each: [s for s in samples if s not in wrong[each]] for each, samples in self.checked.items()}
        self.readings = {
            each: [kept for part in lessons if (kept := [s for s in part if s not in wrong[each]])]
            for each, lessons in self.readings.items()
        }

    def _stuck(self, snapshot: Snapshot) -> str:
        traces = snapshot.population[0].hypothesis.traces
        left = [sample for sample in snapshot.samples if sample not in traces]
        return self.show(min(left, key=lambda s: (len(s[0]), len(s[1]), s))) if left else ""

    def _is_calm(self, snapshots: Sequence[Snapshot]) -> bool:
        """Tell whether the best hypothesis solves everything, and no flip was better."""
        best = snapshots[-1].population[0]
        if best.errors or best.next_errors or not self.checked:
            return False
        if len(snapshots) > 1 and best.hypothesis.bans != snapshots[-2].population[0].hypothesis.bans:
            return False
        checked = self.checked[FREEDOMS[best.hypothesis.freedom].reading]
        known = familiar(best.hypothesis, checked)
        if len(known) < _FAMILIAR * len(checked):  # of the rest nobody knows
            return False
        return not tell_apart(best.hypothesis.rules(self.config.costs, Cues()), known).errors

    def _lesson(
        self,
        snapshots: Sequence[Snapshot],
        lesson: int,
        rng: random.Random,
        bans: Sequence[frozenset[Ban]],
        freedom: str,
        effort: Effort,
    ) -> tuple[Snapshot, int]:
        """Refit the population to one more lesson and select; also the nodes spent."""
        config = self.config.learner
        lessons = self.readings[FREEDOMS[freedom].reading]
        population = snapshots[-1].population if snapshots else [_beginning(freedom, self.pins)]
        learned = snapshots[-1].samples if snapshots else []
        fresh = self._choose(lessons[lesson], learned, config.samples_per_lesson, rng)
        samples = learned + fresh
        upcoming = lessons[lesson + 1] if lesson + 1 < len(lessons) else lessons[lesson]
        upcoming = self._choose(upcoming, samples, config.lookahead, rng)
        if suspects := self._suspects(population[0].hypothesis, samples):
            fresh, samples = ([s for s in part if s not in suspects] for part in (fresh, samples))
            population = [replace(one, hypothesis=one.hypothesis.forgetting(suspects)) for one in population]
        first, others = self._jobs(population, lesson, samples, fresh, upcoming, rng, bans, effort)
        if self.guide_of and snapshots:
            guide = self.guide_of(population[0].hypothesis)
            first, others = ([replace(job, guide=guide) for job in jobs] for jobs in (first, others))
        judged = self.judge(first)
        if effort.hopeless and all(one.errors > effort.hopeless for one in judged):
            others = []  # what hardly begins with this freedom is left to another
        pool = {sample: trace for one in judged for sample, trace in one.hard.items()}
        # Half of the refits search anew what was hard: sharing every hard trace would leave one convention.
        judged += self.judge([replace(job, pool=pool if n % 2 else {}) for n, job in enumerate(others)])
        return Snapshot(self._select(judged), samples), sum(one.nodes for one in judged)

    def _suspects(self, hypothesis: Hypothesis, samples: Sequence[Sample]) -> Collection[Sample]:
        """The samples to learn from that are probably wrong, judged by what was learned before this lesson."""
        return tell_apart(hypothesis.rules(self.config.costs, Cues()), samples).suspects if hypothesis.traces else ()

    def _choose(
        self, lesson: Sequence[Sample], learned: Sequence[Sample], count: int, rng: random.Random
    ) -> list[Sample]:
        """Choose samples of a lesson at random; of a large vocabulary, those with the fewest new content words."""
        if len(self.lexical) <= _MANY_WORDS:
            return rng.sample(lesson, min(count, len(lesson)))
        seen = {word for source, _ in learned for word in source}
        shuffled = rng.sample(lesson, len(lesson))
        shuffled.sort(key=lambda sample: sum(word in self.lexical and word not in seen for word in set(sample[0])))
        return shuffled[:count]

    def _jobs(
        self,
        population: list[Judged],
        lesson: int,
        samples: list[Sample],
        fresh: list[Sample],
        upcoming: list[Sample],
        rng: random.Random,
        bans: Sequence[frozenset[Ban]],
        effort: Effort,
    ) -> tuple[list[Refit], list[Refit]]:
        """Jobs of a lesson: each survivor as it is, refits with noise, another taste, or a ban, and flips."""
        config = self.config.learner
        first: list[Refit] = []
        others: list[Refit] = []
        for member in population:
            rules = member.hypothesis.rules(self.config.costs, Cues())
            easy = lesson > 0 and not set(fresh).intersection(tell_apart(rules, samples).errors)
            for number in range(1 if easy and not bans else math.ceil(config.refits * effort.refits)):
                hypothesis = member.hypothesis
                if bans:
                    hypothesis = without(hypothesis, rng.choice(bans))
                job = Refit(
                    hypothesis,
                    lesson,
                    tuple(samples),
                    tuple(upcoming),
                    order=rng.randrange(2**30),
                    seed=rng.randrange(2**30),
                    noise=config.noise if number else 0.0,
                    harsh=bool(number) and rng.random() < 0.5,
                    pool={},
                    deadline=self.deadline,
                    effort=effort,
                )
                (others if number else first).append(job)
            odd_decisions = [] if bans else odd(rules)
            for _ in range(config.flips if odd_decisions else 0):
                flipped = without(member.hypothesis, rng.choice(odd_decisions))
                others.append(replace(job, hypothesis=flipped, seed=rng.randrange(2**30), noise=0.0, harsh=False))
        return first, others

    def _select(self, judged: list[Judged]) -> list[Judged]:
        """Keep the best few; no twins, none far behind."""
        config = self.config.learner
        seen = set()
        kept = []
        for one in sorted(judged, key=lambda j: j.score):
            twin = (round(one.length), round(one.errors, 3), round(one.next_errors, 2))
            if twin not in seen:
                seen.add(twin)
                kept.append(one)
        return [one for one in kept[: config.survivors] if one.score < kept[0].score + config.score_gap]


def familiar(hypothesis: Hypothesis, samples: Sequence[Sample]) -> list[Sample]:
    """The samples all of whose words occur in the traces of a hypothesis: a new word is no error of its rules."""
    seen = {word for source, _ in hypothesis.traces for word in source}
    return [sample for sample in samples if seen.issuperset(sample[0])]


def without(hypothesis: Hypothesis, ban: frozenset[Ban]) -> Hypothesis:
    """Drop every trace that uses a banned decision."""
    traces = {
        sample: trace
        for sample, trace in hypothesis.traces.items()
        if not any((status, operator) in ban for status, operator, _ in trace)
    }
    return replace(hypothesis, traces=traces, bans=hypothesis.bans | ban)


def _beginning(freedom: str, pins: CodedPins) -> Judged:
    return Judged(Hypothesis(freedom=freedom, pins=pins), 0.0, 0.0, 0.0, 0.0, {}, 0, 0)
