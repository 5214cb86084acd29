"""The folder that `ness train` writes to: kept, gone on from, refused."""

import os
from pathlib import Path

import pytest

from commands import ness
from ness.files import sole_writer
from ness.model.run_folder import load_run
from own_data import TEST, TRAIN, write


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
    """With more lines than are learned anew for the sake of shorter rules."""
    lines = TRAIN + [
        (f"do{n}{often}", " ".join([f"DO{n}"] * times)) for n in range(50) for often, times in (("", 1), (" twice", 2))
    ]
    run, file = tmp_path / "run", write(tmp_path / "my.tsv", lines)
    assert ness("train", file, "--out", run, "--rules-only", "--quiet").returncode == 0
    before = load_run(run).traces()
    new = [("hop", "HOP"), ("hop twice", "HOP HOP"), ("look again", "LOOK AGAIN")]
    if way == "--more":
        done = ness("train", file, "--out", run, "--rules-only", "--more", write(tmp_path / "new.tsv", new))
    else:
        done = ness("train", write(file, lines + new), "--out", run, "--rules-only", "--resume")
    assert done.stdout.startswith("learned        113 of 113 examples, in "), done.stderr
    assert "113 examples, some of them learned before: searching what is new" in done.stderr
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
