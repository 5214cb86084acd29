"""Derivations of few samples, which many others confirm: then nothing is searched, with the paper's machine either."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from ness.answer.evaluation import evaluate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data.example import Example
from ness.data.lessons import by_length
from ness.data.scan import commands
from ness.learn.coding import Codec
from ness.learn.derivations.attempt import attempt_by_derivations, attempt_for_paper
from ness.learn.judge import Lessons
from ness.learn.learner import learn
from ness.learn.readings import Reading

PAPER = Config(machine="paper")


def short(longest: int) -> list[Example]:
    return [command for command in commands() if len(command.source) <= longest]


def coded(examples: Sequence[Example]) -> Lessons:
    codec = Codec(examples)
    return [[codec.encode(*example) for example in part] for part in by_length(examples)]


@pytest.mark.parametrize("machine", ["paper", "extended"])
def test_few_commands_teach_what_all_others_do(machine: str) -> None:
    learned = learn(short(5), Config(machine=machine))
    assert (learned.nodes, learned.freedom, learned.unsolved) == (0, "paper", [])
    longer = [command for command in commands() if len(command.source) > 5]
    assert evaluate(RuleEngine(learned.table), longer[::20]).exact == 1.0


def test_a_hypothesis_is_taught_by_few_and_judged_by_all() -> None:
    found = attempt_for_paper(coded(short(5)), PAPER, math.inf)
    assert found is not None
    assert found.certain
    (snapshot,) = found.attempt.snapshots
    assert len(snapshot.samples) <= 5 * PAPER.learner.samples_per_lesson
    assert len(snapshot.population[0].hypothesis.traces) == len(short(5))


def test_few_samples_that_are_most_of_them_are_confirmed_by_nothing() -> None:
    assert attempt_for_paper(coded(short(4)), PAPER, math.inf) is None


def test_one_line_that_disagrees_leaves_it_to_the_search() -> None:
    first, *others = reversed(short(5))
    assert attempt_for_paper(coded([first._replace(target=first.target[::-1][:-1]), *others]), PAPER, math.inf) is None


def test_the_papers_machine_has_no_templates() -> None:
    examples = [
        command._replace(target=("(", *command.target, ")")) if "and" in command.source else command
        for command in short(5)
    ]
    lessons = coded(examples)
    assert attempt_for_paper(lessons, PAPER, math.inf) is None
    found = attempt_by_derivations({Reading.PLAIN: lessons}, Config(), math.inf)
    assert found is not None
    assert found.certain
    assert found.attempt.best.hypothesis.freedom == "templates"


def test_traces_are_searched_where_that_is_asked_for() -> None:
    searched = replace(PAPER, learner=replace(PAPER.learner, derivations=False))
    learned = learn(short(3), searched)
    assert learned.nodes > 0
    assert not learned.unsolved
