"""Our LSTM with attention."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ness.experiments.systems.coding import PAD
from ness.experiments.systems.interface import Training
from ness.experiments.systems.networks import Network, NetworkState, attend, run_packed, side_by_side
from ness.experiments.systems.neural import NeuralSettings, NeuralSystem


@dataclass(frozen=True, slots=True, kw_only=True)
class LstmSettings(NeuralSettings):
    """Size of the LSTM; small enough for a CPU."""

    embedding_size: int = 64
    hidden_size: int = 128
    dropout: float = 0.0  # the data has no noise
    warmup: int = 200
    last_rate: float = 0.1
    stop_loss: float = 0.01


class Lstm(NeuralSystem):
    """Trains the LSTM."""

    name = "lstm"
    recordable = True
    settings: LstmSettings

    @classmethod
    def settings_for(cls, task: str) -> LstmSettings:
        return LstmSettings()

    def build(self, sources: int, targets: int, training: Training) -> Network:
        return LstmNetwork(sources, targets, self.settings)


class LstmNetwork(Network):
    """A bidirectional LSTM encoder, and an LSTM decoder that attends to it (Luong et al. 2015)."""

    def __init__(self, sources: int, targets: int, settings: LstmSettings) -> None:
        super().__init__(targets)
        embedding, hidden = settings.embedding_size, settings.hidden_size
        self.source = nn.Embedding(sources, embedding, padding_idx=PAD)
        self.target = nn.Embedding(targets, embedding, padding_idx=PAD)
        self.encoder = nn.LSTM(embedding, hidden // 2, batch_first=True, bidirectional=True)
        self.decoder = nn.LSTM(embedding, hidden, batch_first=True)
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.join = nn.Linear(2 * hidden, hidden)
        self.dropout = nn.Dropout(settings.dropout)
        self.output = nn.Linear(hidden, targets)

    def encode(self, source: Tensor) -> NetworkState:
        padding = source == PAD
        states, hidden, cell = run_packed(self.encoder, self.dropout(self.source(source)), padding)
        # Both directions' last states, side by side, are where the decoder starts: [1, batch, hidden].
        return states, padding, side_by_side(hidden).unsqueeze(0), side_by_side(cell).unsqueeze(0)

    def decode(self, encoded: NetworkState, prefix: Tensor) -> Tensor:
        states, padding, hidden, cell = encoded
        found, _ = self.decoder(self.dropout(self.target(prefix)), (hidden, cell))
        context = attend(self.query(found), states, padding) @ states
        joined = torch.tanh(self.join(torch.cat([found, context], dim=-1)))
        return torch.as_tensor(self.output(self.dropout(joined)) + self.never)
