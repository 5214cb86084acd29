"""The training loop that the sequence-to-sequence networks share."""

import random
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from typing import ClassVar

import torch
from torch import Tensor, nn

from ness.data.example import Example
from ness.data.vocabulary import source_vocabulary, target_vocabulary
from ness.errors import ConfigError, DataError
from ness.experiments.systems.coding import (
    END,
    PAD,
    Coder,
    RaggedRows,
    bounded_batches,
    drawn_batches,
    pad,
    random_batches,
    shifted,
)
from ness.experiments.systems.held_out import BestWeights, set_aside, share_of
from ness.experiments.systems.interface import Fit, Point, Report, Settings, System, Tokens, Training
from ness.experiments.systems.networks import Network
from ness.experiments.systems.recorded_steps import Rates, RecordedSteps, own_stream

_BATCH_TOKENS = {"cpu": 16_384, "cuda": 262_144}  # scored together
_PREDICTED = 256  # sources decoded together


@dataclass(frozen=True, slots=True, kw_only=True)
class NeuralSettings(Settings):
    """Training of a network; each system says what differs."""

    rate: float = 1e-3
    warmup: int = 0  # steps over which the rate grows to its full size
    last_rate: float = 1.0  # share of the rate that is left at the last step; it shrinks evenly
    batch_size: int = 64
    replace: bool = False  # draw each example by itself, with replacement, instead of epoch by epoch
    clip_norm: float = 1.0
    sentences: bool = False  # the loss is summed over a sentence, else the mean over all tokens
    own_outputs: float = 0.0  # share of the batches in which the decoder is fed its own outputs
    held_out: float = 0.0  # share of the training examples by which the best weights are chosen
    evaluate_every: int = 200  # steps between two looks at training accuracy
    checked: int = 1000  # training examples that a look takes in
    restarts: int = 0  # fresh starts at most, where most of the shortest training examples are wrong
    judged_at: int = 0  # the step at which that is looked at; what is right then is not looked at again
    stop_loss: float = 0.0  # stop below this loss, if all checked examples are right
    threads: int = 1  # CPU threads; sums, and so the weights, depend on it

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        for name in ("batch_size", "evaluate_every", "checked", "threads"):
            if getattr(self, name) < 1:
                raise ConfigError(f"'{name}' must be at least 1, not {getattr(self, name)}")


