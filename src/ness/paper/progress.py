"""Where the paper's loop stands: all that a resumed run needs, beside the network."""

import random
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from ness.config import Config
from ness.learn.coding import Codec, CodedTrace, Sample
from ness.learn.events import Report
from ness.machine import Word
from ness.network.controller import Controller
from ness.network.imitation import Agreement, Progress, Teacher, Trainer
from ness.network.losses import Losses
from ness.network.training_set import Traces
from ness.paper.controller_guide import ControllerGuide
from ness.paper.diagnosis import LessonDiagnosis
from ness.paper.examples import SearchedExamples
from ness.paper.trace_set import TraceSet
from ness.rules.table import RuleTable

TeacherOf = Callable[[Traces, RuleTable], Teacher]  # the rules of given traces as a teacher


class Lessons(Protocol):
    """A way to go through a lesson."""

    def lesson(self) -> None:
        """Search, and perhaps train, until the lesson is over."""

    def train(self) -> None:
        """Train what the lesson left to be trained."""

    def classes(self) -> dict[int, int]:
        """The category of each word, named by one of its members."""


class Loop:
    """Traces, training and position. All draws depend on the seed and the position, so no random state is kept."""

    def __init__(
        self, config: Config, codec: Codec, controller: Controller, lessons: Sequence[list[Sample]], report: Report
    ) -> None:
        self.config, self.codec, self.controller, self.lessons, self.report = config, codec, controller, lessons, report
        self.searchable = SearchedExamples()
        self.trainer = Trainer(controller, self.searchable, config.training, config.seed)
        self.guide = ControllerGuide(controller, codec)
        self.traces: dict[Sample, CodedTrace] = {}  # the latest non-degenerate ones
        self.ruled: dict[Sample, CodedTrace] = {}  # those that the rules of earlier lessons were read off
        self.sets: list[TraceSet] = []  # of coherent traces, the best first
        self.working: list[Sample] = []  # the examples that they are of
        self.lesson = self.turn = 0  # lessons done; batches of the present one
        self.step = 0  # gradient steps
        self.begun = 0  # the gradient step at which the present lesson began
        self.checked: tuple[int, int] | None = None  # step and examples with a trace at the last evaluation
        self.ready = False  # whether the last lesson is over but for its training
        self.cut_off = False  # whether time ended the search of a lesson
        self.searched = 0  # steps executed by all searches
        self.diagnoses: list[LessonDiagnosis] = []
        self.agreement: Agreement | None = None  # of the network with the rules, at the end
        self.teacher: TeacherOf | None = None
        self.earlier = 0.0  # seconds of runs that this one goes on with
        self.save: Callable[[], None] = lambda: None
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        return self.earlier + time.monotonic() - self._started

    @property
    def examples(self) -> list[Sample]:
        """All examples of the lessons so far, the present one included."""
        return [sample for part in self.lessons[: self.lesson + 1] for sample in part]

    @property
    def last(self) -> bool:
        """Whether the present lesson is the last."""
        return self.lesson == len(self.lessons) - 1

    def deadline(self) -> float:
        """Return when the present lesson has used its share of the time that is left, in seconds of the loop."""
        left = self.config.learner.time_limit - self.seconds
        return self.seconds + left / (len(self.lessons) - self.lesson)

    def last_step(self) -> int:
        """Return the gradient step that ends the present lesson: its share of those that are left, at least one."""
        left = self.config.training.max_steps - self.begun
        return self.begun + max(1, left // (len(self.lessons) - self.lesson))

    def first_lessons(self) -> dict[Word, int]:
        """The lesson in which each word occurs first."""
        first: dict[Word, int] = {}
        for number, part in enumerate(self.lessons[: self.lesson + 1]):
            for source, _ in part:
                for word in source:
                    first.setdefault(self.codec.word(word), number)
        return first

    def random(self, purpose: str) -> random.Random:
        """Return draws that depend on the seed, the position and the purpose alone."""
        return random.Random(f"{self.config.seed} {self.lesson} {self.turn} {purpose}")

    def tell(self, losses: Losses) -> None:
        """Report how training stands."""
        limits = self.step, self.config.training.max_steps
        self.report(Progress(self.lesson, *limits, losses.excess(), losses.accuracy(), self.seconds))
