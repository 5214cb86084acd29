"""When an attempt over the lessons ends because there is nothing more to learn."""

import time
from random import Random

import pytest

from ness.config import Config, LearnerConfig
from ness.search.coding import Sample
from ness.training import population as module
from ness.training.fit import Hypothesis
from ness.training.population import Judged, Population, Snapshot

LESSONS: list[list[Sample]] = [[((word,), "a")] for word in range(6)]


@pytest.mark.parametrize(
    ("calm", "wrong", "lessons"), [(2, 0.0, 2), (3, 0.0, 3), (0, 0.0, 6), (0, 0.01, 6), (2, 0.01, 6)]
)
def test_an_attempt_ends_after_calm_lessons(
    calm: int, wrong: float, lessons: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = Judged(Hypothesis(), 0.0, 0.0, wrong, 0.0, {}, 0, 0)
    monkeypatch.setattr(Population, "_lesson", lambda self, *_: (Snapshot([judged], []), 1))
    monkeypatch.setattr(module, "errors", lambda *_: [])
    config = Config(learner=LearnerConfig(calm=calm))
    found = Population(LESSONS, config, None, time.monotonic() + 60, lambda _: None, checked=LESSONS[0])
    assert len(found.attempt(1, Random(0), 100).snapshots) == lessons
