"""What the learner keeps after each lesson is read back, and no failure loses it."""

import os
from pathlib import Path
from random import Random

import pytest

from ness.learn.attempts import JournalEntry, Snapshot
from ness.learn.coding import Codec, degenerate_trace
from ness.learn.fit import Hypothesis
from ness.learn.journal import FileJournal
from ness.learn.judge import ScoredHypothesis

CODEC = Codec([(("walk",), ("WALK",)), (("walk", "twice"), ("WALK", "WALK"))])
SAMPLES = [CODEC.encode(("walk",), ("WALK",)), CODEC.encode(("walk", "twice"), ("WALK", "WALK"))]
KEPT = JournalEntry(
    Snapshot(
        [
            ScoredHypothesis(
                Hypothesis({s: degenerate_trace(s) for s in SAMPLES}, {0: 0}), 1.0, 2.0, 0.5, 0.25, {}, 7, 3
            )
        ],
        SAMPLES,
    ),
    9,
)


def test_a_lesson_is_read_back_with_the_random_generator_as_it_was(tmp_path: Path) -> None:
    rng = Random(5)
    FileJournal(tmp_path / "j", SAMPLES, "digest").add(1, 0, KEPT, rng)
    expected = rng.random()
    again = Random(6)
    assert FileJournal(tmp_path / "j", SAMPLES, "digest").get(1, 0, again) == KEPT
    assert again.random() == expected
    assert FileJournal(tmp_path / "j", SAMPLES, "digest").get(1, 1, again) is None


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    FileJournal(tmp_path / "j", SAMPLES, "digest").add(1, 0, KEPT, Random(5))
    with (tmp_path / "j").open("a") as file:
        file.write('{"attempt": 1, "lesson": 1, "st')
    FileJournal(tmp_path / "j", SAMPLES, "digest").add(1, 1, KEPT, Random(5))
    journal = FileJournal(tmp_path / "j", SAMPLES, "digest")
    assert [journal.get(1, lesson, Random(0)) for lesson in (0, 1)] == [KEPT, KEPT]


@pytest.mark.parametrize("damage", ["a digit", "no text", "deep"])
def test_what_is_damaged_is_left_out_with_all_that_follows(damage: str, tmp_path: Path) -> None:
    journal = FileJournal(tmp_path / "j", SAMPLES, "digest")
    for lesson in range(3):
        journal.add(1, lesson, KEPT, Random(5))
    lines = (tmp_path / "j").read_bytes().splitlines(keepends=True)
    lines[2] = {
        "a digit": lines[2].replace(b'"nodes": 9', b'"nodes": 8'),
        "no text": b"\xff\xfe\n",
        "deep": b"[" * 200_000 + b"\n",
    }[damage]
    (tmp_path / "j").write_bytes(b"".join(lines))
    again = FileJournal(tmp_path / "j", SAMPLES, "digest")
    assert [again.get(1, lesson, Random(0)) for lesson in range(3)] == [KEPT, None, None]


def test_the_journal_of_another_training_does_not_count(tmp_path: Path) -> None:
    FileJournal(tmp_path / "j", SAMPLES, "digest").add(1, 0, KEPT, Random(5))
    assert FileJournal(tmp_path / "j", SAMPLES, "other").get(1, 0, Random(0)) is None


def test_a_failure_while_it_is_written_anew_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    FileJournal(tmp_path / "j", SAMPLES, "digest").add(1, 0, KEPT, Random(5))

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", killed)
        with pytest.raises(KeyboardInterrupt):
            FileJournal(tmp_path / "j", SAMPLES, "digest")
    assert [path.name for path in tmp_path.iterdir()] == ["j"]
    assert FileJournal(tmp_path / "j", SAMPLES, "digest").get(1, 0, Random(0)) == KEPT
