"""Rules of traces, as a search follows them: operators by status, arguments by what their predictors see."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from ness.learn.coding import CodedStatus, CodedTrace, CodedView
from ness.paper.moments import Indices

K = TypeVar("K")
A = TypeVar("A")
K_contra = TypeVar("K_contra", contravariant=True)
A_co = TypeVar("A_co", covariant=True)


class RuleLookup(Protocol[K_contra, A_co]):
    """A rule for a key, if there is one."""

    def get(self, key: K_contra, /) -> A_co | None: ...


class KnownRules(Protocol):
    """Operators by status, arguments by what their predictors see."""

    @property
    def operators(self) -> RuleLookup[CodedStatus, int]: ...

    @property
    def reduce(self) -> RuleLookup[CodedView, str]: ...

    @property
    def concat(self) -> RuleLookup[tuple[int, CodedView, int], Indices]: ...


@dataclass
class ExtractedRules:
    """Rules of earlier lessons: the most used operator of a status, and argument of a frame."""

    operators: dict[CodedStatus, int] = field(default_factory=dict)
    reduce: dict[CodedView, str] = field(default_factory=dict)
    concat: dict[tuple[int, CodedView, int], Indices] = field(default_factory=dict)

    @classmethod
    def of(cls, traces: Iterable[CodedTrace], conflicts: str = "count") -> "ExtractedRules":
        """Read the rules off non-degenerate traces; where these differ, the latest or the most used one."""
        operators: defaultdict[CodedStatus, Counter[int]] = defaultdict(Counter)
        reduce: defaultdict[CodedView, Counter[str]] = defaultdict(Counter)
        concat: defaultdict[tuple[int, CodedView, int], Counter[Indices]] = defaultdict(Counter)
        for trace in traces:
            for status, operator, argument in trace:
                _count(operators, status, operator)
                if isinstance(argument, str):
                    _count(reduce, status[1], argument)
                elif argument is not None:
                    _count(concat, (operator, status[1], status[3]), argument)
        choose = _most_used if conflicts == "count" else _latest
        return cls(choose(operators), choose(reduce), choose(concat))


def _count(rows: defaultdict[K, Counter[A]], key: K, entry: A) -> None:
    """Count an entry and put it last."""
    counts = rows[key]
    counts[entry] = counts.pop(entry, 0) + 1


def _latest(rows: Mapping[K, Counter[A]]) -> dict[K, A]:
    return {key: next(reversed(counts)) for key, counts in rows.items()}


def _most_used(rows: Mapping[K, Counter[A]]) -> dict[K, A]:
    return {key: min(counts, key=lambda entry: (-counts[entry], entry)) for key, counts in rows.items()}
