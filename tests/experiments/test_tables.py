"""The tables and what is written of them."""

import json
from io import StringIO

import pytest
from rich.console import Console

from fake_runs import outcome, records
from ness.experiments.environment import version_of_code
from ness.experiments.experiments import TABLES, runs_of
from ness.experiments.markdown import results_markdown
from ness.experiments.overview import overview_table
from ness.experiments.page import PagePart, render
from ness.experiments.report import Context
from ness.experiments.results import results_json
from ness.experiments.rivals import Scale
from ness.experiments.runner import Record
from ness.experiments.spec import NESS, RunSpec, TestSet
from ness.experiments.summary import Results, percent, titles_of
from ness.experiments.table import OURS, Row, Table, to_markdown, to_rich
from ness.experiments.tables import tables_of
from ness.experiments.training import training_table

SCALE = Scale(2)


COMMANDS = {name: f"ness reproduce {name}" for name in TABLES}


CONTEXT = Context("ness reproduce all", COMMANDS, 2, False, version_of_code())


def cells(table: Table, *starts: str) -> list[tuple[str, ...]]:
    return [row.cells[len(starts) :] for row in table.rows if row.cells[: len(starts)] == starts]


def test_the_scan_table_has_published_and_measured_figures() -> None:
    runs = runs_of("scan", SCALE)
    made = records(runs)
    miss = next(place for place, run in enumerate(runs) if run.group == (NESS, "scan/jump", "") and run.seed == 1)
    made[miss] = Record(runs[miss], 9.0, outcome(runs[miss], 0.98), None)
    table, seeds = tables_of("scan", Results(made))
    assert table.columns[2::2] == ("Length", "Around right", "Jump", "Simple")
    (meta,) = cells(table, "Meta Seq2seq (perm)")
    assert "test commands among it" in meta[0]
    assert meta[2::2] == ("16.64", "98.71", "99.95", "—")
    assert cells(table, "NeSS", "—")[0][::2] == ("100", "100", "99.00", "100")
    assert [row.cells[0] for row in table.rows][:4] == ["NeSS", "LSTM (ours)", "Transformer (ours)", "Seq2seq"]
    assert cells(seeds, "NeSS: Jump") == [("100", "99.00", "98.00", "100 · 98.00", "7", "0.5")]
    assert cells(seeds, "NeSS, rules alone: Length") == [("100", "100", "100", "100 · 100", "7", "0.5")]


def test_a_figure_beyond_the_published_spread_is_explained() -> None:
    runs = [RunSpec("geca", f"scan/{split}", 0) for split in ("jump", "around_right")]
    table, _ = tables_of("scan", Results(records(runs, 0.8)))
    told = [note for note in table.notes if note.startswith("GECA")]
    assert len(told) == 1, "around right is within the spread of its seeds"
    assert told[0].startswith("GECA: jump 80.00 here, 87 ± 5.5 published: ")
    parsing = RunSpec("seq2tree", "cfg/while:std-10", 0, sets=(TestSet("train"), TestSet("test-10")))
    told = [note for note in tables_of("cfg", Results(records([parsing])))[0].notes if note.startswith("Seq2tree")]
    assert [note.partition(": larger")[0] for note in told] == [
        "Seq2tree: while:std-10, test-10 100 here, 88.7 published"
    ]


def test_a_failed_run_is_shown_as_failed() -> None:
    runs = [run for run in runs_of("fewshot", SCALE) if run.system == NESS]
    made = [records(runs)[0], Record(runs[1], 1.0, None, "ended with code 1")]
    (table,) = tables_of("fewshot", Results(made))
    assert cells(table, "NeSS", "100") == [("100", "failed", "100 · failed", "7", "0.5")]
    assert cells(table, "LSTM (ours)") == [], "what was not run is not spoken of"
    assert cells(table, "Human", "84.3") == [("—", "—", "—", "—", "—")]


def test_translation_is_measured_in_two_ways() -> None:
    semantic, exact = tables_of("translation", Results(records(runs_of("translation", SCALE), 0.625)))
    assert cells(semantic, "NeSS")[0][:2] == ("100", "62.50")
    assert cells(exact, "NeSS", "77.5")[0][:2] == ("62.50", "62.50")


