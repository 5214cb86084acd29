"""A tiny command language as files, and a run trained on it once, for tests of the command line."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from commands import ness

VERBS = {"walk": "WALK", "run": "RUN", "look": "LOOK", "jump": "JUMP"}
OFTEN = {"twice": 2, "thrice": 3}
TRAIN = [
    *VERBS.items(),
    *(
        (f"{verb} {often}", " ".join([token] * times))
        for verb, token in VERBS.items()
        if verb != "jump"
        for often, times in OFTEN.items()
    ),
]
TEST = [("jump twice", "JUMP JUMP"), ("jump thrice", "JUMP JUMP JUMP")]


def tsv(pairs: list[tuple[str, str]]) -> str:
    return "".join(f"{source}\t{target}\n" for source, target in pairs)


@cache
def _keep() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="ness-tests-")


@cache
def trained_run() -> Path:
    """A folder with a rules-only model of the language."""
    folder = Path(_keep().name)
    (folder / "train.tsv").write_text(tsv(TRAIN), encoding="utf-8")
    (folder / "test.tsv").write_text(tsv(TEST), encoding="utf-8")
    done = ness("train", folder / "train.tsv", "--rules-only", "--out", folder / "run")
    assert done.returncode == 0, done.stderr
    return folder / "run"


def write(path: Path, pairs: list[tuple[str, str]]) -> Path:
    path.write_text(tsv(pairs), encoding="utf-8")
    return path
