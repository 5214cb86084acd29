"""Training progress on stderr, in words: a line and a bar over the time limit in a terminal, plain lines elsewhere."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
from rich.progress_bar import ProgressBar
from rich.table import Column
from rich.text import Text

from ness.cli.sources import printable
from ness.learn.events import LessonReport, PhrasePass, Stage
from ness.paper.diagnosis import LessonDiagnosis

if TYPE_CHECKING:
    from ness.network.imitation import Progress as NetworkProgress

_PLAIN_SECONDS = 5.0  # between two plain lines of the network's training


class _TimeBar(BarColumn):
    """Fills as the time passes, whatever is going on."""

    def render(self, task: Task) -> ProgressBar:
        limit = task.total or 1.0
        return ProgressBar(limit, min(limit, task.elapsed or 0.0), width=self.bar_width)


class _TimeLeft(ProgressColumn):
    """The time that training takes at most."""

    def render(self, task: Task) -> Text:
        return Text(time_left((task.total or 0.0) - (task.elapsed or 0.0)), style="dim")


class TrainingProgress:
    """Shows each report; use it as the progress callback, inside `with`."""

    def __init__(self, time_limit: float, quiet: bool = False) -> None:
        self._limit = time_limit
        self._quiet = quiet
        self._console = Console(stderr=True, highlight=False)
        self._bar: Progress | None = None
        self._task = TaskID(0)
        self._started = time.monotonic()
        self._shown = 0.0

    def __enter__(self) -> "TrainingProgress":
        if self._console.is_terminal and not self._quiet:
            words = TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"))
            columns = (words, _TimeBar(bar_width=20), _TimeLeft())
            self._bar = Progress(*columns, console=self._console, transient=True, expand=True)
            self._task = self._bar.add_task("starting", total=self._limit)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, event: "Stage | LessonReport | PhrasePass | NetworkProgress | LessonDiagnosis") -> None:
        if self._quiet:
            return
        elapsed = time.monotonic() - self._started
        text = printable(event.detail if isinstance(event, Stage) else describe(event))
        if self._bar is not None:
            from rich.markup import escape

            self._bar.update(self._task, description=escape(text))
            if isinstance(event, Stage):
                self._console.print(f"{elapsed:6.1f} s  {text}", markup=False)
        elif isinstance(event, Stage | LessonReport | PhrasePass) or elapsed - self._shown > _PLAIN_SECONDS:
            left = "" if isinstance(event, Stage) else f"; {time_left(self._limit - elapsed)}"
            print(f"{elapsed:6.1f} s  {text}{left}", file=sys.stderr, flush=True)
            self._shown = elapsed


def time_left(seconds: float) -> str:
    """Say how long it takes at most."""
    return f"at most {max(0.0, seconds):.0f} s left"


def describe(event: "LessonReport | PhrasePass | NetworkProgress | LessonDiagnosis") -> str:
    """Say in one line what is going on."""
    if isinstance(event, LessonReport):
        return _lesson(event)
    if isinstance(event, PhrasePass):
        return f"pass {event.turn}: {event.changed} traces changed, {event.rules} REDUCE rules"
    if isinstance(event, LessonDiagnosis):
        return f"lesson {event.lesson}: {event.traced} of {event.examples} examples so far have a trace"
    if not event.step:
        return f"network, starting; at most {event.max_steps} steps"
    return (
        f"network, step {event.step} of at most {event.max_steps}: loss {event.loss:.3f}, "
        f"{event.accuracy:.1%} of decisions right"
    )


def _lesson(event: LessonReport) -> str:
    """Say whether the rules fit the examples so far, and if not, what is in the way and what happens next."""
    again = f"attempt {event.attempt}, " if event.attempt > 1 else ""
    where = f"{again}lesson {event.lesson} of {event.lessons}"
    wrong = round(event.samples * event.errors)
    if not wrong:
        return f"{where}: {event.rules} rules explain all {event.samples} examples so far"
    shortest = f"; the shortest: {event.stuck}" if event.stuck else ""
    following = "another beginning" if event.errors > 0.02 else "longer examples"
    return f"{where}: {wrong} of {event.samples} examples so far do not fit{shortest}; trying {following} next"
