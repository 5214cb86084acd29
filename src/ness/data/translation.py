"""English-French translation with the new word "daxy" (Lake & Baroni 2018): 11,000 training and 8 test pairs.

The files come from a folder, from the folder that NESS_DATA names, or from their public repository at a fixed commit.
"""

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from ness.data.equivalence import accepted
from ness.data.example import Example, example_of
from ness.data.files import write_data
from ness.errors import DataError

__all__ = ["accepted", "cache_folder", "find", "load"]

COMMIT = "76dd1b156d82eda707f9f36aef77f84bcfa0fe53"
URL = f"https://raw.githubusercontent.com/yli1/CGPS/{COMMIT}/data_translate/"
TIMEOUT = 30  # seconds
HASHES = {
    "train.txt": "632c732e94a39f9802a565294170f3dec0e394a03c1bb7fa92afeb4ca97be2a0",
    "test.txt": "8b7bc94f9adef8863e9b4a6549c7d9b063c9acb2532f53a7a3b9c357c144e422",
}


def load(data_dir: Path | None = None, url: str = URL) -> tuple[list[Example], list[Example]]:
    """Return the training and the test pairs."""
    folder = find(data_dir, os.environ) or _download(url)
    train, test = (_read(folder / name) for name in HASHES)
    return train, test


def find(data_dir: Path | None, environment: Mapping[str, str]) -> Path | None:
    """Return the folder of the files: the one given, NESS_DATA or a complete cache; None means download."""
    given = data_dir or (Path(environment["NESS_DATA"]) if environment.get("NESS_DATA") else None)
    if given is None:
        cached = cache_folder(environment)
        return cached if all((cached / name).is_file() for name in HASHES) else None
    for folder in (given, given / "translation", given / "mt"):
        if all((folder / name).is_file() for name in HASHES):
            return folder
    raise DataError(f"{given} holds no train.txt and test.txt of the translation task; give the folder that has them")


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Return where downloaded files are kept."""
    base = environment.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "ness" / f"translation-{COMMIT[:12]}"


def _read(path: Path) -> list[Example]:
    content = path.read_bytes()
    _check(content, path.name, str(path))
    pairs = [line.removeprefix("IN: ").split("\tOUT: ") for line in content.decode("ascii").splitlines()]
    return [example_of(english, french) for english, french in pairs]


def _check(content: bytes, name: str, origin: str) -> None:
    found = sha256(content).hexdigest()
    if found != HASHES[name]:
        raise DataError(
            f"{origin} is not the file that is expected (sha256 {found[:12]}…, not {HASHES[name][:12]}…); "
            "delete it or give another folder with --data"
        )


def _download(url: str) -> Path:
    import urllib.request  # slow to import, and seldom needed

    folder = cache_folder(os.environ)
    for name in HASHES:
        try:
            with urllib.request.urlopen(url + name, timeout=TIMEOUT) as response:
                content: bytes = response.read()
        except (OSError, ValueError) as error:
            raise DataError(
                f"the translation files are not here and cannot be downloaded ({error}); "
                f"put train.txt and test.txt of {url} into a folder and name it with --data or NESS_DATA"
            ) from None
        _check(content, name, url + name)
        write_data(folder / name, content)
    return folder
