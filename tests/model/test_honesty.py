"""The learner learns: nothing in it knows a grammar, and it is never shown a test."""

import ast
import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ness
from ness.cli.main import app
from ness.data import Task, load_task
from ness.data.example import Example
from ness.learn.learner import learn
from ness.model import train as pipeline

PACKAGE = Path(ness.__file__).parent
LEARNING = sorted(
    path
    for part in ("machine", "rules", "learn", "network", "paper", "answer", "model")
    for path in (PACKAGE / part).rglob("*.py")
)
# The rest of ness.data generates the tasks: scan, fewshot, random_grammar, parsing, invented, translation, ...
NEUTRAL = {"ness.data.example", "ness.data.lessons", "ness.data.files", "ness.data.spelling"}


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, anywhere in it, or names as strings."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "write imports in full"
            yield str(node.module)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_there_is_something_to_check() -> None:
    assert {"best_first.py", "categories.py", "learner.py", "train.py"} <= {path.name for path in LEARNING}


@pytest.mark.parametrize("path", LEARNING, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_the_learner_knows_no_task(path: Path) -> None:
    known = {name for name in imported(path) if name == "ness.data" or name.startswith("ness.data.")}
    assert known <= NEUTRAL
    assert not {"importlib", "pkgutil"} & set(imported(path))


def test_learning_takes_training_examples_only() -> None:
    for function in (learn, pipeline.train):
        parameters = list(inspect.signature(function).parameters)
        assert parameters[:2] == ["examples", "config"]
        assert not [name for name in parameters if "test" in name or "valid" in name]


class Untouchable(Mapping[str, list[Example]]):
    """Test sets that nobody may look at."""

    def __getitem__(self, name: str) -> list[Example]:
        raise AssertionError("training looked at a test set")

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("training looked for test sets")

    def __len__(self) -> int:
        raise AssertionError("training counted test sets")


def test_training_a_task_never_touches_its_tests(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    task = load_task("fewshot")

    def hidden(name: str, seed: int = 0, data_dir: Path | None = None) -> Task:
        return Task(task.name, task.train, Untouchable(), task.plan)

    monkeypatch.setattr("ness.data.load_task", hidden)
    with pytest.raises(AssertionError, match="looked for"):
        list(hidden("fewshot").tests)
    done = CliRunner().invoke(app, ["train", "fewshot", "--rules-only", "--quiet", "--out", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
