"""What one run is: a system, a task, a seed, settings and test sets; and how to tell whether it must be run again."""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ness.experiments.systems.registry import ENTRIES, entry
from ness.settings import resolve, to_mapping

PACKAGE = Path(__file__).parents[1]
NESS, LSTM, TRANSFORMER = "ness", "lstm", "transformer"
SYSTEMS = {NESS: "NeSS", **{one.name: one.title for one in ENTRIES}}
# The code that figures depend on; a new plot or command does not make a finished run out of date.
_SHARED = ("data", "errors.py", "experiments/datasets.py", "experiments/measure.py", "experiments/work.py")
_UNUSED = ("data/invented",)  # tasks that no table has
_LEARNING = ("machine", "rules", "learn", "network", "paper", "answer", "model", "presets", "config.py")
_SYSTEM = "experiments/systems"
_IMPORT = re.compile(r"^from ness\.experiments\.systems\.([\w.]+) import", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class TestSet:
    """A test set of a task, or as many of its first examples as wanted."""

    __test__ = False  # pytest would take the name for a test

    name: str  # "train" is the training set
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class RunSpec:
    """One run."""

    system: str
    task: str
    seed: int
    variant: str = ""  # what tables call other settings than the defaults
    preset: str | None = None
    settings: tuple[str, ...] = ()
    sets: tuple[TestSet, ...] = (TestSet("test"),)
    rules_only: bool = False  # answer by rules, train no network
    limit: float | None = None  # seconds that training may take
    files: tuple[str, ...] = ()  # data of one's own: the training file, then one file for each test set
    data: str = ""  # checksum of these files
    fold: str = ""  # part of the training data that is held out and tested instead (see ness.experiments.folds)
    expected: float = 60.0  # seconds, a guess to begin with; changes no figure

    @property
    def title(self) -> str:
        """Name the run for people."""
        variant = f" ({self.variant})" if self.variant else ""
        swept = [*(one for one in self.settings if "time_limit" not in one), f"fold {self.fold}"] if self.fold else []
        return ", ".join([f"{SYSTEMS[self.system]}{variant}", self.task, f"seed {self.seed}", *swept])

    @property
    def group(self) -> tuple[str, str, str]:
        """Name what the run is one seed of."""
        return self.system, self.task, self.variant

    @property
    def folder(self) -> str:
        """Name the run's folder: runs with other settings have other folders."""
        parts = [self.system, self.task.replace("/", "-").replace(":", "-"), self.variant.replace(" ", "-")]
        return f"{'-'.join(filter(None, parts))}-seed{self.seed}-{digest(self.to_json())[:8]}"

    def config(self) -> dict[str, Any]:
        """Return the resolved settings."""
        if self.system == NESS:
            return to_mapping(resolve(self.preset, self.settings, self.seed))
        return asdict(entry(self.system).load().settings_for(self.task).changed(self.settings))

    def to_json(self) -> dict[str, Any]:
        """Return everything that the figures of the run depend on, except for the code."""
        values = asdict(self)
        del values["expected"]
        if not self.fold:  # so that runs without folds keep their folders
            del values["fold"]
        lists = {"settings": list(self.settings), "files": list(self.files)}
        return values | lists | {"sets": [asdict(one) for one in self.sets]}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "RunSpec":
        """Read what `to_json` returned."""
        sets = tuple(TestSet(**one) for one in values["sets"])
        tuples = {"settings": tuple(values["settings"]), "files": tuple(values["files"])}
        return cls(**(values | tuples | {"sets": sets}))

    def fingerprint(self) -> str:
        """Tell apart runs that can have other figures: by settings or by code, which has all default settings."""
        presets = self.config() if self.system == NESS else {}
        return digest([self.to_json(), presets, code_version(self.system)])


def digest(values: Any) -> str:
    """Return the checksum of plain values."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


@cache
def code_version(system: str) -> str:
    """Return the checksum of the code that a system's figures depend on."""
    return hash_files(PACKAGE, code_of(system), _UNUSED)


def code_of(system: str) -> tuple[str, ...]:
    """List the files and folders that a system's figures depend on: of another system, only what it imports."""
    if system == NESS:
        return *_SHARED, *_LEARNING
    found: dict[str, None] = {}
    waiting = [entry(system).module]
    while waiting:
        module = waiting.pop()
        path = f"{_SYSTEM}/{module.replace('.', '/')}.py"
        if path not in found and module != "registry":
            found[path] = None
            waiting += _IMPORT.findall((PACKAGE / path).read_text(encoding="utf-8"))
    return *_SHARED, *found


def hash_files(root: Path, parts: Iterable[str], without: Iterable[str] = ()) -> str:
    """Return the checksum of files and folders with their names; compiled code and some folders are left out."""
    found = hashlib.sha256()
    skipped = [root / folder for folder in without]
    for part in sorted(parts):
        path = root / part
        files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
        for file in files:
            if "__pycache__" not in file.parts and not any(map(file.is_relative_to, skipped)):
                found.update(f"{file.relative_to(root).as_posix()}\0".encode())
                found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()
