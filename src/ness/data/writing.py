"""Files that are never seen half written."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ness.errors import DataError


def write_whole(path: Path, chunks: Iterable[bytes]) -> None:
    """Write a file under a temporary name, then move it into place; folders are made as needed."""
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = Path(file.name)
            file.writelines(chunks)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)  # temporary files are private, this one is not
        temporary.replace(path)
        temporary = None
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror or error}; choose another place") from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
