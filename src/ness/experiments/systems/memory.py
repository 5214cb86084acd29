"""Stack, Queue and DeQue LSTM (Grefenstette et al. 2015): one LSTM with a memory reads the source, then writes."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from ness.experiments.systems.coding import BEGIN, PAD
from ness.experiments.systems.interface import Training
from ness.experiments.systems.networks import Network, NetworkState, RecurrentNetwork
from ness.experiments.systems.neural import NeuralSettings, NeuralSystem


def pop_top(strengths: Tensor, amount: Tensor) -> Tensor:
    """Take an amount, [batch, 1], from the last entries of a memory, [batch, entries]."""
    return torch.relu(strengths - torch.relu(amount - _above(strengths)))


def pop_bottom(strengths: Tensor, amount: Tensor) -> Tensor:
    """Take an amount from the first entries."""
    return torch.relu(strengths - torch.relu(amount - _below(strengths)))


def read_top(strengths: Tensor, values: Tensor) -> Tensor:
    """Return the mean of the last entries up to a strength of one; values are [batch, entries, width]."""
    return _read(strengths, _above(strengths), values)


def read_bottom(strengths: Tensor, values: Tensor) -> Tensor:
    """Return the mean of the first entries up to a strength of one."""
    return _read(strengths, _below(strengths), values)


def _above(strengths: Tensor) -> Tensor:
    return strengths.sum(dim=1, keepdim=True) - strengths.cumsum(dim=1)


def _below(strengths: Tensor) -> Tensor:
    return strengths.cumsum(dim=1) - strengths


def _read(strengths: Tensor, before: Tensor, values: Tensor) -> Tensor:
    weights = torch.minimum(strengths, torch.relu(1 - before))
    return (weights.unsqueeze(1) @ values).squeeze(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySettings(NeuralSettings):
    """As in the paper, but 64 examples a step and Adam."""

    embedding_size: int = 64
    hidden_size: int = 256
    width: int = 256  # of an entry of the memory
    steps: int = 3000
    last_rate: float = 0.1
    evaluate_every: int = 250


class StackLstm(NeuralSystem):
    """Trains the network with a stack."""

    name = "stack"
    kind: ClassVar[str] = "stack"
    recordable = True
    settings: MemorySettings

    @classmethod
    def settings_for(cls, task: str) -> MemorySettings:
        return MemorySettings()

    def build(self, sources: int, targets: int, training: Training) -> Network:
        return MemoryNetwork(sources, targets, self.kind, self.settings)


class QueueLstm(StackLstm):
    """Trains the network with a queue."""

    name = kind = "queue"


class DequeLstm(StackLstm):
    """Trains the network with a double-ended queue."""

    name = kind = "deque"


class MemoryNetwork(RecurrentNetwork):
    """No attention, and one set of weights for reading and writing; all that is known is in the state.

    The state is hidden, cell, last read, values and strengths of the memory.
    """

    def __init__(self, sources: int, targets: int, kind: str, settings: MemorySettings) -> None:
        super().__init__(targets)
        self.kind, self.width = kind, settings.width
        self.ends = 2 if kind == "deque" else 1
        self.source = nn.Embedding(sources, settings.embedding_size, padding_idx=PAD)
        self.target = nn.Embedding(targets, settings.embedding_size, padding_idx=PAD)
        self.cell = nn.LSTMCell(settings.embedding_size + self.ends * self.width, settings.hidden_size)
        self.first = nn.Parameter(torch.zeros(2, settings.hidden_size))
        self.strength = nn.Linear(settings.hidden_size, 2 * self.ends)  # push, pop of each end
        self.value = nn.Linear(settings.hidden_size, self.ends * self.width)
        self.feature = nn.Linear(settings.hidden_size, settings.hidden_size)
        self.output = nn.Linear(settings.hidden_size, targets)
        nn.init.constant_(self.strength.bias[self.ends :], -1.0)  # to pop little at first helps (StackNN)

    def encode(self, source: Tensor) -> NetworkState:
        source = torch.cat([torch.full_like(source[:, :1], BEGIN), source], dim=1)
        batch = len(source)
        hidden, cell = self.first.unsqueeze(1).expand(-1, batch, -1)
        memory = hidden.new_zeros(batch, 0, self.width)
        state: NetworkState = (hidden, cell, hidden.new_zeros(batch, self.ends * self.width), memory, memory[..., 0])
        embedded = self.source(source)
        for place, word in enumerate(embedded.unbind(dim=1)):
            state = self.move(state, word, (source[:, place] != PAD).unsqueeze(1))
        return state

    def begin(self, encoded: NetworkState) -> NetworkState:
        return encoded

    def step(self, encoded: NetworkState, state: NetworkState, token: Tensor) -> tuple[Tensor, NetworkState]:
        state = self.move(state, self.target(token), None)
        return state[0], state

    def score(self, encoded: NetworkState, features: Tensor) -> Tensor:
        found: Tensor = self.output(torch.tanh(self.feature(features)))
        return found

    def move(self, state: NetworkState, word: Tensor, active: Tensor | None) -> NetworkState:
        """Take one token in; where a row is not active, [batch, 1], nothing changes."""
        hidden, cell, read, values, strengths = state
        new_hidden, new_cell = self.cell(torch.cat([word, read], dim=1), (hidden, cell))
        amounts = torch.sigmoid(self.strength(new_hidden))
        if active is not None:
            amounts = amounts * active
            new_hidden = torch.where(active, new_hidden, hidden)
            new_cell = torch.where(active, new_cell, cell)
        pushed = torch.tanh(self.value(new_hidden)).unsqueeze(1).chunk(self.ends, dim=2)
        push, pop = amounts.chunk(2, dim=1)
        if self.kind == "stack":
            strengths = torch.cat([pop_top(strengths, pop), push], dim=1)
            values = torch.cat([values, *pushed], dim=1)
            new_read = read_top(strengths, values)
        elif self.kind == "queue":
            strengths = torch.cat([pop_bottom(strengths, pop), push], dim=1)
            values = torch.cat([values, *pushed], dim=1)
            new_read = read_bottom(strengths, values)
        else:
            left = pop_bottom(pop_top(strengths, pop[:, :1]), pop[:, 1:])
            strengths = torch.cat([push[:, 1:], left, push[:, :1]], dim=1)
            values = torch.cat([pushed[1], values, pushed[0]], dim=1)
            new_read = torch.cat([read_top(strengths, values), read_bottom(strengths, values)], dim=1)
        if active is not None:
            new_read = torch.where(active, new_read, read)
        return new_hidden, new_cell, new_read, values, strengths
