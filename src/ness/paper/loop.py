"""The paper's own loop (Algorithm 1): lesson by lesson, search guided by the network, categories, training, rules.

As published, or with the changes that `loop` in the settings names (docs/paper-loop.md). Networks that are not local
guide the search by an approximation: see `ControllerPolicy`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ness.config import Config
from ness.data.example import Example
from ness.data.lessons import by_length
from ness.learn.coding import Codec, Sample
from ness.learn.events import Report, Stage, ignore
from ness.learn.learner import majority
from ness.learn.result import LearningResult
from ness.machine import Program
from ness.network.controller import Controller, make_controller
from ness.network.imitation import Agreement, fixed_threads
from ness.network.vocabularies import Vocabularies
from ness.paper.agreeing_lessons import AgreeingLessons
from ness.paper.diagnosis import LessonDiagnosis, agreement_with, category_agreement, coherence
from ness.paper.loops import LoopRank, limit_of_next, ranked_loops, seed_of, wants_another
from ness.paper.progress import Lessons, Loop, TeacherOf
from ness.paper.published_lessons import PublishedLessons
from ness.paper.state import load_loop, loop_digest, save_loop
from ness.rules.table import Categories, RuleTable


@dataclass(frozen=True)
class PaperRun:
    """What the loop learned: traces and rules as any learner's, the network, and how each lesson went."""

    learned: LearningResult
    controller: Controller
    steps: int  # gradient steps
    lessons: list[LessonDiagnosis]
    cut_off: bool  # by the time limit
    agreement: Agreement | None = None  # of the network with the rules, if imagined inputs were taught
    loops: list[LoopRank] = field(default_factory=list)  # of the loops, the one that was kept first

    @property
    def note(self) -> str:
        ended = "was ended by the time limit" if self.cut_off else "ended"
        if not self.lessons:
            return f"the paper's loop {ended} after {self.steps} steps"
        last = self.lessons[-1]
        lost = f", {last.skipped_steps} of them without a finite gradient" if last.skipped_steps else ""
        return (
            f"the paper's loop {ended} after {self.steps} steps{lost}; {last.contradictory} of {last.statuses} "
            f"statuses are decided in more than one way ({last.contradictory_steps:.1%} of the steps of its traces)"
            f"{f'; the network {self.agreement}' if self.agreement else ''}"
            f"{f'; {len(self.loops)} loops, kept {self.loops[0]}' if len(self.loops) > 1 else ''}"
        )


def learn_as_in_the_paper(
    examples: Sequence[Example],
    config: Config,
    lessons: Sequence[Sequence[Example]] | None = None,
    report: Report = ignore,
    device: str = "auto",
    state_folder: Path | None = None,
    reference: RuleTable | None = None,
    teacher: TeacherOf | None = None,
) -> PaperRun:
    """Learn traces, rules and a network from examples by the paper's loop.

    With a state folder, it goes on where a saved state of the same examples and settings stopped. A reference table
    is only compared with. A teacher makes imagined inputs out of the last rules (`loop.imagined`).
    """
    consistent, contradictory = majority(examples)
    codec = Codec(consistent)
    keep = set(consistent)
    parts = by_length(consistent) if lessons is None else lessons
    coded = [[codec.encode(*example) for example in dict.fromkeys(part) if example in keep] for part in parts]
    coded = [part for part in coded if part]
    vocabularies = Vocabularies.of((e.source for e in examples), (e.target for e in examples))
    loops: list[Loop] = []
    ranks: list[LoopRank] = []
    ended: list[float] = []  # seconds from the start of the run
    with fixed_threads(config.training.threads):
        while wants_another(ranks, ended, config):
            number = len(loops)
            limited = replace(config.learner, time_limit=limit_of_next(ended, config))
            settings = replace(config, seed=seed_of(config.seed, number), learner=limited)
            controller = make_controller(vocabularies, config.controller, settings.seed, device)
            loop = Loop(settings, codec, controller, coded, report)
            loop.teacher, loop.earlier = teacher, loops[-1].seconds if loops else 0.0
            if state_folder is not None:
                _keep_state(loop, state_folder / f"loop-{number + 1}" if number else state_folder, examples)
            loops.append(loop)
            _go_through(loop, reference)
            ended.append(loop.seconds)
            if config.loop.loops > 1:
                ranks = ranked_loops(loops)
                report(Stage("search", str(ranks[-1])))
        ranks.sort()
        kept = ranks[0].number if ranks else 0
        loop = loops[kept]
        if loop.ready:
            _close(loop, reference)
    cut_off = loop.cut_off or ended[kept] >= config.learner.time_limit
    learned = _learned(loop, contradictory)
    return PaperRun(learned, loop.controller.eval(), loop.step, loop.diagnoses, cut_off, loop.agreement, ranks)


