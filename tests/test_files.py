"""Files that are whole or not there."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ness.files import write_atomically, write_output


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
    with pytest.raises(OSError, match="No space left") as caught:
        write_atomically(path, b"new")
    assert caught.value.filename == str(path)
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("file", b"old")]


def test_what_a_person_names_is_written_into_if_it_is_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor() as threads:
        reading = threads.submit((tmp_path / "pipe").read_bytes)
        write_output(tmp_path / "pipe", b"text")
    assert reading.result() == b"text"
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="there is no such device")
def test_a_device_is_never_replaced() -> None:
    with pytest.raises(OSError, match="No space left"):
        write_output(Path("/dev/full"), b"text")
    assert Path("/dev/full").is_char_device()
