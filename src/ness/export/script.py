"""Writes a rule table as a single Python file that needs nothing else, or as JSON.

The file is `ness.export.runtime` with `ness.data.spelling`, `backoff`, `contexts` and `arguments` of `ness.rules` and
the rules put in: it reads and decides by the same code as a model. It keeps the rules by category, and of the others
only those that decide differently, so that it stays short enough to read.
"""

import inspect
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ness.answer.rule_engine import known_words
from ness.data import spelling as spelling_module
from ness.data.spelling import PLAIN, Spelling
from ness.export import runtime
from ness.machine import Instruction, Operator, Status, View, Word, without_kinds
from ness.rules import RuleTable, arguments, backoff, contexts
from ness.rules.serialise import (
    in_order,
    plain_second,
    plain_status,
    plain_view,
    second_order,
    status_order,
    to_json,
    view_order,
)
from ness.rules.table import ConcatKey

_RULES = re.compile(r'^RULES = r""".*?"""$', re.MULTILINE | re.DOTALL)
# Where the file that is written differs from the module: what it imports is put in, ahead of the first class.
_IMPORTED = """from collections.abc import Iterable, Sequence
from typing import Any

from ness.data.spelling import Spelling
from ness.rules.arguments import ConcatArguments, without_kind
from ness.rules.backoff import REFUSED, BackOff, FrameNotation
from ness.rules.contexts import Contexts
"""
_IMPORTS = """from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from unicodedata import category, normalize
"""
_CLASS = "class TranslationError("
# With what comes first after their imports.
_PUT_IN = {spelling_module: "KINDS = ", backoff: "Shape = ", contexts: "_LEAST = ", arguments: "Frames = "}


def export_python(
    table: RuleTable, title: str = "examples", words: Iterable[Word] | None = None, spelling: Spelling = PLAIN
) -> str:
    """Return the source of a translator that follows `table`.

    `words` are those that it accepts; by default all that the rules know.
    """
    data = _lines(compact_rules(table, title, words, spelling))
    code = _RULES.sub(lambda _: f'RULES = r"""\n{data}\n"""', inspect.getsource(runtime), count=1)
    put_in = "".join(f"{_without_header(inspect.getsource(module), first)}\n\n" for module, first in _PUT_IN.items())
    return code.replace(_IMPORTED, _IMPORTS).replace(_CLASS, f"{put_in}{_CLASS}", 1)


def _without_header(code: str, first: str) -> str:
    """A module's code without its docstring and imports, which the file has already."""
    return code[code.index(first) :].rstrip() + "\n"


def _changed(spelling: Spelling) -> dict[str, Any]:
    """What a spelling says beyond cutting at spaces."""
    return {name: value for name, value in spelling._asdict().items() if value != getattr(PLAIN, name)}


def export_json(table: RuleTable) -> str:
    """Return the rules as indented JSON, as in a run folder's `rules.json`."""
    return json.dumps(to_json(table), ensure_ascii=False, indent=1) + "\n"


def compact_rules(
    table: RuleTable, title: str, words: Iterable[Word] | None = None, spelling: Spelling = PLAIN
) -> dict[str, Any]:
    """Return what the translator needs: rules by category, exceptions to them, and the best arguments."""
    by_category: dict[Status, Counter[Operator]] = {}
    for status, counts in table.operators.items():
        by_category.setdefault(table.categories.status(status), Counter()).update(counts)
    general = replace(table, operators=by_category)
    exceptions = {
        status: counts
        for status, counts in table.operators.items()
        if _instruction(table, status) != _instruction(general, status)
    }
    extensions: dict[str, Any] = {}
    if table.contexts:
        extensions["contexts"] = _context_rules(table)
    if table.argument_categories.classes:
        extensions |= {
            "argument_categories": [list(m) for m in table.argument_categories.classes if len(m) > 1],
            "imagined": [
                [*plain_status(status).values(), table.imagined[status].value]
                for status in sorted(table.imagined, key=status_order)
            ],
        }
    return {
        "title": title,
        "spelling": _changed(spelling),
        "words": sorted(known_words(table) if words is None else set(words)),
        "categories": [list(members) for members in table.categories.classes if len(members) > 1],
        "operators": _operator_rules(by_category),
        "operator_exceptions": _operator_rules(exceptions),
        "reduce": [
            [list(frame), *_best(table, counts), *([table.reduce_kinds[frame]] if frame in table.reduce_kinds else [])]
            for frame, counts in sorted(table.reduce.items())
        ],
        "concat": _concat_rules(table),
        **extensions,
    }


