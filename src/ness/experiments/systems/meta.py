"""Meta Seq2seq (Lake 2019): learns to read off new meanings of words from a few support pairs."""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ness.data.example import Example
from ness.experiments.systems.coding import PAD, SPECIALS, Coder, pad, shifted
from ness.experiments.systems.episodes import episodes_for
from ness.experiments.systems.interface import Training
from ness.experiments.systems.networks import Network, NetworkState, attend, run_packed
from ness.experiments.systems.neural import NeuralSettings, NeuralSystem


@dataclass(frozen=True, slots=True, kw_only=True)
class MetaSettings(NeuralSettings):
    """As in the author's code; one episode a step. Those of the length split are six times as large, and half."""

    hidden_size: int = 200
    layers: int = 2
    dropout: float = 0.5
    clip_norm: float = 50.0
    support: int = 20  # pairs at most: those of the words alone, then any number of others
    queries: int = 20
    steps: int = 10_000
    evaluate_every: int = 1000
    checked: int = 20  # episodes


class MetaSeq2seq(NeuralSystem):
    """Trains on episodes of SCAN commands under other meanings; the support of the test has the true ones."""

    name = "meta"
    settings: MetaSettings

    @classmethod
    def settings_for(cls, task: str) -> MetaSettings:
        return MetaSettings(steps=5000) if task == "scan/length" else MetaSettings()

    def examples(self, training: Training, rng: random.Random) -> list[Example]:
        self._episodes = episodes_for(training.task, training.examples, rng)
        return self._episodes.pool

    def build(self, sources: int, targets: int, training: Training) -> Network:
        self._tables = [
            (_table(self._sources, words), _table(self._targets, actions)) for words, actions in self._episodes.mappings
        ]
        network = MetaNetwork(sources, targets, self.settings)
        network.support = self._true = (
            pad([self._sources.encode(example.source) for example in self._episodes.test_support]).to(training.device),
            pad([self._targets.encode(example.target) for example in self._episodes.test_support]).to(training.device),
        )
        return network

    def rate_at(self, step: int) -> float:
        return 1.0 if step < self.settings.steps // 2 else 0.1

    def batches(self, lengths: Sequence[int], rng: random.Random) -> Iterator[list[int]]:
        """Draw the support, then the queries."""
        while True:
            numbers, self._supported = self._episodes.draw(self.settings.support, self.settings.queries, rng)
            yield numbers

    def check(self, checked: Sequence[Example]) -> float:
        """Return the share of right queries in some episodes as in training: the truth is not looked at."""
        network = self._trained()
        assert isinstance(network, MetaNetwork)
        rng = random.Random(0)
        episodes = self.batches([], rng)
        right: list[bool] = []
        with torch.no_grad():
            for _ in range(self.settings.checked):
                chosen = [self._episodes.pool[number] for number in next(episodes)]
                source = pad([self._sources.encode(example.source) for example in chosen]).to(self._device)
                target = pad([self._targets.encode(example.target) for example in chosen]).to(self._device)
                source, target = self._episode(network, source, target, rng)
                best = network(source, shifted(target)).argmax(dim=-1)
                right += ((best == target) | (target == PAD)).all(dim=1)[self._supported :].tolist()
        network.support = self._true
        return sum(right) / len(right)

    def _loss(self, network: Network, source: Tensor, target: Tensor, own: bool, rng: random.Random) -> Tensor:
        assert isinstance(network, MetaNetwork)
        source, target = self._episode(network, source, target, rng)
        loss = super()._loss(network, source, target, own, rng)  # the support is asked, too
        network.support = self._true
        return loss

    def _episode(
        self, network: "MetaNetwork", source: Tensor, target: Tensor, rng: random.Random
    ) -> tuple[Tensor, Tensor]:
        """Give the words other meanings, and show the support to the network."""
        words, actions = (table.to(source.device) for table in rng.choice(self._tables))
        source, target = words[source], actions[target]
        network.support = source[: self._supported], target[: self._supported]
        return source, target


def _table(coder: Coder, moved: dict[str, str]) -> Tensor:
    """Return the new number of each number."""
    tokens = [moved.get(token, token) for token in coder.vocabulary]
    return torch.tensor([*range(SPECIALS), *coder.encode(tokens)[:-1]])


class MetaNetwork(Network):
    """Words of the query look up support pairs; the decoder attends to what they found."""

    support: tuple[Tensor, Tensor]  # sources and targets, [pairs, length]

    def __init__(self, sources: int, targets: int, settings: MetaSettings) -> None:
        super().__init__(targets)
        size, layers = settings.hidden_size, settings.layers
        self.layers = layers
        self.source = nn.Embedding(sources, size, padding_idx=PAD)
        self.target = nn.Embedding(targets, size, padding_idx=PAD)
        self.dropout = nn.Dropout(settings.dropout)
        between = settings.dropout if layers > 1 else 0.0
        self.read = nn.LSTM(size, size, layers, batch_first=True, bidirectional=True, dropout=between)
        self.read_answer = nn.LSTM(size, size, layers, batch_first=True, bidirectional=True, dropout=between)
        self.answer = nn.Embedding(targets, size, padding_idx=PAD)
        self.join = nn.Linear(2 * size, size)
        self.decoder = nn.LSTM(size, size, layers, batch_first=True, dropout=between)
        self.write = nn.Linear(2 * size, size)
        self.output = nn.Linear(size, targets)

    def encode(self, source: Tensor) -> NetworkState:
        padding = source == PAD
        steps, _ = self._summed(self.read, self.source(source), padding)
        sources, targets = self.support
        _, keys = self._summed(self.read, self.source(sources), sources == PAD)
        _, values = self._summed(self.read_answer, self.answer(targets), targets == PAD)
        scores = steps @ keys.T / math.sqrt(keys.shape[1])  # [batch, source length, pairs]
        context = torch.tanh(self.join(torch.cat([steps, scores.softmax(dim=-1) @ values], dim=-1)))
        last = padding.logical_not().sum(dim=1) - 1
        first = context[torch.arange(len(source), device=source.device), last]
        return context, padding, first.expand(self.layers, -1, -1).contiguous()

    def _summed(self, lstm: nn.LSTM, words: Tensor, padding: Tensor) -> tuple[Tensor, Tensor]:
        """Return all states and the last one of the top layer, both directions added up."""
        states, hidden, _ = run_packed(lstm, self.dropout(words), padding)
        forward, backward = states.chunk(2, dim=-1)
        return forward + backward, hidden[-2] + hidden[-1]

    def decode(self, encoded: NetworkState, prefix: Tensor) -> Tensor:
        context, padding, first = encoded
        found, _ = self.decoder(self.dropout(self.target(prefix)), (first, first))
        looked = attend(found / math.sqrt(found.shape[-1]), context, padding) @ context
        scores: Tensor = self.output(torch.tanh(self.write(torch.cat([found, looked], dim=-1)))) + self.never
        return scores
