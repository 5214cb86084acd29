"""`ness predict` by a beam: what is printed is itself supported, agreed upon and traced."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from commands import ness
from ness.answer.engine import AnyEngine
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.machine import Instruction, Status, parse_program
from ness.model.model import Model
from ness.model.run_folder import save_run
from ness.model.summary import Summary
from ness.network.vocabularies import Vocabularies
from ness.rules.table import Categories, RuleTable

Z = "SHIFT; SHIFT; REDUCE Z; FINAL"
AT_ONCE = "SHIFT; SHIFT; REDUCE A B; FINAL"
PART_BY_PART = "SHIFT; REDUCE A; CONCAT_M 0; SHIFT; REDUCE B; CONCAT_S 1,0; FINAL"


def learned(**counts: int) -> RuleTable:
    """Rules from traces of `a b`, each program as often as it is said."""
    programs = {"Z": Z, "AT_ONCE": AT_ONCE, "PART_BY_PART": PART_BY_PART}
    return RuleTable.from_traces(
        [(("a", "b"), parse_program(programs[name])) for name, count in counts.items() for _ in range(count)],
        Categories(),
    )


# Greedy decisions give Z; all executions together, A B.
UNDECIDED = learned(Z=5, AT_ONCE=4, PART_BY_PART=4)


class Network(RuleEngine):
    """Decides in a way of its own, with the support of the traces."""

    def __init__(self, decides: RuleTable, traced: RuleTable) -> None:
        super().__init__(decides)
        self._traced = traced

    def support(self, status: Status, instruction: Instruction) -> int:
        return self._traced.support(status, instruction)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A run with the rules of the parameter, and a network that is undecided."""
    rules: RuleTable = request.param
    model = Model(Config(), Vocabularies(("a", "b"), ("A", "B", "Z")), rules, Summary("x", "digest", 1), [])
    save_run(tmp_path / "run", model)

    def engine(self: Model, name: str | None = None, device: str = "auto") -> AnyEngine:
        return RuleEngine(rules) if name == "rules" else Network(UNDECIDED, rules)

    monkeypatch.setattr(Model, "has_controller", True)
    monkeypatch.setattr(Model, "engine", engine)
    return tmp_path / "run"


def record(run: Path, *options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ness("predict", run, "a b", "--jsonl", *options).stdout)
    return found


def output_of(program: Sequence[str]) -> str:
    return " ".join(json.loads(ness("run", "; ".join(program), "a b", "--json").stdout)["output"])


@pytest.mark.parametrize("run", [learned(Z=3)], indirect=True)
@pytest.mark.parametrize("options", [["--beam", "5"], ["--n-best", "2"]])
def test_a_strict_answer_of_a_beam_is_supported_itself(run: Path, options: list[str]) -> None:
    free = record(run, *options)
    assert (free["output"], free["support"], output_of(free["trace"])) == ("A B", 0, "A B")
    strict = record(run, *options, "--strict")
    assert (strict["output"], strict["support"], output_of(strict["trace"])) == ("Z", 3, "Z")
    assert strict["candidates"] == [{"output": "Z", "probability": strict["probability"], "support": 3}]
    assert ness("predict", run, "a b", *options, "--strict").stdout == "Z\n"


@pytest.mark.parametrize("run", [UNDECIDED], indirect=True)
def test_nothing_is_printed_where_every_answer_of_a_beam_is_refused(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Network, "support", lambda self, status, instruction: 0)
    done = ness("predict", run, "a b", "--n-best", "3", "--strict")
    assert (done.returncode, done.stdout) == (1, "\n")
    assert "no training example shows this" in done.stderr


@pytest.mark.parametrize("run", [learned(Z=3)], indirect=True)
def test_both_refuse_a_likeliest_answer_that_the_rules_do_not_give(run: Path) -> None:
    assert ness("predict", run, "a b", "--engine", "both").stdout == "Z\n"
    for options in (["--beam", "5"], ["--n-best", "2"]):
        done = ness("predict", run, "a b", "--engine", "both", *options)
        assert (done.returncode, done.stdout) == (1, "\n")
        assert done.stderr == "line 1: controller and rules disagree: A B | Z\n"


@pytest.mark.parametrize("run", [learned(PART_BY_PART=2)], indirect=True)
def test_both_agree_on_what_a_beam_finds(run: Path) -> None:
    assert ness("predict", run, "a b", "--engine", "both").returncode == 1
    found = record(run, "--engine", "both", "--n-best", "2", "--strict")
    assert (found["output"], found["support"], output_of(found["trace"])) == ("A B", 2, "A B")
    assert [one["output"] for one in found["candidates"]] == ["A B"]  # Z is the network's alone
