"""A sweep: settings from a grid or at random, judged by cross-validation on the training data alone."""

import itertools
import json
import math
import random
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from ness.errors import ConfigError
from ness.experiments.comparison import checksum
from ness.experiments.folds import LONG
from ness.experiments.measure import percent
from ness.experiments.page import PagePart, render
from ness.experiments.plots import Plot, Series
from ness.experiments.report import failed_part, made_part, runs_part
from ness.experiments.runner import Record
from ness.experiments.spec import NESS, RunSpec, TestSet
from ness.experiments.summary import Results
from ness.experiments.table import OURS, PAPER, Row, Table
from ness.settings import parse_value, resolve

HELD_OUT = TestSet("held out")
_NETWORK = ("controller.", "training.")  # settings that rules know nothing of
_MOST_POINTS = 100_000

Point = tuple[str, ...]  # settings as --set takes them, one for each key


@dataclass(frozen=True)
class Axis:
    """A setting and the values to try; or a range, from which values are drawn."""

    key: str
    values: tuple[str, ...] = ()
    span: tuple[float, float] | None = None
    whole: bool = False  # the range has whole numbers only

    @classmethod
    def of(cls, text: str) -> "Axis":
        """Read "learner.survivors=3,5" or "learner.noise=0.5..3"; the values are checked as --set's are."""
        key, sign, listed = (part.strip() for part in text.partition("="))
        low, dots, high = listed.partition("..")
        if not sign or not listed:
            raise ConfigError(f"Cannot read '{text}'; write a setting and its values, as in learner.survivors=3,5")
        if dots:
            ends = parse_value(low), parse_value(high)
            if not all(isinstance(end, int | float) for end in ends) or not ends[0] < ends[1]:
                raise ConfigError(f"Cannot read the range of '{text}'; write it as learner.noise=0.5..3")
            resolve(None, [f"{key}={low}", f"{key}={high}"])
            return cls(key, span=ends, whole=all(isinstance(end, int) for end in ends))
        values = tuple(dict.fromkeys(value.strip() for value in listed.split(",")))
        for value in values:
            resolve(None, [f"{key}={value}"])
        return cls(key, values)

    def draw(self, rng: random.Random) -> str:
        """Draw a value."""
        if self.span is None:
            value = rng.choice(self.values)
        elif self.whole:
            value = str(rng.randint(int(self.span[0]), int(self.span[1])))
        else:
            value = f"{rng.uniform(*self.span):.4g}"
        return f"{self.key}={value}"


def points_of(axes: Sequence[Axis], sample: int | None, seed: int = 0) -> list[Point]:
    """List the settings to try: all of the grid, or so many different ones at random."""
    if len({axis.key for axis in axes}) < len(axes):
        raise ConfigError("a setting is given twice; write all its values in one --set, separated by commas")
    grid = math.prod(len(axis.values) for axis in axes)
    if sample is None:
        if ranges := [axis.key for axis in axes if axis.span]:
            raise ConfigError(f"a range has no grid; say how many settings to draw with --sample ({ranges[0]})")
        if grid > _MOST_POINTS:
            raise ConfigError(f"this grid has {grid:,} settings; draw some of them with --sample 100")
        return list(itertools.product(*([f"{axis.key}={value}" for value in axis.values] for axis in axes)))
    rng = random.Random(f"sweep {seed}")
    drawn: dict[Point, None] = {}
    for _ in range(100 * sample):  # a small grid may not have so many
        drawn[tuple(axis.draw(rng) for axis in axes)] = None
        if len(drawn) == sample:
            break
    return list(drawn)


def sweep_runs(
    points: Sequence[Point], folds: Sequence[str], seeds: int, task: str, limit: float, files: Sequence[Path]
) -> list[RunSpec]:
    """List the runs: all settings on the same fold and seed before the next, so that they can be compared early."""
    network = any(setting.startswith(_NETWORK) for point in points for setting in point)
    names, data = tuple(map(str, files)), checksum(files) if files else ""
    return [
        RunSpec(
            *(NESS, task, seed),
            settings=(f"learner.time_limit={limit:g}", *point),
            sets=(HELD_OUT,),
            rules_only=not network,
            files=names,
            data=data,
            fold=fold,
        )
        for seed in range(seeds)
        for fold in folds
        for point in points
    ]


@dataclass(frozen=True)
class PointFigures:
    """How settings did: shares of held-out examples that were right, a failed run counting as none."""

    point: Point
    at_random: list[float]
    long: list[float]
    nodes: float  # of a search, on average
    seconds: float
    runs: int

    @property
    def score(self) -> float:
        """The mean of both ways to hold out, each counting alike."""
        return fmean(fmean(shares) for shares in (self.at_random, self.long) if shares)

    @property
    def rank(self) -> tuple[float, float]:
        """The best first; of equals, the one that searches least, in nodes, which do not depend on the load."""
        return -round(self.score, 9), self.nodes


