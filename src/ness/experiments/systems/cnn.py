"""The convolutional network (Gehring et al. 2017) with the "one for all" setting of Dessì & Baroni 2019."""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm

from ness.experiments.systems.coding import PAD, bounded_batches
from ness.experiments.systems.interface import Training
from ness.experiments.systems.networks import Network, NetworkState, attend
from ness.experiments.systems.neural import NeuralSettings, NeuralSystem

_HALF = math.sqrt(0.5)
_PLACES = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class CnnSettings(NeuralSettings):
    """One setting for all tasks; the best one of each split was chosen by test accuracy and is not used.

    The original has a rate of 0.01, 25 tokens a step and 100,000 lines. A step is ten times as large here; since
    gradients are clipped to one norm, the rate grows with the root of that. A first try with ten times the rate ended
    with 92% of the training commands, so there are twice the lines, too.
    """

    layers: int = 6
    size: int = 512
    width: int = 5
    dropout: float = 0.25
    rate: float = 0.03
    momentum: float = 0.99
    clip_norm: float = 0.1
    tokens: int = 250  # of a batch at most
    lines: int = 200_000  # drawn with replacement; one pass over them
    evaluate_every: int = 500
    steps: int = 100_000  # never reached: the lines end the training before


class Cnn(NeuralSystem):
    """Trains the network for one pass over the drawn lines."""

    name = "cnn"
    settings: CnnSettings

    @classmethod
    def settings_for(cls, task: str) -> CnnSettings:
        return CnnSettings()

    def optimiser(self, network: Network) -> torch.optim.Optimizer:
        settings = self.settings
        return torch.optim.SGD(network.parameters(), lr=settings.rate, momentum=settings.momentum, nesterov=True)

    def batches(self, lengths: Sequence[int], rng: random.Random) -> Iterator[list[int]]:
        drawn = rng.choices(range(len(lengths)), k=self.settings.lines)
        batches = list(bounded_batches(lengths, self.settings.tokens, drawn))
        rng.shuffle(batches)
        return iter(batches)

    def build(self, sources: int, targets: int, training: Training) -> Network:
        return CnnNetwork(sources, targets, self.settings)


class CnnNetwork(Network):
    """Convolutions with gates; the decoder attends to the source in every layer."""

    def __init__(self, sources: int, targets: int, settings: CnnSettings) -> None:
        super().__init__(targets)
        size, keep = settings.size, 1 - settings.dropout
        self.layers, self.width = settings.layers, settings.width
        self.dropout = nn.Dropout(settings.dropout)
        self.source, self.source_place = _embedding(sources, size), _embedding(_PLACES, size)
        self.target, self.target_place = _embedding(targets, size), _embedding(_PLACES, size)
        self.source_in, self.source_out = _linear(size, size, 1.0), _linear(size, size, 1.0)
        self.target_in, self.target_out = _linear(size, size, 1.0), _linear(size, size, 1.0)
        self.output = _linear(size, targets, keep)
        self.read = nn.ModuleList(_convolution(size, self.width, keep) for _ in range(self.layers))
        self.write = nn.ModuleList(_convolution(size, self.width, keep) for _ in range(self.layers))
        self.ask = nn.ModuleList(_linear(size, size, 1.0) for _ in range(self.layers))
        self.answer = nn.ModuleList(_linear(size, size, 1.0) for _ in range(self.layers))

    def encode(self, source: Tensor) -> NetworkState:
        padding = source == PAD
        embedded = self._placed(source, self.source, self.source_place)
        x = self.source_in(embedded).masked_fill(padding.unsqueeze(-1), 0.0)
        left = (self.width - 1) // 2
        for convolution in self.read:
            x = (_gated(convolution, self.dropout(x), left, self.width - 1 - left) + x) * _HALF
            x = x.masked_fill(padding.unsqueeze(-1), 0.0)
        keys = self.source_out(x)
        share = 1 / (2 * self.layers)  # so much of the gradient goes to the encoder: every layer below sends some
        keys = keys * share + (keys * (1 - share)).detach()
        root = padding.logical_not().sum(dim=1).sqrt()
        return keys, (keys + embedded) * _HALF, padding, root.view(-1, 1, 1)

    def decode(self, encoded: NetworkState, prefix: Tensor) -> Tensor:
        keys, values, padding, root = encoded
        embedded = self._placed(prefix, self.target, self.target_place)
        x = self.target_in(embedded)
        for convolution, ask, answer in zip(self.write, self.ask, self.answer, strict=True):
            found = _gated(convolution, self.dropout(x), self.width - 1, 0)
            weights = attend((ask(found) + embedded) * _HALF, keys, padding)
            found = (answer(root * (weights @ values)) + found) * _HALF
            x = (found + x) * _HALF
        scores: Tensor = self.output(self.dropout(self.target_out(x))) + self.never
        return scores

    def _placed(self, tokens: Tensor, embedding: nn.Module, place: nn.Module) -> Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device).clamp(max=_PLACES - 1)
        found: Tensor = self.dropout(embedding(tokens) + place(places))
        return found


def _gated(convolution: nn.Module, x: Tensor, left: int, right: int) -> Tensor:
    padded = nn.functional.pad(x.transpose(1, 2), (left, right))
    return nn.functional.glu(convolution(padded), dim=1).transpose(1, 2)


def _embedding(count: int, size: int) -> nn.Embedding:
    made = nn.Embedding(count, size)
    nn.init.normal_(made.weight, std=0.1)
    return made


def _linear(inputs: int, outputs: int, keep: float) -> nn.Module:
    return _normalised(nn.Linear(inputs, outputs), math.sqrt(keep / inputs))


def _normalised(made: nn.Linear | nn.Conv1d, spread: float) -> nn.Module:
    nn.init.normal_(made.weight, std=spread)
    if made.bias is not None:
        nn.init.zeros_(made.bias)
    wrapped: nn.Module = weight_norm(made)
    return wrapped


def _convolution(size: int, width: int, keep: float) -> nn.Module:
    return _normalised(nn.Conv1d(size, 2 * size, width), math.sqrt(4 * keep / (width * size)))
