"""Files that are whole or not there: written under a temporary name, forced to disk, renamed."""

import errno
import hashlib
import json
import os
import threading
from pathlib import Path
from typing import Any

from ness.errors import CheckpointError


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file; a reader sees the old one or the new one, never a part."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "This is a folder; name a file", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Force the new name to disk where the system can do that."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def json_bytes(values: Any) -> bytes:
    """Write values as readable JSON with a fixed order of keys."""
    return (json.dumps(values, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def read_json(path: Path, data: bytes) -> Any:
    """Read JSON; a damaged file is an error that names it."""
    try:
        return json.loads(data)
    except ValueError as error:
        raise CheckpointError(f"{path} is not readable JSON ({error}); restore it or train again") from error


def sha256(data: bytes) -> str:
    """Return the checksum of a file's content."""
    return hashlib.sha256(data).hexdigest()
