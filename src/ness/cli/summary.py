"""The summary at the end of training: what was learned, what was not, and the next command."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from ness.cli.sources import printable
from ness.data import is_task
from ness.machine import without_boundaries
from ness.model.report import Lines, report

if TYPE_CHECKING:
    from ness.model.model import Model


def print_summary(model: "Model", folder: Path, data_dir: Path | None = None, lines: Lines | None = None) -> None:
    """Print what a person can act on; `data_dir` is where the files of a task are, if it was named."""
    for line in report(model, lines):
        print(printable(line))
    print(f"model          {printable(str(folder))}")
    print(f"next           {printable(next_command(model, folder, data_dir))}")


def next_command(model: "Model", folder: Path, data_dir: Path | None) -> str:
    """Name what to do with the model."""
    run = shlex.quote(str(folder))
    if model.summary.next_to_nothing:
        return "check the examples: short ones first, one construct at a time (docs/own-data.md, docs/limits.md)"
    if is_task(model.summary.task):
        return f"ness eval {run}" + (f" --data {shlex.quote(str(data_dir))}" if data_dir else "")
    return f"ness predict {run} {shlex.quote(model.spelling.join_source(without_boundaries(model.traces()[0][0])))}"
