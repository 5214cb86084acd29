"""The CONCATs of whole traces, level by level, with gradients: written out, because each level is small.

LSTMs of PyTorch take a millisecond for a call, however short its rows are, and each call adds to the gradients of all
weights; here these are one product each, at the end.
"""

from typing import Any

import torch
from torch import Tensor, nn

from ness.network.concat_steps import ConcatSteps, Wave
from ness.network.controller import Controller
from ness.network.shared_reading import back_through_gates, slopes


def read_concats(controller: Controller, vectors: Tensor, steps: ConcatSteps) -> tuple[Tensor, Tensor]:
    """Read all CONCATs, given the vectors [J, d] of known items: states [1 + R + N, h] and phrases [R, d]."""
    pointers = controller.concat_m, controller.concat_s
    size = controller.config.hidden_size
    # tanh(x) = 2 sigmoid(2x) - 1: with the gate of new contents doubled, one sigmoid serves all gates.
    scale = torch.tensor([1.0, 1.0, 2.0, 1.0], device=vectors.device).repeat_interleave(size)
    readers = [list(lstm.parameters()) for p in pointers for lstm in (p.encoder.forwards, p.encoder.backwards)]
    arguments = [list(pointer.lstm.parameters()) for pointer in pointers]
    given = [nn.functional.linear(controller.segments.weight, w, one + other) for w, _, one, other in readers]
    given += [nn.functional.linear(p.first[None], w[0], w[2] + w[3]) for p, w in zip(pointers, arguments, strict=True)]
    given += [(w[2] + w[3])[None] for w in arguments]
    category = controller.target_category
    states, phrases = _ConcatReading.apply(  # type: ignore[no-untyped-call]
        steps,
        vectors,
        torch.cat(given) * scale,
        torch.cat([weights[0] * scale[:, None] for weights in readers]),
        torch.stack([weights[1] * scale[:, None] for weights in readers]),
        torch.stack([torch.cat([w[1], w[0]], 1) * scale[:, None] for w in arguments]),
        torch.stack([pointer.initial.weight for pointer in pointers]),
        torch.stack([pointer.initial.bias for pointer in pointers]),
        category.classify.weight,
        category.classify.bias,
        category.embedding.weight,
    )
    return states, phrases


