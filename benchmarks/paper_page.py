"""The records of variants as a page: the table, and how each lesson went, seed by seed."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from paper_table import grouped, table

from ness.experiments.page import PagePart, render
from ness.experiments.plots import Plot, Series, to_svg

_SHARES = {
    "traced": "examples with a non-degenerate trace",
    "contradictory_steps": "steps in statuses that are decided in more than one way",
    "reference_steps": "steps that a coherent reference decides alike",
    "category_pairs": "pairs of words grouped as in the reference",
}


def page(records: Iterable[dict[str, Any]]) -> str:
    """Write the page; variants that came to no lesson's end have no plots."""
    records = list(records)
    parts = [PagePart("Table", code=[table(records)])]
    for (variant, task), group in grouped(records).items():
        parts.append(PagePart(f"{variant}, {task}", plots=lesson_plots(variant, task, group)))
    lead = "Variants of the paper's loop: what the traces look like at the end of each lesson, for each seed."
    return render("The paper's own loop, lesson by lesson", lead, parts)


def images(records: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Draw all plots, each with the name of its file."""
    drawn = {}
    for (variant, task), group in grouped(records).items():
        for plot in lesson_plots(variant, task, group):
            drawn[f"{plot.name}.svg"] = to_svg(plot)
    return drawn


def lesson_plots(variant: str, task: str, records: Sequence[dict[str, Any]]) -> list[Plot]:
    """Draw each share over the lessons, one line for a seed."""
    plots = []
    for key, label in _SHARES.items():
        series = [Series(f"seed {record['seed']}", _points(record, key)) for record in records]
        series = [each for each in series if each.points]
        if series:
            words = re.findall(r"[a-z0-9]+", f"{variant} {task.removeprefix('scan/')} {key.split('_')[0]}")
            name = "-".join(words)
            plots.append(Plot(name, label, "lesson", "share", series, percent=True))
    return plots


def _points(record: dict[str, Any], key: str) -> list[tuple[float, float]]:
    points = []
    for lesson in record.get("lessons", []):
        value = lesson["traced"] / lesson["examples"] if key == "traced" else lesson[key]
        if value is not None:
            points.append((lesson["lesson"], value))
    return points