def _instruction(table: RuleTable, status: Status) -> Instruction | None:
    decision = table.decide(status)
    return decision and decision.instruction


def _operator_rules(rules: Mapping[Status, Counter[Operator]]) -> list[list[Any]]:
    return [
        [*plain_status(status).values(), {operator.value: count for operator, count in sorted(rules[status].items())}]
        for status in sorted(rules, key=status_order)
    ]


def _concat_rules(table: RuleTable) -> list[list[Any]]:
    """Return CONCAT arguments by category; by frame where words that an argument depends on may stand."""
    categories = table.categories
    by_category: dict[ConcatKey, dict[View, Counter[Any]]] = {}
    for (operator, top, memory), counts in table.concat.items():
        by_category.setdefault((operator, categories.view(top), memory), {})[top] = counts
    peculiar = {categories.of(word) for word in table.arguments.peculiar}
    rules: dict[ConcatKey, list[Any]] = {}
    for (operator, view, memory), frames in by_category.items():
        best = {top: _best(table, counts) for top, counts in frames.items()}
        told = any(table.arguments.by_second(operator, top, memory) for top in frames)
        told |= any(without_kinds(top) != top for top in frames)
        if len({tuple(argument) for argument, _ in best.values()}) == 1 and peculiar.isdisjoint(view) and not told:
            best = {view: _best(table, sum(frames.values(), Counter()))}
        rules.update({(operator, top, memory): rule for top, rule in best.items()})
    ordered = sorted(rules, key=_concat_order)
    return [[key[0].value, plain_view(key[1]), plain_view(key[2]), *rules[key]] for key in ordered]


def _context_rules(table: RuleTable) -> list[list[Any]]:
    """Return CONCAT arguments by second frame, this by category, where it tells which."""
    rows: list[list[Any]] = []
    for key in sorted(table.contexts, key=_concat_order):
        by_category = table.categories.context_rows(table.contexts[key])
        operator, top, memory = key
        for second in sorted(by_category, key=second_order):
            place = [operator.value, plain_view(top), plain_view(memory), plain_second(second)]
            rows += [[*place, list(parts), count] for parts, count in in_order(by_category[second])]
    return rows


def _concat_order(key: ConcatKey) -> tuple[Any, ...]:
    return key[0].value, view_order(key[1]), view_order(key[2])


def _best(table: RuleTable, counts: Mapping[Any, int]) -> list[Any]:
    """Return the most used argument and its count."""
    argument = backoff.most_used(counts, table.order)
    return [list(argument), counts[argument]]


def _lines(data: dict[str, Any]) -> str:
    """Write the data as JSON, one rule a line."""
    parts = []
    for key, value in data.items():
        if not isinstance(value, list):
            parts.append(f"{_json(key)}: {_json(value)}")
            continue
        size = 12 if key == "words" else 1
        rows = [", ".join(map(_json, value[start : start + size])) for start in range(0, len(value), size)]
        parts.append(f"{_json(key)}: [" + "".join(f"\n{row}" for row in ",\n".join(rows).split("\n") if row) + "]")
    return "{" + ",\n".join(parts) + "}"


def _json(value: Any) -> str:
    """Write one value on one line, without characters that would be invisible or break a file."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(value)