class _ConcatReading(torch.autograd.Function):
    """The recurrence. Weights are [outputs, inputs], by reader or by kind where there are several."""

    @staticmethod
    def forward(
        ctx: Any, steps: ConcatSteps, vectors: Tensor, given: Tensor, project: Tensor, recur: Tensor, select: Tensor,
        start: Tensor, offset: Tensor, classify: Tensor, bias: Tensor, embed: Tensor,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        """Take all steps, wave after wave."""
        size, known, first = recur.shape[2], len(vectors), len(steps.made) + 1
        hidden, cells, seen = vectors.new_empty(3, first + len(steps.before), size)
        hidden[0], cells[:first] = 0.0, 0.0
        vectors = torch.cat([vectors, vectors.new_empty(len(steps.made), vectors.shape[1])])
        projected = vectors.new_empty(len(vectors), len(project))
        torch.mm(vectors[:known], project.t(), out=projected[:known])
        gates = given.index_select(0, steps.given)
        shares = vectors.new_empty(len(steps.made), len(classify))
        into, onto = recur.transpose(1, 2), select.transpose(1, 2)

        def finish(wave: Wave, fresh: bool) -> None:
            states = slice(first + wave.begin, first + wave.end)
            written, kept, new, shown = gates[wave.begin : wave.end].sigmoid_().chunk(4, 1)
            cell = cells[states]
            if fresh:
                torch.mul(written, new, out=cell).mul_(2.0).sub_(written)
            else:
                torch.mul(kept, cells.index_select(0, steps.before[wave.begin : wave.end]), out=cell)
                cell.addcmul_(written, new, value=2.0).sub_(written)
            torch.mul(torch.tanh(cell, out=seen[states]), shown, out=hidden[states])

        for level in steps.levels:
            begin, end = level.elements[0].begin, level.elements[-1].end
            gates[begin:end].add_(projected.view(-1, 4 * size).index_select(0, steps.inputs[begin:end]))
            for place, wave in enumerate(level.elements):
                if place:
                    before = hidden.index_select(0, steps.before[wave.begin : wave.end])
                    for kind, rows, part in _parts(wave, before):
                        given_to, weights = gates[rows].view(2, -1, 4 * size), into[2 * kind : 2 * kind + 2]
                        given_to.baddbmm_(part.view(2, -1, size), weights)
                finish(wave, not place)
            summaries = hidden.index_select(0, steps.summaries[level.begin : level.end].flatten()).view(-1, 2 * size)
            for kind, rows, part in _parts(Wave(level.begin, level.counts), summaries):
                torch.addmm(offset[kind], part, start[kind].t(), out=hidden[rows.start + 1 : rows.stop + 1]).tanh_()
            for place, wave in enumerate(level.arguments):
                before = hidden.index_select(0, _seen_by_part(steps, wave, place)).view(wave.end - wave.begin, -1)
                for kind, rows, part in _parts(wave, before):
                    gates[rows].addmm_(part, onto[kind, : part.shape[1]])
                finish(wave, not place)
            last = hidden.index_select(0, steps.last[level.begin : level.end])
            rows = slice(level.begin, level.end)
            torch.softmax(torch.addmm(bias, last, classify.t()), -1, out=shares[rows])
            made = slice(known + level.begin, known + level.end)
            torch.mm(shares[rows], embed, out=vectors[made])
            torch.mm(vectors[made], project.t(), out=projected[made])
        ctx.steps = steps
        states = hidden, cells, seen, gates, vectors, shares
        ctx.save_for_backward(*states, project, recur, select, start, classify, embed)
        ctx.given_count = len(given)
        return hidden, vectors[known:].clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients of all but the steps."""
        hidden, cells, seen, gates, vectors, shares, project, recur, select, start, classify, embed = ctx.saved_tensors
        steps: ConcatSteps = ctx.steps
        size, first, known = recur.shape[2], len(steps.made) + 1, len(steps.known)
        by_hidden, by_cells = gradients[0].clone(), torch.zeros_like(cells)
        by_vectors = torch.cat([vectors.new_zeros(known, vectors.shape[1]), gradients[1]])
        by_projected = vectors.new_zeros(len(vectors) * recur.shape[0], 4 * size)
        by_gates, by_shares = torch.empty_like(gates), torch.empty_like(shares)
        by_starts = torch.empty_like(hidden[1:first])
        kept = gates.chunk(4, 1)[1]

        def gate(wave: Wave, fresh: bool) -> None:
            """Go back to what the gates of a wave were given, and to the cells before."""
            states, rows = slice(first + wave.begin, first + wave.end), slice(wave.begin, wave.end)
            sloping = slice(wave.begin - span.start, wave.end - span.start)
            by_cell = by_cells[states]
            back_through_gates(by_gates[rows], by_hidden[states], by_cell, through[sloping], parts[sloping])
            if not fresh:
                by_cells.index_add_(0, steps.before[rows], by_cell * kept[rows])

        for level in reversed(steps.levels):
            span = slice(level.elements[0].begin, level.arguments[-1].end)  # slopes wait for nothing: all at once
            reached = seen[first + span.start : first + span.stop]
            through, parts = slopes(gates[span], cells.index_select(0, steps.before[span]), reached)
            rows, made = slice(level.begin, level.end), slice(known + level.begin, known + level.end)
            count = recur.shape[0]
            later = by_projected[made.start * count : made.stop * count].view(len(range(level.begin, level.end)), -1)
            by_vectors[made].addmm_(later, project)
            by_share = by_vectors[made] @ embed.t()
            share = shares[rows]
            torch.mul(share, by_share - (share * by_share).sum(-1, keepdim=True), out=by_shares[rows])
            by_hidden.index_add_(0, steps.last[rows], by_shares[rows] @ classify)
            for place, wave in reversed(list(enumerate(level.arguments))):
                width = 3 * size if place else size
                by_before = vectors.new_empty(wave.end - wave.begin, width)
                gate(wave, not place)
                for kind, part_rows, part in _parts(wave, by_before):
                    torch.mm(by_gates[part_rows], select[kind, :, :width], out=part)
                by_hidden.index_add_(0, _seen_by_part(steps, wave, place), by_before.view(-1, size))
            starts = hidden[level.begin + 1 : level.end + 1]
            torch.mul(by_hidden[level.begin + 1 : level.end + 1], 1 - starts * starts, out=by_starts[rows])
            by_summaries = vectors.new_empty(level.end - level.begin, 2 * size)
            for kind, part_rows, part in _parts(Wave(level.begin, level.counts), by_summaries):
                torch.mm(by_starts[part_rows], start[kind], out=part)
            by_hidden.index_add_(0, steps.summaries[rows].flatten(), by_summaries.view(-1, size))
            for place, wave in reversed(list(enumerate(level.elements))):
                gate(wave, not place)
                if place:
                    by_before = vectors.new_empty(wave.end - wave.begin, size)
                    for kind, part_rows, part in _parts(wave, by_before):
                        given = by_gates[part_rows].view(2, -1, 4 * size)
                        torch.bmm(given, recur[2 * kind : 2 * kind + 2], out=part.view(2, -1, size))
                    by_hidden.index_add_(0, steps.before[wave.begin : wave.end], by_before)
            begin, end = level.elements[0].begin, level.elements[-1].end
            by_projected.index_add_(0, steps.inputs[begin:end], by_gates[begin:end])

        by_projected = by_projected.view(len(vectors), -1)
        by_vectors[:known].addmm_(by_projected[:known], project)
        by_recur = [by_gates[each].t() @ hidden[steps.before[each]] for each in steps.readings]
        by_select = []
        for one, later in zip(steps.firsts, steps.laters, strict=True):
            by_later = by_gates[later].t() @ hidden[steps.selected[later].flatten()].view(len(later), 3 * size)
            by_later[:, :size].addmm_(by_gates[one].t(), hidden[steps.before[one]])
            by_select.append(by_later)
        by_start = [
            by_starts[rows].t() @ hidden[steps.summaries[rows].flatten()].view(len(rows), 2 * size)
            for rows in steps.rows
        ]
        by_offset = [by_starts[rows].sum(0) for rows in steps.rows]
        return (
            None,
            by_vectors[:known],
            gates.new_zeros(ctx.given_count, 4 * size).index_add_(0, steps.given, by_gates),
            by_projected.t() @ vectors,
            torch.stack(by_recur),
            torch.stack(by_select),
            torch.stack(by_start),
            torch.stack(by_offset),
            by_shares.t() @ hidden[steps.last],
            by_shares.sum(0),
            shares.t() @ by_vectors[known:],
        )


def _seen_by_part(steps: ConcatSteps, wave: Wave, place: int) -> Tensor:
    """List the states that parts of arguments see: the one before, and of later parts what was selected before."""
    rows = slice(wave.begin, wave.end)
    return steps.selected[rows].flatten() if place else steps.before[rows]


def _parts(wave: Wave, rows: Tensor) -> list[tuple[int, slice, Tensor]]:
    """Split rows of a wave by kind: the kind, where its rows are among all, and these."""
    moved, _ = wave.counts
    found = []
    for kind, (begin, end) in enumerate(((0, moved), (moved, len(rows)))):
        if begin < end:
            found.append((kind, slice(wave.begin + begin, wave.begin + end), rows[begin:end]))
    return found
