"""Sweeps: what is held out, which settings are tried, how they are judged, and the command from end to end."""

import json
import random
import tomllib
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import ness
from fake_runs import figures, outcome
from ness.data.example import Example, example_of
from ness.errors import ConfigError, DataError
from ness.experiments.folds import LONG, folds_of, held_out
from ness.experiments.runner import Record
from ness.experiments.spec import NESS, RunSpec
from ness.experiments.summary import Results
from ness.experiments.sweep import Axis, Point, figures_of, points_of, sweep_html, sweep_runs, sweep_table, toml_of
from ness.settings import resolve

VERBS = {"walk": "W", "run": "R", "look": "L"}
OFTEN = {"": 1, " twice": 2, " thrice": 3}
PHRASES = {f"{v}{o}": " ".join([t] * n) for (v, t), (o, n) in product(VERBS.items(), OFTEN.items())}
EXAMPLES = [example_of(source, target) for source, target in PHRASES.items()] + [
    example_of(f"{one} and {two}", f"{PHRASES[one]} {PHRASES[two]}") for one, two in product(list(PHRASES)[:4], PHRASES)
]


def test_each_example_is_held_out_once_and_never_learned_from_at_the_same_time() -> None:
    folds = folds_of(EXAMPLES, 3)
    assert folds == ["1/3", "2/3", "3/3", LONG]
    seen: list[Example] = []
    for fold in folds[:3]:
        train, held = held_out(EXAMPLES, fold, seed=0)
        assert sorted(train + held) == sorted(EXAMPLES)
        assert not {example.source for example in train} & {example.source for example in held}
        seen += held
    assert len(seen) == len(set(seen))
    assert held_out(EXAMPLES, "1/3", seed=0) != held_out(EXAMPLES, "1/3", seed=1)


def test_the_longest_inputs_are_held_out() -> None:
    train, held = held_out(EXAMPLES, LONG, seed=0)
    assert min(len(example.source) for example in held) > max(len(example.source) for example in train)
    assert len(held) >= len(EXAMPLES) / 4
    assert LONG not in folds_of([example for example in EXAMPLES if len(example.source) == 2], 3)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=6, max_size=30), st.integers(0, 3))
def test_no_word_is_held_out_alone(pairs: list[tuple[str, str]], seed: int) -> None:
    examples = [example_of(f"{one} {two}", f"{two} {one}") for one, two in pairs]
    try:
        train, held = held_out(examples, "1/2", seed)
    except DataError:  # each input has a word of its own
        return
    assert {word for example in held for word in example.source} <= {word for one in train for word in one.source}


