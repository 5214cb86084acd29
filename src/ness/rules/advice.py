"""What a table knows too little about: statuses that one trace or contradictory traces stand behind."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ness.machine import Instruction, Operator, State, Status, Word, status_of, step
from ness.rules.table import RuleTable

_SOURCES = 3  # shown for each


@dataclass
class Advice:
    """A weak point, and the sources of training examples that concern it."""

    problem: str
    sources: list[tuple[Word, ...]] = field(default_factory=list)


def advise(
    table: RuleTable, traces: Iterable[tuple[tuple[Word, ...], Iterable[Instruction]]], limit: int = 1000
) -> list[Advice]:
    """List the weak points of a table, ambiguous ones first, with the traces that meet them.

    Only what one example more would settle; and each example is named once.
    """
    weak = _weak_statuses(table)
    if not weak:
        return []
    named: set[tuple[Word, ...]] = set()
    for source, program in traces:
        met = (weak.get(table.categories.status(status)) for status in _statuses(source, program))
        advice = next((each for each in met if each is not None and len(each.sources) < _SOURCES), None)
        if advice is not None and source not in named:
            named.add(source)
            advice.sources.append(source)
    return [advice for advice in weak.values() if advice.sources][:limit]


def _weak_statuses(table: RuleTable) -> dict[Status, Advice]:
    """Statuses by category with operators that are used about as often, then those that a single trace used."""
    by_category: dict[Status, Counter[Operator]] = {}
    for status, operators in table.operators.items():
        by_category.setdefault(table.categories.status(status), Counter()).update(operators)
    ambiguous = {status: _ambiguous(status, counts) for status, counts in by_category.items() if _is_open(counts)}
    once = {
        status: Advice(f"seen once: {status}")
        for status, counts in by_category.items()
        if len(counts) == 1 and counts.total() == 1
    }
    return ambiguous | once


def _is_open(counts: Counter[Operator]) -> bool:
    """Tell whether one example more could turn the decision."""
    best = [count for _, count in counts.most_common(2)]
    return len(best) > 1 and best[0] - best[1] <= 1


def _ambiguous(status: Status, counts: Mapping[Operator, int]) -> Advice:
    shares = ", ".join(f"{operator} {count}" for operator, count in sorted(counts.items(), key=lambda i: -i[1]))
    return Advice(f"ambiguous: {status}: {shares}")


def _statuses(source: tuple[Word, ...], program: Iterable[Instruction]) -> Iterable[Status]:
    state = State(source)
    for instruction in program:
        yield status_of(state)
        state = step(state, instruction)
