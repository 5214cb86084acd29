"""What commands that do many jobs share: how many at a time, on which machines, and what it would cost."""

import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pathlib import Path

    from ness.execute.jobs import Resources
    from ness.experiments.spec import RunSpec

_ADDRESS = re.compile(r"auto|local|\S+:\d+")
JobsOption = Annotated[
    int | None,
    typer.Option(min=0, help="Runs at a time (default: 1; with Ray all it has room for); 0: here, in this process."),
]
RayOption = Annotated[
    str | None,
    typer.Option(
        "--ray", metavar="[ADDRESS]", help="On a Ray cluster: at this address, RAY_ADDRESS, or one started here."
    ),
]
GpuOption = Annotated[
    float, typer.Option(min=0, help="With Ray: the share of a GPU for each network (with --device cuda: 1).")
]
MemoryOption = Annotated[float, typer.Option(min=0, metavar="GB", help="With Ray: the memory that a run needs.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Say what is to do and what it costs; start nothing.")]


def with_ray_address(arguments: Sequence[str]) -> list[str]:
    """Let --ray stand alone: what follows it is its address only if it looks like one."""
    given = list(arguments)
    for place, argument in enumerate(given):
        if argument == "--ray" and not _ADDRESS.fullmatch(given[place + 1] if place + 1 < len(given) else ""):
            given[place] = "--ray="
    return given


def search_workers(jobs: int | None, ray: str | None) -> int:
    """Return the processes of one search: the cores are shared by the runs; with Ray each run has one."""
    return 1 if ray is not None else max(1, (os.cpu_count() or 1) // max(1, jobs or 1))


def device_of(device: str, ray: str | None) -> str:
    """Check a device here, where the runs are; on a cluster it is up to each node."""
    from ness.experiments.environment import usable_device

    return device if ray is not None else usable_device(device)


def resources_of(spec: "RunSpec", workers: int, device: str, gpu: float, memory: float) -> "Resources":
    """What a run takes: networks go to GPUs, searches to processors."""
    from ness.execute.jobs import Resources
    from ness.experiments.spec import NESS

    if spec.system == NESS:
        return Resources(workers, 0.0, round(memory * 2**30))
    share = 0.0 if device == "cpu" else gpu or float(device.startswith("cuda"))
    return Resources(1.0, share, round(memory * 2**30))


def print_plan(
    specs: "Sequence[RunSpec]",
    folder: "Path",
    jobs: int | None,
    takes: "Callable[[RunSpec], Resources]",
    any_code: bool = False,
) -> None:
    """Say what runs would cost, on stdout."""
    from ness.execute.plan import plan_lines
    from ness.experiments.runner import missing_jobs

    records, missing = missing_jobs(specs, folder, any_code, takes)
    print("\n".join(plan_lines(missing, len(records), jobs or 1)))
