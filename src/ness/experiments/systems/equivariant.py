"""Equivariant Seq2seq (Gordon et al. 2020): permuting words permutes the answer's actions, by construction."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ness.errors import DataError
from ness.experiments.systems.coding import PAD, SPECIALS, Coder
from ness.experiments.systems.groups import Group, read_group
from ness.experiments.systems.interface import Training
from ness.experiments.systems.networks import Network, NetworkState, RecurrentNetwork, attend
from ness.experiments.systems.neural import NeuralSettings, NeuralSystem

VERBS = "jump run walk look / I_JUMP I_RUN I_WALK I_LOOK"
DIRECTIONS = "right left / I_TURN_RIGHT I_TURN_LEFT"


@dataclass(frozen=True, slots=True, kw_only=True)
class EquivariantSettings(NeuralSettings):
    """As in the authors' code, but 128 examples a step, a larger rate that shrinks, and twice the examples."""

    orbits: str = ""  # which words permute, and their actions; several are separated by semicolons
    size: int = 64  # of a state, for each element of the group; the decoder's is twice as large
    batch_size: int = 128
    clip_norm: float = 5.0
    own_outputs: float = 0.5
    held_out: float = 0.1
    last_rate: float = 0.05
    steps: int = 3125
    evaluate_every: int = 250


class Equivariant(NeuralSystem):
    """Trains the network; it has to be told which words permute."""

    name = "equivariant"
    recordable = True
    settings: EquivariantSettings

    @classmethod
    def settings_for(cls, task: str) -> EquivariantSettings:
        orbits = {
            "scan/jump": VERBS,
            "scan/simple": VERBS,
            "scan/around_right": DIRECTIONS,
            "scan/length": f"{VERBS}; {DIRECTIONS}",
        }
        return EquivariantSettings(orbits=orbits.get(task, ""))

    def build(self, sources: int, targets: int, training: Training) -> Network:
        group = read_group(self.settings.orbits)
        if not group.orbits:
            raise DataError(
                "the equivariant network must be told which words permute with which target tokens; "
                "set orbits to: word word / TOKEN TOKEN"
            )
        return EquivariantNetwork(self._sources, self._targets, group, self.settings.size)


