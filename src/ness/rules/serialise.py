"""Rules as JSON: `to_json` writes what `rules.json` holds, `from_json` reads it back, strictly.

The order is fixed, so equal tables give equal files; REDUCE rules with equal counts keep theirs, the preferred one
first. Reading checks every field and runs nothing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from ness.errors import CheckpointError
from ness.machine import (
    EOS,
    PHRASE,
    ConcatM,
    ConcatS,
    Next,
    Operator,
    Part,
    Parts,
    Phrase,
    Status,
    View,
    Word,
    legal_operators,
    why_illegal_in,
)
from ness.rules.table import Categories, ConcatKey, RuleTable

FORMAT = "ness-rules"
VERSION = 2
_SECTIONS = ("categories", "operators", "reduce", "concat_m", "concat_s", "tokens")
_CONCAT = {"concat_m": Operator.CONCAT_M, "concat_s": Operator.CONCAT_S}
T = TypeVar("T")


def to_json(table: RuleTable) -> dict[str, Any]:
    """Return the table as plain lists, dicts, strings and numbers."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "categories": [list(members) for members in table.categories.classes],
        "operators": [
            {
                **plain_status(status),
                "counts": {operator.value: counts[operator] for operator in Operator if counts[operator] > 0},
            }
            for status, counts in sorted(_used(table.operators), key=lambda rule: status_order(rule[0]))
        ],
        "reduce": [
            {
                "frame": list(frame),
                "counts": [{"phrase": list(phrase), "count": count} for phrase, count in preferred(counts)],
            }
            for frame, counts in sorted(_used(table.reduce))
        ],
        "concat_m": _concat_rules(table, Operator.CONCAT_M),
        "concat_s": _concat_rules(table, Operator.CONCAT_S),
        "tokens": list(table.tokens),
    }


def plain_status(status: Status) -> dict[str, Any]:
    """Return a status as plain values: null is a phrase in a frame, the end as next word, no frame as second frame."""
    return {
        "next": status.next if isinstance(status.next, str) else None,
        "top": plain_view(status.top),
        "second": None if status.second is None else plain_view(status.second),
        "memory": plain_view(status.memory),
    }


def plain_view(items: View) -> list[str | None]:
    """Return a frame as plain values, null for a phrase."""
    return [item if isinstance(item, str) else None for item in items]


def from_json(data: object) -> RuleTable:
    """Read a table that `to_json` made; raise CheckpointError where anything is out of place."""
    fields = _object(data, "rules", ("format", "version", *_SECTIONS))
    if fields["format"] != FORMAT:
        raise CheckpointError(f"These are not NeSS rules: 'format' is {fields['format']!r}, expected '{FORMAT}'")
    if fields["version"] != VERSION or isinstance(fields["version"], bool):
        raise CheckpointError(
            f"Rules of version {fields['version']!r} cannot be read here (expected {VERSION}); "
            "update ness-machine or train again"
        )
    tokens = _words(fields["tokens"], "tokens")
    if len(set(tokens)) < len(tokens):
        raise CheckpointError("tokens: a token is listed twice; damaged rules")
    table = RuleTable(categories=_categories(fields["categories"]), tokens=tokens)
    for where, rule in _numbered(fields["operators"], "operators"):
        status, operators = _operator_rule(rule, where)
        _insert(table.operators, status, operators, where)
    for where, rule in _numbered(fields["reduce"], "reduce"):
        frame, phrases = _reduce_rule(rule, where)
        _insert(table.reduce, frame, phrases, where)
    for section, operator in _CONCAT.items():
        for where, rule in _numbered(fields[section], section):
            key, arguments = _concat_rule(rule, operator, where)
            _insert(table.concat, key, arguments, where)
    table.index()
    return table


def view_order(items: View) -> tuple[tuple[bool, str], ...]:
    """A sort key for views: phrases before words."""
    return tuple((True, item) if isinstance(item, str) else (False, "") for item in items)


def status_order(status: Status) -> tuple[Any, ...]:
    """A sort key for statuses: short stacks first."""
    return (
        () if status.second is None else (view_order(status.second),),
        view_order(status.top),
        view_order(status.memory),
        (True, status.next) if isinstance(status.next, str) else (False, ""),
    )


def in_order(counts: Mapping[T, int]) -> list[tuple[T, int]]:
    """Counts in use, largest first, ties by key."""
    return preferred(dict(sorted(counts.items(), key=lambda pair: str(pair[0]))))


def preferred(counts: Mapping[T, int]) -> list[tuple[T, int]]:
    """Counts in use, largest first, ties as they stand in the table."""
    return sorted(((key, count) for key, count in counts.items() if count > 0), key=lambda pair: -pair[1])


def check_status(status: Status, operators: Iterable[Operator], where: str) -> None:
    """Refuse a rule whose operator the machine cannot execute in its status."""
    if illegal := [operator.value for operator in operators if operator not in legal_operators(status)]:
        raise CheckpointError(f"{where}: {illegal[0]} cannot run with {status}")


def check_parts(operator: Operator, top: View, memory: View, parts: Parts, where: str) -> None:
    """Refuse a CONCAT whose positions do not point at phrases."""
    instruction = (ConcatM if operator is Operator.CONCAT_M else ConcatS)(parts)
    if reason := why_illegal_in(Status(EOS, top, None, memory), instruction):
        raise CheckpointError(f"{where}: {instruction}: {reason}")


def _used(rules: Mapping[T, Counter[Any]]) -> list[tuple[T, Counter[Any]]]:
    """Leave out rules whose counts went back to zero while learning."""
    return [(key, counts) for key, counts in rules.items() if any(count > 0 for count in counts.values())]


