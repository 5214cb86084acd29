"""The paper's own loop (Algorithm 1): search guided by the network, categories by pairing, a gradient step, rules.

For each lesson: batches of all examples so far are searched with the present network (`ness.paper.sampled`), the
traces found, degenerate ones included, train it, and words of examples with equal operator traces are taught a common
category, sampled from the prediction for the word of the earlier lesson. A lesson ends when no example got its first
non-degenerate trace since the last evaluation, or with its share of the budget; it has one batch at least. Then rules
are extracted.

Networks that are not local guide the search by an approximation: see `ControllerPolicy`.
"""

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch

from ness.config import Config
from ness.data.example import Example
from ness.data.lessons import by_length
from ness.learn.coding import Codec, CodedTrace, Sample
from ness.learn.events import Report, Stage, ignore
from ness.learn.learner import Learned, majority
from ness.machine import Program, Word
from ness.network.batches import Batch
from ness.network.controller import Controller, make_controller
from ness.network.imitation import Progress, Trainer, fixed_threads
from ness.network.trace_batches import compile_traces, word_pairs
from ness.network.training_set import source_labels
from ness.network.vocabularies import Vocabularies
from ness.paper.guidance import ControllerGuide
from ness.paper.sampled import ExtractedRules, Sampled, sampled_search, search_together
from ness.rules.table import Categories, RuleTable


@dataclass(frozen=True)
class PaperRun:
    """What the loop learned: traces and rules as any learner's, and the network."""

    learned: Learned
    controller: Controller
    steps: int  # gradient steps

    @property
    def note(self) -> str:
        return f"the paper's loop ended after {self.steps} steps"


@dataclass
class _Searched:
    """The examples of a step: one batch, whose traces were just found."""

    current: Batch | None = None

    def batch(self, step: int) -> Batch:
        assert self.current is not None
        return self.current

    def all(self) -> Iterator[Batch]:
        assert self.current is not None
        yield self.current


@dataclass
class _Known:
    """What is known so far: non-degenerate traces, the rules of earlier lessons, the lesson of each word."""

    traces: dict[Sample, CodedTrace] = field(default_factory=dict)
    rules: ExtractedRules = field(default_factory=ExtractedRules)
    first_lesson: dict[Word, int] = field(default_factory=dict)
    steps: int = 0  # executed by all searches


def learn_as_in_the_paper(
    examples: Sequence[Example],
    config: Config,
    lessons: Sequence[Sequence[Example]] | None = None,
    report: Report = ignore,
    device: str = "auto",
) -> PaperRun:
    """Learn traces, rules and a network from examples by the paper's loop."""
    started = time.monotonic()
    consistent, contradictory = majority(examples)
    codec = Codec(consistent)
    keep = set(consistent)
    parts = by_length(consistent) if lessons is None else lessons
    coded = [[codec.encode(*example) for example in dict.fromkeys(part) if example in keep] for part in parts]
    coded = [part for part in coded if part]
    vocabularies = Vocabularies.of((e.source for e in examples), (e.target for e in examples))
    controller = make_controller(vocabularies, config.controller, config.seed, device)
    loop = _Loop(config, codec, controller, report, started)
    with fixed_threads(config.training.threads):
        for number, lesson in enumerate(coded):
            loop.lesson(number, lesson, len(coded) - number)
    everything = [sample for part in coded for sample in part]
    learned = loop.learned(everything, contradictory)
    return PaperRun(learned, controller.eval(), loop.trainer.step)


