"""Training progress on stderr: a live line in a terminal, plain lines elsewhere."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ness.learn.events import LessonReport, PhrasePass, Stage
from ness.paper.diagnosis import LessonDiagnosis

if TYPE_CHECKING:
    from ness.network.imitation import Progress

_PLAIN_SECONDS = 5.0  # between two plain lines of the network's training


class ProgressView:
    """Shows each report; use it as the progress callback, inside `with`."""

    def __init__(self, quiet: bool = False) -> None:
        from rich.console import Console

        self._console = Console(stderr=True, highlight=False)
        self._quiet = quiet
        self._status: Any = None
        self._started = time.monotonic()
        self._shown = 0.0

    def __enter__(self) -> "ProgressView":
        if self._console.is_terminal and not self._quiet:
            self._status = self._console.status("starting")
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def __call__(self, event: "Stage | LessonReport | PhrasePass | LessonDiagnosis | Progress") -> None:
        if self._quiet:
            return
        elapsed = time.monotonic() - self._started
        if isinstance(event, Stage | LessonDiagnosis):
            self._print(f"{elapsed:6.1f} s  {event.detail}")
            return
        text = f"{elapsed:6.1f} s  {describe(event)}"
        if self._status is not None:
            from rich.markup import escape

            self._status.update(escape(text))
        elif isinstance(event, LessonReport | PhrasePass) or elapsed - self._shown > _PLAIN_SECONDS:
            self._print(text)
            self._shown = elapsed

    def _print(self, text: str) -> None:
        if self._status is not None:
            self._console.print(text, markup=False)
        else:
            print(text, file=sys.stderr, flush=True)


def describe(event: "LessonReport | PhrasePass | Progress") -> str:
    """Say in one line where the work stands."""
    if isinstance(event, LessonReport):
        solved = round(event.samples * (1 - event.errors))
        return (
            f"try {event.attempt}, lesson {event.lesson} of {event.lessons}: {solved} of {event.samples} samples "
            f"solved, {event.rules} rules, description length {event.description_length:.0f}"
        )
    if isinstance(event, PhrasePass):
        return f"pass {event.turn}: {event.changed} traces changed, {event.rules} REDUCE rules"
    if not event.step:  # nothing to estimate from
        return f"network, starting; at most {event.max_steps} steps"
    left = event.seconds / event.step * (event.max_steps - event.step)
    return (
        f"network, step {event.step} of at most {event.max_steps}: loss {event.loss:.3f}, "
        f"{event.accuracy:.1%} of decisions right, at most {left:.0f} s left"
    )