def test_a_grid_has_every_combination_and_a_sample_different_ones() -> None:
    axes = [Axis.of("learner.survivors=3,5"), Axis.of("costs.literal=0.5, 1")]
    assert points_of(axes, None) == [
        ("learner.survivors=3", "costs.literal=0.5"),
        ("learner.survivors=3", "costs.literal=1"),
        ("learner.survivors=5", "costs.literal=0.5"),
        ("learner.survivors=5", "costs.literal=1"),
    ]
    assert len(points_of(axes, 3)) == 3
    assert len(points_of(axes, 50)) == 4
    drawn = points_of([Axis.of("learner.noise=0.5..3"), Axis.of("learner.survivors=2..9")], 10)
    assert len(drawn) == 10
    assert drawn == points_of([Axis.of("learner.noise=0.5..3"), Axis.of("learner.survivors=2..9")], 10)
    for point in drawn:
        config = resolve(None, point).learner
        assert 0.5 <= config.noise <= 3
        assert config.survivors in range(2, 10)


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["learner.survivors"], "write a setting and its values"),
        (["learner.survivor=3,5"], "did you mean 'learner.survivors'"),
        (["learner.survivors=3,many"], "must be int"),
        (["learner.noise=3..0.5"], "Cannot read the range"),
        (["learner.noise=0.5..3"], "a range has no grid"),
        (["learner.noise=1,2", "learner.noise=3"], "given twice"),
    ],
)
def test_what_cannot_be_tried_is_told_before_anything_is_run(texts: list[str], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        points_of([Axis.of(text) for text in texts], None)


def records_of(shares: dict[Point, dict[str, float | None]]) -> list[Record]:
    made = []
    for run in sweep_runs(list(shares), [*next(iter(shares.values()))], 1, "train.tsv", 60.0, []):
        share = shares[run.settings[1:]][run.fold]
        found = outcome(run) | {"nodes": 100 * len(run.settings[1]), "sets": [figures("held out", share or 0.0)]}
        made.append(Record(run, 2.0, None if share is None else found, "no luck" if share is None else None))
    return made


def test_settings_are_judged_by_both_ways_to_hold_out_and_failures_count_as_nothing() -> None:
    fine, short, failed = ("learner.survivors=10",), ("learner.survivors=2",), ("learner.survivors=4",)
    cheap = ("learner.survivors=8",)  # as good with fewer nodes
    shares: dict[Point, dict[str, float | None]] = {
        fine: {"1/2": 0.5, "2/2": 0.75, LONG: 1.0},
        cheap: {"1/2": 0.75, "2/2": 0.5, LONG: 1.0},
        short: {"1/2": 1.0, "2/2": 1.0, LONG: 0.0},
        failed: {"1/2": 1.0, "2/2": None, LONG: 1.0},
    }
    records = records_of(shares)
    random.Random(0).shuffle(records)
    ranked = figures_of(list(shares), records)
    assert [one.point for one in ranked] == [cheap, fine, failed, short]
    assert [one.score for one in ranked] == [0.8125, 0.8125, 0.75, 0.5]
    table = sweep_table(ranked)
    assert table.rows[0].cells[:5] == ("8", "81.25", "62.50", "100", "50.00")
    page = sweep_html(Results(records), ranked, "train.tsv", "ness sweep", 1, "1")
    assert "1 of 12 runs failed" in page
    assert page.count('class="plot"') == 1


def test_the_best_settings_are_a_file_to_train_with(tmp_path: Path) -> None:
    point = ("learner.survivors=5", "costs.literal=0.5", "machine=paper", "learner.controller_guides=false")
    file = tmp_path / "best.toml"
    file.write_text(toml_of(point))
    assert resolve(file=file) == resolve(None, point)
    assert tomllib.loads(file.read_text())["learner"] == {"survivors": 5, "controller_guides": False}


def test_a_fold_is_another_run_and_its_absence_changes_no_folder() -> None:
    run = RunSpec(NESS, "fewshot", 0)
    assert "fold" not in run.to_json()
    held = replace(run, fold="1/2")
    assert held.folder != run.folder
    assert RunSpec.from_json(held.to_json()) == held
    assert RunSpec.from_json(run.to_json()) == run


def test_the_command_goes_on_from_its_records_and_training_takes_its_file(tmp_path: Path) -> None:
    lines = [f"{' '.join(example.source)}\t{' '.join(example.target)}\n" for example in EXAMPLES]
    (tmp_path / "my.tsv").write_text("".join(lines))
    first = ["sweep", "my.tsv", "--set", "learner.survivors=2", "--folds", "2", "--jobs", "0"]
    done = ness(*first, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "[3/3]" in done.stderr
    assert "best: learner.survivors=2" in done.stdout
    more = ["sweep", "my.tsv", "--set", "learner.survivors=2,3", "--folds", "2", "--jobs", "0"]
    plan = ness(*more, "--dry-run", cwd=tmp_path)
    assert plan.stdout.startswith("6 runs: 3 are there already, 3 to do; nothing was started\n")
    again = ness(*more, "--json", cwd=tmp_path)
    assert again.stderr.startswith("3 of 6 runs are there already\n")
    values = json.loads(again.stdout)
    assert values["best"][0] in ("learner.survivors=2", "learner.survivors=3")
    assert {run["spec"]["fold"] for run in values["runs"]} == {"1/2", "2/2", LONG}
    best = tmp_path / "runs" / "sweep-my" / "best.toml"
    trained = ness("train", "my.tsv", "--config", best, "--rules-only", "--quiet", cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    config = json.loads((tmp_path / "runs" / "my" / "config.json").read_text())
    assert f"learner.survivors={config['learner']['survivors']}" == values["best"][0]


def test_a_thousand_runs_are_planned_and_none_is_started(tmp_path: Path) -> None:
    (tmp_path / "my.tsv").write_text("".join(f"{' '.join(one.source)}\t{' '.join(one.target)}\n" for one in EXAMPLES))
    axes = ["--set", "learner.survivors=1,2,3,4,5", "--set", "learner.refits=1,2,3,4,5", "--set", "costs.literal=1,2"]
    done = ness("sweep", "my.tsv", *axes, "--seeds", "5", "--jobs", "2", "--dry-run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "1,000 runs: 0 are there already, 1,000 to do; nothing was started"
    assert "CPU hours" in done.stdout
    assert "2 at a time: about 8.3 h (as asked for)" in done.stdout
    assert not (tmp_path / "runs").exists()
