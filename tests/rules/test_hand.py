"""Rules by hand: as text, in a table, in learning, and against examples."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from commands import ness
from ness.errors import CheckpointError
from ness.machine import PHRASE, Operator
from ness.model.run_folder import load_run
from ness.rules.hand import NO_RULES, HandRules, obeying
from ness.rules.parse import parse_hand
from ness.rules.table import RuleTable
from ness.rules.text import format_hand, format_rules
from nine_examples import SEVEN
from rule_tables import rule_tables

COMMANDS = SEVEN | {"walk twice and run": "WALK WALK RUN", "jump twice": "JUMP JUMP"}
PINNED = (
    "categories\n  <run> = hop run\nreduce\n  [jump] => [LEAP]\n  [hop] => [HOP HOP HOP] 3\n  [run] => not [WALK]\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "c.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in COMMANDS.items()))
    return tmp_path


@settings(max_examples=50)
@given(rule_tables(), rule_tables())
def test_what_is_written_reads_back(pinned: RuleTable, forbidden: RuleTable) -> None:
    pinned = replace(pinned, contexts={})  # a rule by hand holds above every second frame
    forbidden = RuleTable({}, forbidden.reduce, forbidden.concat, pinned.categories)
    found = parse_hand(format_hand(HandRules(pinned, forbidden)))
    assert found.pinned == pinned
    assert (found.forbidden.reduce, found.forbidden.concat) == (forbidden.reduce, forbidden.concat)


def test_sections_counts_and_words_may_be_left_out() -> None:
    found = parse_hand("categories\n <a> = a b\nconcat_s\n [● <a>] [] => [( 0 )]\n [● c] [] => not 0")
    key = (Operator.CONCAT_S, (PHRASE, "a"), ())
    assert found.pinned.concat == {key: {("(", 0, ")"): 1}, (key[0], (PHRASE, "b"), ()): {("(", 0, ")"): 1}}
    assert found.forbidden.concat == {(key[0], (PHRASE, "c"), ()): {(0,): 1}}
    assert parse_hand("").empty


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("reduce\n [a] => not []", "line 2, .*: REDUCE needs at least one target token"),
        ("concat_s\nreduce\n", "section 'reduce' comes twice, or after one that stands behind it"),
        ("walk -> WALK", "expected a section: categories, operators"),
        ("operators\n a [] none [] => not SHIFT", "an operator can be pinned, not forbidden; pin the one"),
        ("operators\n a [] none [] => READ", "expected an operator"),
        ("categories\n <c> = a b", "named after one of its words, not 'c'"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text: str, message: str) -> None:
    with pytest.raises(CheckpointError, match=message):
        parse_hand(text)


@settings(max_examples=50)
@given(rule_tables())
def test_no_rules_by_hand_change_nothing(table: RuleTable) -> None:
    assert obeying(table, NO_RULES) is table
    assert "pinned" not in format_rules(table).replace('"pinned"', "")


def test_learning_obeys_and_names_what_stands_against_it(folder: Path) -> None:
    (folder / "rules.txt").write_text(PINNED)
    done = ness("train", "c.tsv", "--rules-only", "--quiet", "--rules", "rules.txt", cwd=folder)
    assert done.stdout.startswith("learned        7 of 9 examples, 2 unsolved")
    assert (
        "against rules  2 examples, which rules by hand contradict\n"
        "  line 3: jump: [jump] => [LEAP] gives LEAP, the example says JUMP\n"
        "  line 9: jump twice: [jump] => [LEAP] gives LEAP LEAP, the example says JUMP JUMP\n"
    ) in done.stdout
    assert ness("predict", "runs/c", "hop twice and jump", cwd=folder).stdout == "HOP HOP HOP HOP HOP HOP LEAP\n"
    listed = ness("rules", "runs/c", cwd=folder).stdout
    assert "[jump] => [LEAP] 1  # pinned\n" in listed
    assert "# forbidden:  [run] => not [WALK] 1\n" in listed
    assert load_run(folder / "runs" / "c").hand.forbidden.reduce == {("run",): {("WALK",): 1}}


def test_a_pinned_decision_decides_what_examples_leave_open(folder: Path) -> None:
    asked = ["predict", "runs/c", "walk and run twice"]
    ness("train", "c.tsv", "--rules-only", "--quiet", cwd=folder)
    assert ness(*asked, cwd=folder).stdout == "WALK RUN RUN\n"
    (folder / "rules.txt").write_text("operators\n  twice [●] [● and] [] => POP\n")
    done = ness("train", "c.tsv", "--rules-only", "--quiet", "--rules", "rules.txt", "--force", cwd=folder)
    assert done.stdout.startswith("learned        9 of 9 examples")
    assert ness(*asked, cwd=folder).stdout == "WALK RUN WALK RUN\n"


def test_a_pinned_template_is_not_led_around(folder: Path) -> None:
    (folder / "rules.txt").write_text("concat_s\n  [● twice] [] => [( 0 0 )]\n")
    done = ness("train", "c.tsv", "--rules-only", "--quiet", "--rules", "rules.txt", "--time-limit", "20", cwd=folder)
    assert "4 unsolved" in done.stdout
    assert "line 4: walk twice: [● twice] [] => [( 0 0 )] gives ( WALK WALK ), the example" in done.stdout


def test_rules_are_written_edited_and_used(folder: Path) -> None:
    ness("train", "c.tsv", "--rules-only", "--quiet", cwd=folder)
    done = ness("rules", "runs/c", "--out", "rules.txt", cwd=folder)
    assert (done.stdout, done.stderr.split(";")[0]) == ("", "wrote rules.txt")
    text = (folder / "rules.txt").read_text()
    (folder / "rules.txt").write_text(text.replace("[JUMP]", "[LEAP]"))
    done = ness("rules", "runs/c", "--use", "rules.txt", cwd=folder)
    assert done.stdout == (
        "rules.txt is sound: 7 of 9 training examples are answered as before\n"
        "  changed: jump: LEAP instead of JUMP\n  changed: jump twice: LEAP LEAP instead of JUMP JUMP\n"
    )
    assert ness("predict", "runs/c", "jump and run", cwd=folder).stdout == "LEAP RUN\n"
    (folder / "few.txt").write_text(PINNED)
    assert ness("rules", "runs/c", "--use", "few.txt", cwd=folder).returncode == 0
    assert ness("predict", "runs/c", "hop and walk", cwd=folder).stdout == "HOP HOP HOP WALK\n"
    done = ness("train", "c.tsv", "--rules-only", "--quiet", "--rules", "rules.txt", "--out", "runs/d", cwd=folder)
    assert "line 3: jump: [jump] => [LEAP] gives LEAP, the example says JUMP" in done.stdout


def test_a_few_rules_for_operators_are_put_over_what_was_learned(folder: Path) -> None:
    ness("train", "c.tsv", "--rules-only", "--quiet", cwd=folder)
    (folder / "few.txt").write_text("operators\n  twice [●] [● and] [] => POP\n")
    done = ness("rules", "runs/c", "--use", "few.txt", cwd=folder)
    assert done.stdout == "few.txt is sound: 9 of 9 training examples are answered as before\n"
    assert ness("predict", "runs/c", "walk and run twice", cwd=folder).stdout == "WALK RUN WALK RUN\n"


@pytest.mark.parametrize("option", [["rules", "runs/no", "--use"], ["train", "c.tsv", "--rules"]])
def test_a_file_that_is_no_rules_is_told_in_one_line(folder: Path, option: list[str]) -> None:
    (folder / "bad.txt").write_text("walk -> WALK\n")
    done = ness(*option, "bad.txt", cwd=folder)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "bad.txt cannot be read as rules: Rules, line 1" in done.stderr or "no run folder" in done.stderr.lower()


@pytest.mark.parametrize("setting", ["search.strategy=sampled", "search.phrases=on"])
def test_what_obeys_no_rules_says_so(folder: Path, setting: str) -> None:
    (folder / "hand.txt").write_text(PINNED)
    done = ness("train", "c.tsv", "--quiet", "--rules", "hand.txt", "--set", setting, cwd=folder)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "by hand; use --set search." in done.stderr
