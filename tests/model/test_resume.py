"""Going on from an earlier run: examples are read without running programs; rivals are kept while they fit."""

from pathlib import Path

from ness.config import Config
from ness.data.example import Example, example_of
from ness.machine import parse_program
from ness.model.resume import tables_that_fit
from ness.model.run_folder import load_run
from ness.model.train import train
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
