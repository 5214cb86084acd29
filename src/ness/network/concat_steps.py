"""The CONCATs of whole traces as steps of LSTMs, sorted so that all steps that wait for the same are taken together.

A CONCAT's elements are read from either side, then its argument is, part by part; that makes a phrase, which CONCATs
of later levels may see. Steps at the same place of a level are a wave, whatever LSTM takes them. States are numbered:
0 has read nothing, then those that arguments start with, then those after each step, in the order of the waves.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ness.machine import Operator
from ness.network.rows import FRAME_END, Ids, PointerInput, integers

KINDS = (Operator.CONCAT_M, Operator.CONCAT_S)
READERS = 2 * len(KINDS)  # of elements: by kind, forwards before backwards
SEGMENTS = 4
FIRST_PART = READERS * SEGMENTS  # what gates are given: by reader and segment, then for first and later parts by kind
LATER_PART = FIRST_PART + len(KINDS)


class ConcatRow(NamedTuple):
    """A CONCAT: what its predictor saw, its argument with the end, the phrase it made, and how much it counts."""

    kind: int
    seen: PointerInput
    parts: Ids
    made: int
    weight: float
    share: float


class Wave(NamedTuple):
    """Steps that are taken together, CONCAT_M first; of elements the forward ones of a kind come first."""

    begin: int  # among all steps
    counts: tuple[int, int]  # by kind

    @property
    def end(self) -> int:
        return self.begin + sum(self.counts)


class ConcatLevel(NamedTuple):
    """Rows that do not wait for each other, CONCAT_M first."""

    begin: int  # the first row
    counts: tuple[int, int]  # by kind
    elements: tuple[Wave, ...]
    arguments: tuple[Wave, ...]

    @property
    def end(self) -> int:
        return self.begin + sum(self.counts)


@dataclass(frozen=True, slots=True)
class Pointing:
    """What one kind of CONCAT selects: D parts of n arguments, among E elements that can be selected."""

    elements: Tensor  # [E, 2]: their states, forwards and backwards
    states: Tensor  # [D]: the states that select the parts
    pairs: Tensor  # [2, P]: a part, and an element that it could be
    places: Tensor  # [P]: of these in a table with a row for each part
    width: int  # of this table
    targets: Tensor  # [D]: the columns of the parts
    rows: Tensor  # [D]: their arguments
    last: Tensor  # [n]: the states that made the phrases
    weights: Tensor  # [n]
    floors: Tensor  # [n]


@dataclass(frozen=True, slots=True)
class ConcatSteps:
    """R CONCATs in N steps, over J items that are known before; the phrases made are numbered after these."""

    levels: tuple[ConcatLevel, ...]
    known: Tensor  # [J]
    made: Tensor  # [R]
    before: Tensor  # [N]: states
    given: Tensor  # [N]: what gates are given besides
    inputs: Tensor  # [N]: of elements, the item and its reader
    selected: Tensor  # [N, 3]: of later parts, the state before, and those of the element that was selected before
    summaries: Tensor  # [R, 2]: states that have read all elements
    last: Tensor  # [R]: states that made the phrases
    readings: tuple[Tensor, ...]  # by reader, its steps beyond the first place
    firsts: tuple[Tensor, ...]  # by kind, the steps of first parts
    laters: tuple[Tensor, ...]  # by kind, those of later parts
    rows: tuple[Tensor, ...]  # by kind
    pointing: tuple[Pointing | None, ...]  # by kind

    @classmethod
    def of(cls, rows_by_level: Sequence[Sequence[ConcatRow]]) -> "ConcatSteps":
        """Sort the steps; rows of a level are given by kind."""
        rows = list(chain.from_iterable(rows_by_level))
        level = _repeated(torch.arange(len(rows_by_level)), [len(each) for each in rows_by_level])
        kind = integers([row.kind for row in rows])
        elements = _Flat.of([(*row.seen.top, *row.seen.memory, *row.seen.second, FRAME_END) for row in rows])
        parts = _Flat.of([row.parts for row in rows])
        chosen = elements.begins[parts.owner] + parts.values
        # Steps as they come: forwards by element, backwards by element, parts. Then in the order of their waves.
        counts = [len(elements.owner), len(elements.owner), len(parts.owner)]
        owners = torch.cat([elements.owner, elements.owner, parts.owner])
        step = torch.cat([elements.place, elements.lengths[elements.owner] - 1 - elements.place, parts.place])
        is_part = _repeated(torch.tensor([False, False, True]), counts)
        reader = 2 * kind[owners] + _repeated(torch.tensor([0, 1, 0]), counts)
        longest = int(step.max()) + 1
        wave = (2 * level[owners] + is_part) * longest + step
        order = (READERS * wave + reader).argsort(stable=True)
        states = torch.empty_like(order)
        states[order] = torch.arange(len(order)) + 1 + len(rows)
        ahead, back, said = torch.split(states, counts)
        either = torch.stack([ahead, back], 1)
        before = torch.cat([ahead.roll(1), back.roll(-1), said.roll(1)])
        before[step == 0] = 0
        before[is_part & (step == 0)] = torch.arange(len(rows)) + 1
        selected = torch.stack([before, torch.zeros_like(before), torch.zeros_like(before)], 1)
        selected[is_part, 1:] = either[chosen.roll(1)]
        known, numbers = _numbered(elements.values, integers([row.made for row in rows]))
        ends = elements.begins + elements.lengths - 1
        last = said[parts.begins + parts.lengths - 1]
        point = partial(_pointing, rows, elements, parts, chosen, either, said, last)
        given = torch.where(step == 0, FIRST_PART, LATER_PART) + kind[owners]
        given[~is_part] = reader[~is_part] * SEGMENTS + _segments(rows).repeat(2)
        inputs = torch.zeros_like(order)
        inputs[~is_part] = numbers.repeat(2) * READERS + reader[~is_part]
        reader, is_part, later = reader[order], is_part[order], (step > 0)[order]
        return cls(
            levels=_levels(wave[order], reader, kind, level, longest),
            known=known,
            made=integers([row.made for row in rows]),
            before=before[order],
            given=given[order],
            inputs=inputs[order],
            selected=selected[order],
            summaries=torch.stack([ahead[ends], back[elements.begins]], 1),
            last=last,
            readings=tuple([_where(~is_part & later & (reader == each)) for each in range(READERS)]),
            firsts=tuple([_where(is_part & ~later & (reader == 2 * each)) for each in range(len(KINDS))]),
            laters=tuple([_where(is_part & later & (reader == 2 * each)) for each in range(len(KINDS))]),
            rows=tuple([_where(kind == each) for each in range(len(KINDS))]),
            pointing=tuple([point(kind == each) if (kind == each).any() else None for each in range(len(KINDS))]),
        )

    def to(self, device: torch.device) -> "ConcatSteps":
        moved: ConcatSteps = _moved(self, device)
        return moved


@dataclass(frozen=True, slots=True)
class _Flat:
    """Sequences one after the other."""

    values: Tensor
    owner: Tensor  # of each value, the sequence
    place: Tensor  # of each value in it
    begins: Tensor  # by sequence
    lengths: Tensor  # by sequence

    @classmethod
    def of(cls, sequences: Sequence[Sequence[int]]) -> "_Flat":
        lengths = integers(map(len, sequences))
        begins = lengths.cumsum(0) - lengths
        owner = torch.arange(len(sequences)).repeat_interleave(lengths)
        values = integers(chain.from_iterable(sequences))
        return cls(values, owner, torch.arange(len(owner)) - begins[owner], begins, lengths)


def _segments(rows: Sequence[ConcatRow]) -> Tensor:
    """Tell for all elements whether they are of the top frame, the memory, the second frame, or an end."""
    counts = [size for row in rows for size in (len(row.seen.top), len(row.seen.memory), len(row.seen.second), 1)]
    return _repeated(torch.arange(SEGMENTS).repeat(len(rows)), counts)


def _numbered(items: Tensor, made: Tensor) -> tuple[Tensor, Tensor]:
    """List the items that are known before; number all items: these, then what is made."""
    known: Tensor = torch.unique(items[~torch.isin(items, made)])
    numbers = torch.zeros(int(max(items.max(), made.max())) + 1, dtype=torch.long)
    numbers[known] = torch.arange(len(known))
    numbers[made] = torch.arange(len(made)) + len(known)
    return known, numbers[items]


def _levels(wave: Tensor, reader: Tensor, kind: Tensor, level: Tensor, longest: int) -> tuple[ConcatLevel, ...]:
    """List the waves of each level."""
    count = int(level.max()) + 1
    sizes = torch.bincount(wave * 2 + reader // 2, minlength=count * 4 * longest).view(count, 2, longest, 2).tolist()
    rows = torch.bincount(level * 2 + kind, minlength=2 * count).view(count, 2).tolist()
    found = []
    begin = first = 0
    for (elements, arguments), (moved, joined) in zip(sizes, rows, strict=True):
        waves: list[list[Wave]] = []
        for counts in (elements, arguments):
            waves.append([])
            for one, other in counts:
                if one + other:
                    waves[-1].append(Wave(begin, (one, other)))
                    begin += one + other
        found.append(ConcatLevel(first, (moved, joined), tuple(waves[0]), tuple(waves[1])))
        first += moved + joined
    return tuple(found)


def _pointing(
    rows: Sequence[ConcatRow], elements: _Flat, parts: _Flat, chosen: Tensor, either: Tensor, said: Tensor,
    last: Tensor, of_kind: Tensor,
) -> Pointing:  # fmt: skip
    """Pair the parts of the rows of a kind with the elements that they could be."""
    begins = elements.begins.tolist()
    options = _Flat.of(
        [
            [begins[number] + place for place in (*rows[number].seen.candidates, rows[number].seen.end)] if mine else []
            for number, mine in enumerate(of_kind.tolist())
        ]
    )
    asking = _where(of_kind[parts.owner])
    owner = parts.owner[asking]
    numbers = torch.zeros_like(elements.owner)
    numbers[options.values] = options.place
    each = options.lengths[owner]
    part = torch.arange(len(asking)).repeat_interleave(each)
    column = torch.arange(len(part)) - (each.cumsum(0) - each)[part]
    width = int(each.max())
    weights, shares = torch.tensor([(row.weight, row.share) for row in rows])[of_kind].T
    return Pointing(
        elements=either[options.values],
        states=said[asking],
        pairs=torch.stack([part, options.begins[owner][part] + column]),
        places=part * width + column,
        width=width,
        targets=numbers[chosen[asking]],
        rows=(of_kind.cumsum(0) - 1)[owner],
        last=last[of_kind],
        weights=weights,
        floors=-shares.log(),
    )


def _where(mask: Tensor) -> Tensor:
    return mask.nonzero()[:, 0]


def _repeated(values: Tensor, counts: Sequence[int]) -> Tensor:
    return values.repeat_interleave(integers(counts))


def _moved(part: Any, device: torch.device) -> Any:
    """Move all tensors of a value to a device."""
    if isinstance(part, Tensor):
        return part.to(device)
    if isinstance(part, Pointing | ConcatSteps):
        return type(part)(*[_moved(getattr(part, each.name), device) for each in fields(part)])
    if type(part) is tuple:
        return tuple([_moved(each, device) for each in part])
    return part
