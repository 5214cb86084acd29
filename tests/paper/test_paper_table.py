"""The table of the loop's variants: every test set, every loop, and the runs that are not there."""

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

SHOWN = (
    "paper-loop,scan",
    "paper-loop,cfg",
    "paper-loop,fewshot",
    ",scan/length",
    ",scan/jump",
    "as published,fewshot",
)
ONLY = [argument for part in SHOWN for argument in ("--only", part)]
LESSON = {"examples": 4, "traced": 3, "gradient_steps": 7, "contradictory": 1, "contradictory_steps": 0.25}
ENDED = {"ended": True, "cut_off": False, "seconds": 9.0, "lessons": [{**LESSON, "lesson": 1, "reference_steps": None}]}


def record(variant: str, task: str, seed: int, accuracy: dict[str, float], *loops: tuple[int, int, int]) -> Any:
    ranks = [
        {"number": number, "unsolved": unsolved, "undecided": undecided, "contradicted": 0, "doubts": undecided}
        for number, unsolved, undecided in loops
    ]
    named = {"variant": variant, "task": task, "seed": seed}
    return {**ENDED, **named, "network": accuracy, "rules": accuracy, "loops": ranks}


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write the page of some records."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    variants = importlib.import_module("paper_variants")

    def write(*records: Any) -> list[str]:
        for number, each in enumerate(records):
            (tmp_path / f"{number}.json").write_text(json.dumps(each), encoding="utf-8")
        page, lines, again = tmp_path / "page.md", tmp_path / "records.jsonl", tmp_path / "again.md"
        assert variants.main(["--markdown", str(page), "--compact", str(lines), "--out", str(tmp_path)]) == 0
        assert variants.main(["--markdown", str(again), "--out", str(lines)]) == 0
        assert again.read_text(encoding="utf-8") == page.read_text(encoding="utf-8")  # compact records say the same
        return page.read_text(encoding="utf-8").splitlines()

    return write


def test_variants_come_in_the_order_of_their_list_and_seeds_in_theirs(written: Any) -> None:
    lines = written(
        record("paper-loop", "fewshot", 1, {"test": 0.5}),
        record("paper-loop", "fewshot", 0, {"test": 1.0}),
        record("as published", "fewshot", 0, {"test": 0.0}),
    )
    rows = [line for line in lines if line.startswith(("| paper-loop |", "| as published |"))]
    assert rows[0].startswith("| as published | fewshot | 0 | 0.0% |")
    assert rows[1].startswith(
        "| paper-loop | fewshot | 0, 1 | 100%, 50.0% | 100%, 50.0% | 7 | 75% | 1 | 25.0% | - | 9 |"
    )


def test_a_low_accuracy_does_not_hide_that_of_other_test_sets(written: Any) -> None:
    lines = written(record("paper-loop", "cfg/lambda:curriculum", 0, {"test-10": 0.176, "test-50": 0.0}))
    assert any("| cfg/lambda:curriculum (test-10 / test-50) | 0 | 17.6% / 0.0% |" in line for line in lines)


def test_each_loop_of_a_choice_is_told_and_only_the_kept_one_was_tested(written: Any) -> None:
    lines = written(
        record("paper-loop", "scan/length", 1, {"test": 0.194}, (1, 0, 44), (0, 0, 65)),
        record("paper-loop", "scan/jump", 1, {"test": 1.0}, (0, 0, 36)),
    )
    told = [line for line in lines if line.endswith(("kept |", "not tested |"))]
    assert told == [
        "| paper-loop | scan/length | 1 | 2 | 0 | not asked | 44 | 0 | 19.4%, kept |",
        "| paper-loop | scan/length | 1 | 1 | 0 | not asked | 65 | 0 | not tested |",
    ]


def test_runs_that_were_not_made_are_named(written: Any) -> None:
    lines = written(*(record("paper-loop", "scan/jump", seed, {"test": 1.0}) for seed in (0, 1, 2, 4)))
    assert "- paper-loop, scan/jump: seed 3" in lines
    assert "- paper-loop, scan/length: seeds 0, 1, 2, 3, 4" in lines


def test_the_page_of_the_documentation_follows_from_the_records_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(__file__).parents[2]
    monkeypatch.syspath_prepend(root / "benchmarks")
    variants = importlib.import_module("paper_variants")
    page, records = tmp_path / "page.md", root / "docs" / "records" / "paper-loop.jsonl"
    assert variants.main(["--markdown", str(page), *ONLY, "--out", str(records)]) == 0
    assert page.read_text(encoding="utf-8") == (root / "docs" / "results-paper-loop.md").read_text(encoding="utf-8")
