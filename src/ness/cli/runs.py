"""What commands that make many runs share: their folder, doing them, and telling how they ended."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import typer

from ness.errors import ConfigError

if TYPE_CHECKING:
    from ness.data.example import Example
    from ness.execute.jobs import Resources
    from ness.experiments.runner import Record
    from ness.experiments.spec import RunSpec
    from ness.experiments.summary import Results
    from ness.experiments.table import Table


def check_folder(folder: Path) -> None:
    """Tell before anything is run that runs cannot be kept there."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder} is a file; choose a folder for runs and report")


def do_runs(
    runs: "Sequence[RunSpec]",
    folder: Path,
    jobs: int | None,
    ray: str | None,
    workers: int,
    takes: "Callable[[RunSpec], Resources]",
    device: str = "cpu",
    data: "Mapping[str, Sequence[Example]]" = MappingProxyType({}),
    minutes: float | None = None,
    any_code: bool = False,
) -> "list[Record]":
    """Do the runs that are missing, and show how far they are."""
    from ness.execute.choose import chosen_executor
    from ness.execute.progress import JobsView
    from ness.experiments.runner import run_all
    from ness.experiments.work import RunWork

    limit = math.inf if minutes is None else minutes
    with JobsView() as view, chosen_executor(jobs, ray) as executor:
        work = RunWork(folder if executor.same_files else None, workers, device, dict(data))
        return run_all(runs, folder, executor, work, view, limit, any_code, takes)


def print_outcome(tables: "Iterable[Table]", results: "Results", notes: Iterable[str], report: Path) -> None:
    """Print tables, the runs that failed, notes and where the report is."""
    from rich.console import Console

    from ness.experiments.table import to_rich

    console = Console()
    for table in tables:
        console.print(to_rich(table))
        console.print()
    failed = [f"failed: {record.spec.title}: {record.error}" for record in results.failures]
    for line in (*failed, *notes, f"report: {report}"):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def exit_if_failed(results: "Results") -> None:
    if results.failures:
        raise typer.Exit(1)
