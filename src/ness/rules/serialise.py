"""Rules as JSON: `to_json` writes what `rules.json` holds, `from_json` reads it back, strictly.

The order is fixed, so equal tables give equal files; REDUCE rules with equal counts keep theirs, the preferred one
first. Reading checks every field and runs nothing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from ness.errors import CheckpointError
from ness.files import read_json
from ness.machine import (
    EOS,
    ConcatM,
    ConcatS,
    Operator,
    Parts,
    Phrase,
    Status,
    View,
    Word,
    format_parts,
    legal_operators,
    phrase_mark,
    why_illegal_in,
)
from ness.machine.instructions import MAX_KIND
from ness.rules.table import Categories, ConcatKey, RuleTable, words_named

FORMAT = "ness-rules"
VERSION = 2
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
                **({"kind": table.reduce_kinds[frame]} if frame in table.reduce_kinds else {}),
            }
            for frame, counts in sorted(_used(table.reduce))
        ],
        "concat_m": _concat_rules(table, Operator.CONCAT_M),
        "concat_s": _concat_rules(table, Operator.CONCAT_S),
        "tokens": list(table.tokens),
        **_extensions(table),
    }


def _extensions(table: RuleTable) -> dict[str, Any]:
    """Return what few tables have."""
    extensions: dict[str, Any] = {}
    if table.argument_categories.classes:
        extensions["argument_categories"] = [list(members) for members in table.argument_categories.classes]
    if table.imagined:
        extensions["imagined"] = [
            {**plain_status(status), "operator": table.imagined[status].value}
            for status in sorted(table.imagined, key=status_order)
        ]
    return extensions


def plain_status(status: Status) -> dict[str, Any]:
    """Return a status as plain values: null is a phrase in a frame, the end as next word, no frame as second frame."""
    return {
        "next": status.next if isinstance(status.next, str) else None,
        "top": plain_view(status.top),
        "second": plain_second(status.second),
        "memory": plain_view(status.memory),
    }


def plain_view(items: View) -> list[str | int | None]:
    """Return a frame as plain values, null for a phrase, a number for one of a kind."""
    return [item if isinstance(item, str) else item.kind or None for item in items]


def plain_second(second: View | None) -> list[str | int | None] | None:
    """Return a second frame as plain values, null where there is none."""
    return None if second is None else plain_view(second)


def from_json(data: object) -> RuleTable:
    """Read a table that `to_json` made; raise CheckpointError where anything is out of place."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise CheckpointError(f"These are not NeSS rules: expected an object with 'format': '{FORMAT}'")
    version = data.get("version")
    if version != VERSION or isinstance(version, bool):
        raise CheckpointError(
            f"Rules of version {version!r} cannot be read here (expected {VERSION}); update ness-machine or train again"
        )
    try:
        stored = msgspec.convert(data, _StoredTable)
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$")
        raise CheckpointError(f"{place.strip('`.') or 'rules'}: {what[:1].lower()}{what[1:]}; damaged rules") from error
    if len(set(stored.tokens)) < len(stored.tokens):
        raise CheckpointError("tokens: a token is listed twice; damaged rules")
    table = RuleTable(
        categories=_categories(stored.categories),
        tokens=stored.tokens,
        argument_categories=_categories(stored.argument_categories),
    )
    for number, guess in enumerate(stored.imagined):
        status = _status(guess)
        where = f"imagined[{number}]"
        check_status(status, [guess.operator], where)
        _insert(table.imagined, status, guess.operator, where)
    for number, rule in enumerate(stored.operators):
        status = _status(rule)
        where = f"operators[{number}]"
        check_status(status, rule.counts, where)
        _insert(table.operators, status, Counter(rule.counts), where)
    for number, reduced in enumerate(stored.reduce):
        where = f"reduce[{number}]"
        phrases: Counter[Phrase] = Counter()
        for option in reduced.counts:
            _insert(phrases, option.phrase, option.count, where)
        _insert(table.reduce, reduced.frame, phrases, where)
        if reduced.kind:
            table.reduce_kinds[reduced.frame] = reduced.kind
    for section, operator in _CONCAT.items():
        for number, joined in enumerate(getattr(stored, section)):
            where = f"{section}[{number}]"
            key, arguments = _concat_rule(joined, operator, where)
            if joined.second is msgspec.UNSET:
                _insert(table.concat, key, arguments, where)
            else:
                second = None if joined.second is None else _view(joined.second)
                _insert(table.contexts.setdefault(key, {}), second, arguments, where)
    table.count_contexts()
    table.index()
    return table


def read_rules(path: Path, data: bytes) -> RuleTable:
    """Read a file of rules; an error names it."""
    try:
        return from_json(read_json(path, data))
    except CheckpointError as error:
        raise error if str(path) in str(error) else CheckpointError(f"{path}: {error}") from error


def view_order(items: View) -> tuple[tuple[bool, str], ...]:
    """A sort key for views: phrases before words."""
    return tuple((True, item) if isinstance(item, str) else (False, chr(item.kind)) for item in items)


def second_order(second: View | None) -> tuple[Any, ...]:
    """A sort key for second frames: none before all others."""
    return () if second is None else (view_order(second),)


