"""Progress of many jobs on stderr: what has ended, what runs where, what is left; a live line in a terminal."""

import sys
import time
from types import TracebackType
from typing import Any

from ness.execute.session import JobStatus, RunningJob

_LIVE_TITLES = 2  # running jobs that the live line names
_QUIET = 30.0  # seconds between two lines on what runs, where there is no terminal


class JobsView:
    """Shows each status; use it as the report callback, inside `with`."""

    def __init__(self) -> None:
        self._told = time.monotonic()
        self._console: Any = None
        self._live: Any = None
        self._began = False
        self._shown = self._noted = 0

    def __enter__(self) -> "JobsView":
        if sys.stderr.isatty():
            from rich.console import Console  # here, so that jobs run where it is not installed

            self._console = Console(stderr=True, highlight=False)
            self._live = self._console.status("starting")
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, status: JobStatus) -> None:
        if not self._began and status.done_before:
            self._print(f"{status.done_before} of {status.total} runs are there already")
        self._began = True
        for note in status.notes[self._noted :]:
            self._print(note)
        self._noted = len(status.notes)
        new = status.ended[self._shown :]
        for number, ended in enumerate(new, status.done_before + self._shown + 1):
            left = "" if ended is not new[-1] else f"; {what_is_left(status)}"
            self._print(f"[{number}/{status.total}] {ended.words or ended.job.name}{left}")
        self._shown = len(status.ended)
        running = [one for one in status.running.values() if one.where]
        waiting = _waiting(status)
        if self._live is not None:
            from rich.markup import escape

            names = " and ".join(_in_words(one) for one in running[:_LIVE_TITLES])
            more = f" and {len(running) - _LIVE_TITLES} more" if len(running) > _LIVE_TITLES else ""
            self._live.update(escape(f"{names + more or waiting}; {what_is_left(status)}"))
        elif time.monotonic() - self._told > _QUIET:
            self._told = time.monotonic()
            for one in running:
                self._print(f"… {_in_words(one)}")
            if waiting:
                self._print(f"… {waiting}")

    def _print(self, text: str) -> None:
        if self._console is not None:
            self._console.print(text, markup=False)
        else:
            print(text, file=sys.stderr, flush=True)


def _in_words(running: RunningJob) -> str:
    """Name a job, where it is done and what it said last."""
    facts = ", ".join(filter(None, (running.where, running.said)))
    return f"{running.job.name} ({facts})" if facts else running.job.name


def _waiting(status: JobStatus) -> str:
    """Say how many jobs were handed over and have no place yet, and why if that is known."""
    found = [one for one in status.running.values() if not one.where]
    why = next((f": {one.said}" for one in found if one.said), "")
    return f"{len(found)} handed over, waiting for a place{why}" if found else ""


def what_is_left(status: JobStatus) -> str:
    """Say how much is to do, how much has failed, and how long it may take."""
    failed = f", {status.failed} failed" if status.failed else ""
    return f"{status.left} left, {duration(status.seconds_left())}{failed}" if status.left else f"nothing left{failed}"


def duration(seconds: float) -> str:
    """Say roughly how long it takes."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return "about a minute"
    return f"about {minutes} min" if minutes < 120 else f"about {minutes / 60:.1f} h"
