"""A sequence-to-sequence model with the shape of a Transducer: fit, predict, score."""

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor, nn

from ness.data.vocabulary import Vocabulary
from ness.errors import ConfigError, DataError
from ness.experiments.systems.coding import BEGIN, END, PAD, Coder, bounded_batches, pad, random_batches, shifted
from ness.experiments.systems.config import BaselineConfig
from ness.experiments.systems.networks import LstmNetwork, Network, TransformerNetwork

Tokens = str | Sequence[str]  # a string is split on white space
_BATCH_TOKENS = 16_384  # scored together
_PREDICTED = 256  # sources decoded together


@dataclass(frozen=True, slots=True)
class LossPoint:
    """One point of the learning curve."""

    step: int
    loss: float  # per token, mean over the steps since the last point
    accuracy: float  # share of the checked training examples that are reproduced exactly
    seconds: float


class Seq2Seq(ABC):
    """Trains a network until it reproduces the training data, or until its steps are used up."""

    def __init__(self, config: BaselineConfig | None = None) -> None:
        self.config = config or BaselineConfig()
        self.curve: list[LossPoint] = []
        self.converged = False
        self._network: Network | None = None

    @abstractmethod
    def _build(self, sources: int, targets: int) -> Network:
        """Make the network for so many source and target numbers."""

    def fit(
        self,
        sources: Sequence[Tokens],
        targets: Sequence[Tokens],
        on_progress: Callable[[LossPoint], None] = lambda _: None,
    ) -> Self:
        """Learn from pairs; the weights depend on the data and the settings only."""
        if not sources or len(sources) != len(targets):
            raise DataError(f"{len(sources)} sources and {len(targets)} targets; give as many of each, at least one")
        source_rows, target_rows = [_split(text) for text in sources], [_split(text) for text in targets]
        self._sources, self._targets = _coder(source_rows), _coder(target_rows)
        self._longest = max(map(len, target_rows))
        pairs = self._encode(source_rows, target_rows)
        with _seeded(self.config.seed, self.config.threads):
            self._network = self._build(self._sources.size, self._targets.size)
            self._train(self._network, pairs, on_progress)
        return self

    def predict(self, sources: Sequence[Tokens]) -> list[str | tuple[str, ...]]:
        """Decode greedily; a source given as a string is answered by a string."""
        rows = [self._sources_of().encode(_split(text)) for text in sources]
        outputs = [
            tokens for at in range(0, len(rows), _PREDICTED) for tokens in self._decode(rows[at : at + _PREDICTED])
        ]
        return [
            " ".join(tokens) if isinstance(text, str) else tokens for text, tokens in zip(sources, outputs, strict=True)
        ]

    def score(self, sources: Sequence[Tokens], targets: Sequence[Tokens]) -> float:
        """Return the share of targets that greedy decoding gives exactly."""
        right = self.correct(sources, targets)
        return sum(right) / max(1, len(right))

    def correct(self, sources: Sequence[Tokens], targets: Sequence[Tokens]) -> list[bool]:
        """Say of each pair whether greedy decoding gives exactly the target.

        It does if and only if the best next token after each prefix of the target is the target's own, which
        one pass over all prefixes tells.
        """
        self._sources_of()
        pairs = self._encode([_split(text) for text in sources], [_split(text) for text in targets])
        return self._reproduced(pairs)

    def _sources_of(self) -> Coder:
        if self._network is None:
            raise ConfigError("the model is not trained yet; call fit first")
        return self._sources

    def _encode(self, sources: Sequence[Sequence[str]], targets: Sequence[Sequence[str]]) -> "Pairs":
        return [
            (self._sources.encode(source), self._targets.encode(target))
            for source, target in zip(sources, targets, strict=True)
        ]

    def _train(self, network: Network, pairs: "Pairs", on_progress: Callable[[LossPoint], None]) -> None:
        config = self.config
        rng = random.Random(config.seed)
        checked = rng.sample(pairs, min(config.checked, len(pairs)))
        optimizer = torch.optim.Adam(network.parameters(), lr=config.learning_rate)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, config))
        batches = random_batches([len(target) for _, target in pairs], config.batch_size, rng)
        started = time.monotonic()
        losses: list[float] = []
        self.curve, self.converged = [], False
        for step in range(1, config.max_steps + 1):
            network.train()
            source, target = _tensors([pairs[number] for number in next(batches)])
            logits = network(source, shifted(target))
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), config.clip_norm)
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
            if step % config.evaluate_every == 0 or step == config.max_steps:
                accuracy = sum(self._reproduced(checked)) / len(checked)
                point = LossPoint(step, sum(losses) / len(losses), accuracy, time.monotonic() - started)
                self.curve.append(point)
                on_progress(point)
                losses = []
                self.converged = accuracy == 1.0 and point.loss < config.loss_threshold
                if self.converged:
                    return

    @torch.no_grad()
    def _reproduced(self, pairs: "Pairs") -> list[bool]:
        assert self._network is not None
        self._network.eval()
        right = [False] * len(pairs)
        for numbers in bounded_batches([len(source) + len(target) for source, target in pairs], _BATCH_TOKENS):
            source, target = _tensors([pairs[number] for number in numbers])
            best = self._network(source, shifted(target)).argmax(dim=-1)
            for number, same in zip(numbers, ((best == target) | (target == PAD)).all(dim=1).tolist(), strict=True):
                right[number] = same
        return right

    @torch.no_grad()
    def _decode(self, rows: Sequence[Sequence[int]]) -> list[tuple[str, ...]]:
        """Decode until every output has ended or is twice as long as any in training."""
        assert self._network is not None
        self._network.eval()
        encoded = self._network.encode(pad(rows))
        prefix = torch.full((len(rows), 1), BEGIN)
        ended = torch.zeros(len(rows), dtype=torch.bool)
        for _ in range(2 * self._longest + 10):
            best = self._network.decode(encoded, prefix)[:, -1].argmax(dim=-1)
            prefix = torch.cat([prefix, best.unsqueeze(1)], dim=1)
            ended |= best == END
            if ended.all():
                break
        return [self._targets.decode(row[1:]) for row in prefix.tolist()]


class LstmSeq2Seq(Seq2Seq):
    """An LSTM with attention."""

    def _build(self, sources: int, targets: int) -> Network:
        return LstmNetwork(sources, targets, self.config)


class TransformerSeq2Seq(Seq2Seq):
    """A Transformer."""

    def _build(self, sources: int, targets: int) -> Network:
        return TransformerNetwork(sources, targets, self.config)


Pairs = list[tuple[list[int], list[int]]]


def _split(text: Tokens) -> Sequence[str]:
    return text.split() if isinstance(text, str) else text


def _coder(rows: Sequence[Sequence[str]]) -> Coder:
    return Coder(Vocabulary(sorted({token for row in rows for token in row})))


def _tensors(pairs: Pairs) -> tuple[Tensor, Tensor]:
    return pad([source for source, _ in pairs]), pad([target for _, target in pairs])


def _rate(step: int, config: BaselineConfig) -> float:
    """Grow over the first steps, then shrink towards a tenth, so that training settles."""
    left = 1 - step / config.max_steps
    return min(1.0, (step + 1) / max(1, config.warmup)) * (0.1 + 0.9 * left)


@contextmanager
def _seeded(seed: int, threads: int) -> Iterator[None]:
    """Draw random numbers from a seed and with a fixed number of threads, and put both back afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            yield
    finally:
        torch.set_num_threads(before)
