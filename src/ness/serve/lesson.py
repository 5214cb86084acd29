"""A lesson: examples that a person edits, what was learned from them last, and learning in the background."""

import asyncio
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ness.data.example import Example
from ness.data.spacing import fitted
from ness.data.spelling import PLAIN, Spelling
from ness.errors import DataError, NessError
from ness.model.difference import different_answers
from ness.model.report import outcome
from ness.model.run_folder import load_run
from ness.rules.hand import NO_RULES, HandRules
from ness.serve.limits import Limits
from ness.serve.marks import Line, Marks, marks_of_model, marks_of_text
from ness.serve.models import Engines
from ness.serve.pins import Pin, hand_of
from ness.serve.worker import LearningFailed, LearningJob, LearningProcess

_STEPS_BACK = 100  # that can be undone
_TRIES = 50  # recent inputs, whose answers are compared after learning
_MOST_CHANGES = 100


class Version(NamedTuple):
    """What can be undone: the lines, the pinned rules, and how texts are cut."""

    lines: tuple[Line, ...] = ()
    pins: tuple[Pin, ...] = ()
    spelling: Spelling = PLAIN


@dataclass(frozen=True, slots=True)
class Change:
    """An answer that learning changed."""

    source: str
    before: str | None
    after: str | None


@dataclass
class LessonProgress:
    """Where learning stands."""

    state: str = "idle"  # "idle", "learning", "learned", "cancelled" or "failed"
    text: str = ""
    share: float = 0.0


@dataclass
class LessonModel:
    """A model with what it was learned from."""

    folder: Path
    engines: Engines  # that obey the pinned rules
    plain: Any  # the model without them
    plain_folder: Path
    version: Version  # that it was learned from
    marks: Marks

    @property
    def lines(self) -> tuple[Line, ...]:
        return self.version.lines

    @property
    def spelling(self) -> Spelling:
        return self.engines.model.spelling


