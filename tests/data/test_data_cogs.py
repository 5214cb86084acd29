"""The COGS files: where they are found, how they are checked, which sets they make."""

import gzip
from pathlib import Path

import pytest

from ness.data import cogs
from ness.data.tasks import load_task
from ness.errors import DataError


@pytest.fixture
def folder(shared: Path) -> Path:
    return shared / "cogs"


@pytest.mark.slow
def test_files(folder: Path) -> None:
    train, tests = cogs.load(folder)
    assert len(train) == 24_155
    assert {name: len(test) for name, test in tests.items() if " " not in name} == {"dev": 3_000, "test": 3_000}
    assert len([name for name in tests if name.startswith("own ")]) == 8
    assert all(len(test) >= 40 for test in tests.values())
    assert " ".join(tests["dev"][1].target) == "lend ( agent = * donkey , theme = * cookie , recipient = mother )"
    assert load_task("cogs", 0, folder.parent).train == train


@pytest.mark.slow
def test_the_generalisation_set_is_read_where_it_is(folder: Path, tmp_path: Path) -> None:
    for name in cogs.HASHES:
        (tmp_path / f"{name}.gz").symlink_to(folder / f"{name}.gz")
    with gzip.open(tmp_path / "gen.tsv.gz", "wt") as file:
        file.write("Emma slept .\tsleep ( agent = Emma )\tone\nLiam ran .\trun ( agent = Liam )\tother\n")
    _, tests = cogs.load(tmp_path)
    assert [len(tests[name]) for name in ("gen", "gen one", "gen other")] == [2, 1, 1]
    with gzip.open(tmp_path / "gen.tsv.gz", "wt") as file:
        file.write("Emma slept .\tsleep ( agent = Emma )\n")
    with pytest.raises(DataError, match="line 1: expected sentence, form and kind"):
        cogs.load(tmp_path)


def test_without_the_files_one_line_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NESS_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(DataError, match=r"holds no train.tsv, dev.tsv and test.tsv of the cogs task"):
        cogs.load(tmp_path)
    with pytest.raises(DataError, match=r"cogs files are not here and cannot be downloaded .* NESS_DATA"):
        cogs.load(url="file:///nowhere/")
