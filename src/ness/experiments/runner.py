"""Runs what is missing, each run in a process of its own; finished runs are kept, failures do not stop the others."""

import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from ness.experiments.environment import machine
from ness.experiments.spec import RunSpec
from ness.experiments.work import OUTCOME, SPEC
from ness.files import json_bytes, write_atomically

RECORD, LOG = "record.json", "log.txt"
_POLL = 0.05  # seconds
_TOLD = 1.0  # seconds between two reports while nothing starts or ends
_ERROR_LENGTH = 400


@dataclass(frozen=True)
class Record:
    """How a run ended: with figures, or with an error in one line."""

    spec: RunSpec
    seconds: float
    outcome: dict[str, Any] | None
    error: str | None
    reused: bool = False
    machine: dict[str, str] = field(default_factory=dict)  # where it was measured: versions and hardware


@dataclass
class RunStatus:
    """Where all the runs stand, for progress reports."""

    total: int
    running: list[RunSpec] = field(default_factory=list)
    done: list[Record] = field(default_factory=list)
    waiting: list[RunSpec] = field(default_factory=list)
    jobs: int = 1

    def seconds_left(self) -> float:
        """Estimate the time left: the guesses for each run, corrected by how the guesses did so far."""
        new = [record for record in self.done if not record.reused]
        guessed = sum(record.spec.expected for record in new)
        pace = sum(record.seconds for record in new) / guessed if guessed else 1.0
        # What runs now is half done on average.
        left = sum(spec.expected for spec in self.waiting) + sum(spec.expected for spec in self.running) / 2
        return left * pace / self.jobs


Command = Callable[[Path], Sequence[str]]
Report = Callable[[RunStatus], None]


def worker_command(workers: int, device: str = "cpu") -> Command:
    """Return how to start a run with so many processes for its search, and other systems on a device."""
    options = ("--workers", str(workers), "--device", device)
    return lambda folder: [sys.executable, "-m", "ness.experiments.work", str(folder), *options]


def run_all(
    specs: Iterable[RunSpec],
    folder: Path,
    jobs: int,
    command: Command,
    report: Report = lambda _: None,
    minutes: float = math.inf,
    any_code: bool = False,
) -> list[Record]:
    """Run what is missing, so many at a time; return a record for each run, in the order given.

    When the minutes are over, runs under way are stopped; those and what was not started have no record. With
    `any_code` runs are also reused where the code has changed since.
    """
    deadline = time.monotonic() + 60 * minutes
    wanted = list(dict.fromkeys(specs))
    status = RunStatus(len(wanted), jobs=jobs)
    for spec in wanted:
        record = finished(spec, folder, any_code)
        if record is None:
            status.waiting.append(spec)
        else:
            status.done.append(record)
    report(status)
    processes: list[_Process] = []
    told = time.monotonic()
    with _end_requests() as heed:
        try:
            while (status.waiting or processes) and time.monotonic() < deadline:
                heed()
                while status.waiting and len(processes) < jobs:
                    spec = status.waiting.pop(0)
                    processes.append(_Process(spec, folder / spec.folder, command))
                    status.running.append(spec)
                    report(status)
                time.sleep(_POLL)
                if time.monotonic() - told > _TOLD:
                    report(status)
                    told = time.monotonic()
                for process in [process for process in processes if process.has_ended()]:
                    processes.remove(process)
                    status.running.remove(process.spec)
                    status.done.append(process.record())
                    report(status)
        finally:
            for process in processes:
                process.stop()
    by_spec = {record.spec: record for record in status.done}
    return [by_spec[spec] for spec in wanted if spec in by_spec]


@contextmanager
def _end_requests() -> Iterator[Callable[[], None]]:
    """Take note of requests to end; heed them where all processes are known, so that none is left behind."""
    asked: list[int] = []

    def heed() -> None:
        if asked:
            raise SystemExit(128 + asked[0])

    if threading.current_thread() is not threading.main_thread():  # signals come to the main thread only
        yield heed
        return
    before = {
        number: signal.signal(number, lambda number, _: asked.append(number))
        for number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) != signal.SIG_IGN  # as under nohup
    }
    try:
        yield heed
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def finished(spec: RunSpec, folder: Path, any_code: bool = False) -> Record | None:
    """Read a finished run; None if there is none, if it failed, or if settings or code have changed since."""
    path = folder / spec.folder
    try:
        record = json.loads((path / RECORD).read_text(encoding="utf-8"))
        outcome = json.loads((path / OUTCOME).read_text(encoding="utf-8"))
        if record["error"] is not None or not (any_code or record["fingerprint"] == spec.fingerprint()):
            return None
        return Record(spec, record["seconds"], outcome, None, reused=True, machine=record["machine"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


class _Process:
    """A run under way."""

    def __init__(self, spec: RunSpec, folder: Path, command: Command) -> None:
        self.spec = spec
        self._folder = folder
        for name in (RECORD, OUTCOME):
            (folder / name).unlink(missing_ok=True)
        write_atomically(folder / SPEC, json_bytes(spec.to_json()))
        # The code as it is now: what changes while the run goes on makes it out of date.
        self._fingerprint = spec.fingerprint()
        self._started = time.monotonic()
        self._log: TextIO = (folder / LOG).open("w", encoding="utf-8")
        self._child = subprocess.Popen(
            command(folder),
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            env={"OMP_NUM_THREADS": "1", **os.environ},  # the threads of several runs would wait for each other
            start_new_session=True,  # so that its own processes can be stopped with it
        )

    def has_ended(self) -> bool:
        return self._child.poll() is not None

    def record(self) -> Record:
        """Read the figures, and note how the run ended."""
        self._log.close()
        seconds = time.monotonic() - self._started
        outcome, error = self._outcome()
        gpu = (outcome or {}).get("gpu")
        place = machine() | ({"GPU": gpu} if gpu else {})
        values = {"fingerprint": self._fingerprint, "seconds": seconds, "error": error, "title": self.spec.title}
        write_atomically(self._folder / RECORD, json_bytes(values | {"machine": place}))
        return Record(self.spec, seconds, outcome, error, machine=place)

    def _outcome(self) -> tuple[dict[str, Any] | None, str | None]:
        code = self._child.returncode
        if code == 0:
            try:
                return json.loads((self._folder / OUTCOME).read_text(encoding="utf-8")), None
            except (OSError, ValueError) as error:
                return None, f"no figures: {error}"
        lines = (self._folder / LOG).read_text(encoding="utf-8", errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        ended = f"ended with code {code}" if code > 0 else f"killed by signal {-code}"
        return None, (f"{ended}: {last}" if last else ended)[:_ERROR_LENGTH]

    def stop(self) -> None:
        """End the run and the processes that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()
        self._log.close()
