"""Rules read off an engine, and where two rule tables differ. No torch here."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from ness.answer.engine import AnyEngine, SourceEngine, translate
from ness.machine import Operator, View, Word, show_view
from ness.rules.table import RuleTable

K = TypeVar("K")


def extract_rules(engine: AnyEngine, taught: RuleTable, sources: Sequence[tuple[Word, ...]] = ()) -> RuleTable:
    """Ask an engine about every status of the training traces: (status, operator) and (frame, argument) rules.

    Counts are the traces behind each status. An engine that does not decide by status translates `sources`
    instead, and its own traces give the rules.
    """
    if isinstance(engine, SourceEngine):
        answers = [answer for answer in translate(engine, sources) if answer.output is not None]
        traces = [(answer.source, answer.program()) for answer in answers]
        return RuleTable.from_traces(traces, taught.categories, bool(taught.contexts))
    table = RuleTable(categories=taught.categories)
    statuses = list(taught.operators)
    decisions = zip(statuses, engine.decide(statuses), strict=True)
    uses = {(s, decision.instruction): taught.operators[s].total() for s, decision in decisions if decision is not None}
    for (status, instruction), count in uses.items():
        table.add(status, instruction, count)
    if taught.contexts:
        table.tell_contexts(uses)
    table.index()
    return table


class Difference(NamedTuple):
    """A rule on which two tables do not agree; None: the table has no such rule."""

    kind: str  # "operator", "reduce", "concat_m", "concat_s"
    where: str
    first: str | None
    second: str | None

    def __str__(self) -> str:
        return f"{self.kind}: {self.where}: {self.first or 'nothing'} | {self.second or 'nothing'}"


def differences(first: RuleTable, second: RuleTable) -> list[Difference]:
    """List the statuses and frames for which the best supported rules differ."""
    found = [
        Difference("operator", str(status), one, other)
        for status, one, other in _unequal(first.operators, second.operators)
    ]
    found += [
        Difference("reduce", show_view(frame), one, other)
        for frame, one, other in _unequal(first.reduce, second.reduce)
    ]
    found += [
        Difference(str(operator).lower(), f"top {show_view(top)}, memory {show_view(memory)}{above}", one, other)
        for (operator, top, memory, above), one, other in _unequal(_arguments(first), _arguments(second))
    ]
    return found


def _arguments(table: RuleTable) -> dict[tuple[Operator, View, View, str], Counter[Any]]:
    """The arguments of CONCAT by frame, then above the second frames that tell them."""
    by_second = {
        (*key, f", above {'none' if second is None else show_view(second)}"): row
        for key, rows in table.contexts.items()
        for second, row in rows.items()
    }
    return {(*key, ""): row for key, row in table.concat.items()} | by_second


def _unequal(
    first: Mapping[K, Counter[Any]], second: Mapping[K, Counter[Any]]
) -> list[tuple[K, str | None, str | None]]:
    pairs = [(key, _best(first.get(key)), _best(second.get(key))) for key in dict.fromkeys((*first, *second))]
    return [(key, one, other) for key, one, other in pairs if one != other]


def _best(counts: Counter[Any] | None) -> str | None:
    """Show the most counted choice, ties by name."""
    if not counts:
        return None
    choice = min(counts, key=lambda each: (-counts[each], str(each)))
    if isinstance(choice, str):
        return str(choice)
    return " ".join(map(str, choice)) if choice and isinstance(choice[0], str) else ",".join(map(str, choice))
