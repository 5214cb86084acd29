"""What the networks share: scoring after a prefix, decoding step by step, attention, ways to start weights."""

import math
from abc import abstractmethod

import torch
from torch import Tensor, nn

from ness.experiments.systems.coding import BEGIN, END, PAD, UNKNOWN

NetworkState = tuple[Tensor, ...]


class Network(nn.Module):
    """An encoder and a decoder; a decoder that is shown a prefix says what follows each token of it."""

    def __init__(self, targets: int) -> None:
        super().__init__()
        never = torch.zeros(targets)
        never[[PAD, BEGIN, UNKNOWN]] = -math.inf
        self.register_buffer("never", never)
        self.never: Tensor  # added to scores: what is no token is never written

    @abstractmethod
    def encode(self, source: Tensor) -> NetworkState:
        """Read sources, [batch, source length]."""

    @abstractmethod
    def decode(self, encoded: NetworkState, prefix: Tensor) -> Tensor:
        """Score the tokens that may follow, [batch, prefix length, targets]."""

    def forward(self, source: Tensor, prefix: Tensor) -> Tensor:
        return self.decode(self.encode(source), prefix)

    def rollout(self, encoded: NetworkState, steps: int) -> Tensor:
        """Decode with own outputs as the prefix, [batch, at most so many steps, targets]; stop where all have ended."""
        prefix = torch.full((len(encoded[0]), 1), BEGIN, device=encoded[0].device)
        ended = torch.zeros_like(prefix, dtype=torch.bool)
        logits = self.decode(encoded, prefix)
        for _ in range(steps - 1):
            best = logits[:, -1:].argmax(dim=-1)
            ended |= best == END
            if ended.all():
                break
            prefix = torch.cat([prefix, best], dim=1)
            logits = self.decode(encoded, prefix)
        return logits

    def penalty(self) -> Tensor | float:
        """Return what is added to the loss of the last batch."""
        return 0.0


class RecurrentNetwork(Network):
    """A network whose decoder goes step by step."""

    @abstractmethod
    def begin(self, encoded: NetworkState) -> NetworkState:
        """Return the decoder's first state."""

    @abstractmethod
    def step(self, encoded: NetworkState, state: NetworkState, token: Tensor) -> tuple[Tensor, NetworkState]:
        """Go on from a state and the last token, [batch]; return features, [batch, size], and the next state."""

    @abstractmethod
    def score(self, encoded: NetworkState, features: Tensor) -> Tensor:
        """Turn features, [batch, steps, size], into scores of tokens, [batch, steps, targets]."""

    def decode(self, encoded: NetworkState, prefix: Tensor) -> Tensor:
        state, found = self.begin(encoded), []
        for token in prefix.unbind(dim=1):
            features, state = self.step(encoded, state, token)
            found.append(features)
        return self.score(encoded, torch.stack(found, dim=1)) + self.never

    def rollout(self, encoded: NetworkState, steps: int) -> Tensor:
        state, found = self.begin(encoded), []
        token = torch.full((len(encoded[0]),), BEGIN, device=encoded[0].device)
        ended = torch.zeros_like(token, dtype=torch.bool)
        for _ in range(steps):
            features, state = self.step(encoded, state, token)
            found.append(self.score(encoded, features.unsqueeze(1)) + self.never)
            token = found[-1].squeeze(1).argmax(dim=-1)
            ended |= token == END
            if not self.training and ended.all():
                break
        return torch.cat(found, dim=1)


def attend(query: Tensor, keys: Tensor, padding: Tensor) -> Tensor:
    """Return weights over places, [batch, queries, places], by dot products; padding, [batch, places], gets none."""
    scores = query @ keys.transpose(1, 2)
    return scores.masked_fill(padding.unsqueeze(1), -math.inf).softmax(dim=-1)


def run_packed(lstm: nn.LSTM, words: Tensor, padding: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Run an LSTM over rows of different lengths; return states, and the last hidden and cell of each layer."""
    if words.is_cuda and torch.cuda.is_current_stream_capturing():  # lengths cannot be looked at
        if len(words) > 1:
            return run_masked(lstm, words, padding)
        states, (hidden, cell) = lstm(words)  # one row is not padded
        return states, hidden, cell
    lengths = (~padding).sum(dim=1).cpu()
    packed = nn.utils.rnn.pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
    states, (hidden, cell) = lstm(packed)
    states, _ = nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=words.shape[1])
    return states, hidden, cell


def run_masked(lstm: nn.LSTM, words: Tensor, padding: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Do the same step by step, without a look at the lengths: padding changes no state."""
    active = padding.logical_not().unsqueeze(-1).unbind(dim=1)
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    last: list[tuple[Tensor, Tensor]] = []
    for layer in range(lstm.num_layers):
        ways = []
        for suffix in ("", "_reverse") if lstm.bidirectional else ("",):
            weights = [getattr(lstm, f"{name}_l{layer}{suffix}") for name in names]
            steps = list(zip(words.unbind(dim=1), active, strict=True))
            hidden = cell = words.new_zeros(len(words), lstm.hidden_size)
            states = []
            for word, moves in reversed(steps) if suffix else steps:
                new_hidden, new_cell = torch.lstm_cell(word, (hidden, cell), *weights)
                hidden, cell = torch.where(moves, new_hidden, hidden), torch.where(moves, new_cell, cell)
                states.append(hidden)
            last.append((hidden, cell))
            ways.append(torch.stack(states[::-1] if suffix else states, dim=1))
        words = torch.cat(ways, dim=-1)
        if layer + 1 < lstm.num_layers:
            words = nn.functional.dropout(words, lstm.dropout, lstm.training)
    hidden, cell = (torch.stack(one) for one in zip(*last, strict=True))
    return words.masked_fill(padding.unsqueeze(-1), 0.0), hidden, cell


def side_by_side(last: Tensor) -> Tensor:
    """Join the last states of both directions of the top layer, [batch, 2 * hidden]."""
    return torch.cat([last[-2], last[-1]], dim=-1)


def start_as_tensorflow(module: nn.Module) -> None:
    """Start weights by Glorot, biases at 0, forget gates at 1: with PyTorch's start some systems get stuck."""
    for part in module.modules():
        if isinstance(part, nn.LSTM | nn.LSTMCell):
            for name, weight in part.named_parameters():
                if "weight_ih" in name:
                    inputs, hidden = weight.shape[1], weight.shape[0] // 4
                    limit = math.sqrt(6 / (inputs + 5 * hidden))  # input and hidden are one matrix there
                if "weight" in name:
                    nn.init.uniform_(weight, -limit, limit)
                else:
                    nn.init.zeros_(weight)
                    if "bias_ih" in name:
                        weight.data[hidden : 2 * hidden] = 1.0
        elif isinstance(part, nn.Linear):
            nn.init.xavier_uniform_(part.weight)
            if part.bias is not None:
                nn.init.zeros_(part.bias)