def _concat_rules(table: RuleTable, operator: Operator) -> list[dict[str, Any]]:
    rules = [(top, memory, counts) for (kind, top, memory), counts in _used(table.concat) if kind is operator]
    return [
        {
            "top": plain_view(top),
            "memory": plain_view(memory),
            "counts": [{"parts": list(parts), "count": count} for parts, count in in_order(counts)],
        }
        for top, memory, counts in sorted(rules, key=lambda rule: (view_order(rule[0]), view_order(rule[1])))
    ]


def _categories(data: object) -> Categories:
    classes = [_words(members, where) for where, members in _numbered(data, "categories")]
    words = [word for members in classes for word in members]
    if not all(classes):
        raise CheckpointError("categories: a category without words; damaged rules")
    if len(set(words)) < len(words):
        twice = next(word for word in words if words.count(word) > 1)
        raise CheckpointError(f"categories: {twice!r} is listed twice; a word has one category")
    return Categories(classes)


def _operator_rule(data: object, where: str) -> tuple[Status, Counter[Operator]]:
    fields = _object(data, where, ("next", "top", "second", "memory", "counts"))
    following, second = fields["next"], fields["second"]
    status = Status(
        _next(following, f"{where}.next"),
        _view(fields["top"], f"{where}.top"),
        None if second is None else _view(second, f"{where}.second"),
        _memory(fields["memory"], f"{where}.memory"),
    )
    counts = fields["counts"]
    if not isinstance(counts, dict) or not counts or not all(name in Operator.__members__ for name in counts):
        raise CheckpointError(f"{where}.counts: expected operators with counts, as in {{'SHIFT': 12}}")
    operators = Counter({Operator(name): _count(count, f"{where}.counts") for name, count in counts.items()})
    check_status(status, operators, where)
    return status, operators


def _reduce_rule(data: object, where: str) -> tuple[tuple[Word, ...], Counter[Phrase]]:
    fields = _object(data, where, ("frame", "counts"))
    phrases: Counter[Phrase] = Counter()
    for place, option in _numbered(fields["counts"], f"{where}.counts", empty=False):
        parts = _object(option, place, ("phrase", "count"))
        phrase = _words(parts["phrase"], f"{place}.phrase")
        if not phrase:
            raise CheckpointError(f"{place}.phrase: REDUCE needs at least one target token")
        _insert(phrases, phrase, _count(parts["count"], f"{place}.count"), place)
    return _words(fields["frame"], f"{where}.frame"), phrases


def _concat_rule(data: object, operator: Operator, where: str) -> tuple[ConcatKey, Counter[Parts]]:
    fields = _object(data, where, ("top", "memory", "counts"))
    top, memory = _view(fields["top"], f"{where}.top"), _memory(fields["memory"], f"{where}.memory")
    arguments: Counter[Parts] = Counter()
    for place, option in _numbered(fields["counts"], f"{where}.counts", empty=False):
        argument = _object(option, place, ("parts", "count"))
        parts = tuple(_part(part, f"{place}.parts") for _, part in _numbered(argument["parts"], place))
        check_parts(operator, top, memory, parts, place)
        _insert(arguments, parts, _count(argument["count"], f"{place}.count"), place)
    return (operator, top, memory), arguments


def _object(data: object, where: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """Return `data` if it is a JSON object with exactly these keys."""
    if not isinstance(data, dict):
        raise CheckpointError(f"{where}: expected an object with {', '.join(keys)}")
    if missing := [key for key in keys if key not in data]:
        raise CheckpointError(f"{where}: '{missing[0]}' is missing")
    if extra := [key for key in data if key not in keys]:
        raise CheckpointError(f"{where}: unexpected {extra[0]!r}; expected {', '.join(keys)}")
    return data


def _numbered(data: object, where: str, empty: bool = True) -> list[tuple[str, object]]:
    """Return the elements of a list, each with a name for messages."""
    if not isinstance(data, list) or not (data or empty):
        raise CheckpointError(f"{where}: expected a list" + ("" if empty else " that is not empty"))
    return [(f"{where}[{number}]", element) for number, element in enumerate(data)]


def _string(data: object, where: str) -> str:
    if not isinstance(data, str):
        raise CheckpointError(f"{where}: expected a string, not {data!r}")
    return data


def _next(data: object, where: str) -> Next:
    return EOS if data is None else _string(data, where)


def _part(data: object, where: str) -> Part:
    return data if isinstance(data, str) else _integer(data, where)


def _integer(data: object, where: str) -> int:
    if not isinstance(data, int) or isinstance(data, bool):
        raise CheckpointError(f"{where}: expected a whole number, not {data!r}")
    return data


def _count(data: object, where: str) -> int:
    count = _integer(data, where)
    if count < 1:
        raise CheckpointError(f"{where}: a count is at least 1, not {count}")
    return count


def _words(data: object, where: str) -> tuple[str, ...]:
    return tuple(_string(element, place) for place, element in _numbered(data, where))


def _view(data: object, where: str) -> View:
    return tuple(PHRASE if element is None else _string(element, place) for place, element in _numbered(data, where))


def _memory(data: object, where: str) -> View:
    if data not in ([], [None]):
        raise CheckpointError(f"{where}: expected [] or [null]")
    return _view(data, where)


def _insert(rules: dict[T, Any], key: T, value: Any, where: str) -> None:
    if key in rules:
        raise CheckpointError(f"{where}: the same rule is listed twice")
    rules[key] = value
