"""Line plots as inline SVG, coloured by the report's style sheet; nothing to install."""

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 18, 32, 56
_FEW = 7
_MARKS = ("circle", "square", "triangle", "diamond", "cross")
MOST_SERIES = 8  # the style sheet has colours for so many


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
    """Draw a plot with its legend as a figure."""
    series = [one for one in plot.series if one.points][:MOST_SERIES]
    title = html.escape(plot.title)
    if not series:
        return f'<figure id="plot-{plot.name}"><figcaption>{title}</figcaption><p class=note>No runs yet.</p></figure>'
    x = _Axis([point[0] for one in series for point in one.points], plot.log_x, WIDTH - _RIGHT, _LEFT)
    heights = [0.0, 1.0] if plot.percent else [point[1] for one in series for point in one.points]
    y = _Axis(heights, plot.log_y, _TOP, HEIGHT - _BOTTOM, from_zero=not plot.log_y)
    drawn = [_grid(plot, x, y)]
    drawn += [_line(one, number, plot, x, y) for number, one in enumerate(series)]
    legend = "".join(
        f'<li class="s{number}"><svg viewBox="-8 -8 16 16" aria-hidden="true">{_mark(number, 0, 0)}</svg>'
        f"{html.escape(one.name)}</li>"
        for number, one in enumerate(series)
    )
    note = f"<p class=note>{html.escape(plot.note)}</p>" if plot.note else ""
    return (
        f'<figure id="plot-{plot.name}"><figcaption>{title}</figcaption><ul class=legend>{legend}</ul>'
        f'<svg class=plot viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">{"".join(drawn)}</svg>'
        f"{note}</figure>"
    )


class _Axis:
    """Turns values into places between `low_end` and `high_end`."""

    def __init__(
        self, values: Sequence[float], log: bool, high_end: float, low_end: float, from_zero: bool = False
    ) -> None:
        self.log = log
        positive = [value for value in values if value > 0]
        low = (min(positive) if positive else 1.0) if log else min(values)
        high = max(max(values), low)
        if from_zero:
            low = min(low, 0.0)
        if high == low:
            high = low * 10 if log else low + 1
        self.low, self.high = low, high
        self._values = sorted(set(positive))
        self._ends = low_end, high_end

    def place(self, value: float) -> float:
        low, high = self._scale(self.low), self._scale(self.high)
        share = (self._scale(max(value, self.low)) - low) / (high - low)
        start, end = self._ends
        return round(start + share * (end - start), 1)

    def ticks(self) -> list[float]:
        """Choose round values; on a logarithmic axis the values themselves, where they are few."""
        if self.log and len(self._values) <= _FEW:
            return self._values
        if self.log:
            first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
            decades = [factor * 10.0**power for power in range(first, last + 1) for factor in (1, 2, 5)]
            found = [value for value in decades if self.low * 0.999 <= value <= self.high * 1.001]
            return found if len(found) <= 9 else [value for value in found if math.log10(value) % 1 < 1e-9]
        size = 10 ** math.floor(math.log10((self.high - self.low) / 4))
        step = next(size * factor for factor in (1, 2, 5, 10) if (self.high - self.low) / (size * factor) <= 6)
        first = math.ceil(self.low / step - 1e-9)
        return [number * step for number in range(first, math.floor(self.high / step + 1e-9) + 1)]

    def _scale(self, value: float) -> float:
        return math.log10(value) if self.log else value


def _grid(plot: Plot, x: _Axis, y: _Axis) -> str:
    right, bottom = WIDTH - _RIGHT, HEIGHT - _BOTTOM
    parts = []
    for value in y.ticks():
        at = y.place(value)
        shown = f"{value:.0%}" if plot.percent else _number(value)
        parts.append(f'<path class=grid d="M{_LEFT} {at}H{right}"/>')
        parts.append(f'<text class=tick x="{_LEFT - 8}" y="{at + 5}" text-anchor="end">{shown}</text>')
    for value in x.ticks():
        at = x.place(value)
        parts.append(f'<path class=grid d="M{at} {bottom}v5"/>')
        parts.append(f'<text class=tick x="{at}" y="{bottom + 22}" text-anchor="middle">{_number(value)}</text>')
    parts.append(f'<path class=axis d="M{_LEFT} {bottom}H{right}"/>')
    middle = (_LEFT + right) / 2
    parts.append(
        f'<text class=label x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">{html.escape(plot.x_label)}</text>'
    )
    parts.append(f'<text class=label x="0" y="16">{html.escape(plot.y_label)}</text>')
    return "".join(parts)


def _line(series: Series, number: int, plot: Plot, x: _Axis, y: _Axis) -> str:
    places = [(x.place(across), y.place(up)) for across, up in series.points]
    path = "M" + "L".join(f"{across} {up}" for across, up in places)
    parts = [f'<path class=line d="{path}"/>']
    for (across, _), (low, high) in zip(places, series.spans, strict=False):
        if high > low:
            parts.append(f'<path class=span d="M{across} {y.place(low)}V{y.place(high)}"/>')
    if len(places) <= 30:
        for (across, up), (at, value) in zip(places, series.points, strict=True):
            shown = f"{value:.2%}" if plot.percent else _number(value)
            told = html.escape(f"{series.name}, {_number(at)}: {shown}")
            parts.append(f"<g><title>{told}</title>{_mark(number, across, up)}</g>")
    return f'<g class="s{number}">{"".join(parts)}</g>'


def _mark(number: int, x: float, y: float) -> str:
    """Draw a mark of its own for each line, so that colours are not needed to tell them apart."""
    match _MARKS[number % len(_MARKS)]:
        case "circle":
            return f'<circle class=mark cx="{x}" cy="{y}" r="4.5"/>'
        case "square":
            return f'<rect class=mark x="{x - 4}" y="{y - 4}" width="8" height="8"/>'
        case "triangle":
            return f'<path class=mark d="M{x} {y - 5.5}l5 9h-10z"/>'
        case "diamond":
            return f'<path class=mark d="M{x} {y - 6}l6 6l-6 6l-6-6z"/>'
        case _:
            return f'<path class="mark open" d="M{x - 4} {y - 4}l8 8m0-8l-8 8"/>'


def _number(value: float) -> str:
    if value >= 1_000_000:
        return f"{value / 1_000_000:g}M"
    if value >= 10_000:
        return f"{value / 1000:g}k"
    return f"{value:,.0f}" if value == round(value) else f"{value:.3g}"
