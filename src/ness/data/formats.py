"""Examples as people have them: tab-separated, CSV or JSON lines, with or without a header.

A line that is no pair of source and target is told with its number; the others are kept.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

SOURCE_NAMES = ("source", "input", "src")  # of a column or a key
TARGET_NAMES = ("target", "output", "tgt")
_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}

Cell = str | list[str]  # a text, or the tokens of one
Numbered = tuple[int, str]


class Pair(NamedTuple):
    """A pair, and the line on which it ends."""

    line: int
    source: Cell
    target: Cell


class Pairs(NamedTuple):
    """The pairs of a text, and what is wrong with other lines."""

    found: list[Pair]
    problems: list[Numbered]


class _BadLine(ValueError):
    """A line is malformed; the message says how."""


def read_rows(text: str, name: str = "") -> Pairs:
    """Read pairs; the form is told by the ending of the name, else by how the text looks."""
    # Only line feeds end lines: `splitlines` would also cut at characters that a token may hold.
    lines = [(number, line) for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1) if line.strip()]
    if not lines:
        return Pairs([], [])
    form = form_of([line for _, line in lines], name)
    return _json_rows(lines) if form == "jsonl" else _table_rows(lines, form)


def read_inputs(text: str, name: str = "") -> tuple[list[Cell], list[Numbered]]:
    """Read inputs: of a table the column named source, or the first; of JSON lines the source; else whole lines."""
    lines = [line.rstrip("\r") for line in text.removeprefix("\ufeff").removesuffix("\n").split("\n")]
    form = form_of(lines, name)
    problems: list[Numbered] = []
    if form == "jsonl":
        found: list[Cell] = []
        for number, line in enumerate(lines, 1):
            try:
                record = _record(line)
                found.append(_value(record, _key(record, SOURCE_NAMES)))
            except _BadLine as problem:
                problems.append((number, str(problem)))
        return found, problems
    if not _is_table(lines, name):
        return list(lines), []
    records = [cells for _, cells in _records(list(enumerate(lines, 1)), form, problems)]
    named = [cell.strip().lower() for cell in records[0]] if records else []
    column = next((place for place, cell in enumerate(named) if cell in SOURCE_NAMES), None)
    kept = records if column is None else records[1:]
    return [cells[column or 0] if len(cells) > (column or 0) else "" for cells in kept], problems


def form_of(lines: Sequence[str], name: str = "") -> str:
    """Tell JSON lines from tables, and what separates the columns of a table."""
    first = next((line for line in lines if line.strip()), "").lstrip()
    ending = name.lower().removesuffix(".gz").rpartition(".")[2]
    # A TSV line may start with a brace too, but then it has a tab.
    if "\t" not in first and (first.startswith("{") or ending in ("json", "jsonl")):
        return "jsonl"
    if ending != "csv" and (ending == "tsv" or any("\t" in line for line in lines) or not set(first) & {",", ";"}):
        return "\t"
    candidates = [separator for separator in _SEPARATORS if separator in first]
    numbered = list(enumerate(lines, 1))
    return max(candidates or [","], key=lambda separator: _columns(_records(numbered, separator, [])))


def _is_table(lines: Sequence[str], name: str) -> bool:
    """Tell columns from plain lines, which may have commas."""
    return name.lower().removesuffix(".gz").endswith((".csv", ".tsv")) or any("\t" in line for line in lines)


def _columns(records: Iterable[tuple[int, list[str]]]) -> int:
    """Count the records that could be pairs; a header tells more than all of them."""
    found = [cells for _, cells in records]
    return len(found) + 1 if found and header_of(found[0]) else sum(len(cells) == 2 for cells in found)


def _table_rows(lines: list[Numbered], separator: str) -> Pairs:
    found: list[Pair] = []
    problems: list[Numbered] = []
    columns: tuple[int, int] | None = None
    for place, (number, cells) in enumerate(_records(lines, separator, problems)):
        if place == 0 and (columns := header_of(cells)) is not None:
            continue
        try:
            source, target = _two(cells, separator) if columns is None else _named(cells, columns)
            found.append(Pair(number, _filled(source, "source"), _filled(target, "target")))
        except _BadLine as problem:
            problems.append((number, str(problem)))
    return Pairs(found, sorted(problems))


def _records(lines: list[Numbered], separator: str, problems: list[Numbered]) -> Iterator[tuple[int, list[str]]]:
    """Cut lines into cells; a quoted cell of CSV may go on over several of them."""
    if separator == "\t":
        yield from ((number, line.split("\t")) for number, line in lines)
        return
    numbers = [number for number, _ in lines]
    reader = csv.reader(
        (line.rstrip("\r") + "\n" for _, line in lines), delimiter=separator, strict=True, skipinitialspace=True
    )
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problems.append((numbers[reader.line_num - 1], str(error)))
        else:
            yield numbers[reader.line_num - 1], cells


def header_of(cells: Sequence[str]) -> tuple[int, int] | None:
    """Find the columns of source and target, where these are names."""
    names = [cell.strip().lower() for cell in cells]
    source, target = (
        next((names.index(name) for name in known if name in names), None) for known in (SOURCE_NAMES, TARGET_NAMES)
    )
    return None if source is None or target is None else (source, target)


def _two(cells: list[str], separator: str) -> tuple[str, str]:
    if len(cells) != 2:
        name = _SEPARATORS[separator]
        found = f"no {name}" if len(cells) == 1 else f"{len(cells) - 1} {name}s"
        raise _BadLine(f"{found}, expected source<{name.upper()}>target")
    return cells[0], cells[1]


def _named(cells: list[str], columns: tuple[int, int]) -> tuple[str, str]:
    if len(cells) <= max(columns):
        raise _BadLine(f"{len(cells)} columns, the header has more")
    return cells[columns[0]], cells[columns[1]]


def _json_rows(lines: list[Numbered]) -> Pairs:
    rows = Pairs([], [])
    for number, line in lines:
        try:
            record = _record(line)
            source, target = (_value(record, _key(record, names)) for names in (SOURCE_NAMES, TARGET_NAMES))
            rows.found.append(Pair(number, _filled(source, "source"), _filled(target, "target")))
        except _BadLine as problem:
            rows.problems.append((number, str(problem)))
    return rows


def _record(line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _BadLine(f"not JSON ({getattr(error, 'msg', 'a value is too large')})") from None
    if not isinstance(record, dict):
        raise _BadLine("not a JSON object with source and target")
    return record


def _key(record: dict[str, Any], names: Sequence[str]) -> str:
    found = next((name for name in names if name in record), None)
    if found is None:
        raise _BadLine(f"no {names[0]!r}")
    return found


def _value(record: dict[str, Any], key: str) -> Cell:
    value = record[key]
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not all(isinstance(token, str) for token in value):
        raise _BadLine(f"{key!r} is neither a string nor a list of strings")
    if any(token.split() != [token] for token in value):
        raise _BadLine(f"{key!r} has a token that is empty or holds white space")
    return value


def _filled(cell: Cell, what: str) -> Cell:
    if not cell or (isinstance(cell, str) and not cell.strip()):
        raise _BadLine(f"the {what} is empty")
    if any("\ud800" <= character <= "\udfff" for part in cell for character in part):
        raise _BadLine("half of a surrogate pair, which is no character")
    return cell
