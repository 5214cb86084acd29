"""Examples as people paste them: TSV, CSV or JSON lines, with or without a header."""

from typing import NamedTuple

from ness.data.formats import Cell, read_rows


class Paste(NamedTuple):
    """The pairs found, and what could not be read."""

    pairs: list[tuple[str, str]]
    problems: list[str]  # each names its line


def read_paste(text: str) -> Paste:
    """Read pairs of source and target; a line that is no pair is told, the others are kept."""
    rows = read_rows(text)
    pairs = [(_clean(row.source), _clean(row.target)) for row in rows.found]
    return Paste(pairs, [f"line {line}: {problem}" for line, problem in rows.problems])


def _clean(cell: Cell) -> str:
    return " ".join(cell.split() if isinstance(cell, str) else cell)
