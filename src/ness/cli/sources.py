"""What commands share: a task or a file of one's own as data, the engine of a run, messages on stderr."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ness.data import Task
    from ness.inference.engine import AnyEngine
    from ness.inference.run_folder import Run

_SUFFIXES = (".gz", ".tsv", ".jsonl", ".txt", ".csv", ".json")


def say(message: str) -> None:
    """Tell the user something that is no result."""
    print(message, file=sys.stderr, flush=True)


def load_source(name: str, seed: int = 0, data_dir: Path | None = None) -> "Task":
    """Load a built-in task by its name, or the examples of a file as a task without tests."""
    from ness.data import Task, is_task, load_task, read_examples
    from ness.errors import DataError

    if is_task(name):
        return load_task(name, seed, data_dir)
    if name != "-" and not Path(name).exists() and not name.endswith(_SUFFIXES):
        try:
            return load_task(name, seed, data_dir)
        except DataError as error:
            raise DataError(f"{error}; nor is there a file of that name") from None
    loaded = read_examples(name)
    if loaded.duplicates or loaded.contradictions:
        say(f"{'standard input' if name == '-' else name}: {loaded.summary}")
    return Task(name if name == "-" else str(Path(name).resolve()), loaded.examples, {})


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


def choose_engine(run: "Run", name: str | None, device: str) -> tuple[str, "AnyEngine"]:
    """Return the engine asked for with its name; by default the network, or the rules where there is none."""
    from ness.inference.model import default_engine

    chosen = name or default_engine(run)
    if chosen == "controller" and run.has_controller:
        import torch

        torch.set_num_threads(run.config.training.threads)  # small networks only wait for more
    return chosen, run.engine(chosen, device)