class NeuralSystem(System):
    """Trains a network for its steps, or until it reproduces the training data."""

    settings: NeuralSettings
    recordable: ClassVar[bool] = False  # whether its steps can be recorded on a GPU, and are worth it
    _network: Network | None = None

    @abstractmethod
    def build(self, sources: int, targets: int, training: Training) -> Network:
        """Make the network for so many source and target numbers."""

    def optimiser(self, network: Network) -> torch.optim.Optimizer:
        return torch.optim.Adam(network.parameters(), lr=self.settings.rate)

    def rate_at(self, step: int) -> float:
        """Return the share of the rate at a step, counted from 0."""
        settings = self.settings
        grown = min(1.0, (step + 1) / max(1, settings.warmup))
        return grown * (settings.last_rate + (1 - settings.last_rate) * (1 - step / settings.steps))

    def examples(self, training: Training, rng: random.Random) -> list[Example]:
        """Return what is learned from; a system may add to it or leave copies out."""
        return list(training.examples)

    def batches(self, lengths: Sequence[int], rng: random.Random) -> Iterator[list[int]]:
        """Draw the numbers of examples for each step, without end."""
        if self.settings.replace:
            return drawn_batches(len(lengths), self.settings.batch_size, rng)
        return random_batches(lengths, self.settings.batch_size, rng)

    def check(self, checked: Sequence[Example]) -> float:
        """Return the share of some training examples that are reproduced."""
        return share_of(self.correct(checked))

    def fit(self, training: Training, report: Report = lambda _: None) -> Fit:
        if not training.examples:
            raise DataError("there are no training examples; give at least one")
        rng = random.Random(training.seed)
        examples = self.examples(training, rng)
        self._device = training.device
        self._sources, self._targets = Coder(source_vocabulary(examples)), Coder(target_vocabulary(examples))
        self._longest = max(len(example.target) for example in examples)
        stream = own_stream(training.device) if self._is_recorded(training.device) else nullcontext()
        with seeded(training.seed, self.settings.threads, training.device), stream:
            for restarts in range(self.settings.restarts + 1):
                network = self.build(self._sources.size, self._targets.size, training)
                self._network = network.to(training.device)
                fit = self._train(self._network, examples, training, rng, report, restarts < self.settings.restarts)
                if fit is not None:
                    break
        assert fit is not None, "the last start is not judged"
        return replace(fit, restarts=restarts)

    def predict(self, sources: Sequence[Tokens]) -> list[Tokens | None]:
        network = self._trained()
        rows = [self._sources.encode(source) for source in sources]
        outputs: list[Tokens | None] = []
        with torch.no_grad():
            for start in range(0, len(rows), _PREDICTED):
                source = pad(rows[start : start + _PREDICTED]).to(self._device)
                logits = network.rollout(network.encode(source), 2 * self._longest + 10)
                outputs += [self._answer(numbers) for numbers in logits.argmax(dim=-1).tolist()]
        return outputs

    def correct(self, examples: Sequence[Example]) -> list[bool]:
        """Say of each pair whether greedy decoding gives exactly the target.

        It does if and only if the best next token after each prefix of the target is the target's own, which
        one pass over all prefixes tells.
        """
        network = self._trained()
        sources = [self._sources.encode(example.source) for example in examples]
        targets = [self._targets.encode(example.target) for example in examples]
        lengths = [len(source) + len(target) for source, target in zip(sources, targets, strict=True)]
        right = [False] * len(examples)
        with torch.no_grad():
            for numbers in bounded_batches(lengths, _BATCH_TOKENS[self._device.partition(":")[0]]):
                source = pad([sources[number] for number in numbers]).to(self._device)
                target = pad([targets[number] for number in numbers]).to(self._device)
                best = network(source, shifted(target)).argmax(dim=-1)
                exact = ((best == target) | (target == PAD)).all(dim=1).tolist()
                for number, same in zip(numbers, exact, strict=True):
                    right[number] = same
        return right

    def _answer(self, numbers: list[int]) -> Tokens | None:
        """Return the tokens before the end; none, if there is no end."""
        return self._targets.decode(numbers) if END in numbers else None

    def _trained(self) -> Network:
        if self._network is None:
            raise ConfigError("the system is not trained yet; call fit first")
        return self._network.eval()

    def _train(
        self,
        network: Network,
        examples: list[Example],
        training: Training,
        rng: random.Random,
        report: Report,
        judged: bool,
    ) -> Fit | None:
        """Train; None where it is judged to have gone astray."""
        settings, started = self.settings, time.monotonic()
        judges, examples = set_aside(examples, settings.held_out, rng)
        given = set(training.examples)
        real = [example for example in examples if example in given] or examples  # none that a system made up
        checked = rng.sample(real, min(settings.checked, len(real)))
        sources = RaggedRows([self._sources.encode(example.source) for example in examples], training.device)
        targets = RaggedRows([self._targets.encode(example.target) for example in examples], training.device)
        recorded = self._is_recorded(training.device)
        optimiser = self.optimiser(network)
        rates = Rates(optimiser, training.device if recorded else None)
        batches = islice(self.batches(targets.lengths, rng), settings.steps)
        losses = torch.zeros((), device=training.device)
        curve: list[Point] = []
        best = BestWeights(network)
        ended, step = "steps used up", 0

        def look() -> Point:
            point = Point(
                step,
                losses.item() / (step - (curve[-1].step if curve else 0)),
                self.check(checked),
                time.monotonic() - started,
            )
            losses.zero_()
            curve.append(point)
            report(point)
            if judges:
                best.keep(share_of(self.correct(judges)))
            return point

        def learn(source: Tensor, target: Tensor, own: bool) -> None:
            loss = self._loss(network, source, target, own, rng)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), settings.clip_norm)
            optimiser.step()
            losses.add_(loss.detach())

        learn_from: Callable[[Sequence[int], bool], None] = (
            RecordedSteps(learn, sources, targets)
            if recorded
            else lambda numbers, own: learn(sources.take(numbers), targets.take(numbers), own)
        )
        for step, numbers in enumerate(batches, 1):
            network.train()
            rates.multiply(self.rate_at(step - 1))
            learn_from(numbers, bool(settings.own_outputs) and rng.random() < settings.own_outputs)
            if time.monotonic() - started > training.seconds:
                ended = "out of time"
                break
            if judged and step == settings.judged_at and self._is_astray(training.examples):
                return None
            if step % settings.evaluate_every == 0:
                point = look()
                if settings.stop_loss and point.accuracy == 1.0 and point.loss < settings.stop_loss:
                    ended = "converged"
                    break
        accuracy = curve[-1].accuracy if curve and curve[-1].step == step else look().accuracy
        notes: dict[str, float] = {}
        if judges:
            best.restore()
            notes["held out"] = best.score
            accuracy = self.check(checked)
        parameters = sum(one.numel() for one in network.parameters())
        seconds = time.monotonic() - started
        return Fit(step, accuracy or 0.0, seconds, parameters, ended, curve=tuple(curve), notes=notes)

    def _is_recorded(self, device: str) -> bool:
        return self.recordable and device.startswith("cuda")

    def _is_astray(self, examples: Sequence[Example]) -> bool:
        """Say whether most of the distinct training examples with the shortest inputs are wrong."""
        shortest = min(len(example.source) for example in examples)
        distinct = dict.fromkeys(example for example in examples if len(example.source) == shortest)
        return share_of(self.correct(list(distinct))) < 0.5

    def _loss(self, network: Network, source: Tensor, target: Tensor, own: bool, rng: random.Random) -> Tensor:
        """Return the loss of a batch, by the decoder's own outputs or by the target's."""
        encoded = network.encode(source)
        logits = network.rollout(encoded, target.shape[1]) if own else network.decode(encoded, shifted(target))
        how = "sum" if self.settings.sentences else "mean"
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD, reduction=how)
        return (loss / len(target) if self.settings.sentences else loss) + network.penalty()


@contextmanager
def seeded(seed: int, threads: int, device: str) -> Iterator[None]:
    """Draw random numbers from a seed and with a fixed number of threads, and put both back afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with torch.random.fork_rng(devices=[torch.device(device)] if device.startswith("cuda") else []):
            torch.manual_seed(seed)
            yield
    finally:
        torch.set_num_threads(before)