class EquivariantNetwork(RecurrentNetwork):
    """Every state is a function on the group, [batch, elements * size]; every linear map is a group convolution."""

    def __init__(self, sources: Coder, targets: Coder, group: Group, size: int) -> None:
        super().__init__(targets.size)
        self.elements = len(group.elements)
        self.source = GroupEmbedding(sources, group, size)
        self.target = GroupEmbedding(targets, group, size)
        self.encoder = GroupLstmCell(group, size, size)
        self.join = GroupConvolution(group, 3 * size, 2 * size)
        self.decoder = GroupLstmCell(group, 2 * size, 2 * size)
        self.output = GroupEmbedding(targets, group, 2 * size)

    def encode(self, source: Tensor) -> NetworkState:
        lengths = (source != PAD).sum(dim=1, keepdim=True)
        places = torch.arange(source.shape[1], device=source.device)
        # The words backwards, with the end still last: place j of the one is place length - 2 - j of the other.
        mirrored = torch.where(places < lengths - 1, lengths - 2 - places, places)
        states, hidden, cell = self._read(torch.cat([source, source.gather(1, mirrored)]))
        forward, backward = states.chunk(2)
        backward = backward.gather(1, mirrored.unsqueeze(-1).expand_as(backward))
        both = self._joined(forward, backward)
        begin = [self._joined(*last.chunk(2)) for last in (hidden, cell)]
        # What all steps of the decoder use is made once.
        tables = self.target.table(), self.output.table()
        return (both, source == PAD, *begin, *tables, *self.join.kernel(), *self.decoder.kernels())

    def _read(self, source: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        kernels = self.encoder.kernels()
        words = self.source(source)
        hidden = cell = torch.zeros_like(words[:, 0])
        states = []
        for place in range(source.shape[1]):
            active = (source[:, place] != PAD).unsqueeze(1)
            new_hidden, new_cell = torch.lstm_cell(words[:, place], (hidden, cell), *kernels)
            hidden, cell = torch.where(active, new_hidden, hidden), torch.where(active, new_cell, cell)
            states.append(hidden)
        return torch.stack(states, dim=1), hidden, cell

    def _joined(self, *parts: Tensor) -> Tensor:
        """Put functions on the group side by side, [..., elements * all sizes]."""
        return torch.cat([part.reshape(*part.shape[:-1], self.elements, -1) for part in parts], dim=-1).flatten(-2)

    def begin(self, encoded: NetworkState) -> NetworkState:
        return encoded[2], encoded[3]

    def step(self, encoded: NetworkState, state: NetworkState, token: Tensor) -> tuple[Tensor, NetworkState]:
        states, padding = encoded[:2]
        hidden, cell = state
        context = (attend(hidden.unsqueeze(1), states, padding) @ states).squeeze(1)
        last = nn.functional.embedding(token, encoded[4])
        given = torch.tanh(nn.functional.linear(self._joined(last, context), *encoded[6:8]))
        hidden, cell = torch.lstm_cell(given, (hidden, cell), *encoded[8:])
        return hidden, (hidden, cell)

    def score(self, encoded: NetworkState, features: Tensor) -> Tensor:
        # No bias: one for each word, as in the authors' code, would break the symmetry.
        return features @ encoded[5].T


class GroupEmbedding(nn.Module):
    """Turns a token w into the function g -> ψ(g⁻¹w), [..., elements * size]."""

    def __init__(self, coder: Coder, group: Group, size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(coder.size, size) * size**-0.5)
        tokens = coder.vocabulary.tokens
        rows = [list(range(SPECIALS)) + [coder.encode([token])[0] for token in tokens]]
        for element in group.elements[1:]:
            back = [-shift for shift in element]
            rows.append([*range(SPECIALS), *(coder.encode([group.moved(back, token)])[0] for token in tokens)])
        self.register_buffer("moved", torch.tensor(rows).T.contiguous())  # [tokens, elements]
        self.moved: Tensor

    def table(self) -> Tensor:
        """Return the functions of all tokens, [tokens, elements * size]."""
        return self.weight[self.moved].flatten(1)

    def forward(self, tokens: Tensor) -> Tensor:
        return nn.functional.embedding(tokens, self.table())


class GroupConvolution(nn.Module):
    """The map [h * ψ](g) = Σ_h' h(h') ψ(g⁻¹h') + b, as one matrix; with several gates, theirs below each other."""

    def __init__(self, group: Group, inputs: int, outputs: int, gates: int = 1) -> None:
        super().__init__()
        elements = group.elements
        spread = (len(elements) * outputs) ** -0.5
        self.weight = nn.Parameter(torch.empty(len(elements), inputs, gates, outputs).uniform_(-spread, spread))
        self.bias = nn.Parameter(torch.zeros(gates, 1, outputs))
        between = [[group.between(g, h) for h in elements] for g in elements]
        self.register_buffer("between", torch.tensor(between))
        self.between: Tensor

    def kernel(self) -> tuple[Tensor, Tensor]:
        """Return weights, [gates * elements * outputs, elements * inputs], and biases."""
        weight = self.weight[self.between]  # [g, h', inputs, gates, outputs]
        elements = len(self.between)
        rows = weight.permute(3, 0, 4, 1, 2).flatten(0, 2).flatten(1)
        return rows, self.bias.expand(-1, elements, -1).flatten()


class GroupLstmCell(nn.Module):
    """An LSTM cell whose linear maps are group convolutions."""

    def __init__(self, group: Group, inputs: int, outputs: int) -> None:
        super().__init__()
        self.given = GroupConvolution(group, inputs, outputs, gates=4)
        self.kept = GroupConvolution(group, outputs, outputs, gates=4)

    def kernels(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return what `torch.lstm_cell` wants: both weights, both biases."""
        (given, given_bias), (kept, kept_bias) = self.given.kernel(), self.kept.kernel()
        return given, kept, given_bias, kept_bias
