"""`ness train` on a file of one's own, through the real command."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from clock import ticking
from commands import ness, python
from ness.cli.progress import describe
from ness.learn.events import LessonReport
from ness.network.imitation import Progress
from own_data import TEST, TRAIN, trained_run, write

SMALL = [f"--set=controller.{size}=24" for size in ("hidden_size", "embedding_size")]


SMALL += ["--set=training.learning_rate=5e-3", "--device=cpu"]


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
def test_where_the_network_was_cut_off_the_rules_answer_until_it_is_trained_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticking(monkeypatch, tick=1.0)
    file, run = write(tmp_path / "my.tsv", TRAIN), tmp_path / "run"
    endless = ["--set=training.loss_threshold=0", "--set=training.max_steps=1000000", "--set=training.evaluate_every=5"]
    cut = ness("train", file, "--out", run, "--time-limit", "600", "--quiet", *SMALL, *endless)
    assert cut.returncode == 0
    assert "the time limit was reached, so the rules answer" in cut.stdout
    assert json.loads(ness("eval", run, file, "--json").stdout)["engine"] == "rules"
    assert json.loads(ness("eval", run, file, "--json", "--engine", "controller").stdout)["engine"] == "controller"
    ended = ness("train", file, "--out", run, "--resume", "--quiet", "--time-limit", "1e9", *SMALL)
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
