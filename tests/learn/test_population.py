"""How many hypotheses a lesson tries."""

import time
from random import Random

import pytest

from ness.config import Config
from ness.learn.coding import Sample
from ness.learn.fit import Hypothesis
from ness.learn.judge import Refit, ScoredHypothesis
from ness.learn.population import Population
from ness.learn.readings import Reading

LESSON: list[Sample] = [((0,), "a")]


@pytest.mark.parametrize(
    ("lengths", "refits"),
    [
        ([1.0] * 12, 4),
        ([1.0, 2.0, 3.0, 3.0], 4),  # two of four are single: not most of them
        ([1.0, 2.0, 3.0, 4.0, 4.0, 3.0, 2.0], 7),
        ([float(number) for number in range(20)], 12),  # as many as three survivors have
    ],
)
def test_more_is_tried_where_refits_come_to_different_ends(lengths: list[float], refits: int) -> None:
    ends = iter(lengths)

    def judge(jobs: list[Refit]) -> list[ScoredHypothesis]:
        return [ScoredHypothesis(Hypothesis(), 0.0, next(ends), 0.0, 1.0, {}, 1, 0) for _ in jobs]

    population = Population({Reading.PLAIN: [LESSON]}, Config(), judge, time.monotonic() + 60, lambda _: None)
    assert population.attempt(1, Random(0), 100).nodes == refits
