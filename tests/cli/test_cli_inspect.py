"""`ness eval`, `rules`, `trace` and `export` on a model of one's own, through the real command."""

import json
import subprocess
import sys
from pathlib import Path

from commands import ness
from own_data import TEST, TRAIN, trained_run, write


def test_eval_prints_the_object_of_the_design() -> None:
    run = trained_run()
    done = ness("eval", run, run.parent / "test.tsv", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    seconds = found["sets"][0].pop("seconds")
    assert seconds >= 0
    assert found == {
        "task": str(run.parent / "test.tsv"),
        "engine": "rules",
        "sets": [{"name": "test", "n": 2, "exact": 1.0, "errors": 0}],
    }


def test_eval_lists_wrong_samples(tmp_path: Path) -> None:
    wrong = write(tmp_path / "odd.tsv", [*TEST, ("walk", "RUN"), ("fly", "FLY")])
    done = ness("eval", trained_run(), wrong)
    assert done.returncode == 0
    assert "50.00% exact (2 of 4" in done.stdout
    assert "wrong: walk -> WALK (expected RUN)" in done.stdout
    assert "wrong: fly -> unknown word 'fly'" in done.stdout
    as_json = ness("eval", trained_run(), wrong, "--json", "--show", "1")
    assert json.loads(as_json.stdout)["sets"][0]["errors"] == 2
    assert as_json.stderr.splitlines() == ["  wrong: walk -> WALK (expected RUN)", "  and 1 more; --show 2 lists all"]


def test_eval_without_a_file_uses_the_training_file() -> None:
    done = ness("eval", trained_run(), "--json")
    assert json.loads(done.stdout)["sets"][0]["n"] == len(TRAIN)


def test_rules_are_printed_as_text_and_json() -> None:
    text = ness("rules", trained_run()).stdout
    assert "<jump> = jump look run walk" in text
    assert "[jump] => [JUMP] 1" in text
    table = json.loads(ness("rules", trained_run(), "--format", "json").stdout)
    assert table == json.loads((trained_run() / "rules.json").read_text(encoding="utf-8"))


def test_a_trace_is_drawn_written_as_json_and_as_a_page(tmp_path: Path) -> None:
    drawn = ness("trace", trained_run(), "jump twice", "--engine", "rules")
    assert drawn.returncode == 0
    assert "REDUCE JUMP" in drawn.stdout
    assert "rule category, support" in drawn.stdout
    assert drawn.stdout.splitlines()[-1] == "output JUMP JUMP"
    data = json.loads(ness("trace", trained_run(), "jump twice", "--json").stdout)
    assert data["output"] == ["JUMP", "JUMP"]
    assert {"rule", "support", "probability", "status", "alternatives"} == set(data["steps"][0]["reason"])
    page = tmp_path / "trace.html"
    assert ness("trace", trained_run(), "jump twice", "--html", page).stderr == f"wrote {page}; open it in a browser\n"
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_trace_that_fails_names_the_step_and_the_status() -> None:
    done = ness("trace", trained_run(), "twice jump")
    assert done.returncode == 1
    assert done.stderr == (
        "error: step 1, before the word 'twice', with an empty stack: "
        "no training example shows what to do; add a short example with 'twice' in such a place\n"
    )


def test_a_strict_trace_refuses_what_a_strict_prediction_refuses() -> None:
    shown = ness("trace", trained_run(), "walk twice twice")
    assert shown.returncode == 0
    assert shown.stdout.splitlines()[-1] == "output WALK WALK WALK WALK"
    assert "support 0" in shown.stderr
    refused = ness("trace", trained_run(), "walk twice twice", "--strict")
    assert refused.returncode == 1
    assert "output" not in refused.stdout
    predicted = ness("predict", trained_run(), "walk twice twice", "--strict")
    assert refused.stderr.removeprefix("error: ") == predicted.stderr.removeprefix("line 1: ")
    assert ness("trace", trained_run(), "walk twice", "--strict").stderr == ""


def test_a_very_long_trace_is_cut_and_says_so(tmp_path: Path) -> None:
    page = tmp_path / "long.html"
    done = ness("trace", trained_run(), "walk " + "twice " * 18, "--html", page)
    assert done.returncode == 0
    assert page.stat().st_size < 20_000_000


def test_export_answers_as_the_rules_do(tmp_path: Path) -> None:
    translator = tmp_path / "translator.py"
    assert ness("export", trained_run(), "-o", translator).returncode == 0
    done = subprocess.run([sys.executable, translator, "jump twice"], capture_output=True, text=True)
    assert done.stdout == "JUMP JUMP\n"
    rules = tmp_path / "rules.json"
    assert ness("export", trained_run(), "-o", rules, "--format", "json").returncode == 0
    assert json.loads(rules.read_text(encoding="utf-8")).keys() >= {"categories"}
