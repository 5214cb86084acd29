"""What it costs to do jobs elsewhere, and what it gains: `python benchmarks/executors.py [--ray] [--task TASK]`.

Overhead: jobs that do nothing, how long each takes. Speed-up: the same training and the same sweep with 1 and with 2
workers, one after the other in one run; only the ratio compares across machines, and a busy machine gains less.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ness.config import Config
from ness.data import load_task
from ness.execute.choose import chosen_executor
from ness.execute.in_process import InProcess
from ness.execute.jobs import Executor, Job, Say
from ness.execute.processes import Processes
from ness.execute.session import results
from ness.experiments.folds import folds_of
from ness.experiments.runner import run_all
from ness.experiments.sweep import Axis, points_of, sweep_runs
from ness.experiments.work import RunWork
from ness.learn.learner import learn

WORKERS = (1, 2)
PLACES: dict[str, tuple[int, str | None]] = {"this process": (0, None), "processes": (2, None), "Ray": (2, "")}


def nothing(payload: int, say: Say) -> int:
    """Do nothing."""
    return payload


def overhead(executor: Executor, count: int, apart: bool) -> float:
    """Measure seconds of a job that does nothing; the first jobs, which start processes, come before."""
    with executor.pool(nothing, apart=apart) as pool:
        results(pool, [Job("warm", number) for number in range(2)])
        started = time.perf_counter()
        results(pool, [Job("nothing", number) for number in range(count)])
        return (time.perf_counter() - started) / count


def training(executor: Executor, task: str) -> float:
    """Measure a search by rules; it finds the same whatever the executor."""
    loaded = load_task(task)
    config = Config(machine="paper" if loaded.of_the_paper else "extended")
    config = replace(config, learner=replace(config.learner, time_limit=3600))
    started = time.perf_counter()
    learned = learn(loaded.train, config, loaded.lessons, executor=executor)
    print(f"  {task}: {learned.nodes:,} nodes, {len(learned.unsolved)} unsolved", flush=True)
    return time.perf_counter() - started


def sweep(executor: Executor) -> float:
    """Measure eight short runs."""
    examples = load_task("fewshot").train
    points = points_of([Axis.of("learner.survivors=2,3"), Axis.of("learner.refits=2,4")], None)
    runs = sweep_runs(points, folds_of(examples, 2, long=False), 1, "fewshot", 300.0, [])
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        run_all(runs, Path(folder), executor, RunWork(Path(folder) if executor.same_files else None))
        return time.perf_counter() - started


def ratios(name: str, work: Callable[[Executor], float], executors: dict[int, Executor]) -> None:
    """Print seconds with 1 and with 2 workers, and their ratio."""
    seconds = {count: work(executors[count]) for count in WORKERS}
    print(f"{name}: {seconds[1]:.1f} s and {seconds[2]:.1f} s, speed-up {seconds[1] / seconds[2]:.2f}", flush=True)


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ray", action="store_true", help="also on a Ray that is started for it")
    parser.add_argument("--task", default="cfg/lambda", help="what is trained")
    parser.add_argument("--only", choices=("overhead", "training", "sweep"), help="one part (default: all)")
    options = parser.parse_args()
    if options.only in (None, "overhead"):
        for name, (jobs, ray) in PLACES.items():
            if ray is None or options.ray:
                with chosen_executor(jobs, ray) as executor:  # with Ray, nothing is printed in here
                    each = overhead(executor, 500, apart=False)
                    fresh = overhead(executor, 10, apart=True) if jobs else 0.0
                told = f"; with a fresh process each: {fresh:.2f} s" if jobs else ""
                print(f"overhead per job, {name}: {each * 1e3:.2f} ms{told}", flush=True)
    if options.only in (None, "training"):
        places: dict[int, Executor] = {1: InProcess(), 2: Processes(2)}
        ratios(f"training {options.task}", lambda one: training(one, options.task), places)
    if options.only in (None, "sweep"):
        ratios("sweep of 8 runs", sweep, {1: Processes(1), 2: Processes(2)})


if __name__ == "__main__":
    main()
