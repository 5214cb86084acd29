"""COGS (Kim & Linzen 2020): English sentences to logical forms, here without variables (Qiu et al. 2022).

24,155 training examples, 3,000 each to develop and to test, and generalisation tests made from them. The set that
systems are judged by, `gen.tsv`, is read too where it lies beside them: one test for each of its kinds, and one of all.
"""

import os
from collections import defaultdict
from pathlib import Path

from ness.data.cogs_tests import own_tests
from ness.data.corpora import Corpus, path_of
from ness.data.example import Example, example_of
from ness.errors import DataError

COMMIT = "836173aa370fa9d6ce4d9b2dd30a9d6d1147d2ef"
URL = f"https://raw.githubusercontent.com/frankaging/ReCOGS/{COMMIT}/variable_free/"
HASHES = {
    "train.tsv": "0d8429b2db4c9fd216ce2a80ca6ee20861f331f9d4ce6086b565dcbde7c2791d",
    "dev.tsv": "8fe6a76e2a3b0ebf26aff1e899076956c16f87396374a729dad439669b05b429",
    "test.tsv": "b312353b6f40fcd870dc2c75b70da8ea25bf32134884e9da2c9c98306e17b9d1",
}
GENERALISATION = "gen.tsv"
CORPUS = Corpus("cogs", COMMIT, URL, HASHES, ("cogs",))


def load(data_dir: Path | None = None, url: str = URL) -> tuple[list[Example], dict[str, list[Example]]]:
    """Return the training examples and the test sets."""
    folder = CORPUS.find(data_dir, os.environ) or CORPUS.download(url)
    train, dev, test = ([example for example, _ in _read(folder, name)] for name in HASHES)
    tests = {"dev": dev, "test": test, **own_tests(train, dev)}
    if path_of(folder, GENERALISATION).is_file():
        kinds: defaultdict[str, list[Example]] = defaultdict(list)
        for example, kind in _read(folder, GENERALISATION):
            kinds["gen"].append(example)
            kinds[f"gen {kind}"].append(example)
        tests.update(kinds)
    return train, tests


def _read(folder: Path, name: str) -> list[tuple[Example, str]]:
    rows = [line.split("\t") for line in CORPUS.read(folder, name).splitlines()]
    for number, row in enumerate(rows, 1):
        if len(row) != 3:
            raise DataError(f"{path_of(folder, name)}, line {number}: expected sentence, form and kind, split by tabs")
    return [(example_of(sentence, form), kind) for sentence, form, kind in rows]
