"""What commands share: a task or a file of one's own as data, the engine of a run, messages on stderr."""

import dataclasses
import os
import re
import shlex
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ness.answer.engine import AnyEngine
    from ness.data import Spelling, Task
    from ness.model.model import Model

_SUFFIXES = (".gz", ".tsv", ".jsonl", ".txt", ".csv", ".json")


def say(message: str) -> None:
    """Tell the user something that is no result."""
    print(printable(message), file=sys.stderr, flush=True)


def printable(text: str) -> str:
    """Write control characters as escapes: a word of somebody's file must not command the terminal."""
    if text.isprintable():
        return text
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", lambda found: f"\\x{ord(found[0]):02x}", text)


def load_source(
    name: str,
    seed: int = 0,
    data_dir: Path | None = None,
    spelling: "Spelling | None" = None,
    more: Path | None = None,
    fit: bool = False,
) -> "Task":
    """Load a built-in task by its name, or the examples of a file as a task without tests; `more` has further examples.

    Files are read in the given spelling, which with `fit` learns from them how outputs are spaced.
    """
    from ness.data import Task, by_length
    from ness.data.files import examples_of, fitted_to, read_pairs
    from ness.data.spelling import PLAIN
    from ness.errors import ConfigError
    from ness.model.run_folder import MANIFEST

    spelling = spelling or PLAIN
    if fit and (Path(name) / MANIFEST).exists():
        return _of_run(Path(name), more)
    rows = [] if more is None else read_pairs(more)
    if (task := _built_in(name, seed, data_dir)) is not None:
        if fit and spelling != PLAIN:
            raise ConfigError(f"{name} is a built-in task, whose tokens are what they are; leave out --tokens")
        added = examples_of(rows).examples
        return dataclasses.replace(task, train=[*task.train, *added], plan=by_length) if added else task
    if name != "-" and stat.S_ISFIFO(os.stat(name).st_mode if os.path.exists(name) else 0):
        say(f"{name} is a pipe; reading it to its end")
    own = read_pairs(name)
    spelling = fitted_to([*own, *rows], spelling) if fit else spelling
    loaded, added = examples_of(own, spelling), examples_of(rows, spelling).examples
    if loaded.duplicates or loaded.contradictions:
        say(f"{'standard input' if name == '-' else name}: {loaded.summary}")
    full_name = name if name == "-" else str(Path(name).resolve())
    lines = {} if added else loaded.lines
    return Task(full_name, [*loaded.examples, *added], {}, lines=lines, spelling=spelling)


def _of_run(path: Path, more: Path | None) -> "Task":
    """The examples of a run, to go on from, and more of them, read as those were."""
    from ness.data import Task
    from ness.data.files import read_examples
    from ness.model.difference import examples_of_run
    from ness.model.run_folder import load_run

    run = load_run(path)
    added = [] if more is None else read_examples(more, run.spelling).examples
    return Task(run.summary.task, [*examples_of_run(run), *added], {}, spelling=run.spelling)


def _built_in(name: str, seed: int, data_dir: Path | None) -> "Task | None":
    """Load a built-in task; None where the name is that of a file."""
    from ness.data import is_task, load_task
    from ness.errors import DataError

    if is_task(name):
        return load_task(name, seed, data_dir)
    if name == "-" or Path(name).exists() or name.endswith(_SUFFIXES):
        return None
    try:
        return load_task(name, seed, data_dir)
    except DataError as error:
        raise DataError(f"{error}; nor is there a file {name!r} here") from None


def refuse_files(run: "Model", command: str, texts: Iterable[str]) -> None:
    """Say what was probably meant where a text is the name of a file."""
    from ness.errors import DataError

    known = set(run.vocabularies.source)
    for text in texts:
        named = len(text.split()) == 1 and text.endswith(_SUFFIXES)  # a sentence may end with the name of a file
        if known.issuperset(run.spelling.split(text)) or not (named or os.path.isfile(text)):
            continue
        folder, file = shlex.quote(str(run.path)), shlex.quote(text)
        raise DataError(
            f"'{text}' looks like a file, but ness {command} takes the text itself; "
            f"for all its lines: ness predict {folder} --file {file}; "
            f"to test on its examples: ness eval {folder} {file}"
        )


def short_name(name: str) -> str:
    """Turn a task or a file into a name for a folder or a test set."""
    if name == "-":
        return "stdin"
    path = Path(name)
    if not path.is_absolute() and not path.exists():
        return name.replace("/", "-").replace(":", "-")
    stem = path.name
    while stem.endswith(_SUFFIXES):
        stem = stem[: stem.rindex(".")]
    return stem or path.name


def engine_name(run: "Model", name: str | None, *, both: bool = False) -> str:
    """Return the engine asked for, by default the one that fits the run; say what to do where it is not there."""
    from ness.errors import ConfigError

    if name is None:
        return run.default_engine.name
    chosen = "controller" if name == "network" else name
    if chosen not in ("controller", "rules", *(["both"] if both else [])):
        choices = (
            "controller (the neural network), rules or both" if both else "controller (the neural network) or rules"
        )
        raise ConfigError(f"Unknown engine '{name}'; use {choices}")
    if chosen != "rules" and not run.has_controller:
        raise ConfigError(
            f"{run.path} has rules only, no network for --engine {name}; use --engine rules, or add the network with: "
            f"{_training_command(run)} --resume"
        )
    return chosen


def _training_command(run: "Model") -> str:
    source = run.summary.task if run.summary.task != "-" else "FILE"
    return f"ness train {shlex.quote(source)} --out {shlex.quote(str(run.path))}"


def choose_engine(run: "Model", name: str | None, device: str) -> tuple[str, "AnyEngine"]:
    """Return the engine asked for with its name; of "both", the network."""
    chosen = engine_name(run, name, both=True)
    if chosen == "both":
        chosen = "controller"
    return chosen, run.engine(chosen, device)
