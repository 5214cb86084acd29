"""When an attempt over the lessons ends because there is nothing more to learn."""

import time
from random import Random

import pytest

from ness.config import Config, LearnerConfig
from ness.learn import population as module
from ness.learn.attempts import Attempt, Snapshot
from ness.learn.coding import Sample
from ness.learn.fit import Hypothesis
from ness.learn.judge import ScoredHypothesis
from ness.learn.population import Population
from ness.learn.readings import Reading

LESSONS: list[list[Sample]] = [[((word,), "a")] for word in range(6)]


@pytest.mark.parametrize(
    ("flawless", "wrong", "taught", "lessons"),
    [
        (2, 0.0, True, 2),
        (3, 0.0, True, 3),
        (0, 0.0, True, 6),
        (0, 0.01, True, 6),
        (2, 0.01, True, 6),
        (2, 0.0, False, 1),  # right at once on samples that did not teach
        (0, 0.0, False, 6),
    ],
)
def test_an_attempt_ends_after_flawless_lessons(
    flawless: int, wrong: float, taught: bool, lessons: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = ScoredHypothesis(Hypothesis(), 0.0, 0.0, wrong, 0.0, {}, 0, 0)
    monkeypatch.setattr(Population, "_lesson", lambda self, *_: (Snapshot([judged], LESSONS[0] * taught), 1))
    monkeypatch.setattr(module, "errors_of_rules", lambda *_: [])
    config = Config(learner=LearnerConfig(flawless_lessons=flawless))
    checked = {Reading.PLAIN: LESSONS[0]}
    judged.hypothesis.traces = dict.fromkeys(LESSONS[0], ())  # its words are known
    found = Population(
        {Reading.PLAIN: LESSONS}, config, lambda _: [], time.monotonic() + 60, lambda _: None, checked=checked
    )
    assert len(found.attempt(1, Random(0), 100).snapshots) == lessons


@pytest.mark.parametrize(
    ("next_errors", "lessons", "foreseen"),
    [
        ([0.0, 0.0, 0.0], 3, True),
        ([0.3, 0.0, 0.0], 3, False),
        ([0.0, 0.3, 0.0], 3, False),
        ([0.3, 0.0, 0.0, 0.3], 4, True),  # the last one is of no lesson to come
        ([0.3, 0.3, 0.0], 6, True),  # ended early: the rest needed no learning
        ([0.5], 1, True),
    ],
)
def test_lessons_are_foreseen_that_are_solved_before_they_are_learned(
    next_errors: list[float], lessons: int, foreseen: bool
) -> None:
    snapshots = [
        Snapshot([ScoredHypothesis(Hypothesis(), 0.0, 0.0, 0.0, wrong, {}, 0, 0)], []) for wrong in next_errors
    ]
    assert Attempt(snapshots, 0).foreseen(lessons, 2) == foreseen
