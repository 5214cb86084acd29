"""Jobs in processes of this machine, which end with the process that started them, however it ends.

A process that dies costs its own job only: another one takes its place. Nothing is shared between two pools in one
program: what the jobs of a pool have in common is handed to its own processes when they start.
"""

import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any

from ness.execute.jobs import Done, Event, Failed, Job, JobLost, Said, Started, Work

_WATCH_SECONDS = 0.5  # between two looks at the parent


class Processes:
    """Does so many jobs at a time."""

    same_files = True

    def __init__(self, count: int) -> None:
        self._count = count

    @contextmanager
    def pool(self, work: Work[Any, Any], *, apart: bool = False) -> Iterator["ProcessPool"]:
        """Be ready for jobs; processes start when they are needed and are ended at once where the block is left."""
        pool = ProcessPool(self._count, work, apart)
        try:
            yield pool
        finally:
            pool.close()


class ProcessPool:
    """Hands jobs to processes, each of which does one at a time."""

    tries = 3

    def __init__(self, count: int, work: Work[Any, Any], apart: bool) -> None:
        self.slots = count
        self._work, self._apart = work, apart
        self._workers: list[_Worker] = []

    def has_room(self) -> bool:
        return sum(worker.number is not None for worker in self._workers) < self.slots

    def start(self, number: int, job: Job) -> None:
        for worker in [worker for worker in self._workers if worker.number is None]:
            if worker.give(number, job):
                return
            self._drop(worker)  # it died while it had nothing to do
        worker = _Worker(self._work, self._apart)
        self._workers.append(worker)
        worker.give(number, job)
        worker.number = number  # where it died at its start, that is told as an event

    def events(self, seconds: float) -> Iterable[Event]:
        busy = [worker for worker in self._workers if worker.number is not None]
        handles: list[Any] = [handle for worker in busy for handle in (worker.connection, worker.process.sentinel)]
        ready = set(wait(handles, seconds))
        for worker in busy:
            if worker.connection in ready or worker.process.sentinel in ready:
                yield from self._news(worker)

    def _news(self, worker: "_Worker") -> Iterator[Event]:
        number = worker.number
        assert number is not None
        try:
            while worker.number is not None and worker.connection.poll():
                kind, value = worker.connection.recv()
                yield kind(number, value)
                if kind in (Done, Failed):
                    worker.number = None
        except (EOFError, OSError):
            pass
        if worker.number is None:
            if self._apart:
                self._drop(worker)
        elif not worker.process.is_alive():
            worker.process.join()
            self._drop(worker)
            yield Failed(number, JobLost(_how_it_ended(worker.process.exitcode or 0)))

    def _drop(self, worker: "_Worker") -> None:
        self._workers.remove(worker)
        worker.end()

    def close(self) -> None:
        """End all processes: nobody waits for results any more."""
        for worker in self._workers:
            worker.end()


def _how_it_ended(code: int) -> str:
    return f"its process was killed by signal {-code}" if code < 0 else f"its process ended with code {code}"


class _Worker:
    """A process, and the number of the job that it does."""

    def __init__(self, work: Work[Any, Any], apart: bool) -> None:
        # A copy of this process starts at once and has the work's data already; what is to be apart begins empty, and
        # so does every process where Ray is at work, whose threads cannot be copied.
        context: Any = multiprocessing.get_context("spawn" if apart or "ray" in sys.modules else None)
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, work, apart))
        self.process.start()
        theirs.close()
        self.number: int | None = None
        self._apart = apart

    def give(self, number: int, job: Job) -> bool:
        """Hand a job over; whether that was possible."""
        try:
            self.connection.send(job.payload)
        except OSError:  # nobody reads: it has died
            return False
        self.number = number
        return True

    def end(self) -> None:
        """End the process, and where it is apart also those that it started."""
        if self._apart:
            with suppress(ProcessLookupError, PermissionError):  # it ended, or has no group of its own yet
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.connection.close()


def _serve(connection: Connection, work: Work[Any, Any], apart: bool) -> None:
    """Do jobs until there are no more; Ctrl-C and a hang-up are for the parent, which ends its processes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with suppress(AttributeError):  # Windows has neither
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        if apart:
            os.setsid()
    threading.Thread(target=_end_with_the_parent, args=(os.getppid(), apart), daemon=True).start()
    lock = threading.Lock()  # a job may speak from a thread of its own

    def send(kind: type[Event], value: Any) -> None:
        with lock:
            connection.send((kind, value))

    with suppress(EOFError, OSError):
        while True:
            payload = connection.recv()
            send(Started, f"process {os.getpid()}")
            try:
                result = work(payload, lambda text: send(Said, text))
            except Exception as error:
                send(Failed, portable(error))
                continue
            send(Done, result)


def portable(error: Exception) -> Exception:
    """Return an error that can be sent elsewhere, with the place where it was raised as a note."""
    import pickle

    where = "".join(traceback.format_exception(error))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # whatever its class does with its arguments
        error = RuntimeError(f"{type(error).__name__}: {error}")
    error.add_note(where)
    return error


def _end_with_the_parent(parent: int, apart: bool) -> None:
    """End this process when its parent is gone, also by kill -9, which the parent cannot tell."""
    started_by = multiprocessing.parent_process()
    while os.getppid() == parent and (started_by is None or started_by.is_alive()):
        time.sleep(_WATCH_SECONDS)
    if apart:
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
