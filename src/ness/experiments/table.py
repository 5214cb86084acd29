"""A table as plain data, and how it is written: Markdown, terminal, HTML."""

import html
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.table import Table as RichTable
from rich.text import Text

_LONG = 48  # characters that stay on one line
_MANY = 7  # columns that fit with wide gaps
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


def to_html(table: Table) -> str:
    """Write a table for the report; it scrolls sideways where the screen is narrow."""
    head = "".join(_cell("th", column, number < table.texts) for number, column in enumerate(table.columns))
    body = []
    for number, row in enumerate(table.rows):
        classes = " ".join([row.kind, *(["group"] if number in table.groups else [])])
        cells = "".join(_cell("td", cell, place < table.texts) for place, cell in enumerate(row.cells))
        body.append(f'<tr class="{classes}">{cells}</tr>')
    notes = "".join(f"<p class=note>{html.escape(note)}</p>" for note in table.notes)
    title = html.escape(table.title)
    look = " class=wide" if len(table.columns) > _MANY else ""
    content = (
        f'<div class=scroll tabindex=0 role=region aria-label="{title}"><table{look}><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>{notes}"
    )
    if table.folded:
        content = f"<details><summary><h3>{title}</h3></summary>{content}</details>"
    else:
        content = f"<h3>{title}</h3>{content}"
    return f'<section id="table-{table.name}">{content}</section>'


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")


def _cell(tag: str, text: str, is_text: bool) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    look = "" if is_text else " class=figure"
    if is_text and len(text) > _LONG:
        look = " class=long"
    return f"<{tag}{scope}{look}>{html.escape(text)}</{tag}>"