@dataclass
class Lesson:
    """The state behind the page. Everything here runs in the server's event loop; learning is a process apart."""

    limits: Limits = field(default_factory=Limits)
    time_limit: float = 60.0
    network: bool = False  # train a network as well
    saved: Callable[[Sequence[Line]], None] = lambda lines: None  # told about every change of the lines
    published: Callable[[Engines | None], None] = lambda engines: None  # told about every new model
    now: Version = field(default_factory=Version)
    number: int = 0  # of changes, so that a page can tell whether it is up to date
    progress: LessonProgress = field(default_factory=LessonProgress)
    learned: LessonModel | None = None
    changes: list[Change] = field(default_factory=list)
    tries: deque[str] = field(default_factory=lambda: deque(maxlen=_TRIES))
    skipped: set[str] = field(default_factory=set)  # questions that a person did not want

    def __post_init__(self) -> None:
        self._before: list[Version] = []
        self._after: list[Version] = []
        self._next_id = max((line.id for line in self.now.lines), default=0) + 1
        self._process = LearningProcess()
        self._task: asyncio.Task[None] | None = None
        self._learnings = 0

    @property
    def can_undo(self) -> bool:
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        return bool(self._after)

    def new_line(self, source: str, target: str) -> Line:
        """Make a line with a number of its own."""
        self._next_id += 1
        return Line(self._next_id - 1, " ".join(source.split()), " ".join(target.split()))

    def change(
        self,
        lines: Iterable[Line] | None = None,
        pins: Iterable[Pin] | None = None,
        spelling: Spelling | None = None,
    ) -> None:
        """Replace lines, pinned rules or how texts are cut; what was there can be brought back."""
        now = self.now
        new = Version(
            now.lines if lines is None else tuple(lines),
            now.pins if pins is None else tuple(pins),
            now.spelling if spelling is None else spelling,
        )
        if new == self.now:
            return
        self._before = [*self._before[1 - _STEPS_BACK :], self.now]
        self._after = []
        self._set(new)

    def undo(self) -> None:
        """Go back one change."""
        if self._before:
            self._after.append(self.now)
            self._set(self._before.pop())

    def redo(self) -> None:
        """Take an undo back."""
        if self._after:
            self._before.append(self.now)
            self._set(self._after.pop())

    def add(self, source: str, target: str) -> Line:
        """Add an example; one with the same input is replaced, as a correction is meant."""
        line = self.new_line(source, target)
        same = [old for old in self.now.lines if old.source == line.source]
        if same:
            kept = [line if old is same[0] else old for old in self.now.lines if old is same[0] or old not in same]
            self.change(kept)
        else:
            self.change([*self.now.lines, line])
        return line

    def _set(self, version: Version) -> None:
        lines_changed = version.lines != self.now.lines
        self.now = version
        self.number += 1
        if lines_changed:
            try:
                self.saved(version.lines)
            except OSError as error:
                raise DataError(
                    f"{error.filename} was not written ({error.strerror}); the change is here only"
                ) from None

    def marks(self) -> Marks:
        """Collect what is to be said about each line; what learning found, only on lines that it saw."""
        found = marks_of_text(self.now.lines, self.now.spelling)
        if self.learned is not None:
            unchanged = set(self.learned.lines)
            for line in self.now.lines:
                if line in unchanged and line.id in self.learned.marks:
                    found.setdefault(line.id, []).extend(self.learned.marks[line.id])
        return found

    def warm_up(self) -> None:
        """Start the learning process before it is needed."""
        self._process.start()

    def start_learning(self) -> None:
        """Learn the present lines in the background; an older learning is ended."""
        self.cancel()
        self.progress = LessonProgress("learning", "starting")
        self._task = asyncio.create_task(self._learn(self.now, self._task))

    def cancel(self) -> None:
        """End the learning that runs, if any; the last good model stays."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            self.progress = LessonProgress(
                "cancelled", "stopped" + ("; the model from before answers" if self.learned else "")
            )

    async def close(self) -> None:
        """End everything."""
        self.cancel()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
        await asyncio.to_thread(self._process.close)

    async def _learn(self, version: Version, earlier: asyncio.Task[None] | None) -> None:
        if earlier is not None:  # it must have let go of the process
            await asyncio.wait([earlier])
        examples, spelling = examples_of(version)
        if not examples:
            self.learned, self.changes, self.progress = None, [], LessonProgress("idle", "no examples yet")
            self.published(None)
            return
        try:
            plain = self._reusable(version) or await self._learned_anew(examples, spelling)
            hand = hand_of(version.pins, plain[0].table)
            pinned = plain if hand.empty else await self._learned_anew(examples, spelling, hand)
            fresh = await asyncio.to_thread(self._prepare, plain, pinned, version)
        except (LearningFailed, NessError) as failure:
            self.progress = LessonProgress("failed", str(failure))
        except Exception:  # whoever waits must learn that nothing comes
            self.progress = LessonProgress("failed", "learning failed; the log of the server says why")
            raise
        else:
            self._use(*fresh)

    def _reusable(self, version: Version) -> tuple[Any, Path] | None:
        """Return the last model without pinned rules where only these have changed."""
        last = self.learned
        if last is None or examples_of(last.version) != examples_of(version):
            return None
        return None if self.network and not last.plain.has_controller else (last.plain, last.plain_folder)

    async def _learned_anew(
        self, examples: tuple[Example, ...], spelling: Spelling, hand: HandRules = NO_RULES
    ) -> tuple[Any, Path]:
        progress = self.progress
        self._learnings += 1
        folder = self._process.folder / str(self._learnings)
        job = LearningJob(examples, folder, spelling, hand, self.network, self.time_limit)
        await self._process.learn(job, lambda text, share: _note(progress, text, share))
        return await asyncio.to_thread(load_run, folder), folder

    def _prepare(
        self, plain: tuple[Any, Path], pinned: tuple[Any, Path], version: Version
    ) -> tuple[LessonModel, list[Change]]:
        """Find the marks, compare the answers with those of the model before."""
        engines = Engines(pinned[0], self.limits, default="rules")  # which obey the pinned rules; a network does not
        marks = marks_of_model(version.lines, plain[0], engines.engine("rules"), version.pins)
        learned = LessonModel(pinned[1], engines, *plain, version, marks)
        sources = list(dict.fromkeys([line.source for line in version.lines] + list(self.tries)))
        return learned, compare(self.learned, learned, sources)

    def _use(self, learned: LessonModel, changes: list[Change]) -> None:
        before = self.learned
        self.learned, self.changes = learned, changes
        self.published(learned.engines)
        self.progress = LessonProgress("learned", _outcome(self.learned), 1.0)
        kept = {learned.folder, learned.plain_folder}
        for folder in {before.folder, before.plain_folder} - kept if before is not None else ():
            shutil.rmtree(folder, ignore_errors=True)


def examples_of(version: Version) -> tuple[tuple[Example, ...], Spelling]:
    """Return the complete examples among lines, and how they are spelled."""
    complete = [line for line in version.lines if line.example(version.spelling)]
    spelling = fitted(version.spelling, [line.source for line in complete], [line.target for line in complete])
    return tuple(example for line in complete if (example := line.example(spelling))), spelling


def compare(before: LessonModel | None, after: LessonModel, sources: Sequence[str]) -> list[Change]:
    """List the inputs whose answers two models give differently."""
    if before is None:
        return []
    # Engines of their own: others may be asking those of the models at the same time.
    asked = [source for source in sources if source.strip()]
    different = different_answers(before.engines.model, after.engines.model, asked, "rules")
    return [Change(*each) for each in different[:_MOST_CHANGES]]


def _note(progress: LessonProgress, text: str, share: float) -> None:
    progress.text, progress.share = text, max(share, progress.share)


def _outcome(learned: LessonModel) -> str:
    summary = learned.engines.model.summary
    if summary is None:
        return "learned"
    found = f"learned {outcome(summary)}"
    return found if summary.complete else f"{found}; the time limit ended the search"
