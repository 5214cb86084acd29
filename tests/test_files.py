"""Files that are whole or not there."""

import os
from pathlib import Path

import pytest

from ness.files import write_atomically


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    write_atomically(tmp_path / "new" / "file", b"old")
    write_atomically(tmp_path / "new" / "file", b"new")
    assert [(path.name, path.read_bytes()) for path in (tmp_path / "new").iterdir()] == [("file", b"new")]


@pytest.mark.parametrize(("owner", "failing"), [(os, "fsync"), (Path, "replace")])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    owner: object, failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(owner, failing, fail)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, b"new")
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("file", b"old")]
