"""Without torch: everything by rules works, and what needs a network says so in one line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from controller_task import SMALL, fresh, table, traces, vocabularies
from ness.config import Config
from ness.model.model import Model
from ness.model.run_folder import save_run
from ness.model.summary import Summary

NO_TORCH = """
import sys
sys.modules.update(dict.fromkeys(("torch", "safetensors")))
"""
INSTALL = "pip install 'ness-machine[network]'"
DATA = {
    "walk": "WALK",
    "run": "RUN",
    "walk twice": "WALK WALK",
    "run twice": "RUN RUN",
    "walk and run": "WALK RUN",
    "run and walk": "RUN WALK",
    "walk twice and run": "WALK WALK RUN",
}


BY_RULES = [
    (["predict", "runs/my", "run twice and walk"], "RUN RUN WALK\n"),
    (["predict", "network", "walk twice", "--engine", "rules"], "I_WALK I_WALK\n"),
    (["predict", "runs/my", "walk", "--n-best", "2"], "WALK\n"),
    (["eval", "runs/my"], "(7 of 7"),
    (["rules", "runs/my"], "categories"),
    (["trace", "runs/my", "walk twice"], "CONCAT_S"),
    (["trace", "runs/my", "walk twice", "--html", "t.html"], ""),
    (["export", "runs/my", "-o", "t.py"], ""),
    (["run", "SHIFT; REDUCE A; FINAL", "a"], "output A\n"),
    (["tasks"], "scan/length"),
]
BY_NETWORK = [
    ["train", "my.tsv", "--preset", "paper", "--out", "x"],
    ["train", "my.tsv", "--device", "cuda", "--out", "x"],
    ["predict", "network", "walk"],
    ["eval", "network", "my.tsv", "--engine", "both"],
    ["rules", "network"],
]
TOGETHER = f"""{NO_TORCH}
import json
from commands import ness
done = [ness(*arguments) for arguments in json.loads(sys.argv[1])]
print(json.dumps([(one.returncode, one.stdout, one.stderr) for one in done]))
"""
Done = tuple[int, str, str]  # exit code, output, errors


def light(folder: Path, *commands: list[str]) -> list[Done]:
    """Run `ness` as where torch is not installed: one process for all commands, since most of its time is the start."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    process = [sys.executable, "-c", TOGETHER, json.dumps(commands)]
    done = subprocess.run(process, capture_output=True, text=True, cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    return [(code, output, errors) for code, output, errors in json.loads(done.stdout)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with examples, a run learned without torch, and a run that has a network."""
    path = tmp_path_factory.mktemp("light")
    (path / "my.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in DATA.items()))
    ((code, output, errors),) = light(path, ["train", "my.tsv", "--quiet"])
    assert code == 0, errors
    assert f"network        not trained: torch and safetensors not installed; {INSTALL}\n" in output
    summary = Summary("examples", "digest", len(traces()), agreement=1.0)
    network = Model(Config(controller=SMALL), vocabularies(), table(), summary, traces(), network=fresh())
    save_run(path / "network", network)
    return path


@pytest.fixture(scope="module")
def done(folder: Path) -> dict[str, Done]:
    """What each command does."""
    commands = [*(arguments for arguments, _ in BY_RULES), *BY_NETWORK]
    return dict(zip(map(" ".join, commands), light(folder, *commands), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "expected"), BY_RULES, ids=[" ".join(arguments) for arguments, _ in BY_RULES])
def test_what_rules_can_do_needs_no_torch(arguments: list[str], expected: str, done: dict[str, Done]) -> None:
    code, output, errors = done[" ".join(arguments)]
    assert code == 0, errors
    assert expected in output


@pytest.mark.slow
@pytest.mark.parametrize("arguments", BY_NETWORK, ids=" ".join)
def test_what_needs_a_network_says_so_in_one_line(arguments: list[str], done: dict[str, Done]) -> None:
    code, output, errors = done[" ".join(arguments)]
    assert (code, output, errors.count("\n")) == (1, "", 1), errors
    assert INSTALL in errors


def test_the_python_interface_learns_and_answers() -> None:
    code = f"""{NO_TORCH}
from ness import Transducer
data = {DATA!r}
model = Transducer().fit(list(data), list(data.values()))
print(model.predict(["run twice and walk"]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "['RUN RUN WALK']\n", done.stderr


def test_only_the_extra_needs_torch() -> None:
    """What a light install leaves out is in the extra that the messages name."""
    import tomllib

    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert not any(name in json.dumps(project["dependencies"]) for name in ("torch", "safetensors"))
    assert {each.split(">=")[0] for each in project["optional-dependencies"]["network"]} == {"torch", "safetensors"}