def test_the_parsing_tables_have_every_set_of_both_languages() -> None:
    full, seeds = tables_of("cfg", Results(records(runs_of("cfg", SCALE))))
    assert len(full.rows) == 2 * 3 * 7
    (row,) = cells(full, "Lambda-Lang", "Std-50", "Test-50")
    here = ("100 (100)", "100", "100")
    assert row == (*here, "— (100)", "— (66.6)", "— (88.1)", "— (0)", "— (0)", "— (0)")
    assert full.columns[3:7] == ("NeSS", "LSTM (ours)", "Transformer (ours)", "Neural Parser")
    assert cells(full, "While-Lang", "Std-10", "Test-50")[0] == ("100", "100", "100", *["—"] * 6)
    assert cells(seeds, "NeSS", "While, Std-10") == [(*["100 (2 seeds)"] * 7, "7")]


def test_categories_of_all_seeds_are_put_together() -> None:
    (table,) = tables_of("categories", Results(records(runs_of("categories", SCALE))))
    found = cells(table, "measured here", "scan/length")
    assert found == [("{jump, walk}, {right, left}", "2 of 2")]
    assert len(cells(table, "paper")) == 3


def test_rules_say_how_many_seeds_have_them() -> None:
    made = records(runs_of("rules", SCALE))
    for record in made:
        assert record.outcome is not None
        record.outcome["reduce"].append({"words": "so", "phrase": "X", "count": 1, "share": 0.25})
    scan, translation, fewshot = tables_of("rules", Results(made))
    assert cells(scan, "paper", "jump", "I_JUMP") == [("2 of 2", "30", "100")]
    assert cells(scan, "paper", "turn left", "I_TURN_LEFT") == [("0 of 2", "—", "—")]
    assert cells(scan, "only here", "so", "X") == [("2 of 2", "1", "25.00")]
    assert len(cells(translation, "paper")) == 14
    assert cells(fewshot, "paper") == []


def test_a_rule_that_a_run_does_not_keep_is_not_called_missing() -> None:
    made = records(runs_of("rules", SCALE))
    for record in made:
        assert record.outcome is not None
        rules = [{"words": f"w{n}", "phrase": "X", "count": 2, "share": 1.0} for n in range(400)]
        record.outcome["reduce"] = rules
    _, translation, _ = tables_of("rules", Results(made))
    assert cells(translation, "paper", "daxy", "daxiste") == [("rare", "—", "—")]
    assert any("not among the 400 most used" in note for note in translation.notes)


def test_ablations_and_efficiency_have_all_their_rows() -> None:
    (ablations,) = tables_of("ablations", Results(records(runs_of("ablations", SCALE))))
    assert [row.cells[0].split(":")[0] for row in ablations.rows].count("no category predictors") == 2
    assert len(ablations.rows) == 2 + 2 + 1 + 1 + 1
    (efficiency,) = tables_of("efficiency", Results(records(runs_of("efficiency", SCALE))))
    assert [row.cells[0] for row in efficiency.rows[:2]] == ["NeSS: 50 commands", "NeSS: 100 commands"]
    assert len(efficiency.rows) == 16
    assert [row.cells[0] for row in efficiency.rows[-4:-3]] == ["NeSS, rules alone: 50 commands"]
    assert "NeSS answers by its network alone, greedily, without search." in efficiency.notes


def test_a_table_says_who_answers() -> None:
    made = records(runs_of("translation", SCALE))
    by_network, _ = tables_of("translation", Results(made))
    assert len(cells(by_network, "NeSS, rules alone")) == 1
    for record in made:
        assert record.outcome is not None
        record.outcome["rules"] = []
        for figures in record.outcome["sets"]:
            figures["engine"] = "rules"
    by_rules, _ = tables_of("translation", Results(made))
    assert cells(by_rules, "NeSS, rules alone") == []
    assert any("by its weighed rules" in note for note in by_rules.notes)


def test_the_overview_has_a_line_for_each_task_that_was_run() -> None:
    made = Results(records([*runs_of("scan", SCALE), *runs_of("cfg", SCALE)]))
    table = overview_table(made, COMMANDS)
    assert cells(table, "SCAN, around right") == [("100", "100", "100", "100", "2", "7")]
    assert len(table.rows) == 4 + 2 * 3
    by_rules = records(runs_of("translation", SCALE))
    for record in by_rules:
        assert record.outcome is not None
        record.outcome["sets"][0]["engine"] = "rules"
    assert overview_table(Results(by_rules), COMMANDS).rows[0].cells[0] == "translation, by meaning (rules alone)"
    assert len(overview_table(made, ["scan"]).rows) == 4


