"""A table as plain data, and how it is written in Markdown and in the terminal."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.table import Table as RichTable
from rich.text import Text

PAPER, OURS, BASELINE = "paper", "ours", "baseline"


@dataclass(frozen=True)
class Row:
    """Cells, and whose figures they are."""

    cells: tuple[str, ...]
    kind: str = PAPER


@dataclass(frozen=True)
class Table:
    """A title, columns and rows; notes below it."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Sequence[Row]
    notes: tuple[str, ...] = ()
    texts: int = 1  # the first columns are text; the others are figures, set to the right
    groups: frozenset[int] = field(default_factory=frozenset)  # rows that begin a new part
    folded: bool = False  # in the report, where it is long


def to_markdown(table: Table) -> str:
    """Write a table for a document."""
    marks = ["---" if number < table.texts else "---:" for number in range(len(table.columns))]
    lines = [f"### {table.title}", "", _line(table.columns), _line(marks)]
    for row in table.rows:
        cells = [_markdown(cell) for cell in row.cells]
        lines.append(_line([f"**{cells[0]}**", *cells[1:]] if row.kind == OURS else cells))
    for note in table.notes:
        lines += ["", note]
    return "\n".join(lines) + "\n"


def to_rich(table: Table) -> RichTable:
    """Draw a table in the terminal."""
    drawn = RichTable(title=Text(table.title), title_justify="left", caption_justify="left")
    drawn.caption = Text("\n".join(table.notes)) if table.notes else None
    for number, column in enumerate(table.columns):
        drawn.add_column(Text(column), justify="left" if number < table.texts else "right", overflow="fold")
    for number, row in enumerate(table.rows):
        if number in table.groups:
            drawn.add_section()
        style = {OURS: "bold", BASELINE: "cyan"}.get(row.kind)
        drawn.add_row(*(Text(cell) for cell in row.cells), style=style)
    return drawn


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")
