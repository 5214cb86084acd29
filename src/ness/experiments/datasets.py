"""The data of a run: built-in tasks, and random samples of short SCAN commands."""

import random
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ness.data import Example, Task, load_task, read_examples
from ness.data.scan import commands
from ness.experiments.folds import held_out
from ness.experiments.spec import RunSpec

FileData = Mapping[str, Sequence[Example]]  # the examples of files, by their names
SAMPLE = "scan/sample:"
MAX_WORDS = 5
# Each has one phrase of the target language for its words as a whole.
ONE_PHRASE = ("walk", "look", "run", "jump", "turn left", "turn right")


def load(name: str, seed: int) -> Task:
    """Load a task; "scan/sample:200" has 200 random short commands for training, all others for the test."""
    if name.startswith(SAMPLE):
        train, test = scan_sample(int(name.removeprefix(SAMPLE)), seed)
        return Task(name, train, {"test": test})
    return load_task(name, seed)


def load_run(spec: RunSpec, data: FileData = MappingProxyType({})) -> Task:
    """Load what a run learns from and is tested on: a task, or files of one's own, read already or not."""
    if not spec.files:
        task = load(spec.task, spec.seed)
        return _fold(spec, task.train) if spec.fold else task
    train, *tests = (list(data.get(file) or read_examples(file).examples) for file in spec.files)
    if spec.fold:
        return _fold(spec, train)
    names = [one.name for one in spec.sets if one.name != "train"]
    return Task(spec.task, train, dict(zip(names, tests, strict=True)))


def _fold(spec: RunSpec, examples: Sequence[Example]) -> Task:
    train, held = held_out(examples, spec.fold, spec.seed)
    return Task(spec.task, train, {spec.sets[0].name: held})


def scan_sample(size: int, seed: int) -> tuple[list[Example], list[Example]]:
    """Draw commands of at most five words, the six one-phrase commands among them; the rest of SCAN is the test."""
    short = [command for command in commands() if len(command.source) <= MAX_WORDS]
    always = [command for command in short if " ".join(command.source) in ONE_PHRASE]
    others = [command for command in short if command not in always]
    train = always + random.Random(f"sample {size} {seed}").sample(others, size - len(always))
    seen = set(train)
    return train, [command for command in commands() if command not in seen]


def limited(examples: Sequence[Example], limit: int | None) -> Sequence[Example]:
    """Take at most so many examples: at random from a list, the first ones of examples that are drawn at random."""
    if limit is None or limit >= len(examples):
        return examples
    return random.Random(0).sample(examples, limit) if isinstance(examples, list) else examples[:limit]


def show_case(examples: Sequence[Example]) -> Example:
    """Choose an example to show: many different words, but not long."""
    short = [example for example in limited(examples, 500) if len(example.source) <= 12] or list(examples[:1])
    return max(short, key=lambda example: (len(set(example.source)), -len(example.source), -len(example.target)))
