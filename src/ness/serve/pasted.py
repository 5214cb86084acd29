"""Examples as people paste them: TSV, CSV or JSON lines, with or without a header."""

import csv
import io
import json
from typing import NamedTuple

_HEADERS = ({"source", "input", "in", "src", "from"}, {"target", "output", "out", "tgt", "to"})


class Pasted(NamedTuple):
    """The pairs found, and what could not be read."""

    pairs: list[tuple[str, str]]
    problems: list[str]  # each names its line


def read_pasted(text: str) -> Pasted:
    """Read pairs of source and target; a line that is no pair is told, the others are kept."""
    lines = [(number, line) for number, line in enumerate(text.lstrip("\ufeff").split("\n"), 1) if line.strip()]
    if not lines:
        return Pasted([], [])
    if lines[0][1].lstrip().startswith("{") and "\t" not in lines[0][1]:
        return _json_lines(lines)
    return _columns(lines, "\t" if any("\t" in line for _, line in lines) else ",")


def _columns(lines: list[tuple[int, str]], separator: str) -> Pasted:
    found = Pasted([], [])
    for position, (number, line) in enumerate(lines):
        try:
            cells = _cells(line.rstrip("\r"), separator)
        except csv.Error as error:
            found.problems.append(f"line {number}: {error}")
            continue
        if (
            position == 0
            and len(cells) == 2
            and all(cell.strip().lower() in names for cell, names in zip(cells, _HEADERS, strict=True))
        ):
            continue
        if len(cells) == 2 and all(cell.strip() for cell in cells):
            found.pairs.append((_clean(cells[0]), _clean(cells[1])))
        else:
            found.problems.append(f"line {number}: write the input, a {_NAMES[separator]}, and the output")
    return found


_NAMES = {"\t": "tab", ",": "comma"}


def _cells(line: str, separator: str) -> list[str]:
    if separator == "\t":
        return line.split("\t")
    return next(csv.reader(io.StringIO(line), strict=True, skipinitialspace=True))


def _json_lines(lines: list[tuple[int, str]]) -> Pasted:
    found = Pasted([], [])
    for number, line in lines:
        try:
            record = json.loads(line)
            pair = [_joined(record[key]) for key in ("source", "target")]
        except (ValueError, TypeError, KeyError, RecursionError):
            found.problems.append(f'line {number}: write {{"source": "…", "target": "…"}}')
            continue
        found.pairs.append((pair[0], pair[1]))
    return found


def _joined(value: object) -> str:
    """Return a text, or a list of tokens as one; raise ValueError where it is neither or empty."""
    text = " ".join(value) if isinstance(value, list) else value
    if not isinstance(text, str) or not text.strip():
        raise ValueError
    return _clean(text)


def _clean(text: str) -> str:
    return " ".join(text.encode("utf-8", "replace").decode().split())