def figures_of(points: Sequence[Point], records: Sequence[Record]) -> list[PointFigures]:
    """Sum up the records of each point, the best point first; points without any run are left out."""
    by_point: dict[Point, list[Record]] = {}
    for record in records:
        by_point.setdefault(record.spec.settings[1:], []).append(record)
    found = []
    for point in points:
        some = by_point.get(point, [])
        shares = {True: list[float](), False: list[float]()}
        for record in some:
            shares[record.spec.fold == LONG].append(record.outcome["sets"][0]["exact"] if record.outcome else 0.0)
        outcomes = [record.outcome for record in some if record.outcome]
        if some:
            nodes = fmean(one["nodes"] for one in outcomes) if outcomes else math.inf
            seconds = fmean(record.seconds for record in some)
            found.append(PointFigures(point, shares[False], shares[True], nodes, seconds, len(some)))
    return sorted(found, key=lambda one: one.rank)


def sweep_table(figures: Sequence[PointFigures]) -> Table:
    """Make a table, the best settings first."""
    keys = [setting.partition("=")[0] for setting in figures[0].point]
    rows = []
    for place, one in enumerate(figures):
        values = [setting.partition("=")[2] for setting in one.point]
        shares = [percent(fmean(part)) if part else "—" for part in (one.at_random, one.long)]
        least = percent(min((*one.at_random, *one.long)))
        nodes = f"{one.nodes:,.0f}" if one.nodes < math.inf else "—"
        cells = (*values, percent(one.score), *shares, least, str(one.runs), nodes, f"{one.seconds:.1f}")
        rows.append(Row(cells, PAPER if place else OURS))
    notes = (
        "Percent of held-out training examples that are exactly right: parts held out at random, the longest inputs, "
        "and the mean of both, by which settings are ordered; of equals, the one with fewer nodes of search comes "
        "first. No test data was used.",
    )
    columns = (*keys, "score", "random", "long", "min", "runs", "nodes", "seconds")
    return Table("sweep", "Settings by cross-validation", columns, rows, notes, texts=len(keys))


def sweep_plots(figures: Sequence[PointFigures]) -> list[Plot]:
    """Draw the score over each setting that has numbers for values, the mean and span over all other settings."""
    plots = []
    for place, setting in enumerate(figures[0].point):
        key = setting.partition("=")[0]
        values = {one.point: parse_value(one.point[place].partition("=")[2]) for one in figures}
        if len(set(values.values())) < 2 or not all(type(value) in (int, float) for value in values.values()):
            continue
        series = []
        for name, part in (("random folds", "at_random"), ("longest inputs", "long")):
            scores: dict[float, list[float]] = {}
            for one in figures:
                if shares := getattr(one, part):
                    scores.setdefault(values[one.point], []).append(fmean(shares))
            if scores:
                points = [(value, fmean(scores[value])) for value in sorted(scores)]
                spans = [(min(scores[value]), max(scores[value])) for value in sorted(scores)]
                series.append(Series(name, points, spans))
        plots.append(
            Plot(f"sweep-{place}", f"Held-out accuracy by {key}", key, "held out, right", series, percent=True)
        )
    return plots


def sweep_html(
    results: Results, figures: Sequence[PointFigures], task: str, command: str, seeds: int, code: str
) -> str:
    """Write the page: the best settings, table, plots, failures, all runs."""
    best = figures[0]
    lead = f"{len(figures)} settings judged by cross-validation on {task}. Best: {', '.join(best.point)}, "
    parts = [
        PagePart("Best settings", code=toml_of(best.point).splitlines()),
        PagePart("Table", tables=[sweep_table(figures)]),
        PagePart("Plots", plots=sweep_plots(figures)),
        failed_part(results),
        runs_part(results),
        made_part(command, seeds, code, results),
    ]
    failed = len(results.failures)
    warning = f"{failed} of {len(results.records)} runs failed; they count as nothing right." if failed else ""
    return render("Settings compared", f"{lead}right on {percent(best.score)}%.", parts, warning)


def toml_of(point: Point) -> str:
    """Write settings as a file for `ness train --config`."""
    sections: dict[str, list[str]] = {}
    for setting in point:
        key, _, text = setting.partition("=")
        section, _, name = key.rpartition(".")
        sections.setdefault(section, []).append(f"{name} = {json.dumps(parse_value(text), ensure_ascii=False)}")
    lines: list[str] = []
    for section in sorted(sections):  # keys of no section come first, as TOML wants it
        lines += [*([f"[{section}]"] if section else []), *sections[section], ""]
    return "\n".join(lines)


def command_of(train: str, axes: Sequence[str], options: dict[str, Any]) -> str:
    """Write the command that makes a sweep."""
    words = ["ness", "sweep", train, *(part for one in axes for part in ("--set", one))]
    for name, value in options.items():
        words += [f"--{name}"] if value is True else [] if value in (None, False) else [f"--{name}", str(value)]
    return shlex.join(words)
