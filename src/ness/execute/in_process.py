"""Jobs in this process, one after the other: no start-up, easy to debug."""

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ness.execute.jobs import Done, Event, Failed, Job, Said, Started, Work


class InProcess:
    """Does jobs here."""

    same_files = True

    @contextmanager
    def pool(self, work: Work[Any, Any], *, apart: bool = False) -> Iterator["InProcessPool"]:
        """Be ready for jobs; `apart` is of no use here."""
        yield InProcessPool(work)


class InProcessPool:
    """Does a job when it is asked what has happened."""

    slots = 1
    tries = 1  # the same process would fail in the same way

    def __init__(self, work: Work[Any, Any]) -> None:
        self._work = work
        self._waiting: deque[tuple[int, Job]] = deque()

    def has_room(self) -> bool:
        return not self._waiting

    def start(self, number: int, job: Job) -> None:
        self._waiting.append((number, job))

    def events(self, seconds: float) -> Iterable[Event]:
        if not self._waiting:
            return
        number, job = self._waiting.popleft()
        yield Started(number, "this process")
        said: list[str] = []
        try:
            ended: Event = Done(number, self._work(job.payload, said.append))
        except Exception as error:
            ended = Failed(number, error)
        yield from (Said(number, text) for text in said)
        yield ended
