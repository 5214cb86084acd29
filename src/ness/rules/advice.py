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

    Of the statuses that only one example needs, the example is named once.
    """
    weak = _weak_statuses(table)
    if not weak:
        return []
    found: dict[tuple[Word, ...], Advice] = {}
    for source, program in traces:
        for status in _statuses(source, program):
            advice = weak.get(table.categories.status(status))
            if advice is not None and len(advice.sources) < _SOURCES and source not in advice.sources:
                advice.sources.append(source)
    for advice in weak.values():
        if advice.sources and len(found) < limit:
            found.setdefault(tuple(advice.sources[0]), advice)
    return list(found.values())


def _weak_statuses(table: RuleTable) -> dict[Status, Advice]:
    """Statuses by category with several operators, then those that a single trace used."""
    by_category: dict[Status, Counter[Operator]] = {}
    for status, operators in table.operators.items():
        by_category.setdefault(table.categories.status(status), Counter()).update(operators)
    ambiguous = {status: _ambiguous(status, counts) for status, counts in by_category.items() if len(counts) > 1}
    once = {
        status: Advice(f"seen once: {status}")
        for status, counts in by_category.items()
        if len(counts) == 1 and counts.total() == 1
    }
    return ambiguous | once


def _ambiguous(status: Status, counts: Mapping[Operator, int]) -> Advice:
    shares = ", ".join(f"{operator} {count}" for operator, count in sorted(counts.items(), key=lambda i: -i[1]))
    return Advice(f"ambiguous: {status}: {shares}")


def _statuses(source: tuple[Word, ...], program: Iterable[Instruction]) -> Iterable[Status]:
    state = State(source)
    for instruction in program:
        yield status_of(state)
        state = step(state, instruction)
