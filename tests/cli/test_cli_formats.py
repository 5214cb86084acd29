"""Texts as people have them, through the real commands: what is asked, read, answered, exported and served alike."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from commands import ness
from ness import Transducer
from ness.data.spelling import Spelling
from ness.model.run_folder import load_run

# Sentences in, code out: marks on both sides, and spaces that belong to the output.
SENTENCES = [
    ("Fetch bolts", "take(bolts)"),
    ("Fetch nuts", "take(nuts)"),
    ("Count bolts", "scan(bolts)"),
    ("Count nuts", "scan(nuts)"),
    ("Count gears", "scan(gears)"),
    ("Fetch bolts, then count nuts", "take(bolts); scan(nuts)"),
    ("Count nuts, then fetch bolts", "scan(nuts); take(bolts)"),
    ("Count bolts, then count nuts", "scan(bolts); scan(nuts)"),
    ("Fetch nuts, then fetch gears", "take(nuts); take(gears)"),
]
ASKED = {
    "Fetch gears.": "take(gears)",
    "FETCH GEARS, then COUNT bolts!": "take(gears); scan(bolts)",
    "count gears , then fetch nuts , then count nuts": "scan(gears); take(nuts); scan(nuts)",
}
FRAME = pd.DataFrame(SENTENCES, columns=["source", "target"])
OPTIONS = ["--tokens", "punctuation", "--lowercase", "--rules-only", "--quiet"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("formats")
    FRAME.assign(number=range(9)).to_csv(path / "my.csv", index=False)
    FRAME.to_json(path / "my.jsonl", orient="records", lines=True)
    done = ness("train", "my.csv", *OPTIONS, cwd=path)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert "learned        9 of 9 examples" in done.stdout
    return path


def test_sentences_are_understood_and_answers_spaced(folder: Path) -> None:
    done = ness("predict", "runs/my", *ASKED, cwd=folder)
    assert done.stdout.splitlines() == list(ASKED.values())
    records = [
        json.loads(line) for line in ness("predict", "runs/my", "--jsonl", *ASKED, cwd=folder).stdout.splitlines()
    ]
    assert [record["output"] for record in records] == list(ASKED.values())


def test_the_spelling_is_stored(folder: Path) -> None:
    spelling = load_run(folder / "runs" / "my").spelling
    assert spelling[:3] == ("punctuation", "punctuation", True)
    assert (spelling.unread, spelling.before, spelling.after) == (".!?…", ("(", ")", ";"), ("(",))


def test_the_exported_file_answers_alike(folder: Path) -> None:
    assert ness("export", "runs/my", "-o", "t.py", cwd=folder).returncode == 0
    done = subprocess.run([sys.executable, "t.py", *ASKED], cwd=folder, capture_output=True, text=True)
    assert done.stdout.splitlines() == list(ASKED.values())


@pytest.mark.parametrize("name", ["asked.txt", "asked.csv", "asked.tsv", "asked.jsonl"])
def test_inputs_of_a_file(folder: Path, name: str) -> None:
    frame = pd.DataFrame({"number": range(3), "source": list(ASKED)})
    if name.endswith("jsonl"):
        frame.to_json(folder / name, orient="records", lines=True)
    elif name.endswith("txt"):
        (folder / name).write_text("\n".join(ASKED))
    else:
        frame.to_csv(folder / name, index=False, sep="," if name.endswith("csv") else "\t")
    assert ness("predict", "runs/my", "--file", name, cwd=folder).stdout.splitlines() == list(ASKED.values())
    if name.endswith("txt"):
        done = ness("predict", "runs/my", stdin=(folder / name).read_bytes(), cwd=folder)
        assert done.stdout.splitlines() == list(ASKED.values())


@pytest.mark.parametrize("name", ["my.csv", "my.jsonl"])
def test_evaluation_reads_as_the_model_does(folder: Path, name: str) -> None:
    done = ness("eval", "runs/my", name, "--json", cwd=folder)
    assert json.loads(done.stdout)["sets"][0]["exact"] == 1.0


def test_more_examples_are_read_as_the_first_ones(folder: Path) -> None:
    (folder / "more.csv").write_text("FETCH belts,take(belts)\nCount belts,scan(belts)\n")
    done = ness("train", "my.jsonl", "--out", "runs/more", *OPTIONS, cwd=folder)
    assert done.returncode == 0, done.stderr
    done = ness("train", "my.jsonl", "--out", "runs/more", "--more", "more.csv", "--rules-only", "--quiet", cwd=folder)
    assert "learned        11 of 11 examples" in done.stdout, done.stderr
    done = ness("predict", "runs/more", "Fetch belts, then count gears.", cwd=folder)
    assert done.stdout == "take(belts); scan(gears)\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["train", "my.csv", "--tokens", "letters"],
            "Unknown kind of tokens 'letters'; use words, characters or punct",
        ),
        (["train", "scan/length", "--tokens", "words", "--lowercase"], "scan/length is a built-in task"),
        (["predict", "runs/my", "a", "--file", "my.csv"], "give inputs as arguments or in --file, not both"),
        (["predict", "runs/my", "--file", "no.csv"], "no.csv does not exist"),
        (["predict", "runs/my", "my.csv"], "ness predict runs/my --file my.csv"),
    ],
)
def test_wrong_usage_is_told_in_one_line(folder: Path, arguments: list[str], message: str) -> None:
    done = ness(*arguments, cwd=folder)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.stderr
    assert message in done.stderr


def test_the_python_interface_reads_frames_and_writes_alike(tmp_path: Path) -> None:
    model = Transducer(rules_only=True, tokens="punctuation", lowercase=True).fit(FRAME)
    assert model.predict(list(ASKED)) == list(ASKED.values())
    assert model.predict(pd.DataFrame({"source": list(ASKED)})) == list(ASKED.values())
    assert model.predict([["fetch", "gears"]]) == [["take", "(", "gears", ")"]]
    assert model.score(FRAME) == 1.0
    assert [best[0][0] for best in model.n_best(list(ASKED), n=1)] == list(ASKED.values())
    model.save(tmp_path / "run")
    loaded = Transducer.load(tmp_path / "run")
    assert loaded.predict(list(ASKED)) == list(ASKED.values())
    assert (loaded.tokens, loaded.target_tokens, loaded.lowercase) == ("punctuation", None, True)


def test_an_output_without_spaces_comes_out_without_spaces() -> None:
    tens, ones = {"twenty": "2", "thirty": "3", "forty": "4"}, {"one": "1", "two": "2", "six": "6"}
    pairs = {f"{ten} {one}": f"{a}{b}" for ten, a in tens.items() for one, b in ones.items()}
    pairs |= ones
    asked = pairs.pop("forty six")
    model = Transducer(rules_only=True, target_tokens="characters").fit(pairs)
    assert model.predict(["forty six"]) == [asked]
    assert model.model_.spelling == Spelling("words", "characters")
