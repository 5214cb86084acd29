"""Syntactic Attention (Russin et al. 2019): the context of words says where to look, words alone what to write."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ness.experiments.systems.coding import BEGIN, PAD
from ness.experiments.systems.interface import Training
from ness.experiments.systems.networks import Network, NetworkState, RecurrentNetwork, attend, run_packed, side_by_side
from ness.experiments.systems.neural import NeuralSettings, NeuralSystem


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntacticSettings(NeuralSettings):
    """As in the authors' code, one example a step, but a fifth of their steps.

    Larger batches are another system: one of `walk`, `run` and `look` alone, the only training lines that tell the word
    from the start symbol, is lost among copies of `jump` there, while in a step of its own Adam makes much of it.

    A word alone looks the same to the decoder whatever the word. Where one such command has many copies, the start
    symbol can come to mean its action; then other words alone are wrong in the training set, and a fresh start is made.
    """

    semantic_size: int = 120
    syntactic_size: int = 100
    hidden_size: int = 200  # each way, of the second encoder; half of it in the first
    dropout: float = 0.5
    clip_norm: float = 5.0
    batch_size: int = 1
    steps: int = 40_000
    held_out: float = 0.2
    evaluate_every: int = 5000
    restarts: int = 9
    judged_at: int = 20_000


class SyntacticAttention(NeuralSystem):
    """Trains the network; the best weights on held-out training lines stay."""

    name = "syntactic"
    recordable = True
    settings: SyntacticSettings

    @classmethod
    def settings_for(cls, task: str) -> SyntacticSettings:
        if task.startswith("scan/"):
            return SyntacticSettings()
        # Without a GPU, single examples take hours; data of one's own seldom has copies.
        return SyntacticSettings(
            batch_size=32, steps=6250, last_rate=0.1, held_out=0.1, evaluate_every=250, judged_at=750
        )

    def build(self, sources: int, targets: int, training: Training) -> Network:
        return SyntacticNetwork(sources, targets, self.settings)


class SyntacticNetwork(RecurrentNetwork):
    """The decoder never sees actions, and actions see only words without context."""

    def __init__(self, sources: int, targets: int, settings: SyntacticSettings) -> None:
        super().__init__(targets)
        size = settings.hidden_size
        self.semantic = nn.Embedding(sources, settings.semantic_size)
        self.syntactic = nn.Embedding(sources, settings.syntactic_size)
        self.dropout = nn.Dropout(settings.dropout)
        self.around = nn.LSTM(settings.syntactic_size, size // 2, batch_first=True, bidirectional=True)
        self.ends = nn.Parameter(torch.randn(2, size))
        self.encoder = nn.LSTM(size, size, batch_first=True, bidirectional=True)
        self.first = nn.Linear(2 * size, 2 * size)
        self.cell = nn.LSTMCell(2 * size, 2 * size)
        self.output = nn.Linear(settings.semantic_size, targets)

    def encode(self, source: Tensor) -> NetworkState:
        source = torch.cat([torch.full_like(source[:, :1], BEGIN), source], dim=1)
        padding = source == PAD
        meanings = self.dropout(self.semantic(source))
        context = self.context(source, padding)
        states, hidden, _ = run_packed(self.encoder, context, padding)
        return states, padding, meanings, torch.relu(self.first(side_by_side(hidden)))

    def context(self, source: Tensor, padding: Tensor) -> Tensor:
        """Describe each place by the words before and after it, without its own, [batch, length, hidden]."""
        states, _, _ = run_packed(self.around, self.dropout(self.syntactic(source)), padding)
        forward, backward = states.chunk(2, dim=-1)
        between = torch.cat([forward[:, :-2], backward[:, 2:]], dim=-1)
        inner = nn.functional.pad(between, (0, 0, 1, 1))
        last = padding.logical_not().sum(dim=1) - 1
        places = torch.arange(source.shape[1], device=source.device)
        at_end = (places == last.unsqueeze(1)).unsqueeze(-1)
        at_start = (places == 0).unsqueeze(-1)
        return torch.where(at_start, self.ends[0], torch.where(at_end, self.ends[1], inner))

    def begin(self, encoded: NetworkState) -> NetworkState:
        query = encoded[-1]
        return query, torch.zeros_like(query), torch.zeros_like(query)

    def step(self, encoded: NetworkState, state: NetworkState, token: Tensor) -> tuple[Tensor, NetworkState]:
        states, padding, meanings, _ = encoded
        query, hidden, cell = state
        weights = attend(query.unsqueeze(1), states, padding)
        meaning, context = (weights @ meanings).squeeze(1), (weights @ states).squeeze(1)
        hidden, cell = self.cell(context, (hidden, cell))
        return meaning, (hidden, hidden, cell)

    def score(self, encoded: NetworkState, features: Tensor) -> Tensor:
        found: Tensor = self.output(features)
        return found
