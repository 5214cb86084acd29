"""Imitation: gradient steps on what the traces decided, until every decision is right and the loss has settled.

Traces show few of the statuses that longer inputs meet. A `Teacher` says what the rules decide in others, and finds out
on inputs that training never saw whether the network has come to say the same.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import torch

from ness.config import TrainingConfig
from ness.machine import Instruction, Status
from ness.network.controller import Controller
from ness.network.gradients import clip
from ness.network.losses import Losses, batch_losses
from ness.network.trainer_state import load_state, save_state, traces_digest
from ness.network.training_set import Examples, LocalExamples, TraceExamples, Traces, make_examples
from ness.rules.table import Categories

MAX_ROUNDS = 10  # examinations that may be failed


@dataclass(frozen=True, slots=True)
class Progress:
    """Where training stands; measured on all training traces."""

    lesson: int
    step: int
    max_steps: int
    losses: dict[str, float]  # by predictor, beyond what noise in the traces costs
    accuracy: float  # share of deterministic decisions that are right, greedily
    seconds: float

    @property
    def loss(self) -> float:
        return sum(self.losses.values())


@dataclass(frozen=True, slots=True)
class Agreement:
    """On how many fresh imagined inputs, and statuses of these, the network decides as the rules do."""

    inputs: int
    same_inputs: int
    statuses: int
    same_statuses: int

    @property
    def share(self) -> float:
        """The share of inputs with the same output."""
        return self.same_inputs / self.inputs if self.inputs else 1.0

    def __str__(self) -> str:
        return f"agrees with the rules on {self.same_inputs} of {self.inputs} imagined inputs"


class Teacher(Protocol):
    """Knows what the rules decide beyond the traces. The same round is always the same."""

    def decisions(self, rounds: int) -> Mapping[Status, Instruction]:
        """Return what to imitate besides the traces after so many rounds of examination."""

    def examine(self, controller: Controller, rounds: int) -> Agreement:
        """Ask about inputs that the decisions up to this round do not come from."""


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """How training ended."""

    progress: Progress
    converged: bool  # every decision right and the loss settled; else the budget of steps was used up
    agreement: Agreement | None = None  # None: nobody examined the network

    @property
    def reason(self) -> str:
        return "all training decisions reproduced" if self.converged else "the budget of steps is used up"


class Trainer:
    """Trains a controller step by step; the weights depend on the seed and the numbers of steps and rounds only."""

    def __init__(self, controller: Controller, examples: Examples, config: TrainingConfig, seed: int) -> None:
        self.controller = controller
        self.examples = examples
        self.config = config
        self.seed = seed
        self.step = 0
        self.skipped = 0  # steps without a finite gradient, in which the weights stayed
        self.rounds = 0  # examinations whose inputs have become training rows
        self.optimizer = torch.optim.Adam(controller.parameters(), lr=config.learning_rate, fused=True)
        self._moved: tuple[object, object] | None = None

    def train_step(self) -> Losses:
        """Take one gradient step."""
        self.controller.train()  # engines that were asked in between have left it in evaluation mode
        batch = self.examples.batch(self.step)
        if self._moved is None or self._moved[0] is not batch:
            self._moved = batch, batch.to(self.controller.device)
        if self.config.decay:
            for group in self.optimizer.param_groups:
                group["lr"] = self.config.learning_rate * (1 - self.step / self.config.max_steps)
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + self.step)
        losses = batch_losses(self.controller, self._moved[1], generator)  # type: ignore[arg-type]
        self.optimizer.zero_grad()
        losses.total().backward()  # type: ignore[no-untyped-call]
        if clip(self.controller.parameters(), self.config.clip_norm):
            self.optimizer.step()
        else:
            self.skipped += 1
        self.step += 1
        return losses

    @torch.no_grad()
    def evaluate(self) -> Losses:
        """Measure all training decisions under the present weights."""
        losses = Losses()
        generator = torch.Generator().manual_seed(self.seed)
        for batch in self.examples.all():
            losses.merge(batch_losses(self.controller, batch.to(self.controller.device), generator))
        return losses


def train_controller(
    controller: Controller,
    traces: Traces,
    categories: Categories,
    config: TrainingConfig,
    *,
    seed: int = 0,
    lesson: int = 0,
    on_progress: Callable[[Progress], None] | None = None,
    state_folder: Path | None = None,
    teacher: Teacher | None = None,
) -> TrainingResult:
    """Train until all traces are reproduced greedily and the loss is settled, or the steps are used up.

    With a teacher, until the network also agrees with the rules: the inputs of an examination that it failed are
    trained on, and the next examination has others. With a state folder, training goes on where a saved state of the
    same traces and settings stopped.
    """
    examples = make_examples(controller.vocabularies, controller.config, traces, categories, config, seed)
    trainer = Trainer(controller, examples, config, seed)
    digest = traces_digest(traces, categories, controller, config, seed, lesson) if state_folder else ""
    before = load_state(state_folder, trainer, digest) if state_folder else 0.0
    if teacher:
        examples.extend(teacher.decisions(trainer.rounds))
    started = time.monotonic() - before
    with fixed_threads(config.threads):
        while True:
            if trainer.step % config.evaluate_every == 0 or trainer.step >= config.max_steps:
                losses = trainer.evaluate()
                seconds = time.monotonic() - started
                progress = Progress(lesson, trainer.step, config.max_steps, losses.excess(), losses.accuracy(), seconds)
                if on_progress:
                    on_progress(progress)
                converged = progress.accuracy == 1.0 and progress.loss < config.loss_threshold
                if converged or trainer.step >= config.max_steps:
                    agreement = teacher.examine(controller, trainer.rounds) if teacher else None
                    if not (teacher and agreement and _learn_more(trainer, examples, teacher, agreement)):
                        if state_folder:
                            save_state(state_folder, trainer, digest, seconds)
                        return TrainingResult(progress, converged, agreement)
            trainer.train_step()
            if state_folder and trainer.step % config.checkpoint_every == 0:
                save_state(state_folder, trainer, digest, time.monotonic() - started)


def _learn_more(
    trainer: Trainer, examples: LocalExamples | TraceExamples, teacher: Teacher, agreement: Agreement
) -> bool:
    """Add the inputs of a failed examination to what is trained on; False: training is over."""
    if agreement.share == 1.0 or trainer.step >= trainer.config.max_steps or trainer.rounds == MAX_ROUNDS:
        return False
    if not examples.extend(teacher.decisions(trainer.rounds + 1)):
        return False  # all of it was trained on: the rules themselves waver there
    trainer.rounds += 1
    return True


@contextmanager
def fixed_threads(threads: int) -> Iterator[None]:
    """Fix the number of CPU threads, so that sums come out the same everywhere."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