class _Loop:
    def __init__(self, config: Config, codec: Codec, controller: Controller, report: Report, started: float) -> None:
        self.config, self.codec, self.report, self.started = config, codec, report, started
        self.examples = _Searched()
        self.trainer = Trainer(controller, self.examples, config.training, config.seed)
        self.guide = ControllerGuide(controller, codec)
        self.known = _Known()
        self._labels = source_labels(controller.vocabularies, Categories())
        self._rng = random.Random(config.seed)
        self._data: list[Sample] = []

    def lesson(self, number: int, fresh: Sequence[Sample], lessons_left: int) -> None:
        """Search and train on all examples so far until the searches find nothing more; then extract rules."""
        known, training, trainer = self.known, self.config.training, self.trainer
        self._data += fresh
        for source, _ in fresh:
            for word in source:
                known.first_lesson.setdefault(self.codec.word(word), number)
        now = time.monotonic()
        deadline = now + (self.started + self.config.learner.time_limit - now) / lessons_left
        last = trainer.step + max(1, (training.max_steps - trainer.step) // lessons_left)
        evaluated, solved = trainer.step, -1
        over = False
        while not over:
            for batch in self._batches():
                self._learn_from(batch, min(training.steps_per_search, last - trainer.step))
                over = trainer.step >= last or time.monotonic() >= deadline
                if over:
                    break
            if trainer.step - evaluated >= training.evaluate_every:
                self._evaluate(number)
                if len(known.traces) == solved:
                    break
                evaluated, solved = trainer.step, len(known.traces)
        known.rules = ExtractedRules.of(known.traces.values())
        self._evaluate(number)
        found = f"{len(known.traces)} of {len(self._data)} examples have a non-degenerate trace"
        self.report(Stage("search", f"lesson {number + 1}: {found}"))

    def _batches(self) -> Iterator[list[Sample]]:
        """All examples so far in a new order, cut into batches."""
        size = self.config.training.trace_batch_size
        order = self._rng.sample(self._data, len(self._data))
        return (order[start : start + size] for start in range(0, len(order), size))

    def _learn_from(self, batch: list[Sample], steps: int) -> None:
        """Search a batch with the present network, and train on what was found."""
        known, config = self.known, self.config.search
        self.guide.refresh()
        searches = [
            sampled_search(sample, known.rules, config, random.Random(self._rng.getrandbits(64))) for sample in batch
        ]
        found = search_together(self.guide, searches)
        known.steps += sum(each.steps for each in found)
        for sample, each in zip(batch, found, strict=True):
            if not each.degenerate:
                known.traces[sample] = each.trace
        self.examples.current = self._compile(batch, found)
        for _ in range(steps):
            self.trainer.train_step()

    def _compile(self, batch: list[Sample], found: list[Sampled]) -> Batch:
        """Make the training batch; only words of non-degenerate traces are paired, so these come first."""
        pairs = sorted(zip(found, batch, strict=True), key=lambda pair: pair[0].degenerate)
        traces = [(self._words(sample), self.codec.program(each.trace)) for each, sample in pairs]
        coherent = sum(not each.degenerate for each in found)
        places = word_pairs(traces[:coherent], self.known.first_lesson)
        controller, power = self.trainer.controller, self.config.training.count_power
        return compile_traces(controller.vocabularies, controller.config, traces, self._labels, power, places)

    def _evaluate(self, lesson: int) -> None:
        losses = self.trainer.evaluate()
        seconds = time.monotonic() - self.started
        steps = self.trainer.step, self.config.training.max_steps
        self.report(Progress(lesson, *steps, losses.excess(), losses.accuracy(), seconds))

    def _words(self, sample: Sample) -> tuple[Word, ...]:
        return tuple(map(self.codec.word, sample[0]))

    def learned(self, samples: Sequence[Sample], contradictory: list[Example]) -> Learned:
        """Collect the latest non-degenerate trace of each example, and the network's categories."""
        traces: dict[Example, Program] = {}
        unsolved = []
        for sample in samples:
            example = Example(self._words(sample), self.codec.phrase(sample[1]))
            if sample in self.known.traces:
                traces[example] = self.codec.program(self.known.traces[sample])
            else:
                unsolved.append(example)
        programs = [(example.source, program) for example, program in traces.items()]
        table = RuleTable.from_traces(programs, predicted_categories(self.trainer.controller))
        seconds = time.monotonic() - self.started
        return Learned(
            table=table,
            traces=traces,
            unsolved=unsolved,
            memorised=[],
            contradictory=contradictory,
            seconds=seconds,
            nodes=self.known.steps,
            attempts=1,
        )


@torch.no_grad()
def predicted_categories(controller: Controller) -> Categories:
    """Group the words that the network puts into the same category, each word on its own."""
    words = torch.arange(1, len(controller.vocabularies.source) + 1, device=controller.device)
    predicted = controller.category_logits(controller.encode_words(words)).argmax(-1).tolist()
    groups: dict[int, list[Word]] = {}
    for word, category in zip(controller.vocabularies.source, predicted, strict=True):
        groups.setdefault(category, []).append(word)
    return Categories(members for members in groups.values() if len(members) > 1)
