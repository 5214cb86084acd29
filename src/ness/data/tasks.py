"""The built-in tasks by name, each with its training examples, test sets and lessons."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from ness.data import cogs, scan, translation
from ness.data.example import Example
from ness.data.fewshot import fewshot
from ness.data.invented import INVENTIONS, invented
from ness.data.lessons import Lessons, by_length, scan_lessons, translation_lessons
from ness.data.parsing import LANGUAGES, TEST_LENGTHS, TEST_SIZE, VARIANTS, test_sets, training_set, training_size
from ness.data.random_grammar import random_grammar
from ness.data.spelling import PLAIN, Spelling
from ness.errors import DataError

Sets = tuple[list[Example], Mapping[str, Sequence[Example]]]
Plan = Callable[[Iterable[Example]], Lessons]
Load = Callable[[int, Path | None], Sets]  # from a seed and a folder of data

_RANDOM_GRAMMAR = "fewshot/random:"


@dataclass(frozen=True)
class Task:
    """Training examples and named test sets; the tests of parsing tasks are drawn when they are looked at."""

    name: str
    train: list[Example]
    tests: Mapping[str, Sequence[Example]]
    plan: Plan = field(default=by_length, repr=False)
    lines: Mapping[Example, int] = field(default_factory=dict, repr=False)  # where the examples stand in their file
    spelling: Spelling = field(default=PLAIN, repr=False)  # how the texts of the examples were cut into tokens

    @property
    def of_the_paper(self) -> bool:
        """Whether the paper has this task: it is learned with the paper's machine, unless told otherwise."""
        return re.split("[/:]", self.name)[0] in ("scan", "fewshot", "cfg", "translation")

    @property
    def lessons(self) -> Lessons:
        """Return the training examples without duplicates, arranged from short to long."""
        return self.plan(self.train)


@dataclass(frozen=True, slots=True)
class TaskEntry:
    """A line of the list of tasks: how large a task is, and how to make it."""

    name: str
    summary: str
    train: int
    tests: Mapping[str, int]
    load: Load = field(repr=False)
    plan: Plan = field(default=by_length, repr=False)


def load_task(name: str, seed: int = 0, data_dir: Path | None = None) -> Task:
    """Load a built-in task; the seed matters where data is drawn, the folder for translation and COGS."""
    entry = _entry(name)
    train, tests = entry.load(seed, data_dir)
    return Task(name, train, tests, entry.plan)


def task_names() -> list[str]:
    """List the names of all built-in tasks; random grammars count once, with the seed 0."""
    return list(task_table())


def is_task(name: str) -> bool:
    """Say whether a name is that of a built-in task."""
    return name.removesuffix(":curriculum") in task_table() or _grammar_seed(name) is not None


@cache
def task_table() -> Mapping[str, TaskEntry]:
    """Describe all built-in tasks without making their data."""
    entries = [*_scan(), *_fewshot(), _translation(), _cogs(), *_parsing(), *_invented()]
    return {entry.name: entry for entry in entries}


def _entry(name: str) -> TaskEntry:
    seed = _grammar_seed(name)
    entry = _grammar(seed) if seed is not None else task_table().get(name.removesuffix(":curriculum"))
    if entry is None:
        near = get_close_matches(name, task_names(), n=1, cutoff=0.75)
        hint = f"did you mean {near[0]!r}?" if near else "`ness tasks` lists them all"
        raise DataError(f"there is no task {name!r}; {hint}")
    return entry


def _grammar_seed(name: str) -> int | None:
    seed = name.removeprefix(_RANDOM_GRAMMAR)
    return int(seed) if seed != name and seed.isdecimal() else None


# Training and test sizes; the tests check them.
_SCAN_SIZES = {
    "length": (16990, 3920),
    "around_right": (15225, 4476),
    "jump": (14670, 7706),
    "simple": (16728, 4182),
    "turn_left": (21890, 1208),
    "opposite_right": (15225, 4476),
    "right": (15225, 4476),
    "jump_around_right": (18528, 1173),
    "filler_num0": (15225, 1173),
    "filler_num1": (16290, 1173),
    "filler_num2": (17391, 1173),
    "filler_num3": (18528, 1173),
}


def _one_test(sets: tuple[list[Example], list[Example]]) -> Sets:
    train, test = sets
    return train, {"test": test}


def _scan() -> Iterable[TaskEntry]:
    for split, (train, test) in _SCAN_SIZES.items():

        def load(seed: int, data_dir: Path | None, split: str = split) -> Sets:
            return _one_test(scan.split(split))

        yield TaskEntry(f"scan/{split}", "navigation commands to actions", train, {"test": test}, load, scan_lessons)


def _fewshot() -> Iterable[TaskEntry]:
    def load(seed: int, data_dir: Path | None) -> Sets:
        return _one_test(fewshot())

    yield TaskEntry("fewshot", "pseudowords to colours", 14, {"test": 10}, load)
    yield _grammar(0)


def _grammar(seed: int) -> TaskEntry:
    def load(_: int, data_dir: Path | None) -> Sets:
        return _one_test((train, test))

    train, test = random_grammar(seed)
    name, summary = f"{_RANDOM_GRAMMAR}{seed}", "a fresh task of that kind for each number"
    return TaskEntry(name, summary, len(train), {"test": len(test)}, load)


def _translation() -> TaskEntry:
    def load(seed: int, data_dir: Path | None) -> Sets:
        return _one_test(translation.load(data_dir))

    summary = "short English sentences to French, with one new word"
    return TaskEntry("translation", summary, 11_000, {"test": 8}, load, translation_lessons)


def _cogs() -> TaskEntry:
    def load(seed: int, data_dir: Path | None) -> Sets:
        return cogs.load(data_dir)

    summary = "English sentences to logical forms"
    return TaskEntry("cogs", summary, 24_155, {"dev": 3_000, "test": 3_000}, load)


def _parsing() -> Iterable[TaskEntry]:
    sizes = {f"test-{length}": TEST_SIZE for length in TEST_LENGTHS}
    for language in LANGUAGES:
        for variant in VARIANTS:

            def load(seed: int, data_dir: Path | None, language: str = language, variant: str = variant) -> Sets:
                train = training_set(language, variant, seed)
                return train, test_sets(language, train, seed)

            name = f"cfg/{language}" + ("" if variant == "curriculum" else f":{variant}")
            summary = f"{language.capitalize()}-Lang programs to parse trees"
            yield TaskEntry(name, summary, training_size(variant), sizes, load)


def _invented() -> Iterable[TaskEntry]:
    for name, invention in INVENTIONS.items():

        def load(seed: int, data_dir: Path | None, name: str = name) -> Sets:
            return _one_test(invented(name, seed))

        summary = invention.summary + (" (beyond the machine)" if invention.expressible is False else "")
        yield TaskEntry(f"invented/{name}", summary, invention.train, {"test": invention.tests}, load)
