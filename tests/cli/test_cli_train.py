"""`ness train`, `eval`, `rules`, `trace` and `export` on a file of one's own, through the real command."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from clock import ticking
from commands import ness, python
from ness.cli.progress import describe
from ness.files import sole_writer
from ness.learn.events import LessonReport
from ness.model.run_folder import load_run
from ness.network.imitation import Progress
from own_data import TEST, TRAIN, trained_run, tsv

SMALL = [f"--set=controller.{size}=24" for size in ("hidden_size", "embedding_size")]
SMALL += ["--set=training.learning_rate=5e-3", "--device=cpu"]


def write(path: Path, pairs: list[tuple[str, str]]) -> Path:
    path.write_text(tsv(pairs), encoding="utf-8")
    return path


def test_training_ends_with_a_summary_that_says_what_to_do_next(tmp_path: Path) -> None:
    done = ness("train", write(tmp_path / "my.tsv", TRAIN), "--rules-only", cwd=tmp_path)
    assert done.returncode == 0
    lines = dict(line.split(maxsplit=1) for line in done.stdout.splitlines() if not line.startswith(" "))
    assert lines["learned"].startswith("10 of 10 examples, in ")
    assert "{jump look run walk}" in lines["categories"]
    assert lines["model"] == "runs/my"
    assert "lesson 2 of 2" in done.stderr
    again = ness(*lines["next"].split()[1:], cwd=tmp_path)
    assert (again.returncode, again.stderr) == (0, "")


def test_what_rests_on_one_example_is_named(tmp_path: Path) -> None:
    pairs = [*TRAIN, ("walk around run", "RUN WALK RUN")]
    done = ness("train", write(tmp_path / "my.tsv", pairs), "--rules-only", "--quiet", cwd=tmp_path)
    assert done.stderr == ""
    advice = done.stdout[done.stdout.index("to add") :]
    assert "  line 11: walk around run\n    seen once: " in advice
    assert advice.count("walk around run") == 1


def test_contradictory_examples_are_listed_and_left_out(tmp_path: Path) -> None:
    pairs = [*TRAIN, ("walk twice", "WALK")]
    done = ness("train", write(tmp_path / "my.tsv", pairs), "--rules-only", "--quiet", cwd=tmp_path)
    assert done.returncode == 0
    assert "contradictory  1, left out" in done.stdout
    assert "  line 11: walk twice -> WALK\n" in done.stdout
    assert "1 sources with contradictory targets" in done.stderr


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
        "error: step 2, before the word 'jump', with 'twice' on top of the stack: "
        "no training example shows what to do; add a short example with 'jump' in such a place\n"
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


@pytest.mark.slow
def test_resume_adds_a_network_that_agrees_with_the_rules(tmp_path: Path) -> None:
    data, run = write(tmp_path / "my.tsv", TRAIN), tmp_path / "run"
    assert ness("train", data, "--out", run, "--rules-only").returncode == 0
    rules = (run / "rules.json").read_bytes()
    done = ness("train", data, "--out", run, "--resume", *SMALL)
    assert done.returncode == 0, done.stderr
    assert "lesson" not in done.stderr
    assert "all training decisions reproduced" in done.stdout
    assert (run / "rules.json").read_bytes() == rules
    found = json.loads(ness("eval", run, write(tmp_path / "test.tsv", TEST), "--engine", "both", "--json").stdout)
    assert found["engine"] == "both"
    assert found["sets"][0]["exact"] == found["sets"][0]["rules_exact"] == 1.0
    assert found["sets"][0]["disagreements"] == 0
    assert "# network and table differ in 0 rules" in ness("rules", run).stdout
    assert ness("predict", run, "jump twice", "--engine", "both").stdout == "JUMP JUMP\n"
    assert json.loads(ness("eval", run, "--engine", "network", "--json").stdout)["engine"] == "controller"


@pytest.mark.slow
def test_where_the_network_was_cut_off_the_rules_answer_until_it_is_trained_to_the_end(tmp_path: Path) -> None:
    file, run = write(tmp_path / "my.tsv", TRAIN), tmp_path / "run"
    endless = ["--set=training.loss_threshold=0", "--set=training.max_steps=1000000", "--set=training.evaluate_every=5"]
    cut = ness("train", file, "--out", run, "--time-limit", "4", "--quiet", *SMALL, *endless)
    assert cut.returncode == 0
    assert "the time limit was reached, so the rules answer" in cut.stdout
    assert json.loads(ness("eval", run, file, "--json").stdout)["engine"] == "rules"
    assert json.loads(ness("eval", run, file, "--json", "--engine", "controller").stdout)["engine"] == "controller"
    ended = ness("train", file, "--out", run, "--resume", "--quiet", *SMALL)
    assert (ended.returncode, "time limit" in ended.stdout) == (0, False)
    assert json.loads(ness("eval", run, file, "--json").stdout)["engine"] == "controller"


def test_the_time_that_is_left_is_told_when_it_can_be_estimated() -> None:
    start = Progress(lesson=1, step=0, max_steps=3000, losses={}, accuracy=0.1, seconds=0.0)
    assert describe(start) == "network, starting; at most 3000 steps"
    assert describe(replace(start, step=100, seconds=2.0)).endswith(
        "step 100 of at most 3000: loss 0.000, 10.0% of decisions right"
    )


def test_progress_says_in_words_what_is_in_the_way() -> None:
    fine = LessonReport(1, 3, 8, samples=40, errors=0.0, next_errors=0.0, rules=17, description_length=90.0, nodes=9)
    assert describe(fine) == "lesson 3 of 8: 17 rules explain all 40 examples so far"
    stuck = replace(fine, attempt=7, errors=0.25, stuck="a / b -> F X Y")
    assert describe(stuck) == (
        "attempt 7, lesson 3 of 8: 10 of 40 examples so far do not fit; the shortest: a / b -> F X Y; "
        "trying another beginning next"
    )


def test_progress_names_the_example_and_the_time_left(tmp_path: Path) -> None:
    pairs = [*TRAIN, ("run look", "P Q R S T U V")]
    few = ["--set=search.nodes=100", "--set=search.escalated_nodes=100", "--set=learner.attempts=1"]
    done = ness("train", write(tmp_path / "odd.tsv", pairs), "--rules-only", "--out", tmp_path / "run", *few)
    line = next(line for line in done.stderr.splitlines() if "do not fit" in line)
    assert "lesson 2 of 2: 1 of 11 examples so far do not fit; the shortest: run look -> P Q R S T U V; " in line
    assert line.endswith(" s left")


def test_a_search_that_the_time_limit_ended_is_told_and_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = TRAIN + [(f"{a} and {b}", f"{x} {y}") for a, x in TRAIN for b, y in TRAIN]
    arguments: list[str | Path] = ["train", write(tmp_path / "my.tsv", pairs), "--rules-only", "--quiet"]
    arguments += ["--out", tmp_path / "run", "--set=learner.workers=1", "--set=machine=paper"]
    with monkeypatch.context() as patched:
        ticking(patched)
        cut = ness(*arguments, "--time-limit", "0.1")
    assert "search         ended by the time limit; go on with --resume" in cut.stdout
    assert "missing" not in cut.stdout  # the search may still find it
    ended = ness(*arguments, "--resume")
    assert ended.stdout.startswith(f"learned        {len(set(pairs))} of {len(set(pairs))} examples, in ")


def test_a_finished_model_is_replaced_only_if_asked(tmp_path: Path) -> None:
    arguments: list[str | Path] = [
        "train",
        write(tmp_path / "my.tsv", TRAIN),
        "--rules-only",
        "--out",
        tmp_path / "run",
    ]
    assert ness(*arguments, "--quiet").returncode == 0
    refused = ness(*arguments)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == (
        f"error: {tmp_path / 'run'} holds a finished model; go on from it with --resume, or replace it with --force\n"
    )
    assert ness(*arguments, "--quiet", "--resume").returncode == 0
    assert ness(*arguments, "--quiet", "--force").returncode == 0


def test_resume_refuses_other_examples_and_other_settings(tmp_path: Path) -> None:
    assert ness("train", write(tmp_path / "a.tsv", TRAIN), "--out", tmp_path / "run", "--rules-only").returncode == 0
    done = ness("train", write(tmp_path / "b.tsv", TEST), "--out", tmp_path / "run", "--rules-only", "--resume")
    assert done.returncode == 1
    assert "was trained on other examples; --resume goes on where lines were added" in done.stderr
    done = ness("train", tmp_path / "a.tsv", "--out", tmp_path / "run", "--rules-only", "--resume", "--seed", "3")
    assert done.returncode == 1
    assert "was trained with other settings" in done.stderr


@pytest.mark.parametrize("way", ["--resume", "--more"])
def test_added_lines_go_on_from_what_was_learned(way: str, tmp_path: Path) -> None:
    run, file = tmp_path / "run", write(tmp_path / "my.tsv", TRAIN)
    assert ness("train", file, "--out", run, "--rules-only", "--quiet").returncode == 0
    before = load_run(run).traces()
    new = [("hop", "HOP"), ("hop twice", "HOP HOP"), ("look again", "LOOK AGAIN")]
    if way == "--more":
        done = ness("train", file, "--out", run, "--rules-only", "--more", write(tmp_path / "new.tsv", new))
    else:
        done = ness("train", write(file, TRAIN + new), "--out", run, "--rules-only", "--resume")
    assert done.stdout.startswith("learned        13 of 13 examples, in "), done.stderr
    assert "13 examples, some of them learned before: searching what is new" in done.stderr
    assert "lesson" not in done.stderr  # nothing was learned anew
    after = dict(load_run(run).traces())
    assert {source: after[source] for source, _ in before} == dict(before)
    assert ness("predict", run, "hop thrice", "jump again").stdout == "HOP HOP HOP\nJUMP AGAIN\n"


@pytest.mark.slow
def test_added_lines_that_do_not_fit_are_learned_with_all_others(tmp_path: Path) -> None:
    run, file = tmp_path / "run", write(tmp_path / "my.tsv", TRAIN)
    assert ness("train", file, "--out", run, "--rules-only", "--quiet").returncode == 0
    new = write(tmp_path / "new.tsv", [("run back", "P Q R S T U V W")])
    few = ["--set=learner.attempts=1"]
    done = ness("train", file, "--out", run, "--rules-only", "--more", new, "--force", *few)
    assert done.returncode == 1
    assert "was trained with other settings" in done.stderr
    done = ness("train", file, "--out", run, "--rules-only", "--more", new, "--time-limit", "20")
    assert "learned        11 of 11 examples" in done.stdout  # "back" stands for eight tokens
    assert "lesson" in done.stderr


@pytest.mark.parametrize("name", ["metrics.jsonl", "state", "state/lessons.jsonl"])
@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_a_folder_that_leads_elsewhere_or_hangs_is_not_written_to(name: str, kind: str, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.write_text("mine")
    path = tmp_path / "run" / name
    path.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(target)
    data = write(tmp_path / "my.tsv", TRAIN)
    for option in ("--force", "--resume"):
        done = ness("train", data, "--rules-only", "--out", tmp_path / "run", option)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == f"error: {path} is a link or no regular file; remove it, or choose another folder\n"
    assert target.read_text() == "mine"


def test_a_folder_that_cannot_be_written_to_is_told_before_anything_is_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: mode == os.R_OK)  # nothing is forbidden to root
    done = ness("train", write(tmp_path / "my.tsv", TRAIN), "--rules-only", "--out", tmp_path / "run")
    assert done.stderr == f"error: {tmp_path / 'run'} is not yours to write to; choose another folder for the run\n"


def test_a_file_in_place_of_a_folder_is_told(tmp_path: Path) -> None:
    data = write(tmp_path / "my.tsv", TRAIN)
    done = ness("train", data, "--rules-only", "--out", data)
    assert (done.returncode, done.stderr) == (1, f"error: {data} is a file; choose a folder for the run\n")


def test_two_trainings_do_not_write_into_one_folder(tmp_path: Path) -> None:
    data = write(tmp_path / "my.tsv", TRAIN)
    with sole_writer(tmp_path / "run"):
        done = ness("train", data, "--rules-only", "--out", tmp_path / "run")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"error: {tmp_path / 'run'} is being trained by another process; wait for it, or choose another folder\n"
    )
    assert not (tmp_path / "run").exists()
    assert ness("train", data, "--rules-only", "--out", tmp_path / "run").returncode == 0


def test_a_folder_with_other_files_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "letter.txt").write_text("dear", encoding="utf-8")
    done = ness("train", write(tmp_path / "a.tsv", TRAIN), "--out", tmp_path / "docs", "--rules-only")
    assert (done.returncode, done.stdout) == (1, "")
    assert "holds other files" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "scan/lenght"], "there is no task 'scan/lenght'; did you mean 'scan/length'?"),
        (["train", "nothing.tsv"], "nothing.tsv does not exist"),
        (
            ["train", "nofile"],
            "there is no task 'nofile'; `ness tasks` lists them all; nor is there a file 'nofile' here",
        ),
        (["train", "fewshot", "--set", "search.node=3"], "did you mean 'search.nodes'?"),
        (["train", "fewshot", "--preset", "papier"], "did you mean 'paper'?"),
        (["eval", "nowhere"], "There is no run folder nowhere"),
        (["predict", "nowhere", "a"], "There is no run folder nowhere"),
        (["trace", "nowhere", "a"], "There is no run folder nowhere"),
        (["rules", "nowhere"], "There is no run folder nowhere"),
        (["export", "nowhere", "-o", "x.py"], "There is no run folder nowhere"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = ness(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_engines_and_formats_that_do_not_exist_are_one_line() -> None:
    mistakes: list[list[str | Path]] = [
        ["eval", trained_run(), "--engine", "steam"],
        ["eval", trained_run(), "--engine", "controller"],
        ["eval", trained_run(), "--only", "test-7"],
        ["rules", trained_run(), "--format", "xml"],
        ["rules", trained_run(), "--engine", "steam"],
        ["export", trained_run(), "-o", "/nowhere/x", "--format", "xml"],
        ["predict", trained_run(), "walk", "--unknown", "guess"],
    ]
    for arguments in mistakes:
        done = ness(*arguments)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "TRAIN", "--rules-only", "--out", "NEW"],
        ["eval", "RUN"],
        ["predict", "RUN", "walk"],
        ["trace", "RUN", "walk"],
        ["rules", "RUN"],
        ["export", "RUN", "-o", "NEW"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_torch_is_not_imported_where_rules_are_enough(arguments: list[str], tmp_path: Path) -> None:
    places = {"TRAIN": trained_run().parent / "train.tsv", "RUN": trained_run(), "NEW": tmp_path / "new"}
    argv = ["ness", *(str(places.get(argument, argument)) for argument in arguments)]
    done = python(
        "import atexit, sys; atexit.register(lambda: print('torch' in sys.modules)); "
        f"sys.argv = {argv!r}; from ness.cli.main import main; main()"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("False\n")


def test_help_names_defaults() -> None:
    text = " ".join(ness("train", "--help").stdout.replace("│", " ").split())
    for default in ("runs/NAME", "the task's own", "300"):
        assert f"(default: {default})" in text


def test_help_shows_examples() -> None:
    for command in ("train", "eval", "predict", "trace", "rules", "export"):
        done = ness(command, "--help")
        assert done.returncode == 0
        assert f"ness {command} runs/" in done.stdout or "ness train my.tsv --out runs/my" in done.stdout
