"""What is to be done and how it goes: jobs, events, and what every place that does jobs can do.

A job is a name and a payload; what is done with it, the work, is a function given to a pool once and for all, with all
the data that its jobs share. A result depends on the payload alone, so that it is the same wherever the job is done.
"""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

Payload_contra = TypeVar("Payload_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)
Say = Callable[[str], None]  # lets a job tell what it is doing, for the progress view


def silent(text: str) -> None:
    """Tell nobody."""


class Work(Protocol[Payload_contra, Result_co]):
    """Does a job."""

    def __call__(self, payload: Payload_contra, say: Say, /) -> Result_co: ...


@dataclass(frozen=True, slots=True)
class Resources:
    """What a job takes of the place where it is done; Ray finds a place that has it."""

    cpus: float = 1.0
    gpus: float = 0.0  # a share: several jobs share a GPU
    memory: int = 0  # bytes; 0: not said


@dataclass(frozen=True, slots=True)
class Job:
    """One thing to do."""

    name: str  # for people
    payload: Any
    resources: Resources = field(default_factory=Resources)
    expected: float = 60.0  # seconds, a first guess


class JobLost(Exception):
    """A job has ended without an answer: the process or the machine that did it is gone."""


@dataclass(frozen=True, slots=True)
class Started:
    """A job is being done somewhere."""

    number: int
    where: str


@dataclass(frozen=True, slots=True)
class Said:
    """A job has told what it is doing."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """A job is done."""

    number: int
    result: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """A job raised an error, or was lost."""

    number: int
    error: Exception


Event = Started | Said | Done | Failed


class JobPool(Protocol):
    """Does jobs of one kind."""

    tries: int  # after so many failures a job has failed

    @property
    def slots(self) -> int:
        """How many jobs are done at a time."""

    def has_room(self) -> bool:
        """Tell whether to hand over another job now."""

    def start(self, number: int, job: Job) -> None:
        """Take a job."""

    def events(self, seconds: float) -> Iterable[Event]:
        """Tell what has happened since; wait for so long if nothing has."""


class Executor(Protocol):
    """A place where jobs are done."""

    same_files: bool  # whether a job sees the files of this process

    def pool(self, work: Work[Any, Any], *, apart: bool = False) -> AbstractContextManager[JobPool]:
        """Be ready for jobs; on leaving, jobs under way are ended. `apart`: each job has a fresh process."""