def test_the_logs_are_summed_up() -> None:
    runs = [*runs_of("fewshot", Scale(2)), *runs_of("translation", Scale(1))]
    made = records(runs)
    made[1] = Record(runs[1], 1.0, None, "ended with code 1")
    table = training_table(Results(made))
    assert cells(table, "NeSS", "fewshot") == [
        ("converged (1); failed (1)", "2", "40", "0.1", "97.00", "0", "5,000", "—", "1 – 9")
    ]
    assert cells(table, "LSTM (ours)", "translation") == [
        ("converged", "1", "40", "0.1", "97.00", "0", "5,000", "—", "9")
    ]
    assert "Dropout was set to 0" in table.notes[-1]


@pytest.mark.parametrize("name", TABLES)
def test_a_table_can_be_made_without_any_run(name: str) -> None:
    tables = tables_of(name, Results([]))
    assert tables
    for table in tables:
        assert all(len(row.cells) == len(table.columns) for row in table.rows)


@pytest.mark.parametrize(
    ("share", "shown"),
    [(1.0, "100"), (0.99999, "99.99"), (0.0, "0"), (0.00001, "0.01"), (0.57, "57.00"), (0.625, "62.50")],
)
def test_nothing_is_rounded_to_perfection(share: float, shown: str) -> None:
    assert percent(share) == shown


def test_a_table_in_all_its_forms() -> None:
    table = Table("t", "A <title>", ("name", "figure"), [Row(("a|b", "1")), Row(("<i>c", "2"), OURS)], ("A note.",))
    assert to_markdown(table).splitlines()[2:6] == [
        "| name | figure |",
        "| --- | ---: |",
        "| a\\|b | 1 |",
        "| **<i>c** | 2 |",
    ]
    page = render("<b>", "A <lead>", [PagePart("Tables", tables=[table])])
    assert "&lt;i&gt;c" in page
    assert "<i>" not in page
    assert "<b>" not in page
    console = Console(file=StringIO(), width=60)
    console.print(to_rich(table))
    assert isinstance(console.file, StringIO)
    assert "A <title>" in console.file.getvalue()


def test_misses_are_named_in_the_markdown() -> None:
    runs = runs_of("fewshot", SCALE)
    tables = {"fewshot": tables_of("fewshot", Results(records(runs)))}
    fine = results_markdown(Results(records(runs)), tables, CONTEXT)
    assert "Every default NeSS run is right" in fine
    wrong = [*records(runs[:1], 0.9), Record(runs[1], 1.0, None, "ended with code 3")]
    text = results_markdown(Results(wrong), tables, CONTEXT)
    assert "- NeSS, fewshot, seed 0, test: 10 of 100 not exact\n  - `walk -> <b>RUN</b> (expected WALK)`" in text
    assert "- NeSS, fewshot, seed 1: ended with code 3" in text


def test_nothing_is_said_of_ness_where_it_was_not_run() -> None:
    made = Results(records([RunSpec("geca", "fewshot", 0)]))
    text = results_markdown(made, {"fewshot": tables_of("fewshot", made)}, CONTEXT)
    assert "## Misses" not in text
    assert "At a glance" not in text


def test_runs_are_named_by_their_seeds() -> None:
    runs = [RunSpec("geca", "fewshot", seed) for seed in range(2)] + [RunSpec(NESS, "fewshot", 1, "small")]
    assert titles_of(runs) == ("NeSS (small), seed 1: fewshot", "GECA, seeds 0, 1: fewshot")


def test_the_results_are_plain_values() -> None:
    made = Results(records(runs_of("fewshot", SCALE)))
    values = json.loads(json.dumps(results_json(made, {"fewshot": tables_of("fewshot", made)}, CONTEXT)))
    assert values["runs"][0]["outcome"]["sets"][0]["exact"] == 1.0
    assert values["runs"][0]["spec"]["seed"] == 0
    assert values["tables"]["fewshot"][0]["rows"][0][:3] == ["NeSS", "100", "100"]
