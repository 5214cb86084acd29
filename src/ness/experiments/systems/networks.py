"""The two networks: an LSTM with attention, and a Transformer; both from PyTorch's own modules."""

import math
from abc import abstractmethod

import torch
from torch import Tensor, nn

from ness.experiments.systems.coding import BEGIN, PAD, UNKNOWN
from ness.experiments.systems.config import BaselineConfig


class Network(nn.Module):
    """An encoder and a decoder; a decoder that is shown a prefix says what follows each token of it."""

    def __init__(self, targets: int) -> None:
        super().__init__()
        never = torch.zeros(targets)
        never[[PAD, BEGIN, UNKNOWN]] = -math.inf
        self.register_buffer("never", never)

    @abstractmethod
    def encode(self, source: Tensor) -> tuple[Tensor, ...]:
        """Read sources, [batch, source length]."""

    @abstractmethod
    def decode(self, encoded: tuple[Tensor, ...], prefix: Tensor) -> Tensor:
        """Score the tokens that may follow, [batch, prefix length, targets]."""

    def forward(self, source: Tensor, prefix: Tensor) -> Tensor:
        return self.decode(self.encode(source), prefix)


class LstmNetwork(Network):
    """A bidirectional LSTM encoder, and an LSTM decoder that attends to it (Luong et al. 2015)."""

    def __init__(self, sources: int, targets: int, config: BaselineConfig) -> None:
        super().__init__(targets)
        embedding, hidden = config.embedding_size, config.hidden_size
        self.source = nn.Embedding(sources, embedding, padding_idx=PAD)
        self.target = nn.Embedding(targets, embedding, padding_idx=PAD)
        self.encoder = nn.LSTM(embedding, hidden // 2, batch_first=True, bidirectional=True)
        self.decoder = nn.LSTM(embedding, hidden, batch_first=True)
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.join = nn.Linear(2 * hidden, hidden)
        self.dropout = nn.Dropout(config.dropout)
        self.output = nn.Linear(hidden, targets)

    def encode(self, source: Tensor) -> tuple[Tensor, ...]:
        lengths = (source != PAD).sum(dim=1)
        words = self.dropout(self.source(source))
        packed = nn.utils.rnn.pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
        states, (hidden, cell) = self.encoder(packed)
        states, _ = nn.utils.rnn.pad_packed_sequence(states, batch_first=True)
        # Both directions' last states, side by side, are where the decoder starts: [1, batch, hidden].
        first_hidden, first_cell = (torch.cat([last[0], last[1]], dim=-1).unsqueeze(0) for last in (hidden, cell))
        return states, source == PAD, first_hidden, first_cell

    def decode(self, encoded: tuple[Tensor, ...], prefix: Tensor) -> Tensor:
        states, padding, hidden, cell = encoded
        found, _ = self.decoder(self.dropout(self.target(prefix)), (hidden, cell))
        scores = self.query(found) @ states.transpose(1, 2)  # [batch, prefix length, source length]
        weights = scores.masked_fill(padding.unsqueeze(1), -math.inf).softmax(dim=-1)
        joined = torch.tanh(self.join(torch.cat([found, weights @ states], dim=-1)))
        return torch.as_tensor(self.output(self.dropout(joined)) + self.never)


class TransformerNetwork(Network):
    """A Transformer encoder-decoder (Vaswani et al. 2017), layers normalised first, sinusoidal positions."""

    def __init__(self, sources: int, targets: int, config: BaselineConfig) -> None:
        super().__init__(targets)
        self.hidden = config.hidden_size
        self.source = nn.Embedding(sources, self.hidden, padding_idx=PAD)
        self.target = nn.Embedding(targets, self.hidden, padding_idx=PAD)
        for embedding in (self.source, self.target):
            nn.init.normal_(embedding.weight, std=self.hidden**-0.5)
        sizes = (self.hidden, config.heads, 2 * self.hidden, config.dropout)
        encoder = nn.TransformerEncoderLayer(*sizes, batch_first=True, norm_first=True)
        decoder = nn.TransformerDecoderLayer(*sizes, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(
            encoder, config.layers, nn.LayerNorm(self.hidden), enable_nested_tensor=False
        )
        self.decoder = nn.TransformerDecoder(decoder, config.layers, nn.LayerNorm(self.hidden))
        self.dropout = nn.Dropout(config.dropout)
        self.output = nn.Linear(self.hidden, targets)

    def encode(self, source: Tensor) -> tuple[Tensor, ...]:
        padding = source == PAD
        return self.encoder(self._placed(self.source(source)), src_key_padding_mask=padding), padding

    def decode(self, encoded: tuple[Tensor, ...], prefix: Tensor) -> Tensor:
        states, padding = encoded
        ahead = torch.ones(prefix.shape[1], prefix.shape[1], dtype=torch.bool).triu(diagonal=1)
        found = self.decoder(self._placed(self.target(prefix)), states, tgt_mask=ahead, memory_key_padding_mask=padding)
        return torch.as_tensor(self.output(found) + self.never)

    def _placed(self, embedded: Tensor) -> Tensor:
        """Add the places to embeddings, [batch, length, hidden]."""
        embedded = embedded * math.sqrt(self.hidden)
        return torch.as_tensor(self.dropout(embedded + _positions(embedded.shape[1], self.hidden)))


def _positions(length: int, size: int) -> Tensor:
    """Sines and cosines of all places, [length, size]."""
    places = torch.arange(length).unsqueeze(1)
    rates = torch.exp(torch.arange(0, size, 2) * (-math.log(10_000.0) / size))
    angles = places * rates
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
