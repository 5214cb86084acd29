"""An LSTM over rows that begin alike, with gradients: each beginning is read once, and padding not at all.

The frames of a trace grow item by item, so most of what a network reads of them it has read before.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ness.network.layers import BiLSTM


@dataclass(frozen=True, slots=True)
class Beginnings:
    """Distinct beginnings of rows, short ones first; their states are numbered: 0 has read nothing, then the starts."""

    used: Tensor  # [U]: distinct items
    items: Tensor  # [N]: the last one, by its number among these
    before: Tensor  # [N]: the state before it
    sizes: tuple[int, ...]  # how many have 1, 2, ... items
    paths: Tensor  # [m, L]: the state after each item of the rows; 0 where there is none
    rows: Tensor  # [m]: the last ones

    @classmethod
    def of(cls, items: Tensor, lengths: Tensor, started: bool = False) -> "Beginnings":
        """Number the beginnings of rows [m, L] of lengths [m]; `started`: each row starts with a state of its own."""
        count = len(items) if started else 0
        states = torch.arange(len(items)) + 1 if started else torch.zeros(len(items), dtype=torch.long)
        used, numbered = torch.unique(items, return_inverse=True)
        base = len(used)
        paths = torch.zeros_like(items)
        found = []
        for place in range(items.shape[1]):
            reading = (lengths > place).nonzero()[:, 0]
            reached = states[reading] * base + numbered[reading, place]
            new, numbers = torch.unique(reached, return_inverse=True)
            states[reading] = paths[reading, place] = numbers + count + 1
            found.append(new)
            count += len(new)
        keys = torch.cat(found)
        return cls(used, keys % base, keys // base, tuple(map(len, found)), paths, states)

    def to(self, device: torch.device) -> "Beginnings":
        used, items, before, paths, rows = (
            part.to(device) for part in (self.used, self.items, self.before, self.paths, self.rows)
        )
        return Beginnings(used, items, before, self.sizes, paths, rows)


@dataclass(frozen=True, slots=True)
class SharedFrames:
    """Frames to be read from either side."""

    ahead: Beginnings
    back: Beginnings
    back_paths: Tensor  # [m, L]: as those of `back`, in the order of the items

    @classmethod
    def of(cls, items: Tensor, lengths: Tensor) -> "SharedFrames":
        """Take rows [m, L] of lengths [m]."""
        mirrored = (lengths[:, None] - 1 - torch.arange(items.shape[1])).clamp(min=0)
        back = Beginnings.of(items.gather(1, mirrored), lengths)
        return cls(Beginnings.of(items, lengths), back, back.paths.gather(1, mirrored))

    def to(self, device: torch.device) -> "SharedFrames":
        return SharedFrames(self.ahead.to(device), self.back.to(device), self.back_paths.to(device))

    def read(self, encoder: BiLSTM, vectors: Tensor) -> tuple[Tensor, Tensor]:
        """Return the states [1 + N, h] of an encoder that reads the vectors [I, d] of the items, forwards and back."""
        return read(encoder.forwards, vectors, self.ahead), read(encoder.backwards, vectors, self.back)

    def summaries(self, states: tuple[Tensor, Tensor]) -> Tensor:
        """Return the last states [m, 2h]."""
        ahead, back = states
        return torch.cat([ahead.index_select(0, self.ahead.rows), back.index_select(0, self.back.rows)], -1)

    def outputs(self, states: tuple[Tensor, Tensor]) -> Tensor:
        """Return the states at all items [m, L, 2h]; what stands in place of padding does not matter."""
        paths = self.ahead.paths, self.back_paths
        found = [each.index_select(0, path.flatten()) for each, path in zip(states, paths, strict=True)]
        return torch.cat(found, -1).view(*self.back_paths.shape, -1)


def read(lstm: nn.LSTM, vectors: Tensor, beginnings: Beginnings, starts: Tensor | None = None) -> Tensor:
    """Return the hidden states: of what has read nothing, of the starts [m, h], after all beginnings [N, h]."""
    weights, recurrent, *biases = list(lstm.parameters())
    # tanh(x) = 2 sigmoid(2x) - 1: with the gate of new contents doubled, one sigmoid serves all gates.
    scale = torch.tensor([1.0, 1.0, 2.0, 1.0], device=vectors.device).repeat_interleave(lstm.hidden_size)
    vectors = vectors.index_select(0, beginnings.used)
    inputs = nn.functional.linear(vectors, weights * scale[:, None], (biases[0] + biases[1]) * scale)
    if starts is None:
        starts = vectors.new_zeros(0, lstm.hidden_size)
    states: Tensor = _Reading.apply(inputs, recurrent * scale[:, None], starts, beginnings)  # type: ignore[no-untyped-call]
    return states


class _Reading(torch.autograd.Function):
    """The recurrence; written out, because the gradients of all steps with respect to the weights are one product."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, recurrent: Tensor, starts: Tensor, beginnings: Beginnings) -> Tensor:
        """Read inputs [I, 4h] with recurrent weights [4h, h]."""
        first = len(starts) + 1
        hidden: Tensor
        hidden, cells, seen = inputs.new_empty(3, first + len(beginnings.items), recurrent.shape[1])
        hidden[0], hidden[1:first], cells[:first] = 0.0, starts, 0.0
        gates = inputs.index_select(0, beginnings.items)
        weights = recurrent.t()
        end = 0
        for count in beginnings.sizes:
            begin, end = end, end + count
            before, states = beginnings.before[begin:end], slice(first + begin, first + end)
            part, cell = gates[begin:end], cells[states]
            if begin or first > 1:
                part.addmm_(hidden.index_select(0, before), weights)
            written, kept, new, shown = part.sigmoid_().chunk(4, 1)
            torch.mul(kept, cells.index_select(0, before), out=cell)
            cell.addcmul_(written, new, value=2.0).sub_(written)
            torch.mul(torch.tanh(cell, out=seen[states]), shown, out=hidden[states])
        ctx.beginnings, ctx.input_count, ctx.first = beginnings, len(inputs), first
        ctx.save_for_backward(recurrent, hidden, cells, seen, gates)
        return hidden

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        """Return the gradients of inputs, recurrent weights and starts."""
        recurrent, hidden, cells, seen, gates = ctx.saved_tensors
        beginnings: Beginnings = ctx.beginnings
        first = ctx.first
        by_hidden, by_cells = gradients[0].clone(), torch.zeros_like(cells)
        by_gates = torch.empty_like(gates)
        kept = gates.chunk(4, 1)[1]
        end = len(beginnings.items)
        for count in reversed(beginnings.sizes):
            begin, end = end - count, end
            rows, states, before = slice(begin, end), slice(first + begin, first + end), beginnings.before[begin:end]
            through, parts = slopes(gates[rows], cells.index_select(0, before), seen[states])
            back_through_gates(by_gates[rows], by_hidden[states], by_cells[states], through, parts)
            if begin or first > 1:
                by_cells.index_add_(0, before, by_cells[states] * kept[rows])
                by_hidden.index_add_(0, before, by_gates[rows] @ recurrent)
            end = begin
        by_inputs = gates.new_zeros(ctx.input_count, gates.shape[1]).index_add_(0, beginnings.items, by_gates)
        by_recurrent = by_gates.t() @ hidden.index_select(0, beginnings.before)
        return by_inputs, by_recurrent, by_hidden[1:first], None


def slopes(gates: Tensor, cells_before: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    """From hidden states to their cells [n, h]; from cells, of the last gate from hidden states, to gates [n, 4, h].

    Given are gates [n, 4h] after the one sigmoid, the cells before, and tanh of the cells.
    """
    written, _, new, shown = gates.chunk(4, 1)
    parts = torch.addcmul(gates, gates, gates, value=-1.0).view(len(gates), 4, -1)
    parts[:, 0].mul_(2 * new - 1)
    parts[:, 1].mul_(cells_before)
    parts[:, 2].mul_(written).mul_(2.0)
    parts[:, 3].mul_(seen)
    return torch.addcmul(shown, shown * seen, seen, value=-1.0), parts


def back_through_gates(by_gates: Tensor, by_hidden: Tensor, by_cells: Tensor, through: Tensor, parts: Tensor) -> None:
    """Fill in the gradients of what gates are given [n, 4h], and complete those of their cells [n, h]."""
    by_cells.addcmul_(by_hidden, through)
    by_gate = by_gates.view_as(parts)
    torch.mul(by_cells[:, None], parts[:, :3], out=by_gate[:, :3])
    torch.mul(by_hidden, parts[:, 3], out=by_gate[:, 3])
