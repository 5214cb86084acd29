"""Progress of many runs on stderr: what has ended, what runs, what is left; a live line in a terminal."""

import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from ness.experiments.runner import LOG, Record, RunStatus
from ness.experiments.spec import RunSpec
from ness.experiments.summary import percent

_LIVE_TITLES = 2  # running runs that the live line names
_TAIL = 400  # bytes of a log that its last line is looked for in
_QUIET = 30.0  # seconds between two lines on what runs, where there is no terminal


class ProgressView:
    """Shows each status; use it as the report callback, inside `with`."""

    def __init__(self, folder: Path) -> None:
        from rich.console import Console

        self._folder = folder
        self._told = time.monotonic()

        self._console = Console(stderr=True, highlight=False)
        self._live: Any = None
        self._shown = 0
        self._started = time.monotonic()

    def __enter__(self) -> "ProgressView":
        if self._console.is_terminal:
            self._live = self._console.status("starting")
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, status: RunStatus) -> None:
        ended = status.done[self._shown :]
        if reused := [record for record in ended if record.reused]:
            self._print(f"{len(reused)} of {status.total} runs are there already")
        for number, record in enumerate(ended, self._shown + 1):
            if not record.reused:
                left = "" if number < len(status.done) else f"; {what_is_left(status)}"
                self._print(f"[{number}/{status.total}] {in_words(record)}{left}")
        self._shown = len(status.done)
        if self._live is not None:
            from rich.markup import escape

            names = " and ".join(self._running(spec) for spec in status.running[:_LIVE_TITLES])
            self._live.update(escape(f"{names}; {what_is_left(status)}"))
        elif time.monotonic() - self._told > _QUIET:
            self._told = time.monotonic()
            for spec in status.running:
                self._print(f"… {self._running(spec)}")

    def _running(self, spec: RunSpec) -> str:
        """Name a run and what it last said."""
        said = last_line(self._folder / spec.folder / LOG)
        return f"{spec.title} ({said})" if said else spec.title

    def _print(self, text: str) -> None:
        if self._live is not None:
            self._console.print(text, markup=False)
        else:
            print(text, file=sys.stderr, flush=True)


def last_line(path: Path) -> str:
    """Return the last whole line of a log; nothing if there is none."""
    try:
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - _TAIL))
            lines = file.read().decode(errors="replace").split("\n")[:-1]
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def in_words(record: Record) -> str:
    """Say how a run ended."""
    if record.outcome is None:
        return f"{record.spec.title}: FAILED, {record.error}"
    sets = record.outcome["sets"]
    figures = ", ".join(f"{one['name']} {percent(one['exact'])}%" for one in sets)
    return f"{record.spec.title}: {figures} in {record.seconds:.0f} s"


def what_is_left(status: RunStatus) -> str:
    """Say how much is to do and how long it may take."""
    left = len(status.waiting) + len(status.running)
    return f"{left} left, {_duration(status.seconds_left())}" if left else "nothing left"


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return "about a minute"
    return f"about {minutes} min" if minutes < 120 else f"about {minutes / 60:.1f} h"
