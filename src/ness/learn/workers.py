"""Worker processes of one training: they end with it, however it ends, and no other process is touched.

Nothing is shared between two trainings in one program: what the jobs of a training have in common is handed to its
own workers when they start.
"""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, Generic, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")

_WATCH_SECONDS = 0.5  # between two looks at the parent

_run: Callable[[Any], Any]  # in a worker process: what does a job, set once when the process starts


class Workers(Generic[Job, Result]):
    """Does jobs in processes of its own."""

    def __init__(self, executor: ProcessPoolExecutor) -> None:
        self._executor = executor

    def map(self, jobs: list[Job]) -> list[Result]:
        """Do all jobs; return the results in their order."""
        return list(self._executor.map(_do, jobs))


@contextmanager
def workers(count: int, run: Callable[[Job], Result]) -> Iterator[Workers[Job, Result]]:
    """Start processes that do jobs by `run`; they are ended at once where the block is left."""
    executor = ProcessPoolExecutor(count, initializer=_start, initargs=(run,))
    try:
        yield Workers(executor)
    finally:
        # Nobody waits for results any more. Python 3.14 has terminate_workers() for this.
        processes = list((executor._processes or {}).values())
        for process in processes:
            process.terminate()
        executor.shutdown(cancel_futures=True)


def _start(run: Callable[[Any], Any]) -> None:
    """Set a worker process up; Ctrl-C and a hang-up are for the parent, which ends its workers."""
    global _run
    _run = run
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with suppress(AttributeError):  # Windows has no hang-up
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, args=(os.getppid(),), daemon=True).start()


def _end_with_the_parent(parent: int) -> None:
    """End this process when its parent is gone, also by kill -9, which the parent cannot tell."""
    started_by = multiprocessing.parent_process()
    while os.getppid() == parent and (started_by is None or started_by.is_alive()):
        time.sleep(_WATCH_SECONDS)
    os._exit(1)


def _do(job: Any) -> Any:
    return _run(job)