def _keep_state(loop: Loop, folder: Path, examples: Sequence[Example]) -> None:
    """Go on from the loop's saved state, and save it from now on."""
    digest = loop_digest(examples, loop.config)
    load_loop(folder, loop, digest)
    loop.save = lambda: save_loop(folder, loop, digest)


def _teach(loop: Loop) -> Lessons:
    return AgreeingLessons(loop) if loop.config.loop.coherent else PublishedLessons(loop)


def _go_through(loop: Loop, reference: RuleTable | None) -> None:
    """Go through the lessons; the training of the last one is left for the loop that is kept."""
    teach = _teach(loop)
    while loop.lesson < len(loop.lessons) and not loop.ready:
        teach.lesson()
        if loop.last:
            loop.ready = True
            loop.save()
        else:
            _close(loop, reference)


def _close(loop: Loop, reference: RuleTable | None) -> None:
    """Train what a lesson left to be trained, and say how it went."""
    teach = _teach(loop)
    teach.train()
    diagnosis = _diagnosis(loop, teach, reference)
    loop.diagnoses.append(diagnosis)
    loop.report(diagnosis)
    loop.lesson, loop.turn, loop.begun, loop.checked, loop.ready = loop.lesson + 1, 0, loop.step, None, False
    loop.save()


def _diagnosis(loop: Loop, teach: Lessons, reference: RuleTable | None) -> LessonDiagnosis:
    traces = list(loop.traces.values())
    return LessonDiagnosis(
        loop.lesson + 1,
        len(loop.examples),
        len(traces),
        *coherence(traces),
        agreement_with(reference, loop.codec, traces) if reference else None,
        category_agreement(reference, loop.codec, teach.classes()) if reference else None,
        loop.step,
        loop.searched,
        loop.seconds,
        loop.trainer.skipped,
    )


def _learned(loop: Loop, contradictory: list[Example]) -> LearningResult:
    """Collect the latest non-degenerate trace of each example, and the categories."""
    codec = loop.codec
    traces: dict[Example, Program] = {}
    unsolved = []
    for sample in (sample for part in loop.lessons for sample in part):
        example = _example(codec, sample)
        if sample in loop.traces:
            traces[example] = codec.program(loop.traces[sample])
        else:
            unsolved.append(example)
    members: dict[int, list[str]] = {}
    for word, representative in _teach(loop).classes().items():
        members.setdefault(representative, []).append(codec.word(word))
    categories = Categories(words for words in members.values() if len(words) > 1)
    programs = [(example.source, program) for example, program in traces.items()]
    return LearningResult(
        table=RuleTable.from_traces(programs, categories),
        traces=traces,
        unsolved=unsolved,
        memorised=[],
        contradictory=contradictory,
        seconds=loop.seconds,
        nodes=loop.searched,
        attempts=1,
    )


def _example(codec: Codec, sample: Sample) -> Example:
    return Example(tuple(map(codec.word, sample[0])), codec.phrase(sample[1]))
