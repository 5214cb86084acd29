"""Training batches: what each predictor saw in the traces, what it should have said, and how much that counts.

Every distinct input of a predictor is there once. Where traces disagree on an input, their shares are the target.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import torch
from torch import Tensor

from ness.machine import Operator
from ness.network.concat_steps import KINDS, ConcatRow, ConcatSteps
from ness.network.rows import (
    OPERATOR_IDS,
    OPERATORS,
    Ids,
    OperatorInput,
    OperatorRows,
    PointerInput,
    PointerRows,
    Queues,
    Views,
    integers,
    padded,
)
from ness.network.shared_reading import Beginnings
from ness.network.vocabularies import END

I = TypeVar("I", Ids, PointerInput)  # noqa: E741


@dataclass(frozen=True, slots=True)
class OperatorTargets:
    """Which operators the traces chose."""

    shares: Tensor  # [n, 7]
    weights: Tensor  # [n]
    floors: Tensor  # [n]: the entropy of the shares, which no network can go below

    @classmethod
    def of(cls, counts: Sequence[Mapping[Operator, int]], power: float) -> "OperatorTargets":
        table = torch.zeros(len(counts), len(OPERATORS))
        rows = integers([row for row, operators in enumerate(counts) for _ in operators])
        columns = integers([OPERATOR_IDS[each] for operators in counts for each in operators])
        chosen = integers([count for operators in counts for count in operators.values()])
        table[rows, columns] = chosen.to(table.dtype)
        totals = table.sum(-1)
        shares = table / totals[:, None]
        return cls(shares, totals**power, -torch.xlogy(shares, shares).sum(-1))

    def select(self, rows: Tensor) -> "OperatorTargets":
        return OperatorTargets(self.shares[rows], self.weights[rows], self.floors[rows])

    def to(self, device: torch.device) -> "OperatorTargets":
        return OperatorTargets(self.shares.to(device), self.weights.to(device), self.floors.to(device))


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments that the traces chose, a row for each distinct (input, argument)."""

    tokens: Tensor  # [n, T], the end included; of a CONCAT, choices as `PointerNetwork` has them
    lengths: Tensor  # [n]
    weights: Tensor  # [n]: the argument's share of its input, times the input's weight
    floors: Tensor  # [n]: -log of the share
    made: Tensor  # [n]: the number of the phrase that the instruction makes; 0 where that does not matter
    inside: Tensor  # [k]: where in the rows of tokens, one after the other, there is no padding
    read: Beginnings | None = None  # the tokens but the end, 0 before them, to be read without padding

    @classmethod
    def of(cls, tokens: Tensor, lengths: Tensor, weights: Tensor, floors: Tensor, made: Tensor) -> "Arguments":
        inside = torch.arange(tokens.shape[1]) < lengths[:, None]
        return cls(tokens, lengths, weights, floors, made, inside.flatten().nonzero()[:, 0])

    def select(self, rows: Tensor) -> "Arguments":
        lengths = self.lengths[rows]
        tokens = self.tokens[rows, : int(lengths.max())]
        return Arguments.of(tokens, lengths, self.weights[rows], self.floors[rows], self.made[rows])

    def to(self, device: torch.device) -> "Arguments":
        tokens, lengths, weights, floors, made, inside = (
            part.to(device) for part in (self.tokens, self.lengths, self.weights, self.floors, self.made, self.inside)
        )
        return Arguments(tokens, lengths, weights, floors, made, inside, self.read and self.read.to(device))

    def shared(self) -> "Arguments":
        """Read the arguments without padding."""
        before = torch.cat([torch.zeros_like(self.tokens[:, :1]), self.tokens[:, :-1]], 1)
        return replace(self, read=Beginnings.of(before, self.lengths, started=True))


R = TypeVar("R", Views, PointerRows)
Taught = tuple[R, Arguments]


