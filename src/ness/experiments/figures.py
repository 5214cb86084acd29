"""The plots of the report, made from results."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ness.data.parsing import LANGUAGES, TEST_LENGTHS
from ness.experiments.datasets import SAMPLE
from ness.experiments.experiments import SAMPLE_SIZES, SPLITS, cfg_task
from ness.experiments.plots import Plot, Series
from ness.experiments.spec import NESS, SYSTEMS
from ness.experiments.summary import Measurement, Results

_DOMAINS = ("scan/length", "fewshot", "cfg/while", "cfg/lambda")
_LEARNED = (
    "scan/length",
    "scan/jump",
    "fewshot",
    "translation",
    "cfg/while",
    "cfg/lambda",
    f"{SAMPLE}{SAMPLE_SIZES[-1]}",
)
_CURVE = 3  # points that make a curve
_SPANS = "Bars span the seeds."


def plots_of(results: Results) -> list[Plot]:
    """Make the plots for which there are runs."""
    plots = [
        *(length_plot(results, f"scan/{split}", "test", "by_output") for split in SPLITS),
        *(_parsing(results, language) for language in LANGUAGES),
        _efficiency(results),
        *(_learning(results, system) for system in results.systems()),
        _search(results),
    ]
    drawn = [replace(plot, series=[one for one in plot.series if len(one.points) >= _CURVE]) for plot in plots]
    return [plot for plot in drawn if plot.series]


def length_plot(results: Results, task: str, test: str, by: str) -> Plot:
    """Draw the accuracy of all systems by the length of the input or of the output."""
    what = "input" if by == "by_input" else "output"
    series = []
    for system in results.systems():
        counts = results.by_length(system, task, test, by)
        series.append(Series(SYSTEMS[system], [(float(length), right / n) for length, (n, right) in counts.items()]))
    name = f"{task.split('/')[-1]}-{test}-{what}".replace(":", "-").replace(".", "-")
    title = f"{_title(task)}, {test}: accuracy by {what} length"
    note = "All seeds together."
    if task == "scan/length" and by == "by_output":
        note += " Training outputs have at most 22 actions."
    drawn = [one for one in series if len(one.points) >= _CURVE]
    return Plot(name, title, f"tokens of the {what}", "exact", drawn, percent=True, note=note)


def _title(task: str) -> str:
    return f"SCAN, {task.removeprefix('scan/').replace('_', ' ')}" if task.startswith("scan/") else task


def _parsing(results: Results, language: str) -> Plot:
    series = []
    for system in results.systems():
        measured = [
            (float(length), results.measured(system, cfg_task(language, "curriculum"), f"test-{length}"))
            for length in TEST_LENGTHS
        ]
        series.append(_series(SYSTEMS[system], measured))
    name = f"{language.capitalize()}-Lang"
    title = f"{name}, curriculum: accuracy by input length"
    return Plot(f"cfg-{language}", title, "tokens of the input", "exact", series, log_x=True, percent=True, note=_SPANS)


def _efficiency(results: Results) -> Plot:
    series = []
    for system in results.systems():
        measured = [(float(size), results.measured(system, f"{SAMPLE}{size}")) for size in SAMPLE_SIZES]
        series.append(_series(SYSTEMS[system], measured))
    title = "SCAN: accuracy on all other commands by number of training commands"
    return Plot("efficiency", title, "training commands", "exact", series, log_x=True, percent=True, note=_SPANS)


def _learning(results: Results, system: str) -> Plot:
    """The losses of the first seed of each task."""
    series = []
    for task in _LEARNED:
        outcomes = results.outcomes(system, task)
        curve = outcomes[0]["curve"] if outcomes else []
        series.append(Series(task, [(float(one["step"]), one["loss"]) for one in curve if one["loss"] > 0]))
    title = f"Learning curves: {'the network of ' if system == NESS else ''}{SYSTEMS[system]}"
    note = "The first seed of each task. " + (
        "Loss of all predictors on the training traces." if system == NESS else "Loss per token of training targets."
    )
    return Plot(f"learning-{system}", title, "step", "loss", series, log_y=True, note=note)


def _search(results: Results) -> Plot:
    series = []
    for task in _DOMAINS:
        outcomes = results.outcomes(NESS, task)
        lessons = outcomes[0].get("lessons", ()) if outcomes else ()
        series.append(Series(task, _nodes_by_lesson(lessons)))
    title = "Search effort per lesson"
    note = "Expanded nodes of all attempts, first seed; a lesson that known rules solve needs none and is left out."
    return Plot("search", title, "lesson", "nodes", series, log_y=True, note=note)


def _nodes_by_lesson(lessons: Sequence[dict[str, Any]]) -> list[tuple[float, float]]:
    """Reports count the nodes of an attempt so far; the difference is the lesson's own."""
    nodes: dict[int, int] = defaultdict(int)
    before = (0, 0)  # attempt, nodes
    for report in lessons:
        spent = report["nodes"] - (before[1] if before[0] == report["attempt"] else 0)
        nodes[report["lesson"]] += spent
        before = report["attempt"], report["nodes"]
    return [(float(lesson), float(spent)) for lesson, spent in sorted(nodes.items()) if spent > 0]


def _series(name: str, measured: Sequence[tuple[float, Measurement]]) -> Series:
    finished = [(x, one.finished) for x, one in measured if one.finished]
    means = [(x, sum(shares) / len(shares)) for x, shares in finished]
    return Series(name, means, [(min(shares), max(shares)) for _, shares in finished])
