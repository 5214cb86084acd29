"""The summary counts what an engine really answers to the examples that have no rules."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ness.answer.rule_engine import RuleEngine
from ness.cli.summary import next_command
from ness.data import Example
from ness.machine import parse_program
from ness.model.model import EngineChoice
from ness.model.report import what_is_refused
from ness.rules import Categories, RuleTable


def test_right_and_wrong_answers_of_the_network_are_told_apart() -> None:
    program = parse_program("SHIFT; REDUCE WALK; FINAL")
    engines = {
        "controller": RuleEngine(RuleTable.from_traces([(("walk",), program)], Categories())),
        "rules": RuleEngine(RuleTable()),
    }
    model: Any = SimpleNamespace(
        default_engine=EngineChoice("controller", "it agrees"), engine=lambda name="controller": engines[name]
    )
    right, wrong, refused = Example(("walk",), ("WALK",)), Example(("walk",), ("RUN",)), Example(("run",), ("RUN",))
    assert what_is_refused(model, [right, wrong, refused]) == (
        "of 3 unsolved examples it refuses 1 with a reason and answers 1 wrongly and 1 rightly; "
        "with --strict it refuses 1, with --engine rules it refuses 3"
    )
    assert "answers 1 wrongly;" in what_is_refused(model, [wrong])


def test_the_next_command_names_where_the_data_is() -> None:
    model: Any = SimpleNamespace(summary=SimpleNamespace(next_to_nothing=False, task="translation"))
    assert next_command(model, Path("runs/my run"), None) == "ness eval 'runs/my run'"
    assert next_command(model, Path("runs/mt"), Path("my data")) == "ness eval runs/mt --data 'my data'"
