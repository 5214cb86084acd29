"""An LSTM over rows that begin alike, with gradients: each beginning is read once, and padding not at all.

The frames of a trace grow item by item, so most of what a network reads of them it has read before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ness.network.layers import BiLSTM


@dataclass(frozen=True, slots=True)
class Beginnings:
    """Distinct beginnings of rows, short ones first, numbered from 1: 0 is what has read nothing."""

    items: Tensor  # [N]: the last item
    before: Tensor  # [N]: the beginning without it
    sizes: tuple[int, ...]  # how many have 1, 2, ... items
    rows: Tensor  # [m]: the rows themselves

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> "Beginnings":
        """Number the beginnings of rows."""
        known: dict[tuple[int, int], int] = {}
        states = [0] * len(rows)
        reading = list(range(len(rows)))
        sizes = []
        place = 0
        while reading:
            before = len(known)
            for number in reading:
                key = states[number], rows[number][place]
                states[number] = known.setdefault(key, len(known) + 1)
            place += 1
            sizes.append(len(known) - before)
            reading = [number for number in reading if len(rows[number]) > place]
        parents, items = torch.tensor(list(known)).T
        return cls(items, parents, tuple(sizes), torch.tensor(states))


@dataclass(frozen=True, slots=True)
class SharedFrames:
    """Frames to be read from either side."""

    ahead: Beginnings
    back: Beginnings

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> "SharedFrames":
        return cls(Beginnings.of(rows), Beginnings.of([row[::-1] for row in rows]))

    def summaries(self, encoder: BiLSTM, vectors: Tensor) -> Tensor:
        """Return the last states [m, 2h] of an encoder that reads the vectors [I, d] of the items."""
        ahead, back = _read(encoder.forwards, vectors, self.ahead), _read(encoder.backwards, vectors, self.back)
        return torch.cat([ahead[self.ahead.rows], back[self.back.rows]], -1)


def _read(lstm: nn.LSTM, vectors: Tensor, beginnings: Beginnings) -> Tensor:
    """Return the hidden states after all beginnings: [1 + N, h]."""
    weights, recurrent, *biases = list(lstm.parameters())
    inputs = nn.functional.linear(vectors, weights, biases[0] + biases[1])
    states: Tensor = _Reading.apply(inputs, recurrent, beginnings)  # type: ignore[no-untyped-call]
    return states


class _Reading(torch.autograd.Function):
    """The recurrence; written out, because the gradients of all steps with respect to the weights are one product."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, recurrent: Tensor, beginnings: Beginnings) -> Tensor:
        """Read inputs [I, 4h] with recurrent weights [4h, h]."""
        size = recurrent.shape[1]
        hidden = inputs.new_zeros(len(beginnings.items) + 1, size)
        cells = torch.zeros_like(hidden)
        gates = inputs[beginnings.items]
        weights = recurrent.t()
        end = 0
        for count in beginnings.sizes:
            begin, end = end, end + count
            before = beginnings.before[begin:end]
            part = gates[begin:end].addmm_(hidden[before], weights)
            part[:, : 2 * size].sigmoid_()
            part[:, 2 * size : 3 * size].tanh_()
            part[:, 3 * size :].sigmoid_()
            written, kept, new, shown = part.chunk(4, 1)
            torch.addcmul(written * new, kept, cells[before], out=cells[begin + 1 : end + 1])
            torch.mul(cells[begin + 1 : end + 1].tanh(), shown, out=hidden[begin + 1 : end + 1])
        ctx.beginnings, ctx.input_count = beginnings, len(inputs)
        ctx.save_for_backward(recurrent, hidden, cells, gates)
        return hidden

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        """Return the gradients of inputs and recurrent weights."""
        recurrent, hidden, cells, gates = ctx.saved_tensors
        beginnings: Beginnings = ctx.beginnings
        by_hidden, by_cells = gradients[0].clone(), torch.zeros_like(cells)
        by_gates = torch.empty_like(gates)
        end = len(beginnings.items)
        for count in reversed(beginnings.sizes):
            begin, end = end - count, end
            before = beginnings.before[begin:end]
            written, kept, new, shown = gates[begin:end].chunk(4, 1)
            by_written, by_kept, by_new, by_shown = by_gates[begin:end].chunk(4, 1)
            seen = cells[begin + 1 : end + 1].tanh()
            above = by_hidden[begin + 1 : end + 1]
            by_cell = by_cells[begin + 1 : end + 1].addcmul_(above * shown, 1 - seen * seen)
            torch.mul(above * seen, shown * (1 - shown), out=by_shown)
            torch.mul(by_cell * new, written * (1 - written), out=by_written)
            torch.mul(by_cell * written, 1 - new * new, out=by_new)
            torch.mul(by_cell * cells[before], kept * (1 - kept), out=by_kept)
            by_cells.index_add_(0, before, by_cell * kept)
            by_hidden.index_add_(0, before, by_gates[begin:end] @ recurrent)
            end = begin
        by_inputs = gates.new_zeros(ctx.input_count, gates.shape[1]).index_add_(0, beginnings.items, by_gates)
        return by_inputs, by_gates.t() @ hidden[beginnings.before], None
