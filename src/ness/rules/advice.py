"""What a table knows too little about: places where one example more would settle something."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ness.machine import ConcatM, ConcatS, Instruction, Operator, Reduce, Status, Word, steps_of
from ness.rules.table import RuleTable, decisions_of, words_named, words_of

_SOURCES = 3  # shown for each
_LEFT_OUT = 200  # traces that are left out to see what the others say

Trace = tuple[tuple[Word, ...], Sequence[Instruction]]


@dataclass
class Advice:
    """A weak point, and the sources of training examples that concern it."""

    problem: str
    sources: list[tuple[Word, ...]] = field(default_factory=list)


def advise(table: RuleTable, traces: Iterable[Trace]) -> list[Advice]:
    """List the weak points of a table, ambiguous ones first, each example named once.

    Ambiguous: two operators are used about as often. Seen once: a single example shows what to do, and without it
    the rules would do something else or nothing; where the others lead to the same, one more would settle nothing.
    """
    known = list(traces)
    named: set[tuple[Word, ...]] = set()
    return [*_ambiguous(table, known, named), *_seen_once(table, known, named)]


def _ambiguous(table: RuleTable, traces: Sequence[Trace], named: set[tuple[Word, ...]]) -> list[Advice]:
    by_category: dict[Status, Counter[Operator]] = {}
    for status, operators in table.operators.items():
        by_category.setdefault(table.categories.status(status), Counter()).update(operators)
    weak = {status: _differing(status, counts) for status, counts in by_category.items() if _is_open(counts)}
    for source, program in traces if weak else ():
        met = (weak.get(table.categories.status(each.status)) for each in steps_of(source, program))
        advice = next((each for each in met if each is not None and len(each.sources) < _SOURCES), None)
        if advice is not None and source not in named:
            named.add(source)
            advice.sources.append(source)
    return [advice for advice in weak.values() if advice.sources]


def _is_open(counts: Counter[Operator]) -> bool:
    """Tell whether one example more could turn the decision."""
    best = [count for _, count in counts.most_common(2)]
    return len(best) > 1 and best[0] - best[1] <= 1


def _differing(status: Status, counts: Counter[Operator]) -> Advice:
    shares = ", ".join(f"{operator} in {count}" for operator, count in counts.most_common())
    return Advice(f"ambiguous: examples differ {status.in_words()}: {shares}")


def _seen_once(table: RuleTable, traces: Sequence[Trace], named: set[tuple[Word, ...]]) -> list[Advice]:
    by_category: Counter[Status] = Counter()
    for status, operators in table.operators.items():
        by_category[table.categories.status(status)] += operators.total()
    found: list[Advice] = []
    if 1 not in by_category.values():
        return found  # which spares going over all traces
    left_out = 0
    for source, program in traces:
        decisions = decisions_of(source, program)
        once = [each for each in decisions if by_category[table.categories.status(each[0])] == 1]
        if not once or source in named or left_out == _LEFT_OUT:
            continue
        left_out += 1
        others = _without(table, source, program)
        for status, instruction in once:
            decision = others.decide(status)
            if decision is None or decision.instruction != instruction:
                named.add(source)
                found.append(Advice(f"seen once: no other example shows what to do {status.in_words()}", [source]))
                break
    return found


def _without(table: RuleTable, source: tuple[Word, ...], program: Sequence[Instruction]) -> RuleTable:
    """The rules as they would be without one trace."""
    operators = {status: Counter(counts) for status, counts in table.operators.items()}
    reduce = {words: Counter(counts) for words, counts in table.reduce.items()}
    concat = {key: Counter(counts) for key, counts in table.concat.items()}
    contexts = {key: {second: Counter(row) for second, row in rows.items()} for key, rows in table.contexts.items()}
    for status, instruction in decisions_of(source, program):
        operators[status][instruction.operator] -= 1
        if isinstance(instruction, Reduce):
            reduce[words_of(status.top)][instruction.phrase] -= 1
        elif isinstance(instruction, ConcatM | ConcatS):
            key = (instruction.operator, status.top, status.memory)
            concat[key][instruction.parts] -= 1
            if key in contexts:
                contexts[key][status.second][instruction.parts] -= 1
            own = instruction.own if isinstance(instruction, ConcatS) else ()
            for word, phrase in zip(words_named(status.top, instruction.parts), own, strict=False):
                reduce[word,][phrase] -= 1
    return RuleTable(
        {status: +counts for status, counts in operators.items() if +counts},
        {words: +counts for words, counts in reduce.items() if +counts},
        {key: +counts for key, counts in concat.items() if +counts},
        table.categories,
        table.tokens,
        table.argument_categories,
        table.imagined,
        {key: {second: +row for second, row in rows.items() if +row} for key, rows in contexts.items()},
        table.reduce_kinds,
    )
