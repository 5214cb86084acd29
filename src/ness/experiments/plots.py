"""Line plots as SVG for the report, drawn by Matplotlib."""

import html
import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GREY = "#808285"  # legible on light and on dark pages
_COLOURS = ("#2a8f99", "#d9711f", "#8a6fc7", "#b08d00", "#cf5285", "#4d86d1", "#66993a", "#8c6d5a")
_MARKS = ("o", "s", "^", "D", "X", "v", "P", "*")
_LINES = ("-", "--", ":")
_FEW = 7
_APART = 0.1  # of the axis, between two labels
MOST_MARKED = 30  # points of a line that get marks


@dataclass(frozen=True)
class Series:
    """A line: its name and its points; the spans from the lowest to the highest seed go with the points."""

    name: str
    points: Sequence[tuple[float, float]]
    spans: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True)
class Plot:
    """Lines over one axis."""

    name: str
    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    log_x: bool = False
    log_y: bool = False
    percent: bool = False  # shares, drawn from 0 to 100%
    note: str = ""


def to_svg(plot: Plot) -> str:
    """Draw a plot with its legend."""
    import matplotlib
    from matplotlib.figure import Figure

    colours = dict.fromkeys(["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"], _GREY)
    style = {"svg.fonttype": "none", "svg.hashsalt": plot.name, "font.family": "sans-serif", "font.size": 11.0}
    look: Any = {**style, **colours}
    with matplotlib.rc_context(look):
        figure = Figure(figsize=(6.4, 4.0), layout="constrained")
        axes = figure.subplots()
        for number, series in enumerate(plot.series):
            _draw(axes, series, number)
        _scales(axes, plot)
        axes.set_xlabel(plot.x_label)
        axes.set_ylabel(plot.y_label)
        axes.grid(axis="y", alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside upper left", ncols=3, frameon=False, fontsize=9)
        drawn = io.StringIO()
        figure.savefig(drawn, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = drawn.getvalue()
    tag, rest = svg[svg.index("<svg") :].split(">", 1)
    sized = re.sub(r' (?:width|height)="[^"]*"', "", tag)  # the drawing is as wide as the page lets it
    return f'{sized} class="plot" role="img" aria-label="{html.escape(plot.title)}">{rest}'


def _draw(axes: "Axes", series: Series, number: int) -> None:
    across, up = zip(*series.points, strict=True)
    colour = _COLOURS[number % len(_COLOURS)]
    mark = _MARKS[number % len(_MARKS)] if len(across) <= MOST_MARKED else None
    line = _LINES[number // len(_COLOURS) % len(_LINES)]
    axes.plot(across, up, line, color=colour, marker=mark, markersize=5, label=series.name)
    for place, (low, high) in zip(across, series.spans, strict=False):
        if high > low:
            axes.vlines(place, low, high, color=colour, alpha=0.55)


def _scales(axes: "Axes", plot: Plot) -> None:
    from matplotlib.ticker import MaxNLocator, NullLocator, PercentFormatter

    if plot.percent:
        axes.set_ylim(-0.03, 1.03)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    elif plot.log_y:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    values = sorted({across for series in plot.series for across, _ in series.points})
    if plot.log_x:
        axes.set_xscale("log")
    if plot.log_x and len(values) <= _FEW:
        axes.xaxis.set_major_locator(NullLocator())
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xticks(values, _labels(values))
    elif not plot.log_x:
        whole = all(value == int(value) for value in values)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=whole))


def _labels(values: Sequence[float]) -> list[str]:
    """Name the places of a logarithmic axis, but not those whose names would run into each other."""
    labels: list[str] = []
    last = 0.0
    for value in values:
        near = last and math.log(value / last) < _APART * math.log(values[-1] / values[0])
        labels.append("" if near else f"{value:,.0f}")
        last = last if near else value
    return labels
