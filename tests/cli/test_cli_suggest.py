"""`ness suggest`: which inputs to label next, and why."""

import json
from pathlib import Path

import pytest

from commands import ness
from ness import Transducer
from nine_examples import SEVEN


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suggest") / "run"
    Transducer(rules_only=True).fit(list(SEVEN), list(SEVEN.values())).save(folder)
    return folder


def test_a_pool_is_ranked_with_reasons_and_candidates(run: Path, tmp_path: Path) -> None:
    pool = tmp_path / "pool.txt"
    pool.write_text("walk\nhop\n\nwalk and run twice\n", encoding="utf-8")
    done = ness("suggest", run, "--pool", pool, "-n", "2")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[:2] == ["hop", "  no example has the word 'hop'"]
    assert lines[2] == "walk and run twice"
    assert any(line.startswith("  -> WALK RUN") for line in lines[3:])


def test_without_a_pool_as_json(run: Path) -> None:
    done = ness("suggest", run, "-n", "2", "--jsonl")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert 1 <= len(found) <= 2
    assert all(one["why"] and one["input"] not in SEVEN for one in found)


def test_nothing_to_ask_is_said(run: Path, tmp_path: Path) -> None:
    done = ness("suggest", run, "--pool", "-", stdin="walk\nrun twice\n")
    assert (done.returncode, done.stdout) == (0, "")
    assert "nothing to ask" in done.stderr


def test_a_pool_that_cannot_be_read_is_refused_in_a_line(run: Path, tmp_path: Path) -> None:
    done = ness("suggest", run, "--pool", tmp_path / "missing.txt")
    assert done.returncode == 1
    assert "missing.txt" in done.stderr
    (tmp_path / "odd.txt").write_bytes(b"\xff\xfe\x00")
    done = ness("suggest", run, "--pool", tmp_path / "odd.txt")
    assert done.returncode == 1
    assert "UTF-8" in done.stderr


def test_a_transducer_suggests_too(run: Path) -> None:
    first, *_ = Transducer.load(run).suggest(["hop", "walk"], n=1)
    assert first.input == ("hop",)
