"""What an attempt over the lessons leaves behind, lesson by lesson: for the next one, the journal and the reader."""

import random
from dataclasses import dataclass
from typing import Protocol

from ness.learn.coding import Sample
from ness.learn.judge import ScoredHypothesis


@dataclass
class Snapshot:
    """What an attempt has after a lesson; an attempt can start from another's."""

    population: list[ScoredHypothesis]
    samples: list[Sample]


@dataclass(frozen=True)
class JournalEntry:
    """A lesson's snapshot, and the nodes that its attempt has spent so far."""

    snapshot: Snapshot
    nodes: int


class Journal(Protocol):
    """Keeps what there is after each lesson, so that a stopped run can go on."""

    def get(self, attempt: int, lesson: int, rng: random.Random) -> JournalEntry | None:
        """Return what was kept, and set the random generator to how it was then."""

    def add(self, attempt: int, lesson: int, entry: JournalEntry, rng: random.Random) -> None:
        """Keep a lesson."""


@dataclass
class Attempt:
    """One run over the lessons, finished or given up."""

    snapshots: list[Snapshot]
    nodes: int

    @property
    def best(self) -> ScoredHypothesis:
        return self.snapshots[-1].population[0]

    def foreseen(self, lessons: int, recent: int) -> bool:
        """Tell whether the most recent lessons were solved before they were learned from, or needed no learning."""
        if len(self.snapshots) < lessons:
            return True
        before = self.snapshots[:-1][-recent:] if recent else []
        return all(snapshot.population[0].next_errors == 0 for snapshot in before)


@dataclass(frozen=True)
class LessonReport:
    """Progress after a lesson."""

    attempt: int
    lesson: int
    lessons: int
    samples: int
    errors: float
    next_errors: float
    rules: int
    description_length: float
    nodes: int
    stuck: str = ""  # the shortest example so far that does not fit
