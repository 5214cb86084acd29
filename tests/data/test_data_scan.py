"""SCAN from the grammar against the official files."""

import gzip
from collections import Counter
from pathlib import Path

import pytest

from ness.data.example import Example, example_of
from ness.data.lessons import scan_lessons
from ness.data.scan import SPLITS, commands, split

FILES = {
    "length": "length",
    "around_right": "template_around_right",
    "jump": "addprim_jump",
    "simple": "simple",
    "turn_left": "addprim_turn_left",
    "opposite_right": "template_opposite_right",
    "right": "template_right",
    "jump_around_right": "template_jump_around_right",
}


def read(path: Path) -> Counter[Example]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    pairs = (line.removeprefix("IN: ").split(" OUT: ") for line in text.decode().splitlines())
    return Counter(example_of(command, actions) for command, actions in pairs)


def test_all_commands_equal_the_official_list(shared: Path) -> None:
    assert Counter(commands()) == read(shared / "scan" / "tasks.txt")


@pytest.mark.parametrize(("name", "file"), FILES.items())
def test_split_equals_the_official_files(shared: Path, name: str, file: str) -> None:
    train, test = split(name)
    assert Counter(train) == read(shared / "scan" / f"tasks_train_{file}.txt")
    assert Counter(test) == read(shared / "scan" / f"tasks_test_{file}.txt")


def test_filler_splits(shared: Path) -> None:
    for number in (1, 2):
        path = shared / "scan" / f"tasks_train_filler_num{number}.txt.gz"
        assert Counter(split(f"filler_num{number}")[0]) == read(path)
    assert split("filler_num0")[0] == split("around_right")[0]
    assert split("filler_num3")[0] == split("jump_around_right")[0]
    assert all(split(f"filler_num{number}")[1] == split("jump_around_right")[1] for number in range(4))


def test_no_test_command_is_in_training() -> None:
    for name in SPLITS:
        train, test = split(name)
        assert set(train).isdisjoint(test), name


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("length", [6, 92, 420, 880, 4888, 10704]),
        ("around_right", [6, 92, 415, 878, 4698, 9136]),
        ("jump", [6, 66, 288, 590, 3182, 9072]),
        ("simple", [3, 83, 339, 703, 3911, 11689]),
    ],
)
def test_lessons_of_the_paper(name: str, sizes: list[int]) -> None:
    assert [len(lesson) for lesson in scan_lessons(split(name)[0])] == sizes
