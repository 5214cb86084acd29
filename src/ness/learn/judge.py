"""One judge of hypotheses: fit, then code length, errors, and errors on what was not learned from."""

import random
import time
from collections import Counter
from collections.abc import Container, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from ness.config import Config
from ness.execute.jobs import Say, silent
from ness.learn.cleaning import without_suspects
from ness.learn.coding import CodedTrace, Sample
from ness.learn.costs import Policy
from ness.learn.cues import Cues
from ness.learn.fit import FitResult, Hypothesis, description_length, fit
from ness.learn.freedom import FREEDOMS, FULL, Effort, judge_costs
from ness.learn.lexical_words import lexical_words
from ness.learn.lexicon import Lexicon
from ness.learn.readings import Reading
from ness.learn.suspects import Verdict, find_suspects

Lessons = list[list[Sample]]
Readings = Mapping[Reading, Lessons]


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
    explained_factor: float  # on the cost of what is explained already
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
class ScoredHypothesis:
    """A fitted hypothesis and its score: code length plus errors, lower is better."""

    hypothesis: Hypothesis
    score: float
    length: float
    errors: float  # share of the samples so far
    next_errors: float  # share of the next lesson's
    hard: dict[Sample, CodedTrace]
    nodes: int
    rules: int

    @property
    def twin_key(self) -> tuple[float, float, float]:
        """What twins have in common."""
        return round(self.length), round(self.errors, 3), round(self.next_errors, 2)


def mostly_single(judged: Sequence[ScoredHypothesis]) -> bool:
    """Tell whether most hypotheses have no twin: as many as are single now, the next ones will be new (Good-Turing)."""
    keys = Counter(one.twin_key for one in judged)
    return sum(keys[one.twin_key] == 1 for one in judged) > len(judged) / 2


class Material:
    """What there is to learn from, as hypotheses of one reading see it, and its evidence."""

    def __init__(self, lessons: Lessons, config: Config) -> None:
        self._lessons = lessons
        self._everything = [sample for part in lessons for sample in part]
        self.cues = Cues(self._everything, config.costs.pair)
        self._lexicons: dict[int, Lexicon] = {}

    @cached_property
    def lexical(self) -> dict[int, str]:
        return lexical_words(self._everything)

    def lexicon(self, lesson: int) -> Lexicon:
        """Evidence from all lessons up to the next one: training data, known from the start."""
        if lesson not in self._lexicons:
            self._lexicons = {lesson: Lexicon([s for part in self._lessons[: lesson + 2] for s in part])}
        return self._lexicons[lesson]


class _Judgement(NamedTuple):
    """What is said about a hypothesis, however it was found."""

    hypothesis: Hypothesis | None  # what is left of it without suspicious lines; None: all
    samples: Verdict
    upcoming: Verdict
    known: int  # upcoming samples without new words
    length: float
    rules: int


class Judge:
    """Fits and judges hypotheses: a function of the job, the lessons and the settings alone."""

    def __init__(self, readings: Readings, config: Config) -> None:
        self._readings, self._config = readings, config
        self._materials: dict[Reading, Material] = {}
        self._lesson: tuple[Sequence[Sample], Sequence[Sample]] = ((), ())  # that the judgements are about
        self._judgements: dict[Hashable, _Judgement] = {}

    def __call__(self, job: Refit, say: Say = silent) -> ScoredHypothesis:
        """Fit and judge one hypothesis."""
        config = self._config
        freedom = FREEDOMS[job.hypothesis.freedom]
        material = self._material(freedom.reading)
        costs = freedom.costs(config.costs)
        costs = replace(costs, explained=costs.explained * job.explained_factor)
        rng = random.Random(job.order)
        samples = sorted(job.samples, key=lambda s: (len(s[0]), len(s[1]) + 2 * rng.random()))
        lexical = material.lexical if freedom.literals else {}
        rules = job.hypothesis.rules(costs, material.cues, job.seed, job.noise, lexical)
        lexicon = material.lexicon(job.lesson)
        search, learner = job.effort.search(freedom.search(config.search)), config.learner
        fitted = fit(job.hypothesis, rules, samples, lexicon, job.pool, search, learner, job.deadline, job.guide)
        judged = self._judge(fitted, job)
        hypothesis, length = judged.hypothesis or fitted.hypothesis, judged.length
        failed, failed_next = judged.samples.failed, judged.upcoming.failed
        wrong, wrong_next = failed / len(job.samples), failed_next / judged.known if judged.known else 1.0
        score = length + config.learner.error_weight * wrong + config.learner.next_weight * wrong_next
        # Suspicious lines count in the score, but are no errors of the rules.
        wrong = len(judged.samples.errors) / len(job.samples)
        wrong_next = len(judged.upcoming.errors) / judged.known if judged.known else 1.0
        return ScoredHypothesis(hypothesis, score, length, wrong, wrong_next, fitted.hard, fitted.nodes, judged.rules)

    def _judge(self, fitted: FitResult, job: Refit) -> _Judgement:
        """Judge what was fitted: once where several refits of a lesson come to the same."""
        found = fitted.hypothesis
        lesson = (job.samples, job.upcoming)
        if self._lesson != lesson:
            self._lesson, self._judgements = lesson, {}
        key = (found.freedom, frozenset(found.traces.items()), frozenset(found.classes.items()))
        judged = self._judgements.get(key) or self._judge_anew(fitted, job)
        if judged.hypothesis is None:  # else it has bans of its own
            self._judgements[key] = judged
        return judged

    def _judge_anew(self, fitted: FitResult, job: Refit) -> _Judgement:
        hypothesis, verdict = without_suspects(fitted.hypothesis, fitted.rules, job.samples)
        material = self._material(FREEDOMS[hypothesis.freedom].reading)
        changed = hypothesis is not fitted.hypothesis
        rules = hypothesis.rules(self._config.costs, material.cues) if changed else fitted.rules
        known = with_known_words(hypothesis, job.upcoming)
        # What is to come may be beyond the rules, which is no reason to doubt what they do with the samples so far.
        foreseen = find_suspects(rules, known, job.samples)
        # Tastes differ, the judge does not.
        length = description_length(hypothesis, job.samples, judge_costs(self._config), material.cues)
        return _Judgement(hypothesis if changed else None, verdict, foreseen, len(known), length, rules.size)

    def _material(self, reading: Reading) -> Material:
        if reading not in self._materials:
            self._materials[reading] = Material(self._readings[reading], self._config)
        return self._materials[reading]


def with_known_words(
    hypothesis: Hypothesis, samples: Sequence[Sample], content: Container[int] | None = None
) -> list[Sample]:
    """The samples that rules are judged by: a new word is no error of theirs.

    With `content`, that holds for these words alone: rules that never met a word of a construct do not know it.
    """
    seen = {word for source, _ in hypothesis.traces for word in source}
    new = [[word for word in source if word not in seen] for source, _ in samples]
    return [
        sample
        for sample, words in zip(samples, new, strict=True)
        if not words or (content is not None and any(word not in content for word in words))
    ]
