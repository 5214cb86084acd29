"""Decisions that are given up: which ones are drawn, and how long this goes on."""

import random
from types import SimpleNamespace
from typing import Any

import pytest

from ness.config import LoopConfig, SearchConfig
from ness.data.example import example_of
from ness.learn.coding import Codec
from ness.paper.agreeing_lessons import AgreeingLessons, RankedSet
from ness.paper.growth import Growth
from ness.paper.lesson_clock import LessonClock
from ness.paper.trace_set import TraceSet

EXAMPLES = [example_of("walk", "WALK"), example_of("run", "RUN"), example_of("walk twice", "WALK WALK")]
CODEC = Codec(EXAMPLES)
SAMPLES = [CODEC.encode(*example) for example in EXAMPLES]
FEW, MANY = 3, 10


def clock_at(seconds: float, persist: bool, unsolved: bool) -> tuple[bool, bool]:
    """Whether a lesson that began at 0, with 120 seconds for itself and 11 others, is over, and its sets are."""
    settings = SimpleNamespace(loop=LoopConfig(persist=persist), learner=SimpleNamespace(time_limit=120.0))
    loop: Any = SimpleNamespace(config=settings, seconds=0.0, deadline=lambda: 10.0)
    clock = LessonClock(loop)
    loop.seconds, clock.unsolved = seconds, unsolved
    return clock.over(), clock.sets_over()


def test_a_lesson_with_unsolved_examples_takes_longer() -> None:
    assert clock_at(9, persist=False, unsolved=True) == (False, False)
    assert clock_at(11, persist=False, unsolved=True) == (True, True)
    assert clock_at(9, persist=True, unsolved=False) == (False, True)
    assert clock_at(11, persist=True, unsolved=False) == (True, True)
    assert clock_at(29, persist=True, unsolved=True) == (False, True)
    assert clock_at(31, persist=True, unsolved=True) == (True, True)


class FixedDraws(random.Random):
    """Draws that are always alike, and remember the weights of what they chose among."""

    def __init__(self, share: float) -> None:
        super().__init__(0)
        self.share, self.weights = share, list[float]()

    def random(self) -> float:
        return self.share

    def choices(self, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> list[Any]:
        self.weights = self.weights or list(weights)
        return super().choices(population, weights, cum_weights=cum_weights, k=k)


def weights_of_suspects(suspects: str, share: float) -> list[float]:
    """How much each decision of some traces is suspected."""
    settings = LoopConfig(samples=16, keep="worth", suspects=suspects)
    traces = Growth(SearchConfig(), settings, None, random.Random(0), CODEC.words.values()).grow(
        TraceSet(), SAMPLES, ()
    )
    draws = FixedDraws(share)
    Growth(SearchConfig(), settings, None, draws, CODEC.words.values()).change(traces, SAMPLES, (), set())
    return draws.weights


def test_every_other_time_it_does_not_matter_how_rare_a_decision_is() -> None:
    """Here all decisions stand on the ways of the traces that make them: so many of so many uses."""
    assert set(weights_of_suspects("rare", 0.9)) == {1.0}
    assert set(weights_of_suspects("any", 0.1)) == {1.0}
    assert set(weights_of_suspects("any", 0.9)) > {1, 3}


def changes_made(monkeypatch: pytest.MonkeyPatch, failures: int, persist: bool) -> int:
    """How many changes of a set are tried if none is better, of those that there are."""
    made: list[int] = []

    def change(*_: object) -> TraceSet | None:
        made.append(1)
        return TraceSet() if len(made) < MANY else None

    settings = LoopConfig(persist=persist)
    config = SimpleNamespace(loop=settings)
    loop: Any = SimpleNamespace(config=config, examples=[], lessons=[], lesson=0, report=lambda _: None)
    growth: Any = SimpleNamespace(change=change, over=lambda: False, imagined=())
    ranked = RankedSet(failures, 0.0, 0, 0, 0, 0, 0, TraceSet())
    lessons = AgreeingLessons(loop)
    monkeypatch.setattr(lessons, "_ranked", lambda *_: ranked)
    monkeypatch.setattr(lessons, "_clock", SimpleNamespace(), raising=False)
    lessons._changed(growth, [ranked], FEW, [], [])
    return len(made)


def test_changes_that_bring_nothing_end_unless_examples_are_unsolved(monkeypatch: pytest.MonkeyPatch) -> None:
    assert changes_made(monkeypatch, failures=1, persist=True) == MANY
    assert changes_made(monkeypatch, failures=0, persist=True) == FEW
    assert changes_made(monkeypatch, failures=1, persist=False) == FEW


def price(foresight: float, judges: int) -> float:
    """Rank a set that foresees half of so many later examples and is perfect otherwise."""
    loop: Any = SimpleNamespace(config=SimpleNamespace(loop=LoopConfig(foresight=foresight)))
    lessons = AgreeingLessons(loop)
    growth: Any = SimpleNamespace(
        rules=lambda _: None,
        foreseen=lambda _, samples: len(samples) // 2,
        untold=lambda _: {},
        count_unlike=lambda *_: 0,
    )
    later: list[Any] = [None] * judges
    return lessons._ranked(growth, TraceSet(), [], later, 0).price


def test_few_later_examples_weigh_as_much_as_many() -> None:
    assert price(0.0, 40) == 200
    assert price(3000.0, 40) == price(3000.0, 300) == 1500
    assert price(3000.0, 400) == 2000
