"""The registry of tasks, `ness tasks` and `ness data`."""

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from commands import ness, python
from ness.cli.data import data, tasks
from ness.data.files import read_examples
from ness.data.lessons import by_length, scan_lessons
from ness.data.tasks import is_task, load_task, task_names, task_table
from ness.errors import DataError

app = typer.Typer()
app.command("tasks")(tasks)
app.command("data")(data)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name in task_names() if ":std" not in name and name not in ("translation", "cogs")]
)
def test_sizes_are_as_listed(name: str) -> None:
    entry, task = task_table()[name], load_task(name)
    assert task.name == name
    assert len(task.train) == entry.train
    assert {test: len(examples) for test, examples in task.tests.items()} == entry.tests


def test_names() -> None:
    assert {"scan/length", "scan/simple", "fewshot", "translation", "cfg/while", "cfg/lambda:std-50"} <= set(
        task_names()
    )
    assert is_task("cfg/lambda:curriculum")
    assert is_task("fewshot/random:12345")
    assert not is_task("fewshot/random:x")
    assert not is_task("scan")


def test_aliases_and_seeds() -> None:
    assert load_task("cfg/while:curriculum").train == load_task("cfg/while").train
    assert load_task("cfg/while", seed=1).train != load_task("cfg/while").train
    assert load_task("fewshot/random:5").train != load_task("fewshot/random:6").train
    assert load_task("fewshot/random:5", seed=1).train == load_task("fewshot/random:5").train


def test_lessons_follow_the_plan_of_the_task() -> None:
    scan, fewshot = load_task("scan/jump"), load_task("fewshot")
    assert scan.lessons == scan_lessons(scan.train)
    assert fewshot.lessons == by_length(fewshot.train)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("scan/lenght", "did you mean 'scan/length'?"),
        ("cfg/whale", "did you mean 'cfg/while'?"),
        ("fewshot/random:", "did you mean 'fewshot/random:0'?"),
        ("qqqqqq", "`ness tasks` lists them all"),
        ("", "`ness tasks` lists them all"),
    ],
)
def test_unknown_task(name: str, hint: str) -> None:
    with pytest.raises(DataError) as caught:
        load_task(name)
    assert str(caught.value) == f"there is no task {name!r}; {hint}"


def test_tasks_command_lists_every_task() -> None:
    result = CliRunner().invoke(app, ["tasks"])
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert [line.split()[0] for line in lines[1:]] == task_names()
    assert "scan/length" in lines[1]
    assert "16,990" in lines[1]
    assert "3,920" in lines[1]


def test_data_command_writes_files_that_read_back(tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    result = CliRunner().invoke(app, ["data", "invented/robot", "--out", str(out), "--seed", "4"])
    assert result.exit_code == 0, result.output
    task = load_task("invented/robot", seed=4)
    assert read_examples(out / "train.tsv").examples == task.train
    assert read_examples(out / "test.tsv").examples == task.tests["test"]
    assert f"{out / 'train.tsv'}: 300 examples" in result.output


def test_data_command_names_test_sets_and_limits_them(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["data", "cfg/lambda", "--out", str(tmp_path), "--limit", "2"])
    assert result.exit_code == 0, result.output
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"train.tsv", *(f"test-{length}.tsv" for length in (10, 50, 100, 500, 1000, 5000))}
    assert len(read_examples(tmp_path / "test-5000.tsv").examples) == 2


def test_data_command_raises_clear_errors(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    result = CliRunner().invoke(app, ["data", "fewshot", "--out", str(blocked)])
    assert isinstance(result.exception, DataError)
    assert str(result.exception).startswith(f"cannot write {blocked / 'train.tsv'}")


def test_data_does_not_import_torch() -> None:
    code = "import sys, ness.data.tasks, ness.cli.data; sys.exit('torch' in sys.modules)"
    assert python(code).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["data", "scan/lenght", "--out", "out"],
            1,
            "error: there is no task 'scan/lenght'; did you mean 'scan/length'?",
        ),
        (["data", "fewshot", "--out", "file"], 1, "error: cannot write file/train.tsv: "),
        (["data", "translation", "--data", "file", "--out", "out"], 1, "error: file holds no train.txt and test.txt"),
        (["data", "fewshot"], 2, "missing option '--out'"),
        (["data", "fewshot", "--out", "out", "--seed", "x"], 2, "invalid value for '--seed'"),
        (["tasks", "more"], 2, "unexpected extra argument"),
    ],
)
def test_real_command_fails_clearly(tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    (tmp_path / "file").write_text("")
    done = ness(*arguments, cwd=tmp_path)
    assert done.returncode == code
    assert message in done.stderr
    assert done.stdout == ""
    assert code == 2 or len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()