def status_order(status: Status) -> tuple[Any, ...]:
    """A sort key for statuses: short stacks first."""
    return (
        second_order(status.second),
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
    if illegal := [operator.value for operator in operators if operator not in legal_operators(status, own=True)]:
        raise CheckpointError(f"{where}: {illegal[0]} cannot run with {status}")


def check_parts(operator: Operator, top: View, memory: View, parts: Parts, where: str) -> None:
    """Refuse a CONCAT whose positions do not point at phrases, or of CONCAT_S at words."""
    own = (("own",),) * len(words_named(top, parts))
    instruction = ConcatM(parts) if operator is Operator.CONCAT_M else ConcatS(parts, own)
    if reason := why_illegal_in(Status(EOS, top, None, memory), instruction):
        raise CheckpointError(f"{where}: {operator} {format_parts(parts)}: {reason}")


def _used(rules: Mapping[T, Counter[Any]]) -> list[tuple[T, Counter[Any]]]:
    """Leave out rules whose counts went back to zero while learning."""
    return [(key, counts) for key, counts in rules.items() if any(count > 0 for count in counts.values())]


def _concat_rules(table: RuleTable, operator: Operator) -> list[dict[str, Any]]:
    rules = [key for key, _ in _used(table.concat) if key[0] is operator]
    return [
        {
            "top": plain_view(top),
            "memory": plain_view(memory),
            **above,
            "counts": [{"parts": list(parts), "count": count} for parts, count in in_order(counts)],
        }
        for _, top, memory in sorted(rules, key=lambda key: (view_order(key[1]), view_order(key[2])))
        for above, counts in _by_second(table, (operator, top, memory))
    ]


def _by_second(table: RuleTable, key: ConcatKey) -> list[tuple[dict[str, Any], Counter[Parts]]]:
    """Return the arguments of a frame, by second frame where that tells which."""
    rows = table.contexts.get(key)
    if rows is None:
        return [({}, table.concat[key])]
    return [({"second": plain_second(second)}, rows[second]) for second in sorted(rows, key=second_order)]


def _categories(classes: Sequence[tuple[Word, ...]]) -> Categories:
    words = [word for members in classes for word in members]
    if len(set(words)) < len(words):
        twice = next(word for word in words if words.count(word) > 1)
        raise CheckpointError(f"categories: {twice!r} is listed twice; a word has one category")
    return Categories(classes)


def _concat_rule(rule: "_ConcatRule", operator: Operator, where: str) -> tuple[ConcatKey, Counter[Parts]]:
    top, memory = _view(rule.top), _view(rule.memory)
    arguments: Counter[Parts] = Counter()
    for option in rule.counts:
        check_parts(operator, top, memory, option.parts, where)
        _insert(arguments, option.parts, option.count, where)
    return (operator, top, memory), arguments


def _status(rule: "_StoredStatus") -> Status:
    return Status(
        EOS if rule.next is None else rule.next,
        _view(rule.top),
        None if rule.second is None else _view(rule.second),
        _view(rule.memory),
    )


def _view(items: Iterable[str | int | None]) -> View:
    return tuple(item if isinstance(item, str) else phrase_mark(item or 0) for item in items)


def _insert(rules: dict[T, Any], key: T, value: Any, where: str) -> None:
    if key in rules:
        raise CheckpointError(f"{where}: the same rule is listed twice")
    rules[key] = value


# What `rules.json` holds, field by field; null in a view is a phrase, a number one of that kind.
_Count = Annotated[int, msgspec.Meta(ge=1)]
_Kind = Annotated[int, msgspec.Meta(ge=1, le=MAX_KIND)]
_Seen = tuple[str | _Kind | None, ...]
_Memory = Annotated[tuple[None, ...], msgspec.Meta(max_length=1)]


class _StoredStatus(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    next: str | None
    top: _Seen
    second: _Seen | None
    memory: _Memory


class _ImaginedRow(_StoredStatus, frozen=True, forbid_unknown_fields=True):
    operator: Operator


class _OperatorRule(_StoredStatus, frozen=True, forbid_unknown_fields=True):
    counts: Annotated[dict[Operator, _Count], msgspec.Meta(min_length=1)]


class _CountedPhrase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    phrase: Annotated[Phrase, msgspec.Meta(min_length=1)]
    count: _Count


class _ReduceRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    frame: tuple[Word, ...]
    counts: Annotated[list[_CountedPhrase], msgspec.Meta(min_length=1)]
    kind: Annotated[int, msgspec.Meta(ge=0, le=MAX_KIND)] = 0


class _CountedParts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    parts: Parts
    count: _Count


class _ConcatRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    top: _Seen
    memory: _Memory
    counts: Annotated[list[_CountedParts], msgspec.Meta(min_length=1)]
    second: _Seen | msgspec.UnsetType | None = msgspec.UNSET  # left out: whatever it is


class _StoredTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: str
    version: int
    categories: list[Annotated[tuple[Word, ...], msgspec.Meta(min_length=1)]]
    operators: list[_OperatorRule]
    reduce: list[_ReduceRule]
    concat_m: list[_ConcatRule]
    concat_s: list[_ConcatRule]
    tokens: tuple[str, ...]
    argument_categories: list[Annotated[tuple[Word, ...], msgspec.Meta(min_length=1)]] = []
    imagined: list[_ImaginedRow] = []
