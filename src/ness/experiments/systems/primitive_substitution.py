"""Primitive Substitution (Li et al. 2019, CGPS): functions of words say where to look, primitives what to write."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from ness.experiments.systems.coding import PAD
from ness.experiments.systems.interface import Training
from ness.experiments.systems.networks import (
    Network,
    NetworkState,
    RecurrentNetwork,
    attend,
    run_packed,
    side_by_side,
    start_as_tensorflow,
)
from ness.experiments.systems.neural import NeuralSettings, NeuralSystem


@dataclass(frozen=True, slots=True, kw_only=True)
class PrimitiveSettings(NeuralSettings):
    """As in the authors' code for SCAN."""

    units: int = 64
    primitive_size: int = 16
    function_size: int = 8
    noise: float = 1.0  # standard deviation of what is added to both embeddings in training
    penalty: float = 0.1  # weight of the size of both embeddings
    decay: int = 100  # steps after which the rate is multiplied by 0.96
    rate: float = 0.01
    batch_size: int = 4096
    replace: bool = True
    sentences: bool = True
    steps: int = 5000
    evaluate_every: int = 500


class PrimitiveSubstitution(NeuralSystem):
    """Trains the network with the authors' settings for each task."""

    name = "primitive"
    recordable = True
    settings: PrimitiveSettings

    @classmethod
    def settings_for(cls, task: str) -> PrimitiveSettings:
        if task.startswith("scan/") and task != "scan/length":
            return PrimitiveSettings()
        small = PrimitiveSettings(units=32, primitive_size=16, function_size=16, batch_size=64, steps=10_000)
        if task == "scan/length":
            return replace(small, primitive_size=8, function_size=8, penalty=0.01)
        if task == "translation":
            return replace(small, units=16, primitive_size=32, function_size=32, penalty=1.0, decay=1000)
        return small

    def rate_at(self, step: int) -> float:
        return float(0.96 ** (step // self.settings.decay))

    def build(self, sources: int, targets: int, training: Training) -> Network:
        places = max(len(example.source) for example in training.examples) + 1  # the end is a word, too
        return PrimitiveNetwork(sources, targets, places, self.settings)


class PrimitiveNetwork(RecurrentNetwork):
    """No action is ever fed back; the place to look at depends on functions only."""

    def __init__(self, sources: int, targets: int, places: int, settings: PrimitiveSettings) -> None:
        super().__init__(targets)
        units = settings.units
        self.noise, self.weight = settings.noise, settings.penalty
        self.primitive = nn.Embedding(sources, settings.primitive_size)
        self.function = nn.Embedding(sources, settings.function_size)
        self.encoder = nn.LSTM(settings.function_size, units // 2, batch_first=True, bidirectional=True)
        self.cell = nn.LSTMCell(units, units)
        self.keys = nn.Linear(units, units, bias=False)
        self.join = nn.Linear(2 * units, units, bias=False)
        self.place = nn.Linear(units, places)
        self.output = nn.Linear(settings.primitive_size, targets, bias=False)
        start_as_tensorflow(self)
        for embedding in (self.primitive, self.function):
            nn.init.uniform_(embedding.weight, -1.0, 1.0)
        self._penalty: Tensor | float = 0.0

    def encode(self, source: Tensor) -> NetworkState:
        padding = source == PAD
        primitives, functions = self.primitive(source), self.function(source)
        sizes = primitives.square().mean(dim=-1) + functions.square().mean(dim=-1)  # [batch, source length]
        self._penalty = self.weight * sizes.masked_fill(padding, 0.0).sum() / len(source)
        if self.training:
            primitives = primitives + self.noise * torch.randn_like(primitives)
            functions = functions + self.noise * torch.randn_like(functions)
        states, hidden, cell = run_packed(self.encoder, functions, padding)
        return states, self.keys(states), padding, primitives, side_by_side(hidden), side_by_side(cell)

    def penalty(self) -> Tensor | float:
        return self._penalty

    def begin(self, encoded: NetworkState) -> NetworkState:
        hidden, cell = encoded[-2:]
        return hidden, cell, torch.zeros_like(hidden)

    def step(self, encoded: NetworkState, state: NetworkState, token: Tensor) -> tuple[Tensor, NetworkState]:
        states, keys, padding = encoded[:3]
        hidden, cell, joined = state
        hidden, cell = self.cell(joined, (hidden, cell))
        context = (attend(hidden.unsqueeze(1), keys, padding) @ states).squeeze(1)
        joined = self.join(torch.cat([hidden, context], dim=-1))
        return joined, (hidden, cell, joined)

    def score(self, encoded: NetworkState, features: Tensor) -> Tensor:
        padding, primitives = encoded[2:4]
        scores = self.place(features)  # [batch, steps, places]
        length = padding.shape[1]
        if length > scores.shape[-1]:  # longer than any source in training: nothing is looked up beyond
            scores = nn.functional.pad(scores, (0, length - scores.shape[-1]), value=-torch.inf)
        scores = scores[..., :length].masked_fill(padding.unsqueeze(1), -torch.inf)
        found: Tensor = self.output(scores.softmax(dim=-1) @ primitives)
        return found
