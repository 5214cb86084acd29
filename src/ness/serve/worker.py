"""Learning in a process of its own: the server goes on answering, and what takes too long can be ended."""

import asyncio
import contextlib
import logging
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType
from typing import Any

from ness.data.example import Example
from ness.data.spelling import PLAIN, Spelling
from ness.errors import NessError
from ness.rules.hand import NO_RULES, HandRules
from ness.settings import resolve

log = logging.getLogger("ness.serve")
_GRACE_SECONDS = 3.0  # for the process to end its workers


@dataclass(frozen=True, slots=True)
class LearningJob:
    """What to learn, and the run folder to write."""

    examples: tuple[Example, ...]
    out: Path
    spelling: Spelling = PLAIN
    hand: HandRules = NO_RULES
    network: bool = False
    time_limit: float = 60.0
    seed: int = 0


class LearningFailed(Exception):
    """Nothing was learned; the message says why."""


class LearningProcess:
    """Learns one job after another; the process stays, so that only the first one waits for its start.

    It has a folder for what it writes, which is there from the first start until `close`. Where the server is killed,
    the process outlives it for as long as it takes to clear the folder away.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._lock = threading.RLock()  # a start and an end may come from different threads

    @property
    def folder(self) -> Path:
        """Where to write; made when it is first asked for."""
        with self._lock:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="ness-lesson-"))
            return self._folder

    def start(self) -> Connection:
        """Start the process if there is none; it imports what it needs while a person still types."""
        with self._lock:
            if self._process is None or self._pipe is None or not self._process.is_alive():
                self.end()
                context = multiprocessing.get_context("spawn")
                self._pipe, theirs = context.Pipe()
                self._process = context.Process(target=_work, args=(theirs, self.folder), name="ness-learn")
                self._process.start()
                theirs.close()
            return self._pipe

    async def learn(self, job: LearningJob, report: Callable[[str, float], None]) -> None:
        """Learn; `report` is told in words where it stands, and the share done. To cancel the task ends the process."""
        try:
            pipe = await asyncio.to_thread(self.start)
            pipe.send(job)
            while True:
                kind, text, share = await asyncio.to_thread(pipe.recv)
                if kind == "learned":
                    return
                if kind == "failed":
                    raise LearningFailed(text)
                report(text, share)
        except (EOFError, OSError):
            await asyncio.to_thread(self.end)
            raise LearningFailed("the learning process ended; try again") from None
        except asyncio.CancelledError:
            await asyncio.to_thread(self.end)
            raise

    def end(self) -> None:
        """End the process and all that it started."""
        with self._lock:
            process, self._process = self._process, None
            pipe, self._pipe = self._pipe, None
            if process is not None:
                process.terminate()
                process.join(_GRACE_SECONDS)
                if process.is_alive():
                    _kill(process)
                    process.join()
            if pipe is not None:
                pipe.close()

    def close(self) -> None:
        """End the process and clear its folder away."""
        self.end()
        with self._lock:
            folder, self._folder = self._folder, None
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)


def _kill(process: BaseProcess) -> None:
    """End a process with its workers, which are in its group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if process.pid is not None and os.name == "posix" and os.getpgid(process.pid) == process.pid:
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def _work(pipe: Connection, folder: Path) -> None:
    """Take jobs until the server is gone, then clear its folder away: a server that stops by itself ends this first."""
    if os.name == "posix":
        os.setsid()  # a group of its own: Ctrl-C in the terminal is for the server
    signal.signal(signal.SIGTERM, _leave)
    with contextlib.suppress(EOFError, OSError):
        _learn_jobs(pipe)
    shutil.rmtree(folder, ignore_errors=True)


def _learn_jobs(pipe: Connection) -> None:
    """Take jobs; an error of the pipe's ends it."""
    from ness.model.train import train

    while True:
        job: LearningJob = pipe.recv()
        try:
            train(
                job.examples,
                _config(job),
                job.out,
                task="lesson",
                spelling=job.spelling,
                hand=job.hand,
                rules_only=not job.network,
                progress=_teller(pipe),
            )
            pipe.send(("learned", "", 1.0))
        except NessError as error:
            pipe.send(("failed", str(error), 0.0))
        except ConnectionError:  # nobody listens any more
            raise
        except Exception:
            log.exception("learning failed")
            pipe.send(("failed", "learning failed; the server's log has the details", 0.0))


def _leave(number: int, frame: FrameType | None) -> None:
    """End this process as an error would: the training ends its workers on the way."""
    sys.exit(1)


def _config(job: LearningJob) -> Any:
    config = resolve(None, (), job.seed)
    return replace(config, learner=replace(config.learner, time_limit=job.time_limit))


def _teller(pipe: Connection) -> Callable[[Any], None]:
    """Make a report that sends each event in words."""
    from ness.cli.progress import describe
    from ness.learn.events import LessonReport, Stage

    def tell(event: Any) -> None:
        if isinstance(event, Stage):
            pipe.send(("progress", event.detail, 0.0))
        else:
            share = event.lesson / event.lessons if isinstance(event, LessonReport) else 0.0
            pipe.send(("progress", describe(event), share))

    return tell
