"""The plots of what was measured."""

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest

from fake_runs import records
from ness.experiments.experiments import TABLES, all_runs, runs_of
from ness.experiments.figures import plots_of
from ness.experiments.plots import Plot, Series, to_svg
from ness.experiments.rivals import Scale
from ness.experiments.summary import Results

SCALE = Scale(2)


def test_the_plots_draw_what_was_measured() -> None:
    plots = {plot.name: plot for plot in plots_of(Results(records(all_runs(TABLES, SCALE))))}
    assert plots["efficiency"].series[0].points == [(50.0, 1.0), (100.0, 1.0), (200.0, 1.0), (400.0, 1.0)]
    assert plots["search"].series[0].points == [(1.0, 10.0), (2.0, 30.0), (3.0, 5.0)]
    assert plots["learning-lstm"].series[0].points == [(20.0, 1.0), (30.0, 0.5), (40.0, 0.1)]
    assert {"length-test-output", "jump-test-output", "cfg-while", "cfg-lambda", "learning-ness"} <= set(plots)
    assert plots_of(Results([])) == []


def test_a_plot_draws_its_lines_and_escapes_their_names() -> None:
    series = [Series("a <b>", [(10, 0.0), (100, 0.5), (1000, 1.0)], [(0, 0), (0.2, 0.8), (1, 1)])]
    svg = to_svg(Plot("p", "T <t>", "x", "y", series, log_x=True, percent=True))
    assert svg.startswith("<svg ")
    assert 'class="plot" role="img" aria-label="T &lt;t&gt;"' in svg
    assert "a &lt;b&gt;" in svg
    assert [label for label in ("10", "100", "1,000", "100%") if f">{label}</text>" not in svg] == []


@pytest.mark.parametrize("values", [[5.0], [1e-9, 1e9], [3.0, 3.0]])
@pytest.mark.parametrize("log", [True, False])
def test_a_plot_of_anything_has_finite_places(values: list[float], log: bool) -> None:
    svg = to_svg(Plot("p", "T", "x", "y", [Series("s", list(enumerate(values, 1)))], log_x=log, log_y=log))
    assert "nan" not in svg


@pytest.mark.parametrize(
    ("places", "log"),
    [([10, 50, 100, 500, 1000, 5000], True), ([10, 11, 500, 1000, 5000], True), (range(24, 49), False)],
    ids=["lengths of parsing", "near each other", "lengths of SCAN"],
)
def test_labels_of_an_axis_do_not_overlap(places: Sequence[int], log: bool) -> None:
    svg = to_svg(Plot("p", "T", "x", "y", [Series("s", [(place, 1.0) for place in places])], log_x=log))
    labels = [(float(x), text) for x, text in re.findall(r'middle[^>]* x="([\d.]+)"[^>]*>([\d,]+)<', svg)]
    spans = [(x - 3.5 * len(text), x + 3.5 * len(text)) for x, text in labels]  # a digit is 7 points wide at most
    assert len(spans) > 2
    assert all(end < start for (_, end), (start, _) in pairwise(spans))


def test_two_points_are_no_curve() -> None:
    made = records(runs_of("fewshot", SCALE))
    names = {plot.name for plot in plots_of(Results(made))}
    assert "learning-lstm" in names
    for record in made:
        assert record.outcome is not None
        record.outcome["curve"] = record.outcome["curve"][:2]
    assert "learning-lstm" not in {plot.name for plot in plots_of(Results(made))}
