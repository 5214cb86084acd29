"""Our Transformer, from PyTorch's own layers."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ness.errors import ConfigError
from ness.experiments.systems.coding import PAD
from ness.experiments.systems.interface import Training
from ness.experiments.systems.networks import Network, NetworkState
from ness.experiments.systems.neural import NeuralSettings, NeuralSystem


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformerSettings(NeuralSettings):
    """Size of the Transformer; small enough for a CPU."""

    hidden_size: int = 128
    layers: int = 2  # in encoder and decoder
    heads: int = 4
    dropout: float = 0.0  # the data has no noise; with 0.1 one run needed 1.6 times the steps for a loss
    warmup: int = 200
    last_rate: float = 0.1
    stop_loss: float = 0.01

    def __post_init__(self) -> None:
        NeuralSettings.__post_init__(self)
        if self.hidden_size % (2 * self.heads):
            raise ConfigError(f"'hidden_size' must be a multiple of {2 * self.heads} (twice 'heads')")


class Transformer(NeuralSystem):
    """Trains the Transformer."""

    name = "transformer"
    recordable = True
    settings: TransformerSettings

    @classmethod
    def settings_for(cls, task: str) -> TransformerSettings:
        return TransformerSettings()

    def build(self, sources: int, targets: int, training: Training) -> Network:
        return TransformerNetwork(sources, targets, self.settings)


class TransformerNetwork(Network):
    """A Transformer encoder-decoder (Vaswani et al. 2017), layers normalised first, sinusoidal positions."""

    def __init__(self, sources: int, targets: int, settings: TransformerSettings) -> None:
        super().__init__(targets)
        self.hidden = settings.hidden_size
        self.source = nn.Embedding(sources, self.hidden, padding_idx=PAD)
        self.target = nn.Embedding(targets, self.hidden, padding_idx=PAD)
        for embedding in (self.source, self.target):
            nn.init.normal_(embedding.weight, std=self.hidden**-0.5)
        sizes = (self.hidden, settings.heads, 2 * self.hidden, settings.dropout)
        encoder = nn.TransformerEncoderLayer(*sizes, batch_first=True, norm_first=True)
        decoder = nn.TransformerDecoderLayer(*sizes, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(
            encoder, settings.layers, nn.LayerNorm(self.hidden), enable_nested_tensor=False
        )
        self.decoder = nn.TransformerDecoder(decoder, settings.layers, nn.LayerNorm(self.hidden))
        self.dropout = nn.Dropout(settings.dropout)
        self.output = nn.Linear(self.hidden, targets)

    def encode(self, source: Tensor) -> NetworkState:
        padding = source == PAD
        return self.encoder(self._placed(self.source(source)), src_key_padding_mask=padding), padding

    def decode(self, encoded: NetworkState, prefix: Tensor) -> Tensor:
        states, padding = encoded
        ahead = torch.ones(prefix.shape[1], prefix.shape[1], dtype=torch.bool, device=prefix.device).triu(diagonal=1)
        words = self._placed(self.target(prefix))
        # Said, since the layers would wait for the GPU to find it out.
        masks = {"tgt_mask": ahead, "tgt_is_causal": False, "memory_key_padding_mask": padding}
        found = self.decoder(words, states, **masks)
        return torch.as_tensor(self.output(found) + self.never)

    def _placed(self, embedded: Tensor) -> Tensor:
        """Add the places to embeddings, [batch, length, hidden]."""
        embedded = embedded * math.sqrt(self.hidden)
        places = _positions(embedded.shape[1], self.hidden, embedded.device)
        return torch.as_tensor(self.dropout(embedded + places))


def _positions(length: int, size: int, device: torch.device) -> Tensor:
    """Sines and cosines of all places, [length, size]."""
    places = torch.arange(length, device=device).unsqueeze(1)
    rates = torch.exp(torch.arange(0, size, 2, device=device) * (-math.log(10_000.0) / size))
    angles = places * rates
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
