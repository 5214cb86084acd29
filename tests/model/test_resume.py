"""Going on from an earlier run: examples are read without running programs; rivals are kept while they fit."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from ness.config import Config
from ness.data.example import Example, example_of
from ness.learn.events import LessonReport
from ness.machine import parse_program
from ness.model.resume import tables_that_fit
from ness.model.run_folder import load_run
from ness.model.train import train
from ness.network.imitation import Progress
from ness.rules.table import Categories, RuleTable

COMMANDS = [
    example_of(*pair)
    for pair in (("a", "X"), ("b", "Y"), ("a and b", "X Y"), ("b and a", "Y X"), ("a and b and a", "X Y X"))
]


def rules_of(**programs: str) -> RuleTable:
    return RuleTable.from_traces([((word,), parse_program(text)) for word, text in programs.items()], Categories())


def test_rival_rules_are_kept_while_they_fit() -> None:
    fitting = rules_of(a="SHIFT; REDUCE X; FINAL", b="SHIFT; REDUCE Y; FINAL")
    other = rules_of(a="SHIFT; REDUCE X; FINAL", b="SHIFT; REDUCE Z; FINAL")
    assert tables_that_fit([other, fitting], [example_of("a", "X")]) == [other, fitting]
    assert tables_that_fit([other, fitting], [example_of("a", "X"), example_of("b", "Y")]) == [fitting]


def test_a_stored_run_tells_its_examples(tmp_path: Path) -> None:
    model = train(COMMANDS, Config(), tmp_path / "run", rules_only=True)
    assert sorted(load_run(tmp_path / "run").examples()) == sorted(COMMANDS) == sorted(model.examples())


def test_rules_that_solve_what_is_new_are_kept_without_search(tmp_path: Path) -> None:
    train(COMMANDS, Config(), tmp_path / "run", rules_only=True)
    more = [*COMMANDS, Example(("b", "and", "a", "and", "a"), ("Y", "X", "X"))]
    model = train(more, Config(), tmp_path / "run", rules_only=True, resume=True)
    assert (model.summary.nodes, model.summary.unsolved, model.summary.examples) == (0, [], len(more))


def test_a_network_is_not_begun_when_the_time_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)

    def late(event: object) -> None:
        nonlocal now
        if isinstance(event, LessonReport) and event.lesson == event.lessons:  # all is learned; then time passes
            now += 2 * Config().learner.time_limit

    config = replace(Config(), machine="paper")  # which is searched lesson by lesson
    model = train(COMMANDS, config, tmp_path / "run", progress=late)
    assert (model.summary.unsolved, model.has_controller) == ([], False)
    assert model.network_note.startswith("not trained: the time limit was reached, so the rules answer; go on with")


def test_a_network_that_cannot_be_trained_in_time_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)

    def slow(event: object) -> None:
        nonlocal now
        if isinstance(event, Progress):
            now += Config().learner.time_limit / 5  # for ten steps

    model = train(COMMANDS, Config(), tmp_path / "run", progress=slow)
    assert "not even 100 steps fit into the time limit, so the rules answer; go on with --resume" in model.network_note
    assert "(10 steps" in model.network_note
    assert not model.summary.trained
    assert model.default_engine.name == "rules"
