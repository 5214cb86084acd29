"""`ness tasks` and `ness data`: list the built-in tasks, write one of them as files."""

from pathlib import Path
from typing import Annotated

import typer


def tasks_command() -> None:
    """List the built-in tasks with their sizes."""
    from ness.data.tasks import task_table

    entries = task_table().values()
    width = max(len(entry.name) for entry in entries)
    print(f"{'task':{width}}  {'train':>6}  {'test':>9}  what it maps")
    for entry in entries:
        sets = f"{len(entry.tests)} × " if len(entry.tests) > 1 else ""
        size = f"{sets}{max(entry.tests.values()):,}"
        print(f"{entry.name:{width}}  {entry.train:>6,}  {size:>9}  {entry.summary}")


def data_command(
    task: Annotated[str, typer.Argument(metavar="TASK", help="A built-in task, see `ness tasks`.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to write to.")],
    seed: Annotated[int, typer.Option(help="Which data to draw, where data is drawn.")] = 0,
    data_dir: Annotated[
        Path | None, typer.Option("--data", metavar="DIR", help="Where the files of translation or COGS are.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Write at most that many examples of each test set.")] = None,
) -> None:
    """Write the training and test sets of a built-in task as TSV files."""
    from ness.data.files import write_tsv
    from ness.data.tasks import load_task

    loaded = load_task(task, seed, data_dir)
    sets = {"train": loaded.train} | {name: test[:limit] for name, test in loaded.tests.items()}
    for name, examples in sets.items():
        path = out / f"{name}.tsv"
        write_tsv(path, examples)
        print(f"{path}: {len(examples):,} examples")


tasks = tasks_command
data = data_command
