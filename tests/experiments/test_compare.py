"""The command that compares systems on data of one's own."""

import json
from pathlib import Path

import pytest

from commands import ness
from fake_runs import records
from ness.experiments.comparison import comparison_html, comparison_tables, length_groups, runs_of
from ness.experiments.runner import Record
from ness.experiments.summary import Results

SYSTEMS = ("ness", "lstm", "geca")
TINY = ("--set", "lstm.steps=60", "--set", "lstm.hidden_size=16", "--set", "lstm.evaluate_every=20", "--device", "cpu")


@pytest.fixture
def data(tmp_path: Path) -> tuple[Path, Path]:
    verbs = {"walk": "W", "run": "R", "look": "L"}
    lines = [f"{verb}\t{action}\n" for verb, action in verbs.items()]
    lines += [f"{verb} twice\t{action} {action}\n" for verb, action in verbs.items()]
    train, test = tmp_path / "train.tsv", tmp_path / "test.tsv"
    train.write_text("".join(lines[:-1]))
    test.write_text(lines[-1])
    return train, test


@pytest.mark.slow
def test_systems_are_compared_and_the_same_command_goes_on(data: tuple[Path, Path], tmp_path: Path) -> None:
    train, test = data
    out = tmp_path / "out"
    arguments = ("compare", train, test, "--systems", "ness,lstm", *TINY, "--out", out)
    done = ness(*arguments)
    assert done.returncode == 0, done.stderr
    assert "[2/2]" in done.stderr
    assert "Accuracy on test" in done.stdout
    assert "Accuracy by input length" in " ".join(done.stdout.split())
    page = (out / "report.html").read_text()
    assert "Systems compared on train.tsv" in page
    again = ness(*arguments, "--json")
    assert again.stderr == "2 of 2 runs are there already\n"
    values = json.loads(again.stdout)
    outcomes = {run["spec"]["system"]: run["outcome"] for run in values["runs"]}
    assert outcomes["lstm"]["steps"] == 60
    assert outcomes["lstm"]["parameters"] > 1000
    assert outcomes["ness"]["sets"][0]["by_input"] == [[2, 1, round(outcomes["ness"]["sets"][0]["exact"])]]
    test.write_text("run twice\tR R\n")
    other = ness(*arguments, "--dry-run")
    assert "2 runs: 0 are there already, 2 to do" in other.stdout, "other data are other runs"


@pytest.fixture
def texts(tmp_path: Path) -> tuple[Path, Path]:
    """Sentences with capitals and full stops, which have to be cut before anything can be learned."""
    verbs = {"walk": "W", "run": "R", "look": "L", "jump": "J"}
    lines = [f"{verb.title()}.\tdo({action})\n" for verb, action in verbs.items()]
    lines += [f"{verb.title()}, please.\tnow(do({action}))\n" for verb, action in verbs.items()]
    train, test = tmp_path / "train.tsv", tmp_path / "test.tsv"
    train.write_text("".join(lines[:-1]))
    test.write_text("jump , please\tnow(do(J))\n")
    return train, test


BRIEF = ("--set", "ness.training.max_steps=40")  # rules answer where a network was cut off
SPELLED = ("--systems", "ness", "--tokens", "punctuation", "--lowercase")


def test_texts_are_cut_once_for_all_systems_as_the_training_file_asks(texts: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = ness("compare", *texts, *SPELLED, "--out", out, "--dry-run")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for path in sorted((out / "data").iterdir()) for line in path.read_text().splitlines()]
    assert rows[0] == {"source": ["walk", "."], "target": ["do", "(", "W", ")"]}
    assert rows[-1] == {"source": ["jump", ",", "please"], "target": ["now", "(", "do", "(", "J", ")", ")"]}


@pytest.mark.slow
def test_systems_are_compared_on_texts(texts: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    texts[1].write_text("JUMP, please.\tnow(do(J))\n")
    done = ness("compare", *texts, *SPELLED, *BRIEF, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    values = json.loads(done.stdout)
    assert values["runs"][0]["outcome"]["sets"][0]["exact"] == 1.0
    assert "--tokens punctuation --lowercase" in (out / "report.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "name a training file and a test file"),
        (("train.tsv",), "give a test file, too"),
        (("train.tsv", "none.tsv"), "none.tsv does not exist"),
        (("train.tsv", "train.tsv", "--systems", "gecca"), "there is no system 'gecca'; did you mean 'geca'?"),
        (("train.tsv", "train.tsv", "--set", "steps=3"), "'steps=3' changes no system that is compared"),
        (("train.tsv", "train.tsv", "--set", "lstm.stepz=3"), "there is no setting 'stepz=3'"),
        (("-", "train.tsv"), "standard input can be read only once"),
        (("train.tsv", "train.tsv", "--device", "tpu"), "there is no device 'tpu'"),
    ],
)
def test_mistakes_are_told_in_a_line_before_anything_is_run(
    data: tuple[Path, Path], tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    done = ness("compare", *arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "runs").exists()


def test_the_list_of_systems_says_who_knows_more() -> None:
    for command in (("compare", "--systems", "help"), ("reproduce", "--systems", "help")):
        done = ness(*command)
        assert done.returncode == 0
        assert "knows more: is told which words permute" in done.stdout
        assert "LSTM (ours)" in done.stdout


def test_a_failed_run_is_one_line_and_the_others_are_shown() -> None:
    runs = runs_of(SYSTEMS, "fewshot", ["test"], 2, 60.0, {"lstm": ("steps=10",)})
    made = records(runs, 0.5)
    made[-1] = Record(runs[-1], 1.0, None, "ended with code 1: <b>no luck</b>")
    results = Results(made)
    figures, lengths = comparison_tables(results, "fewshot", ["test"])
    assert [row.cells[:4] for row in figures.rows][-1] == ("GECA", "50.00", "failed", "50.00 · failed")
    assert figures.rows[1].cells[4:] == ("97.00", "7", "0.5", "5,000", "converged")
    knowing = Results(records(runs_of(("lstm", "equivariant"), "scan/jump", ["test"], 1, 60.0, {})))
    (figures, _) = comparison_tables(knowing, "scan/jump", ["test"])
    assert figures.rows[0].cells[-1] == "nothing"
    assert figures.columns[:3] == ("system", "exact", "training")
    assert lengths.columns == ("system", "3", "4", "5")
    page = comparison_html(results, "fewshot", ["test"], "ness compare", 2, "1")
    assert "1 of 6 runs failed" in page
    assert "&lt;b&gt;no luck" in page
    assert page.count('<svg class="plot"') + page.count('class="plot" role') >= 2


def test_lengths_are_cut_into_few_ranges() -> None:
    assert length_groups({1: 5}) == [(1, 1)]
    groups = length_groups(dict.fromkeys(range(1, 61), 10))
    assert len(groups) == 6
    assert groups[0] == (1, 10)
    assert groups[-1][1] == 60
    assert length_groups({}) == []
