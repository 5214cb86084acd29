"""Stopping `ness train` at any moment: Ctrl-C leaves a usable folder, kill -9 one that can be resumed."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from commands import NESS, ness

SEARCHED = "--set=learner.derivations=false"  # lesson by lesson
# Enough verbs that a training is far from its end when it is stopped, however late the signal comes.
VERBS = {"walk": "WALK", "run": "RUN", "look": "LOOK", "jump": "JUMP"} | {f"do{n}": f"DO{n}" for n in range(26)}
OFTEN = {"": 1, " twice": 2, " thrice": 3}
SINGLE = [
    (f"{verb}{often}", " ".join([token] * n)) for (verb, token), (often, n) in product(VERBS.items(), OFTEN.items())
]
PAIRS = SINGLE + [(f"{a} and {b}", f"{x} {y}") for (a, x), (b, y) in product(SINGLE, SINGLE)]


def write(path: Path) -> Path:
    path.write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS), encoding="utf-8")
    return path


def stop_after_lesson(
    data: Path, run: Path, lesson: int, sign: signal.Signals, to: Callable[[int, int], None] = os.killpg
) -> tuple[int, str]:
    """Send a signal after a lesson, to the training and all its processes or to it alone: its code and last words."""
    process = subprocess.Popen(
        [NESS, "train", data, "--rules-only", SEARCHED, "--out", run],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr
    for line in process.stderr:
        if f"lesson {lesson} of" in line:
            break
    to(process.pid, sign)
    rest = process.stderr.read()  # ends once nobody holds the pipe any more
    process.stderr.close()
    return process.wait(), rest


@pytest.fixture(scope="module")
def unbroken_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unbroken")
    assert ness("train", write(folder / "my.tsv"), "--rules-only", SEARCHED, "--out", folder / "run").returncode == 0
    return folder / "run"


@pytest.mark.slow
def test_ctrl_c_leaves_a_usable_folder_and_resume_ends_as_an_unbroken_run(tmp_path: Path, unbroken_run: Path) -> None:
    data = write(tmp_path / "my.tsv")
    code, words = stop_after_lesson(data, tmp_path / "run", 2, signal.SIGINT)
    assert code == 130
    assert "go on with the same command and --resume" in words
    assert "Traceback" not in words
    partial = ness("predict", tmp_path / "run", "walk twice")
    assert (partial.returncode, partial.stdout) == (0, "WALK WALK\n")
    assert ness("train", data, "--rules-only", SEARCHED, "--out", tmp_path / "run", "--resume").returncode == 0
    for name in ("rules.json", "traces.jsonl.gz"):
        assert (tmp_path / "run" / name).read_bytes() == (unbroken_run / name).read_bytes()
    assert json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))["complete"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sign", "to"), [(signal.SIGTERM, os.kill), (signal.SIGHUP, os.kill), (signal.SIGHUP, os.killpg)]
)
def test_a_request_to_end_is_as_ctrl_c_and_leaves_no_process_behind(
    sign: signal.Signals, to: Callable[[int, int], None], tmp_path: Path
) -> None:
    data = write(tmp_path / "my.tsv")
    code, words = stop_after_lesson(data, tmp_path / "run", 2, sign, to)
    assert (code, words.splitlines()[-1]) == (130, "stopped")
    assert ness("predict", tmp_path / "run", "walk twice").stdout == "WALK WALK\n"


def test_a_killed_training_leaves_no_process_behind(tmp_path: Path) -> None:
    code, _ = stop_after_lesson(write(tmp_path / "my.tsv"), tmp_path / "run", 2, signal.SIGKILL, to=os.kill)
    assert code == -signal.SIGKILL  # and the pipe was closed, which every process of the training held


@pytest.mark.slow
def test_a_killed_run_says_how_to_go_on_and_loses_no_whole_lesson(tmp_path: Path, unbroken_run: Path) -> None:
    data = write(tmp_path / "my.tsv")
    code, _ = stop_after_lesson(data, tmp_path / "run", 2, signal.SIGKILL)
    assert code == -signal.SIGKILL
    done = ness("predict", tmp_path / "run", "walk")
    assert done.returncode == 1
    assert "--resume" in done.stderr
    assert done.stderr.count("\n") == 1
    journal = (tmp_path / "run" / "state" / "lessons.jsonl").read_text(encoding="utf-8")
    (tmp_path / "run" / "state" / "lessons.jsonl").write_text(journal + '{"attempt": 1, "les', encoding="utf-8")
    assert ness("train", data, "--rules-only", SEARCHED, "--out", tmp_path / "run", "--resume").returncode == 0
    assert (tmp_path / "run" / "rules.json").read_bytes() == (unbroken_run / "rules.json").read_bytes()


def network_arguments(folder: Path) -> list[str | Path]:
    """Training of a small network that takes all its steps."""
    data = folder / "my.tsv"
    data.write_text("".join(f"{source}\t{target}\n" for source, target in SINGLE), encoding="utf-8")
    sizes = ["--set=controller.hidden_size=16", "--set=controller.embedding_size=16", "--device=cpu"]
    steps = ["--set=training.max_steps=120", "--set=training.loss_threshold=1e-9", "--set=training.checkpoint_every=10"]
    return ["train", data, "--quiet", *sizes, *steps]


@pytest.fixture(scope="module")
def unbroken_weights(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("unbroken")
    done = ness(*network_arguments(folder), "--out", folder / "run")
    assert "the budget of steps is used up (120 steps" in done.stdout
    return (folder / "run" / "controller.safetensors").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_a_network_that_was_stopped_answers_by_rules_and_resumes_to_the_same_weights(
    sign: signal.Signals, tmp_path: Path, unbroken_weights: bytes
) -> None:
    arguments = network_arguments(tmp_path)
    process = subprocess.Popen(
        [NESS, *arguments, "--out", tmp_path / "run"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    state = tmp_path / "run" / "state" / "controller-training.safetensors"
    while not state.exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(sign)
    assert process.wait() in (130, -signal.SIGKILL)
    assert ness("predict", tmp_path / "run", "walk twice").stdout == "WALK WALK\n"
    assert not (tmp_path / "run" / "controller.safetensors").exists()
    done = ness(*arguments, "--out", tmp_path / "run", "--resume")
    assert "the budget of steps is used up (120 steps" in done.stdout
    assert (tmp_path / "run" / "controller.safetensors").read_bytes() == unbroken_weights
