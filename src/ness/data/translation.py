"""English-French translation with the new word "daxy" (Lake & Baroni 2018): 11,000 training and 8 test pairs.

The files come from a folder, from the folder that NESS_DATA names, or from their public repository at a fixed commit.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from ness.data.corpora import Corpus
from ness.data.equivalence import accepted
from ness.data.example import Example, example_of

__all__ = ["accepted", "cache_folder", "find", "load"]

COMMIT = "76dd1b156d82eda707f9f36aef77f84bcfa0fe53"
URL = f"https://raw.githubusercontent.com/yli1/CGPS/{COMMIT}/data_translate/"
HASHES = {
    "train.txt": "632c732e94a39f9802a565294170f3dec0e394a03c1bb7fa92afeb4ca97be2a0",
    "test.txt": "8b7bc94f9adef8863e9b4a6549c7d9b063c9acb2532f53a7a3b9c357c144e422",
}
CORPUS = Corpus("translation", COMMIT, URL, HASHES, ("translation", "mt"))


def load(data_dir: Path | None = None, url: str = URL) -> tuple[list[Example], list[Example]]:
    """Return the training and the test pairs."""
    folder = find(data_dir, os.environ) or CORPUS.download(url)
    train, test = (_read(folder, name) for name in HASHES)
    return train, test


def find(data_dir: Path | None, environment: Mapping[str, str]) -> Path | None:
    """Return the folder of the files: the one given, NESS_DATA or a complete cache; None means download."""
    return CORPUS.find(data_dir, environment)


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Return where downloaded files are kept."""
    return CORPUS.cache_folder(environment)


def _read(folder: Path, name: str) -> list[Example]:
    pairs = [line.removeprefix("IN: ").split("\tOUT: ") for line in CORPUS.read(folder, name).splitlines()]
    return [example_of(english, french) for english, french in pairs]
