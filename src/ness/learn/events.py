"""What training reports while it runs. No torch here."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ness.learn.attempts import LessonReport
from ness.learn.phrases.search import PhrasePass

if TYPE_CHECKING:
    from ness.network.imitation import Progress as NetworkProgress
    from ness.paper.diagnosis import LessonDiagnosis

__all__ = ["LessonReport", "PhrasePass", "Report", "Stage", "ignore"]


class Stage(NamedTuple):
    """A new part of the work begins."""

    name: str  # "search", "network" or "saved"
    detail: str


Report = Callable[["Stage | LessonReport | PhrasePass | NetworkProgress | LessonDiagnosis"], None]


def ignore(event: object) -> None:
    """Report nothing."""
