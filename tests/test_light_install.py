"""Without torch: everything by rules works, and what needs a network says so in one line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from controller_task import SMALL, table, traces, trained, vocabularies
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


def light(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `ness` as where torch is not installed."""
    code = f"{NO_TORCH}from ness.cli.main import main\nmain()"
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with examples, a run learned without torch, and a run that has a network."""
    path = tmp_path_factory.mktemp("light")
    (path / "my.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in DATA.items()))
    done = light(path, "train", "my.tsv", "--quiet")
    assert done.returncode == 0, done.stderr
    assert f"network        not trained: torch and safetensors not installed; {INSTALL}\n" in done.stdout
    summary = Summary("examples", "digest", len(traces()), agreement=1.0)
    network = Model(Config(controller=SMALL), vocabularies(), table(), summary, traces(), network=trained()[0])
    save_run(path / "network", network)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "output"),
    [
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
    ],
    ids=lambda part: " ".join(part) if isinstance(part, list) else "",
)
def test_what_rules_can_do_needs_no_torch(arguments: list[str], output: str, folder: Path) -> None:
    done = light(folder, *arguments)
    assert done.returncode == 0, done.stderr
    assert output in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "my.tsv", "--preset", "paper", "--out", "x"],
        ["train", "my.tsv", "--device", "cuda", "--out", "x"],
        ["predict", "network", "walk"],
        ["eval", "network", "my.tsv", "--engine", "both"],
        ["rules", "network"],
    ],
    ids=" ".join,
)
def test_what_needs_a_network_says_so_in_one_line(arguments: list[str], folder: Path) -> None:
    done = light(folder, *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.stderr
    assert INSTALL in done.stderr


def test_the_python_interface_learns_and_answers(folder: Path) -> None:
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
