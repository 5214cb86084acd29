"""Get jobs done, wherever: hand them over, try again what failed, and know at every moment where everything stands."""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ness.errors import JobFailed, NessError
from ness.execute.jobs import Done, Failed, Job, JobLost, JobPool, Said, Started

_TOLD = 1.0  # seconds between two reports while nothing happens


@dataclass(slots=True)
class JobEnd:
    """How a job ended: with a result or with an error."""

    number: int
    job: Job
    seconds: float
    result: Any = None
    error: Exception | None = None
    tries: int = 1
    words: str = ""  # how the progress view tells it

    @property
    def why(self) -> str:
        """Say in one line why the job failed; nothing if it did not."""
        if self.error is None:
            return ""
        told = "" if isinstance(self.error, JobLost | NessError) else f"{type(self.error).__name__}: "
        again = f"failed {self.tries} times: " if self.tries > 1 else ""
        return f"{again}{told}{self.error}".partition("\n")[0]


@dataclass(slots=True)
class RunningJob:
    """A job that was handed over."""

    job: Job
    since: float
    where: str = ""  # nothing while it waits there
    said: str = ""


@dataclass
class JobStatus:
    """Where all the jobs stand, for progress reports."""

    waiting: dict[int, Job]
    slots: int = 1
    done_before: int = 0  # jobs that needed not be done
    running: dict[int, RunningJob] = field(default_factory=dict)
    ended: list[JobEnd] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what went wrong and is tried again

    @property
    def total(self) -> int:
        return self.done_before + len(self.ended) + self.left

    @property
    def left(self) -> int:
        return len(self.waiting) + len(self.running)

    @property
    def failed(self) -> int:
        return sum(one.error is not None for one in self.ended)

    def seconds_left(self) -> float:
        """Estimate the time left: the guesses for each job, corrected by how the guesses did so far."""
        guessed = sum(one.job.expected for one in self.ended)
        pace = sum(one.seconds for one in self.ended) / guessed if guessed else 1.0
        # What runs now is half done on average.
        running = sum(one.job.expected * (0.5 if one.where else 1.0) for one in self.running.values())
        return (sum(job.expected for job in self.waiting.values()) + running) * pace / max(1, self.slots)


Report = Callable[[JobStatus], None]


def complete(
    pool: JobPool,
    jobs: Sequence[Job],
    report: Report = lambda _: None,
    deadline: float = math.inf,
    done_before: int = 0,
) -> Iterator[JobEnd]:
    """Do jobs, the first ones first; return each when it has ended.

    A job that fails is tried again, elsewhere if there is an elsewhere, unless the error is one that NeSS raises on
    purpose. When the deadline has passed, by the monotonic clock, jobs under way are left to the end of the pool.
    """
    status = JobStatus(dict(enumerate(jobs)), pool.slots, done_before)
    tries: Counter[int] = Counter()
    report(status)
    while status.left and (deadline == math.inf or time.monotonic() < deadline):
        while status.waiting and pool.has_room():
            number = min(status.waiting)
            job = status.waiting.pop(number)
            pool.start(number, job)
            status.running[number] = RunningJob(job, time.perf_counter())
        status.slots = pool.slots
        for event in pool.events(_TOLD if deadline == math.inf else min(_TOLD, max(0.0, deadline - time.monotonic()))):
            running = status.running[event.number]
            if isinstance(event, Started):
                running.where, running.since = event.where, time.perf_counter()
            elif isinstance(event, Said):
                running.said = event.text
            else:
                del status.running[event.number]
                tries[event.number] += 1
                ended = JobEnd(event.number, running.job, time.perf_counter() - running.since)
                ended.tries = tries[event.number]
                if isinstance(event, Done):
                    ended.result = event.result
                elif isinstance(event, Failed):
                    ended.error = event.error
                    if ended.tries < pool.tries and not isinstance(event.error, NessError):
                        status.waiting[event.number] = running.job
                        where = f" ({running.where})" if running.where else ""
                        status.notes.append(f"{running.job.name}{where}: {event.error}; it is tried again")
                        continue
                status.ended.append(ended)
                yield ended
        report(status)


def results(pool: JobPool, jobs: Sequence[Job]) -> list[Any]:
    """Do jobs; return their results in the order of the jobs. The first job that fails is an error."""
    found: dict[int, Any] = {}
    for ended in complete(pool, jobs):
        if isinstance(ended.error, JobLost):
            raise JobFailed(f"{ended.job.name}: {ended.why}")
        if ended.error is not None:
            raise ended.error
        found[ended.number] = ended.result
    return [found[number] for number in range(len(jobs))]
