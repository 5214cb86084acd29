"""Decisions from noisy traces: shares of operators, interpolated from general statuses to special ones.

A single odd trace must not overrule what hundreds of similar ones do. So the counts of a status are joined with
those of the status by category, of (top frame, memory), and of the frame's shape: each level is a prior for the
next, worth a few traces. Words that no trace holds in one frame are not joined in one.
"""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import TypeVar

from ness.machine import (
    BARE,
    EOS,
    ConcatM,
    ConcatS,
    Instruction,
    Operator,
    Parts,
    Reduce,
    Status,
    View,
    legal_operators,
)
from ness.rules.table import ConcatKey, Decision, RuleTable, words_of

_REPORTED = {"shape": "frame", "frame": "frame", "depth": "frame", "category": "category", "status": "status"}
T = TypeVar("T")


class ProbabilisticTable:
    """A rule table that weighs its rules; `decide` takes the likeliest operator, then its likeliest argument."""

    def __init__(self, table: RuleTable, prior_weight: float = 2.0) -> None:
        self.table = table
        self.prior_weight = prior_weight
        self._counts: dict[tuple[str, Hashable], Counter[Operator]] = {}
        self._frames: set[View] = set()
        self._concat: dict[ConcatKey, Counter[Parts]] = {}
        for status, operators in table.operators.items():
            self._frames.add(table.categories.view(status.top))
            for key in self._keys(status):
                self._counts.setdefault(key, Counter()).update(operators)
        for (operator, top, memory), arguments in table.concat.items():
            self._concat.setdefault((operator, table.categories.view(top), memory), Counter()).update(arguments)

    def _keys(self, status: Status) -> list[tuple[str, Hashable]]:
        """What a status is counted under, from general to special."""
        by_category = self.table.categories.status(status)
        ended, nested = status.next is EOS, status.second is not None
        shape = tuple(not isinstance(item, str) for item in status.top)
        frame = (by_category.top, status.memory, ended)
        keys: list[tuple[str, Hashable]] = [
            ("shape", (shape, status.memory, ended, nested)),
            ("frame", frame),
            ("depth", (frame, nested)),
            ("category", by_category),
        ]
        # Without categories the status by category is the status itself: it must not count twice.
        return [*keys, ("status", status)] if self.table.categories.classes else keys

    def shares(self, status: Status) -> dict[Operator, float]:
        """Probabilities of the legal operators that lead on to something known."""
        open_ = [operator for operator in legal_operators(status) if self._leads_on(operator, status)]
        shares = dict.fromkeys(open_, 1 / max(1, len(open_)))
        for key in self._keys(status):
            counts = self._counts.get(key, Counter())
            total = sum(counts[operator] for operator in open_)
            for operator in open_:
                prior = self.prior_weight * shares[operator]
                shares[operator] = (counts[operator] + prior) / (total + self.prior_weight)
        return shares

    def _leads_on(self, operator: Operator, status: Status) -> bool:
        """Tell whether an operator has a known argument and leaves a frame that some trace has."""
        if operator is Operator.SHIFT or operator is Operator.PUSH:
            assert isinstance(status.next, str)
            top = status.top if operator is Operator.SHIFT else ()
            return self.table.categories.view((*top, status.next)) in self._frames
        return operator in BARE or bool(self._arguments(operator, status))

    def _arguments(self, operator: Operator, status: Status) -> list[tuple[Instruction, float]]:
        if operator in BARE:
            return [(BARE[operator], 1.0)]
        if operator is Operator.REDUCE:
            frame = words_of(status.top)
            return [(Reduce(phrase), share) for phrase, share in _ranked(self.table.reduce.get(frame, {}))]
        make = ConcatM if operator is Operator.CONCAT_M else ConcatS
        exact = self.table.concat.get((operator, status.top, status.memory))
        general = self._concat.get((operator, self.table.categories.view(status.top), status.memory))
        return [(make(parts), share) for parts, share in _ranked(exact or general or {})]

    def options(self, status: Status) -> list[tuple[Instruction, float]]:
        """All instructions with their probabilities: those of the likeliest operator first."""
        shares = sorted(self.shares(status).items(), key=lambda item: (-item[1], item[0]))
        return [
            (instruction, share * part)
            for operator, share in shares
            for instruction, part in self._arguments(operator, status)
        ]

    def decide(self, status: Status) -> Decision | None:
        """Return the likeliest operator with its likeliest argument; None where no rule covers the status."""
        options = self.options(status)
        if not options:
            return None
        (instruction, probability), *others = options
        known = [level for level, key in self._keys(status) if (level, key) in self._counts] or ["shape"]
        support = sum(self._counts.get(("category", self.table.categories.status(status)), Counter()).values())
        others.sort(key=lambda option: -option[1])
        return Decision(instruction, support, probability, _REPORTED[known[-1]], tuple(others[:3]))


def _ranked(counts: Mapping[T, int]) -> list[tuple[T, float]]:
    """Shares, largest first; equal ones in the order of the table, which has the preferred one first."""
    total = sum(counts.values())
    return sorted(((key, count / total) for key, count in counts.items()), key=lambda item: -item[1])
