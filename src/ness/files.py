"""Files that are whole or not there, and files of others read with care: regular ones, of the size expected."""

import errno
import hashlib
import json
import os
import stat
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from ness.errors import CheckpointError

MAX_BYTES = 2**30  # of one file of a model; larger ones are not ours

T = TypeVar("T")


def write_atomically(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Replace a file; a reader sees the old one or the new one, never a part."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "This is a folder; name a file", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.tmp")
    with naming(path):
        try:
            with temporary.open("wb") as file:
                file.writelines([data] if isinstance(data, bytes) else data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    _sync_folder(path.parent)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let errors of the system name the file that was to be written: a full disk does not say what was not kept."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Make a folder and keep it from others who ask for it in this way; what stays empty goes again."""
    if folder.exists() and not folder.is_dir():
        raise CheckpointError(f"{folder} is a file; choose a folder for the run")
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        if not _locked(handle):
            raise CheckpointError(
                f"{folder} is being trained by another process; wait for it, or choose another folder"
            )
        yield
    finally:
        os.close(handle)
        with suppress(OSError):
            for path in made or [folder]:
                path.rmdir()


def _locked(handle: int) -> bool:
    """Lock a folder where the system can do that; False if another process has locked it."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):  # no locks here, or not for folders
        pass
    return True


def write_output(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a file that a person named: into a device or a pipe, as /dev/stdout is one; else replace it as a whole."""
    if path.exists() and not path.is_file() and not path.is_dir():
        with naming(path), path.open("wb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
    else:
        write_atomically(path, data)


def _sync_folder(folder: Path) -> None:
    """Force the new name to disk where the system can do that."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def read_regular(path: Path, *, most: int = MAX_BYTES, exactly: int | None = None) -> bytes | None:
    """Read a file, None where it has more bytes than allowed or not as many as expected.

    Devices and pipes, which may never end, are refused unopened.
    """
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            raise CheckpointError(f"{path} is not a regular file; restore it or train again")
        if facts.st_size > most or exactly not in (None, facts.st_size):
            return None
        with path.open("rb") as file:
            return file.read(facts.st_size)
    except OSError as error:
        raise CheckpointError(f"Cannot read {path}: {error.strerror}; restore it or train again") from error


def json_bytes(values: Any) -> bytes:
    """Write values as readable JSON with a fixed order of keys."""
    return (json.dumps(values, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def read_json(path: Path, data: bytes) -> Any:
    """Read JSON; a damaged file is an error that names it."""
    return read_as(object, path, data)


def read_as(kind: type[T], path: Path, data: bytes) -> T:
    """Read JSON of a given type; what is damaged or of another shape is an error that names the file and the place."""
    import msgspec  # here, so that experiments run where it is not installed

    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        raise CheckpointError(f"{path} does not fit this version of NeSS: {error}; train again") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CheckpointError(f"{path} is not readable JSON ({error}); restore it or train again") from error


def sha256(data: bytes) -> str:
    """Return the checksum of a file's content."""
    return hashlib.sha256(data).hexdigest()
