"""Work for tests of executors."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

from ness.errors import DataError
from ness.execute.jobs import Job, Say


def double(number: int, say: Say) -> int:
    say(f"doubling {number}")
    return 2 * number


def numbered(count: int) -> list[Job]:
    return [Job(f"job {number}", number) for number in range(count)]


class NeverSent(Exception):
    """An error that pickle cannot make again."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.cause = lambda: number


@dataclass
class Flaky:
    """Kills its process, so many times for each number; notes in a folder keep count."""

    folder: Path
    deaths: dict[int, int]

    def __call__(self, number: int, say: Say) -> int:
        note = self.folder / f"{number}"
        before = len(note.read_text()) if note.exists() else 0
        if before < self.deaths.get(number, 0):
            note.write_text("x" * (before + 1))
            os.kill(os.getpid(), signal.SIGKILL)
        return 2 * number


def refuse(number: int, say: Say) -> None:
    raise DataError(f"no {number} here")


def fail_oddly(number: int, say: Say) -> None:
    raise NeverSent(number)
