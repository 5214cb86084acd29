"""What each predictor looks at, as index tensors into a bank of item vectors.

An item is a word or a phrase. Item numbers: 0 padding, 1 the end of a frame, 2 any phrase (where categories
are hard), then the words, END first. Networks that are not local number their items batch by batch.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from ness.machine import ConcatS, Next, Operator, Parts, Phrase, Status, View, kind_of, legal_operators, without_kind
from ness.network.shared_reading import Beginnings, SharedFrames
from ness.network.vocabularies import Vocabularies, kind_name, kind_named
from ness.rules.table import words_named

PADDING, FRAME_END, PHRASE_ITEM, FIRST_WORD = 0, 1, 2, 3
OPERATORS = tuple(Operator)
OPERATOR_IDS = {operator: number for number, operator in enumerate(OPERATORS)}

Ids = tuple[int, ...]


class OperatorInput(NamedTuple):
    """All that the operator predictor sees, as item numbers, and the operators it may choose."""

    next: int
    top: Ids
    second: Ids
    memory: Ids
    legal: tuple[Operator, ...]


class PointerInput(NamedTuple):
    """All that a CONCAT predictor sees, as item numbers, and the positions it may select."""

    top: Ids
    memory: Ids
    second: Ids
    candidates: Ids

    @property
    def end(self) -> int:
        """The position that ends an argument."""
        return len(self.top) + len(self.memory) + len(self.second)


def word_item(vocabularies: Vocabularies, word: Next) -> int:
    """Number a source word, or the end of input, without regard to its context."""
    return FIRST_WORD + vocabularies.source_ids[word]


class StatusItems:
    """Numbers what local networks see in a status; `own`: where CONCAT_S may name words."""

    def __init__(self, vocabularies: Vocabularies, second_frame: bool, own: bool = False) -> None:
        self._vocabularies = vocabularies
        self._second_frame = second_frame
        self._own = own

    def view(self, items: View) -> Ids:
        """Number the items of a frame; phrases of all kinds are alike."""
        numbers = self._vocabularies.source_ids
        return tuple([FIRST_WORD + numbers[item] if isinstance(item, str) else PHRASE_ITEM for item in items])

    def view_of_kinds(self, items: View) -> Ids:
        """Number the items of a frame; phrases of a kind are as this is numbered."""
        return self.view(
            tuple([item if isinstance(item, str) or not item.kind else kind_name(item.kind) for item in items])
        )

    def operator(self, status: Status) -> OperatorInput:
        """Return what the operator predictor sees."""
        word = word_item(self._vocabularies, status.next)
        views = (self.view(status.top), self.view(status.second or ()), self.view(status.memory))
        return OperatorInput(word, *views, legal_operators(status, self._own))

    def reduce(self, status: Status) -> Ids:
        """Return what the REDUCE predictor sees."""
        return self.view(status.top)

    def pointer(self, status: Status) -> PointerInput:
        """Return what the CONCAT predictors see."""
        second = self.view(status.second or ()) if self._second_frame else ()
        positions = tuple(range(len(status.top + status.memory))) if self._own else phrase_positions(status)
        return PointerInput(self.view_of_kinds(status.top), self.view(status.memory), second, positions)

    def words_named(self, status: Status, instruction: ConcatS) -> list[tuple[Ids, Phrase]]:
        """List the frames of the words that a CONCAT_S names, each alone, with their own phrases."""
        return [
            (self.view((word,)), phrase)
            for word, phrase in zip(words_named(status.top, instruction.parts), instruction.own, strict=True)
        ]


def part_ids(parts: Parts, vocabularies: Vocabularies) -> Ids:
    """Number the parts of a CONCAT as its predictor does: positions as they are, tokens from -1 downwards."""
    numbers = vocabularies.target_ids
    named = (*without_kind(parts), kind_name(kind_of(parts))) if kind_of(parts) else parts
    return tuple([part if isinstance(part, int) else -numbers[part] for part in named])


def parts_of(ids: Ids, vocabularies: Vocabularies) -> Parts:
    """Read what `part_ids` returned."""
    parts = [number if number >= 0 else vocabularies.target[-1 - number] for number in ids]
    kind = kind_named(str(parts[-1])) if parts else 0
    return (*parts[:-1], -kind) if kind else tuple(parts)


def phrase_positions(status: Status) -> Ids:
    """List the CONCAT candidates: positions of phrases in the top frame followed by the memory."""
    return tuple(position for position, item in enumerate(status.top + status.memory) if not isinstance(item, str))


@dataclass(frozen=True, slots=True)
class Views:
    """Distinct frames: items [m, L], the end added; lengths [m]. Row i of a batch shows frame index[i]."""

    items: Tensor
    lengths: Tensor
    index: Tensor  # [n]
    shared: SharedFrames | None = None  # the same frames, to be read together

    @classmethod
    def of(cls, frames: Iterable[Ids], share: bool = False) -> "Views":
        """Keep each distinct frame once."""
        distinct: dict[Ids, int] = {}
        index = [distinct.setdefault(frame, len(distinct)) for frame in frames]
        rows = [(*frame, FRAME_END) for frame in distinct]
        items, lengths = padded(rows), integers(map(len, rows))
        return cls(items, lengths, integers(index), SharedFrames.of(items, lengths) if share else None)

    def select(self, rows: Tensor) -> "Views":
        """Keep some rows, and the frames they show."""
        used, index = torch.unique(self.index[rows], return_inverse=True)
        lengths = self.lengths[used]
        return Views(self.items[used, : int(lengths.max())], lengths, index)

    def to(self, device: torch.device) -> "Views":
        shared = None if self.shared is None else self.shared.to(device)
        return Views(self.items.to(device), self.lengths.to(device), self.index.to(device), shared)


@dataclass(frozen=True, slots=True)
class OperatorRows:
    """Inputs of the operator predictor."""

    next: Tensor  # [n]
    top: Views
    second: Views
    memory: Views
    legal: Tensor  # [n, 7], boolean

    @classmethod
    def of(cls, inputs: Sequence[OperatorInput], share: bool = False) -> "OperatorRows":
        sets: dict[tuple[Operator, ...], int] = {}
        shown = integers([sets.setdefault(row.legal, len(sets)) for row in inputs])
        legal = torch.tensor([[operator in each for operator in OPERATORS] for each in sets])[shown]
        top = Views.of([row.top for row in inputs], share)
        second = Views.of([row.second for row in inputs], share)
        memory = Views.of([row.memory for row in inputs], share)
        return cls(integers([row.next for row in inputs]), top, second, memory, legal)

    def select(self, rows: Tensor) -> "OperatorRows":
        views = (self.top.select(rows), self.second.select(rows), self.memory.select(rows))
        return OperatorRows(self.next[rows], *views, self.legal[rows])

    def to(self, device: torch.device) -> "OperatorRows":
        views = (self.top.to(device), self.second.to(device), self.memory.to(device))
        return OperatorRows(self.next.to(device), *views, self.legal.to(device))


@dataclass(frozen=True, slots=True)
class PointerRows:
    """Inputs of a CONCAT predictor: top frame, memory, second frame where it is shown, and the end."""

    elements: Tensor  # [n, L]
    segments: Tensor  # [n, L]: 0 top frame, 1 memory, 2 second frame, 3 the end
    lengths: Tensor  # [n]
    candidates: Tensor  # [n, L], boolean; the end is always one

    @classmethod
    def of(cls, inputs: Sequence[PointerInput]) -> "PointerRows":
        elements = [(*row.top, *row.memory, *row.second, FRAME_END) for row in inputs]
        segments = [(*[0] * len(row.top), *[1] * len(row.memory), *[2] * len(row.second), 3) for row in inputs]
        items = padded(elements)
        places = [(number, place) for number, row in enumerate(inputs) for place in (*row.candidates, row.end)]
        candidates = torch.zeros(items.shape, dtype=torch.bool)
        candidates[tuple(torch.tensor(places).T)] = True
        return cls(items, padded(segments), torch.tensor([len(ids) for ids in elements]), candidates)

    def select(self, rows: Tensor) -> "PointerRows":
        lengths = self.lengths[rows]
        width = int(lengths.max())
        parts = (self.elements[rows, :width], self.segments[rows, :width], lengths, self.candidates[rows, :width])
        return PointerRows(*parts)

    def to(self, device: torch.device) -> "PointerRows":
        parts = (self.elements, self.segments, self.lengths, self.candidates)
        return PointerRows(*(part.to(device) for part in parts))


@dataclass(frozen=True, slots=True)
class Queues:
    """What is left of the input: the ends of sources, and where, read from there, each word item [W] stands."""

    ends: Beginnings
    states: Tensor

    @classmethod
    def of(cls, sources: Tensor, lengths: Tensor, rows: Tensor, positions: Tensor) -> "Queues":
        """Take sources [S, L] with lengths [S], and where in them each word item stands: row [W], position [W]."""
        mirrored = (lengths[:, None] - 1 - torch.arange(sources.shape[1])).clamp(min=0)
        ends = Beginnings.of(sources.gather(1, mirrored), lengths)
        return cls(ends, ends.paths[rows, lengths[rows] - 1 - positions])

    def to(self, device: torch.device) -> "Queues":
        return Queues(self.ends.to(device), self.states.to(device))


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Stack rows of different lengths: [n, L], padded with 0."""
    width = max(map(len, rows), default=0)
    items: list[int] = []
    for row in rows:
        items += row
        items += [PADDING] * (width - len(row))
    return integers(items).view(len(rows), width)


def integers(values: Iterable[int]) -> Tensor:
    """Make a tensor [n]; by way of an array, which takes a fifth of the time of `torch.tensor`."""
    numbers = array("q", values)
    return torch.frombuffer(numbers, dtype=torch.long) if numbers else torch.empty(0, dtype=torch.long)
