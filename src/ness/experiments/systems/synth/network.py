"""The network of Synth: it reads a set of examples and writes the tokens of a grammar."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

PAD, BEGIN, END = range(3)


@dataclass(frozen=True)
class SupportExamples:
    """Examples of several grammars, padded; an example without words is padding."""

    sources: Tensor  # [batch, examples, words]
    targets: Tensor  # [batch, examples, symbols]


class SynthNetwork(nn.Module):
    """Each example becomes a vector; a decoder that starts from their sum attends to them."""

    def __init__(self, words: int, symbols: int, tokens: int, size: int, dropout: float) -> None:
        super().__init__()
        self.source = nn.Embedding(words, size, padding_idx=PAD)
        self.target = nn.Embedding(symbols, size, padding_idx=PAD)
        self.token = nn.Embedding(tokens, size)
        self.source_lstm, self.target_lstm = (
            nn.LSTM(size, size, 2, batch_first=True, bidirectional=True, dropout=dropout) for _ in range(2)
        )
        self.join = nn.Linear(2 * size, size)
        self.start = nn.Linear(size, 4 * size)
        self.decoder = nn.LSTM(size, size, 2, batch_first=True, dropout=dropout)
        self.mix = nn.Linear(2 * size, size)
        self.output = nn.Linear(size, tokens)
        self.dropout = nn.Dropout(dropout)

    def encode(self, examples: SupportExamples) -> tuple[Tensor, Tensor]:
        """Return a vector for each example, [batch, examples, size], and which of them are padding."""
        padding = examples.sources[:, :, 0] == PAD
        shown = ~padding
        source = _read(self.source_lstm, self.dropout(self.source(examples.sources[shown])), examples.sources[shown])
        target = _read(self.target_lstm, self.dropout(self.target(examples.targets[shown])), examples.targets[shown])
        joined = torch.tanh(self.join(torch.cat([source, target], dim=1)))
        found = joined.new_zeros(*padding.shape, joined.shape[1])
        found[shown] = joined
        return found, padding

    def begin(self, encoded: Tensor) -> tuple[Tensor, Tensor]:
        """Return the decoder's first state, hidden and cell, [2, batch, size] each."""
        first = self.start(encoded.sum(dim=1)).view(len(encoded), 4, -1).transpose(0, 1).contiguous()
        return first[:2].contiguous(), first[2:].contiguous()

    def decode(
        self, encoded: Tensor, padding: Tensor, state: tuple[Tensor, Tensor], tokens: Tensor
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Score what may follow each token, [batch, length, tokens]."""
        found, state = self.decoder(self.dropout(self.token(tokens)), state)
        scores = (found @ encoded.transpose(1, 2)).masked_fill(padding.unsqueeze(1), -math.inf)
        context = scores.softmax(dim=-1) @ encoded
        mixed = torch.tanh(self.mix(torch.cat([found, context], dim=-1)))
        return self.output(self.dropout(mixed)), state

    def loss(self, examples: SupportExamples, grammars: Tensor) -> Tensor:
        """Return the mean loss per token of grammars, [batch, length], each with an end."""
        encoded, padding = self.encode(examples)
        begin = torch.full_like(grammars[:, :1], BEGIN)
        logits, _ = self.decode(encoded, padding, self.begin(encoded), torch.cat([begin, grammars[:, :-1]], dim=1))
        return nn.functional.cross_entropy(logits.flatten(0, 1), grammars.flatten(), ignore_index=PAD)

    @torch.no_grad()
    def write(self, examples: SupportExamples, longest: int, copies: int = 0) -> list[list[int]]:
        """Write a grammar for each set of examples, or draw so many copies for each; tokens before the end."""
        encoded, padding = self.encode(examples)
        hidden, cell = self.begin(encoded)
        encoded, padding = encoded.repeat_interleave(copies or 1, dim=0), padding.repeat_interleave(copies or 1, dim=0)
        state = hidden.repeat_interleave(copies or 1, dim=1), cell.repeat_interleave(copies or 1, dim=1)
        token = torch.full((len(encoded), 1), BEGIN, device=encoded.device)
        ended = torch.zeros(len(encoded), dtype=torch.bool, device=encoded.device)
        written = []
        for _ in range(longest):
            logits, state = self.decode(encoded, padding, state, token)
            chances = logits[:, 0].softmax(dim=-1)
            token = torch.multinomial(chances, 1) if copies else chances.argmax(dim=-1, keepdim=True)
            written.append(token)
            ended |= token[:, 0] == END
            if ended.all():
                break
        rows: list[list[int]] = torch.cat(written, dim=1).tolist()
        return [row[: row.index(END)] if END in row else row for row in rows]


def _read(lstm: nn.LSTM, embedded: Tensor, numbers: Tensor) -> Tensor:
    """Return the last states of both directions, summed, [rows, size]."""
    lengths = (numbers != PAD).sum(dim=1).clamp(min=1).cpu()
    packed = nn.utils.rnn.pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
    _, (hidden, _) = lstm(packed)
    return torch.as_tensor(hidden[-2] + hidden[-1])  # of the upper layer
