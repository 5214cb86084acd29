"""Which runs there are, on what data, and how they are measured."""

import pytest

from fake_runs import records
from ness.data.scan import commands
from ness.errors import ConfigError
from ness.experiments import paper
from ness.experiments.datasets import ONE_PHRASE, limited, load, scan_sample, show_case
from ness.experiments.environment import version_of_code
from ness.experiments.experiments import SPLITS, TABLES, all_runs, chosen_tables, runs_of
from ness.experiments.measure import Checked, measure
from ness.experiments.report import Context, report_html
from ness.experiments.rivals import Scale, chosen_systems
from ness.experiments.spec import LSTM, NESS, SYSTEMS, RunSpec
from ness.experiments.summary import Results
from ness.experiments.table import Table

SCALE = Scale(2)


COMMANDS = {name: f"ness reproduce {name}" for name in TABLES}


CONTEXT = Context("ness reproduce all", COMMANDS, 2, False, version_of_code())


def cells(table: Table, *starts: str) -> list[tuple[str, ...]]:
    return [row.cells[len(starts) :] for row in table.rows if row.cells[: len(starts)] == starts]


def test_tables_are_checked_and_ordered() -> None:
    assert chosen_tables(["rules", "scan"]) == ["scan", "rules"]
    assert chosen_tables(["all"]) == list(TABLES)
    with pytest.raises(ConfigError, match="there is no table 'sacn'"):
        chosen_tables(["scan", "sacn"])


def test_tables_share_their_runs() -> None:
    together = all_runs(["scan", "categories"], SCALE)
    apart = [*runs_of("scan", SCALE), *runs_of("categories", SCALE)]
    assert len(together) == len(set(together)) < len(apart)
    assert [run.system for run in together][: 2 * len(SPLITS) + 2] == [NESS] * (2 * len(SPLITS) + 2)


def test_a_quick_run_is_smaller_and_has_the_same_tables() -> None:
    quick, full = all_runs(TABLES, Scale(1, quick=True)), all_runs(TABLES, Scale(5))
    assert {run.seed for run in quick} == {0}
    assert {run.seed for run in full} == set(range(5))
    assert sum(run.expected for run in quick) < sum(run.expected for run in full) / 4


@pytest.mark.slow
def test_only_the_systems_asked_for_are_run_and_spoken_of() -> None:
    assert {run.system for run in all_runs(TABLES, Scale(2, systems=(NESS,)))} == {NESS}
    assert {run.system for run in all_runs(["scan"], Scale(2, systems=("cnn", "geca")))} == {"cnn", "geca"}
    with_them, alone = (Results(records(runs_of("fewshot", scale))) for scale in (Scale(1), Scale(1, False, (NESS,))))
    for told in ("other systems trained", "Ours, LSTM and Transformer:"):
        assert told in report_html(with_them, {}, CONTEXT)
        assert told not in report_html(alone, {}, CONTEXT)


def test_systems_are_chosen_by_name() -> None:
    assert chosen_systems(None) == (NESS, "lstm", "transformer")
    assert chosen_systems("geca, cnn") == ("cnn", "geca")
    assert chosen_systems("all") == tuple(SYSTEMS)
    with pytest.raises(ConfigError, match="there is no system 'gecca'; did you mean 'geca'"):
        chosen_systems("gecca")
    with pytest.raises(ConfigError, match="no system is named"):
        chosen_systems(",")


def test_every_run_has_settings_that_resolve() -> None:
    for scale in (Scale(1, systems=tuple(SYSTEMS)), Scale(1, True, tuple(SYSTEMS))):
        for run in all_runs(TABLES, scale):
            assert run.config()


def test_all_runs_fit_into_the_time_that_the_makefile_says() -> None:
    full, quick = all_runs(TABLES, Scale(5)), all_runs(TABLES, Scale(1, True, tuple(SYSTEMS)))
    assert sum(run.expected for run in full) < 2 * 5 * 3600
    assert sum(run.expected for run in quick) < 2 * 15 * 60


def test_published_figures_are_complete() -> None:
    assert all(set(figures) == set(SPLITS) for figures in paper.SCAN.values())
    assert all(len(row) == len(paper.CFG_SYSTEMS) for rows in paper.CFG.values() for row in rows.values())
    assert len(paper.CFG) == 6


def test_samples_are_short_and_the_rest_is_the_test() -> None:
    train, test = scan_sample(50, seed=1)
    assert len(set(train)) == 50
    assert max(len(example.source) for example in train) == 5
    assert {" ".join(example.source) for example in train} >= set(ONE_PHRASE)
    assert set(train) | set(test) == set(commands())
    assert set(train).isdisjoint(test)
    assert scan_sample(50, seed=1) == (train, test) != scan_sample(50, seed=2)
    assert load("scan/sample:50", 1).train == train


def test_a_limit_takes_random_examples_of_a_list_and_the_first_drawn_ones() -> None:
    test = load("scan/length", 0).tests["test"]
    assert limited(test, None) is test
    some = limited(test, 50)
    assert len(some) == 50
    assert some == limited(test, 50) != test[:50]
    drawn = load("cfg/while", 0).tests["test-10"]
    assert list(limited(drawn, 3)) == drawn[:3]


def test_the_example_that_is_shown_is_varied_and_short() -> None:
    examples = load("scan/length", 0).tests["test"]
    shown = show_case(examples)
    assert len(set(shown.source)) >= 7
    assert len(shown.source) <= 12


def test_measuring_counts_by_length_and_names_mistakes() -> None:
    examples = load("fewshot", 0).train[:5]
    answered: list[Checked] = [(True, "RED")] * 4 + [(False, None)]
    found = measure(lambda _: answered, "train", examples)
    assert (found["n"], found["errors"], found["exact"]) == (5, 1, 0.8)
    assert found["by_input"] == [(1, 4, 4), (2, 1, 0)]
    assert found["by_output"] == [(1, 4, 4), (3, 1, 0)]
    assert found["mistakes"] == ["lug fep -> no answer (expected BLUE BLUE BLUE)"]


def test_tu_and_vous_mean_the_same() -> None:
    example = (
        load("fewshot", 0).train[0]._replace(source=("you", "are", "daxy", "."), target=("tu", "es", "daxiste", "."))
    )
    found = measure(lambda _: [(False, "vous etes daxiste .")], "test", [example], semantic=True)
    assert (found["exact"], found["semantic"]) == (0.0, 1.0)
    found = measure(lambda _: [(False, "je suis daxiste .")], "test", [example], semantic=True)
    assert found["semantic"] == 0.0


def test_a_system_reads_its_settings() -> None:
    assert RunSpec(LSTM, "fewshot", 3, settings=("steps=7",)).config()["steps"] == 7
    assert RunSpec("equivariant", "scan/jump", 0).config()["orbits"].startswith("jump run")
