"""Learned rules as people read them: words, templates, categories, each with the examples behind it."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ness.machine import ConcatM, ConcatS, Program, Reduce, Word, steps_of, without_boundaries
from ness.rules.table import RuleTable
from ness.serve.pins import Pin, show_parts, show_pattern

Traces = Sequence[tuple[tuple[Word, ...], Program]]
RuleKey = tuple[str, str, str]  # kind, left side, right side
_SHOWN = 20  # examples behind a rule


def readable_rules(
    table: RuleTable, traces: Traces, pins: Sequence[Pin], join: Callable[[Iterable[Word]], str] = " ".join
) -> dict[str, Any]:
    """Return categories and rules for the page; a pinned or forbidden rule says so."""
    behind = examples_behind(table, traces)
    actions: dict[RuleKey, str] = {(pin.kind, pin.left, pin.right): pin.action for pin in pins}
    keys = list(dict.fromkeys([*_rules_of(table), *actions]))
    rules = [
        {
            "kind": kind,
            "left": left,
            "right": right,
            "words": _alternatives(table, left) if kind != "word" else "",
            "above": _above(table, kind, left, right) if kind != "word" else "",
            "state": actions.get((kind, left, right), _state_of(kind, left, pins)),
            "count": len(behind[kind, left, right]),
            "examples": [join(without_boundaries(source)) for source in behind[kind, left, right][:_SHOWN]],
        }
        for kind, left, right in keys
    ]
    classes = [list(members) for members in table.categories.classes if len(members) > 1]
    return {"categories": classes, "rules": rules}


def _state_of(kind: str, left: str, pins: Iterable[Pin]) -> str:
    """Tell whether another rule was pinned in a rule's place."""
    replaced = any(pin.action == "pin" and (pin.kind, pin.left) == (kind, left) for pin in pins)
    return "replaced" if replaced else "learned"


def examples_behind(table: RuleTable, traces: Traces) -> dict[RuleKey, list[tuple[Word, ...]]]:
    """Collect the sources whose traces use each rule."""
    behind: dict[RuleKey, list[tuple[Word, ...]]] = defaultdict(list)
    for source, program in traces:
        for key in dict.fromkeys(rules_used(table, source, program)):
            behind[key].append(source)
    return behind


def rules_used(table: RuleTable, source: tuple[Word, ...], program: Program) -> Iterable[RuleKey]:
    """Yield the word rules and templates of a trace, as `readable_rules` names them."""
    for step in steps_of(source, program):
        status, instruction = step.status, step.instruction
        match instruction:
            case Reduce(phrase):
                yield "word", " ".join(word for word in status.top if isinstance(word, str)), " ".join(phrase)
            case ConcatM(parts) | ConcatS(parts):
                yield _template(table, instruction.operator.value, status.top, status.memory, parts)


def _template(table: RuleTable, operator: str, top: Any, memory: Any, parts: Any) -> RuleKey:
    view = table.categories.view(top)
    return operator, show_pattern(view, memory), show_parts(parts, view, memory)


def _rules_of(table: RuleTable) -> Iterable[RuleKey]:
    for frame, phrases in sorted(table.reduce.items()):
        for phrase in phrases:
            yield "word", " ".join(frame), " ".join(phrase)
    found = [
        _template(table, operator.value, top, memory, parts)
        for (operator, top, memory), arguments in table.concat.items()
        for parts in arguments
    ]
    yield from sorted(set(found), key=lambda key: (len(key[1].split()), key))


def _alternatives(table: RuleTable, left: str) -> str:
    """Say which other words may stand in a template: "twice, thrice"."""
    groups = [table.categories.members(token) for token in left.split()]
    return "; ".join(", ".join(members) for members in groups if len(members) > 1)


def _above(table: RuleTable, kind: str, left: str, right: str) -> str:
    """Say after which words a template holds, where the same parts are joined otherwise elsewhere."""
    found: dict[str, None] = {}
    for (operator, top, memory), rows in table.contexts.items():
        for second, arguments in rows.items():
            if any(_template(table, operator.value, top, memory, parts) == (kind, left, right) for parts in arguments):
                found["nothing" if second is None else show_pattern(table.categories.view(second), ())] = None
    return "; ".join(found)
