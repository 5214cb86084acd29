"""Time the paper's loop as published, lesson by lesson: a few steps of each, and where their seconds go.

    python benchmarks/paper_speed.py scan/length --steps 24 --size 64 64
    python benchmarks/paper_speed.py scan/length --steps 36 --size 512 256 --device cuda

Of one process on a CPU these are seconds of the processor. The 3,000 steps are shared out evenly, so their seconds are
estimated as 3,000 times the mean over lessons. Networks that have hardly learned search long: what a trained one finds
sooner is not in this estimate.
"""

import argparse
import cProfile
import pstats
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from paper_variants import _do_without_safetensors


class Clock:
    """Adds up the seconds and calls of methods; nested ones count in both."""

    def __init__(self, device: str, workers: int) -> None:
        self.seconds: dict[str, float] = {}
        self.calls: Counter[str] = Counter()
        alone = device == "cpu" and workers < 2
        self._now = time.process_time if alone else time.perf_counter  # which other work slows down more
        self._wait: Callable[[], None] = torch.cuda.synchronize if device == "cuda" else lambda: None

    def watch(self, owner: type, method: str, name: str) -> None:
        """Measure every call of a method."""
        inner = getattr(owner, method)

        def measured(*arguments: Any, **options: Any) -> Any:
            self._wait()
            started = self._now()
            try:
                return inner(*arguments, **options)
            finally:
                self._wait()
                self.seconds[name] = self.seconds.get(name, 0.0) + self._now() - started
                self.calls[name] += 1

        setattr(owner, method, measured)


def measure(
    task_name: str,
    steps: int,
    size: Sequence[int],
    device: str,
    workers: int,
    limit: float,
    tell: Callable[[str], None],
) -> None:
    """Run the loop and tell the time of each lesson."""
    from ness.data.tasks import load_task
    from ness.network.imitation import Trainer
    from ness.paper.controller_guide import ControllerGuide
    from ness.paper.diagnosis import LessonDiagnosis
    from ness.paper.loop import learn_as_in_the_paper
    from ness.paper.published_lessons import PublishedLessons
    from ness.settings import resolve

    clock = Clock(device, workers)
    for owner, method, name in (
        (PublishedLessons, "_learn_from", "step"),
        (PublishedLessons, "_search", "search"),
        (ControllerGuide, "answer", "of it asking"),
        (PublishedLessons, "_compile", "compile"),
        (Trainer, "train_step", "train"),
    ):
        clock.watch(owner, method, name)
    task = load_task(task_name)
    sizes = [f"controller.embedding_size={size[0]}", f"controller.hidden_size={size[1]}"]
    config = resolve(
        "paper", [*sizes, f"training.max_steps={steps}", f"learner.time_limit={limit}", f"learner.workers={workers}"]
    )
    means: list[float] = []
    searched = 0

    def report(event: object) -> None:
        nonlocal searched
        if isinstance(event, LessonDiagnosis):
            count = clock.calls["step"]
            means.append(clock.seconds["step"] / count)
            parts = ", ".join(f"{name} {seconds / count:.3f}" for name, seconds in clock.seconds.items())
            executed, searched = (event.searched_steps - searched) / count, event.searched_steps
            asked = clock.calls["of it asking"] / count
            tell(f"lesson {event.lesson}: {count} steps, {executed:.0f} executed, {asked:.0f} rounds; {parts}")
            clock.seconds.clear()
            clock.calls.clear()

    started = time.perf_counter()
    learn_as_in_the_paper(task.train, config, task.lessons, report, device)
    mean = sum(means) / len(means)
    estimate = f"{mean:.3f} s a step, 3,000 steps in {3000 * mean / 60:.0f} minutes"
    tell(f"{task_name}, {size[0]}/{size[1]}, {device}: {estimate}")
    tell(f"{time.perf_counter() - started:.0f} s in all")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure as the options say."""
    parser = argparse.ArgumentParser(prog="python benchmarks/paper_speed.py", description=__doc__)
    parser.add_argument("task", nargs="?", default="scan/length")
    parser.add_argument("--steps", type=int, default=24, help="gradient steps, shared out among the lessons")
    parser.add_argument("--size", type=int, nargs=2, default=(64, 64), help="of embeddings and of hidden states")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--workers", type=int, default=0, help="processes that search; 0: 1 on a CPU, 12 beside a GPU")
    parser.add_argument("--seconds", type=float, default=600.0, help="at most")
    parser.add_argument("--profile", type=Path, help="write the functions that take most of the time to this file")
    options = parser.parse_args(arguments)
    _do_without_safetensors()
    profile = cProfile.Profile()
    if options.profile:
        profile.enable()
    measure(
        options.task,
        options.steps,
        options.size,
        options.device,
        options.workers,
        options.seconds,
        lambda line: print(line, flush=True),
    )
    if options.profile:
        profile.disable()
        with options.profile.open("w", encoding="utf-8") as file:
            table = pstats.Stats(profile, stream=file)
            table.sort_stats("tottime").print_stats(60)
            table.sort_stats("cumulative").print_stats(120)
    return 0


if __name__ == "__main__":
    sys.exit(main())
