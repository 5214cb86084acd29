"""Many runs at once on one GPU: `python -m ness.experiments.batch --jobs 14 --minutes 9 --out DIR`.

Small networks wait for the processor that starts their kernels, so that many processes share a GPU well. Finished runs
are records as `ness reproduce` makes them, which reads them with `--out DIR`; what is missing is run the next time.
"""

import argparse
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from ness.execute.processes import Processes
from ness.execute.progress import JobsView
from ness.experiments.experiments import all_runs, cfg_task, chosen_tables
from ness.experiments.rivals import Scale, chosen_systems
from ness.experiments.runner import run_all
from ness.experiments.spec import LSTM, NESS, TRANSFORMER, RunSpec
from ness.experiments.work import RunWork

_CONTROL = "nvidia-cuda-mps-control"
_PROBE = "import torch; torch.ones(8, device='cuda').sum().item()"
# By value: first what each system is known for, then the rest of SCAN, then the other tables.
_FIRST = (
    ("primitive", "scan/jump"),
    ("primitive", "scan/around_right"),
    ("equivariant", "scan/jump"),
    ("equivariant", "scan/around_right"),
    ("syntactic", "scan/jump"),
    ("cnn", "scan/jump"),
    ("geca", "scan/jump"),
    ("geca", "scan/around_right"),
    ("meta", "scan/jump"),
    ("meta", "scan/around_right"),
    ("primitive", "scan/simple"),
    ("primitive", "fewshot"),
    ("cnn", "scan/simple"),
    ("cnn", "scan/length"),
    ("stack", "scan/jump"),
    ("seq2seq", "scan/jump"),
)
Pair = tuple[str, str]  # a system and a task
_LATE = tuple(cfg_task(language, "std-50") for language in ("while", "lambda"))


def ordered(runs: list[RunSpec]) -> list[RunSpec]:
    """Put runs in the order of their value."""

    def value(run: RunSpec) -> tuple[int, int, int]:
        pair = run.system, run.task
        first = _FIRST.index(pair) if pair in _FIRST else len(_FIRST)
        ours = run.system in (LSTM, TRANSFORMER)
        return first, 3 * (run.task in _LATE) + 2 * ours + (not run.task.startswith("scan/")), run.seed

    return sorted(runs, key=value)


def chosen_runs(runs: list[RunSpec], only: Sequence[Pair], skipped: Collection[Pair]) -> list[RunSpec]:
    """Take the runs of some systems and tasks, in the order named, or all; and leave some out."""
    kept = [run for run in runs if (run.system, run.task) not in skipped]
    return [run for pair in only for run in kept if (run.system, run.task) == pair] if only else kept


def _pairs(text: str) -> list[Pair]:
    """Read SYSTEM:TASK, separated by commas; a task may have a colon, too."""
    return [(system, task) for system, _, task in (pair.partition(":") for pair in text.split(",") if pair)]


@contextmanager
def shared_gpu() -> Iterator[bool]:
    """Let processes use the GPU at the same time instead of in turns, where the driver's service can be started."""
    with tempfile.TemporaryDirectory() as folder:
        places = {"CUDA_MPS_PIPE_DIRECTORY": folder, "CUDA_MPS_LOG_DIRECTORY": folder}
        environment = {**os.environ, **places}
        started = False
        with suppress(OSError, subprocess.SubprocessError):
            subprocess.run([_CONTROL, "-d"], env=environment, check=True, timeout=30)
            started = True
            subprocess.run([sys.executable, "-c", _PROBE], env=environment, check=True, timeout=90)
            os.environ.update(places)
        shared = all(os.environ.get(name) == place for name, place in places.items())
        try:
            yield shared
        finally:
            for name in places if shared else ():
                del os.environ[name]
            if started:
                with suppress(OSError, subprocess.SubprocessError):
                    subprocess.run([_CONTROL], input=b"quit\n", env=environment, timeout=30)


def main() -> None:
    """Run what is missing, by value, until the minutes are over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=["all"])
    parser.add_argument("--systems", help="names, separated by commas (default: all but NeSS)")
    parser.add_argument("--skip", default="", help="what not to run: SYSTEM:TASK, separated by commas")
    parser.add_argument("--only", default="", help="what to run, in this order: SYSTEM:TASK, separated by commas")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=14)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--quick", action="store_true", help="reduced sizes, to try it out")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    started = time.monotonic()
    systems = chosen_systems(options.systems or "all")
    if options.systems is None:
        systems = tuple(name for name in systems if name != NESS)
    runs = ordered(all_runs(chosen_tables(options.tables), Scale(options.seeds, options.quick, systems)))
    runs = chosen_runs(runs, _pairs(options.only), _pairs(options.skip))
    with shared_gpu() if options.device.startswith("cuda") else nullcontext(False) as shared:
        print(f"{len(runs)} runs, {options.jobs} at a time, GPU {'shared' if shared else 'in turns'}", flush=True)
        minutes = options.minutes - (time.monotonic() - started) / 60
        work, places = RunWork(options.out / "runs", device=options.device), Processes(options.jobs)
        with JobsView() as view:
            run_all(runs, options.out / "runs", places, work, view, minutes, any_code=True)


if __name__ == "__main__":
    main()
