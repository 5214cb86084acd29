"""Rules as text: readable, and equal after a round trip."""

import pytest
from hypothesis import given, settings

from ness.errors import CheckpointError
from ness.machine import parse_program
from ness.rules import Categories, RuleTable
from ness.rules.parse import parse_rules
from ness.rules.text import format_rules
from rule_tables import crowded_table, rule_tables

TRACES = {
    "jump twice": "SHIFT; REDUCE JUMP; SHIFT; CONCAT_S 0,0; FINAL",
    "look twice": "SHIFT; REDUCE LOOK; SHIFT; CONCAT_S 0,0; FINAL",
    "jump around left": "SHIFT; REDUCE JUMP; SHIFT; PUSH; SHIFT; REDUCE LTURN; POP; CONCAT_M 2,0; CONCAT_S 1,1; FINAL",
}
TEXT = """\
# <word> any word of its category | ● a phrase | end: of the input | none: no second frame

categories  # words that are treated alike
  <jump> = jump look

operators  # next word, top frame, second frame, memory => operator, traces
  <jump>  []            none        []  => SHIFT {jump 2, look 1}
  end     [●]           none        []  => FINAL 3
  around  [●]           none        []  => SHIFT 1
  twice   [●]           none        []  => SHIFT 2
  left    [● around]    none        []  => PUSH 1
  end     [● around ●]  none        []  => CONCAT_M 1
  end     [● twice]     none        []  => CONCAT_S 2
  end     [around]      none        [●] => CONCAT_S 1
  around  [<jump>]      none        []  => REDUCE {jump 1}
  twice   [<jump>]      none        []  => REDUCE {jump 1, look 1}
  left    []            [● around]  []  => SHIFT 1
  end     [●]           [● around]  []  => POP 1
  end     [left]        [● around]  []  => REDUCE 1

reduce  # words of the top frame => phrase, traces
  [jump] => [JUMP] 2
  [left] => [LTURN] 1
  [look] => [LOOK] 1

concat_m  # top frame, memory => items joined into the memory, traces
  [● around ●]  [] => 2,0 1

concat_s  # top frame, memory => items joined into the top frame, traces
  [● twice]  []  => 0,0 2
  [around]   [●] => 1,1 1

tokens  # of equally frequent rules, the one whose tokens stand first here is taken
"""


def small_table() -> RuleTable:
    traces = [(tuple(source.split()), parse_program(program)) for source, program in TRACES.items()]
    return RuleTable.from_traces(traces, Categories([["look", "jump"]]))


@pytest.mark.parametrize("seed", range(20))
def test_conflicting_rules_read_back(seed: int) -> None:
    table = crowded_table(seed)
    assert parse_rules(format_rules(table)) == table


@settings(max_examples=40)
@given(rule_tables())
def test_the_text_reads_back_as_the_same_table(table: RuleTable) -> None:
    text = format_rules(table)
    assert parse_rules(text) == table
    assert format_rules(parse_rules(text)) == text


def test_a_person_can_read_it() -> None:
    assert format_rules(small_table()) == TEXT


def test_layout_and_comments_mean_nothing_to_the_parser() -> None:
    squeezed = " ".join(line.split("#")[0] for line in TEXT.splitlines())
    assert parse_rules(squeezed) == small_table()
    assert parse_rules(TEXT.replace("\n", " # a remark\r\n")) == small_table()


def test_long_lists_of_words_are_broken_into_lines() -> None:
    words = [f"word{number}" for number in range(60)]
    program = parse_program("SHIFT; REDUCE X; FINAL")
    table = RuleTable.from_traces([((word,), program) for word in words], Categories([words]))
    text = format_rules(table)
    operators = text.partition("operators")[2].partition("reduce")[0]
    assert max(map(len, operators.splitlines())) < 120
    assert parse_rules(text) == table


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("concat_m ", "concat_x ", "line 26"),
        ("reduce  #", "operators #", "expected 'reduce'"),
        ("FINAL 3", "FINAL", "expected a number"),
        ("FINAL 3", "FINAL 0", "at least 1"),
        ("FINAL 3", "FINISH 3", "line 8, at 'FINISH 3': expected an operator"),
        ("FINAL 3", "POP 3", "POP cannot run with"),
        ("look 1}", "left 1}", "'left' is not in the category of 'jump'"),
        ("look 1}", "jump 1}", "listed twice"),
        ("look 1}", "look 1", "expected '}'"),
        ("[JUMP] 2", "[] 2", "at least one target token"),
        ("[JUMP] 2", '["JUMP] 2', "quote is missing"),
        ("[JUMP] 2", '["\\x"] 2', "not a JSON string"),
        ("[left] =>", "[end] =>", "write it in quotes"),
        ("[left] =>", "[●] =>", "write it in quotes"),
        ("twice   [●]", "●   [●]", "cannot be a phrase"),
        ("twice   [●]", "<twice>   [●]", "no category <twice>"),
        ("2,0 1", "1,0 1", "not a phrase"),
        ("[●] => 1,1", "[x] => 1,1", r"the memory is \[\] or \[●\]"),
        ("= jump look", "= jump look jump", "listed there once"),
        ("<jump> = jump look", "<look> = jump look", "named after its first word"),
        ("first here is taken", "first here is taken\noperators", "comes twice"),
    ],
)
def test_mistakes_are_named_with_their_line(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(CheckpointError, match=message):
        parse_rules(TEXT.replace(old, new, 1))


@pytest.mark.parametrize("text", ["", "categories", "\n", '"', "categories operators reduce concat_m"])
def test_an_unfinished_file_is_refused(text: str) -> None:
    with pytest.raises(CheckpointError):
        parse_rules(text)