@dataclass(frozen=True, slots=True)
class BatchLevel:
    """Decisions that do not wait for each other's phrases, by predictor; None where there are none."""

    operator: tuple[OperatorRows, OperatorTargets] | None
    reduce: Taught[Views] | None
    concat_m: Taught[PointerRows] | None
    concat_s: Taught[PointerRows] | None

    def sizes(self) -> list[int]:
        """How many rows each predictor has."""
        lengths = (len(part[1].weights) if part else 0 for part in self.parts())
        return list(lengths)

    def parts(
        self,
    ) -> tuple[
        tuple[OperatorRows, OperatorTargets] | None, Taught[Views] | None, Taught[PointerRows] | None,
        Taught[PointerRows] | None,
    ]:  # fmt: skip
        return self.operator, self.reduce, self.concat_m, self.concat_s

    def items(self) -> Tensor:
        """List the numbers of all items that are looked at."""
        found = [torch.empty(0, dtype=torch.long)]
        if self.operator:
            rows = self.operator[0]
            found += [rows.next, rows.top.items, rows.second.items, rows.memory.items]
        found += [self.reduce[0].items] if self.reduce else []
        found += [part[0].elements for part in (self.concat_m, self.concat_s) if part]
        items: Tensor = torch.unique(torch.cat([part.flatten() for part in found]))
        return items

    def select(self, rows: Sequence[Tensor]) -> "BatchLevel":
        """Keep some rows of each predictor."""
        kept = [
            (part[0].select(index), part[1].select(index)) if part and len(index) else None
            for part, index in zip(self.parts(), rows, strict=True)
        ]
        return BatchLevel(*kept)  # type: ignore[arg-type]

    def to(self, device: torch.device) -> "BatchLevel":
        return BatchLevel(*[(part[0].to(device), part[1].to(device)) if part else None for part in self.parts()])  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Batch:
    """One gradient step's worth of decisions, and the words they are about."""

    levels: tuple[BatchLevel, ...]
    words: Tensor  # [W]: vocabulary numbers
    items: Tensor  # [W]: their item numbers
    size: int  # how many items there are
    labels: Tensor  # [W]: source categories
    category_rows: Tensor  # which of the words the source category predictor is asked about
    queues: Queues | None = None  # the words' contexts, where the network looks at them
    pairs: Tensor | None = None  # [P, 2] indices into the words: perhaps equivalent, the earlier known one first
    concats: ConcatSteps | None = None  # all CONCATs, before the last level, where these are read in steps

    def to(self, device: torch.device) -> "Batch":
        """Move all index tensors."""
        tensors = {name: getattr(self, name).to(device) for name in ("words", "items", "labels", "category_rows")}
        queues = None if self.queues is None else self.queues.to(device)
        pairs = None if self.pairs is None else self.pairs.to(device)
        concats = None if self.concats is None else self.concats.to(device)
        levels = tuple(level.to(device) for level in self.levels)
        return replace(self, levels=levels, queues=queues, pairs=pairs, concats=concats, **tensors)


class LevelBuilder:
    """Collects decisions by predictor and counts them."""

    def __init__(self) -> None:
        self._operators: defaultdict[OperatorInput, Counter[Operator]] = defaultdict(Counter)
        self._reduce: defaultdict[Ids, Counter[Ids]] = defaultdict(Counter)
        self._concat: dict[Operator, defaultdict[PointerInput, Counter[Ids]]] = {
            Operator.CONCAT_M: defaultdict(Counter),
            Operator.CONCAT_S: defaultdict(Counter),
        }
        self._made: dict[tuple[Operator, Ids | PointerInput, Ids], int] = {}

    def operator(self, seen: OperatorInput, operator: Operator, count: int) -> None:
        self._operators[seen][operator] += count

    def reduce(self, seen: Ids, tokens: Ids, count: int, made: int = 0) -> None:
        self._reduce[seen][tokens] += count
        self._made[Operator.REDUCE, seen, tokens] = made

    def concat(self, operator: Operator, seen: PointerInput, parts: Ids, count: int, made: int = 0) -> None:
        self._concat[operator][seen][parts] += count
        self._made[operator, seen, parts] = made

    def build(self, power: float, share: bool = False) -> BatchLevel:
        """Make the index tensors; an input seen n times weighs n ** power. `share`: frames are read together."""
        operator = None
        if self._operators:
            targets = OperatorTargets.of(list(self._operators.values()), power)
            operator = OperatorRows.of(list(self._operators), share), targets
        frames, reduce_arguments = self._arguments(Operator.REDUCE, self._reduce, power)
        if share and reduce_arguments:
            reduce_arguments = reduce_arguments.shared()
        reduce = (Views.of(frames, share), reduce_arguments) if reduce_arguments else None
        concat: list[Taught[PointerRows] | None] = []
        for name, counts in self._concat.items():
            inputs, arguments = self._arguments(name, counts, power)
            concat.append((PointerRows.of(inputs), arguments) if arguments else None)
        return BatchLevel(operator, reduce, *concat)

    def concat_rows(self, power: float) -> list[ConcatRow]:
        """List the CONCATs, by kind."""
        rows = []
        for kind, operator in enumerate(KINDS):
            for seen, arguments in self._concat[operator].items():
                total = sum(arguments.values())
                weight = total**power
                for parts, count in arguments.items():
                    made, share = self._made[operator, seen, parts], count / total
                    rows.append(ConcatRow(kind, seen, (*parts, seen.end), made, share * weight, share))
        return rows

    def _arguments(
        self, operator: Operator, counts: Mapping[I, Counter[Ids]], power: float
    ) -> tuple[list[I], Arguments | None]:
        inputs: list[I] = []
        tokens: list[Ids] = []
        made: list[int] = []
        weights: list[float] = []
        shares: list[float] = []
        argument: Ids
        for seen, arguments in counts.items():
            total = sum(arguments.values())
            end = seen.end if isinstance(seen, PointerInput) else END
            for argument, count in arguments.items():
                inputs.append(seen)
                tokens.append((*argument, end))
                made.append(self._made[operator, seen, argument])
                shares.append(count / total)
                weights.append(count / total * total**power)
        if not inputs:
            return [], None
        lengths = torch.tensor([len(row) for row in tokens])
        floors = -torch.tensor(shares).log()
        return inputs, Arguments.of(padded(tokens), lengths, torch.tensor(weights), floors, torch.tensor(made))
