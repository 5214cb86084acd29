"""`ness rules`: what was learned; and rules that were edited by hand."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from commands import NESS, ness
from controller_task import SMALL, table, traces, trained, vocabularies
from ness.config import Config
from ness.model.model import Model
from ness.model.run_folder import load_run, save_run
from ness.model.summary import Summary
from own_data import trained_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    shutil.copytree(trained_run(), tmp_path / "run")
    return tmp_path / "run"


def edit(run: Path, old: str, new: str) -> None:
    text = (run / "rules.json").read_text(encoding="utf-8")
    assert old in text
    (run / "rules.json").write_text(text.replace(old, new), encoding="utf-8")


def test_edited_rules_are_refused_with_the_way_to_take_them(run: Path) -> None:
    edit(run, '"JUMP"', '"HOP"')
    done = ness("predict", run, "jump twice")
    assert done.returncode == 1
    assert f"if you edited it: ness rules {run} --accept" in done.stderr


def test_edited_rules_are_checked_and_accepted(run: Path) -> None:
    edit(run, '"JUMP"', '"HOP"')
    checked = ness("rules", run, "--check")
    assert checked.returncode == 0
    assert checked.stdout == (
        f"{run / 'rules.json'} is sound: 9 of 10 training examples are answered as before\n"
        "  changed: jump: HOP instead of JUMP\n"
    )
    assert ness("predict", run, "jump twice").returncode == 1  # checking changes nothing
    assert ness("rules", run, "--accept").stderr == "accepted\n"
    assert ness("predict", run, "jump twice").stdout == "HOP HOP\n"


@pytest.mark.parametrize("text", ["", "[", '{"operators": 3}', "[" * 200_000])
def test_edited_rules_that_are_not_sound_are_not_accepted(text: str, run: Path) -> None:
    (run / "rules.json").write_text(text, encoding="utf-8")
    manifest = (run / "manifest.json").read_bytes()
    done = ness("rules", run, "--accept")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert (run / "manifest.json").read_bytes() == manifest
    assert str(run / "rules.json") in done.stderr


@pytest.mark.slow
def test_a_network_does_not_answer_in_place_of_accepted_rules(tmp_path: Path) -> None:
    summary = Summary("examples", "digest", len(traces()), agreement=1.0)
    model = Model(Config(controller=SMALL), vocabularies(), table(), summary, traces(), network=trained()[0])
    save_run(tmp_path, model)
    assert load_run(tmp_path).default_engine.name == "controller"
    assert ness("rules", tmp_path, "--accept").stderr == "accepted\n"  # nothing was edited
    assert load_run(tmp_path).has_controller
    rules = json.loads((tmp_path / "rules.json").read_text(encoding="utf-8"))
    (tmp_path / "rules.json").write_text(json.dumps(rules), encoding="utf-8")
    assert "the network, which imitates the old rules, is left out" in ness("rules", tmp_path, "--accept").stderr
    assert load_run(tmp_path).default_engine == ("rules", "no network was trained")


@pytest.mark.parametrize("command", ["rules RUN", "predict RUN"])
def test_a_reader_that_has_seen_enough_is_no_failure(command: str, tmp_path: Path) -> None:
    (tmp_path / "many").write_text("walk\n" * 20_000)
    ask = command.replace("RUN", str(trained_run()))
    shell = f"set -o pipefail; {NESS} {ask} < {tmp_path / 'many'} | head -1"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1
