"""Choose where jobs are done, as a user says it."""

from collections.abc import Iterator
from contextlib import contextmanager

from ness.execute.here import InProcess
from ness.execute.jobs import Executor
from ness.execute.processes import Processes


@contextmanager
def chosen_executor(jobs: int) -> Iterator[Executor]:
    """Be ready for so many jobs at a time; none: in this process."""
    yield Processes(jobs) if jobs else InProcess()
