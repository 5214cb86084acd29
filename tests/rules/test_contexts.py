"""Arguments that the second frame tells: looked up by it, by its end, else refused; in all forms of rules alike."""

import json
from collections import Counter
from itertools import product

import pytest

from ness.answer.copying import copy_unknown_words
from ness.answer.extraction import differences
from ness.answer.rule_engine import RuleEngine
from ness.errors import CheckpointError
from ness.export import runtime
from ness.export.script import compact_rules
from ness.machine import EOS, PHRASE, ConcatS, Instruction, Operator, Parts, Status, View
from ness.rules import Categories, RuleTable
from ness.rules.backoff import FrameNotation
from ness.rules.contexts import Contexts
from ness.rules.hand import HandRules, obeying
from ness.rules.parse import parse_hand, parse_rules
from ness.rules.serialise import from_json, to_json
from ness.rules.table import shape
from ness.rules.text import format_rules
from rule_tables import crowded_table

PAIR = (PHRASE, "and", PHRASE)
COLUMNS: Parts = (0, ",", 2)
CONDITIONS: Parts = (0, "AND", 2)
KEY = (Operator.CONCAT_S, PAIR, ())
SEEN: list[tuple[View | None, Parts]] = [(("show",), COLUMNS), (("show", PHRASE, "where"), CONDITIONS)]


def table_of(seen: list[tuple[View | None, Parts]], times: int = 2) -> RuleTable:
    uses: dict[tuple[Status, Instruction], int] = {}
    for second, parts in seen:
        uses[Status(EOS, PAIR, second, ()), ConcatS(parts)] = times
    table = RuleTable(categories=Categories([["show", "list"], ["where", "if"]]))
    for (status, instruction), count in uses.items():
        table.add(status, instruction, count)
    table.tell_contexts(uses)
    table.index()
    return table


def joined(table: RuleTable, second: View | None) -> Parts | None:
    decision = table.decide(Status(EOS, PAIR, second, ()))
    if decision is None:
        return None
    assert isinstance(decision.instruction, ConcatS)
    return decision.instruction.parts


def test_the_second_frame_tells_the_argument_by_category_and_by_its_end() -> None:
    table = table_of(SEEN)
    assert joined(table, ("show",)) == joined(table, ("list",)) == COLUMNS
    assert joined(table, ("list", PHRASE, "if")) == CONDITIONS
    assert joined(table, ("delete", "if")) == CONDITIONS


def test_what_no_second_frame_tells_is_refused() -> None:
    table = table_of(SEEN)
    assert joined(table, None) is None
    assert joined(table, ("delete",)) is None
    assert "depends on the words before" in table.why_undecided(Status(EOS, PAIR, None, ()))


def test_where_most_traces_decide_second_frames_do_not() -> None:
    """Neither where one second frame has both, nor where a single trace differs, which may be a mistake."""
    assert not table_of([*SEEN, (("show",), CONDITIONS)]).contexts
    assert not table_of(SEEN, times=1).contexts
    assert not table_of([(("show",), COLUMNS), (None, COLUMNS)]).contexts


def test_second_frames_of_one_category_must_agree() -> None:
    assert not table_of([(("show",), COLUMNS), (("list",), CONDITIONS)]).contexts


def test_ends_that_differ_tell_nothing() -> None:
    rows = {("a", "x"): {(0,): 2}, ("b", "x"): {(1,): 2}}
    contexts = Contexts(rows, FrameNotation(shape))
    assert contexts.tell
    assert contexts.find(("b", "x")) == (1,)
    assert contexts.find(("c", "x")) is None


def test_random_tables_have_contexts() -> None:
    """So that what is said of random tables elsewhere is said of contexts, too."""
    assert sum(bool(crowded_table(seed).contexts) for seed in range(60)) > 5


def test_text_and_json_keep_them() -> None:
    table = table_of(SEEN)
    text = format_rules(table)
    assert '  [● and ●]  [] above [<list>]        => [0 "," 2] {show 2}' in text
    assert "  [● and ●]  [] above [<list> ● <if>] => [0 AND 2] {show where 2}" in text
    for read in (parse_rules(text), from_json(json.loads(json.dumps(to_json(table))))):
        assert read == table
        assert joined(read, ("list",)) == COLUMNS


def test_a_rule_by_hand_holds_above_every_frame() -> None:
    with pytest.raises(CheckpointError, match="holds above every second frame"):
        parse_hand("concat_s\n [● and ●] [] above [show] => [0 AND 2]")
    pinned = parse_hand('concat_s\n [● and ●] [] => [0 "+" 2]')
    table = obeying(table_of(SEEN), pinned)
    assert joined(table, ("show",)) == joined(table, None) == (0, "+", 2)
    other = parse_hand("reduce\n [x] => [X]")
    assert isinstance(other, HandRules)
    assert joined(obeying(table_of(SEEN), other), None) is None


def test_a_rule_that_a_person_forbids_is_taken_nowhere() -> None:
    table = obeying(table_of(SEEN), parse_hand("concat_s\n [● and ●] [] => not [0 AND 2]"))
    assert joined(table, ("show", PHRASE, "where")) == COLUMNS


def test_the_export_refuses_with_the_same_words() -> None:
    table = table_of(SEEN)
    rules = runtime.Rules(json.loads(json.dumps(compact_rules(table, "examples"))))
    asked = runtime._status(None, [None, "and", None], None, [])
    assert rules.decide(asked) is None
    assert rules.why_undecided(asked) == table.why_undecided(Status(EOS, PAIR, None, ()))


def test_another_word_of_the_category_is_told_by_the_second_frame_too() -> None:
    table = table_of(SEEN)
    table.categories = Categories([["and", "or"]])
    table.index()
    other = (PHRASE, "or", PHRASE)
    decision = table.decide(Status(EOS, other, ("show", PHRASE, "where"), ()))
    assert decision is not None
    assert decision.instruction == ConcatS(CONDITIONS)
    assert decision.support == 2
    unseen = Status(EOS, other, ("delete",), ())
    assert table.decide(unseen) is None
    assert "depends on the words before" in table.why_undecided(unseen)
    rules = runtime.Rules(json.loads(json.dumps(compact_rules(table, "examples"))))
    asked = runtime._status(None, [None, "or", None], ["show", None, "where"], [])
    assert rules.decide(asked) == ("CONCAT_S", CONDITIONS, False)
    assert rules.decide((*asked[:2], ("delete",), ())) is None


def test_forbidding_one_of_three_leaves_the_others_where_they_are() -> None:
    table = table_of([*SEEN, (("sum",), (0, "+", 2))])
    left = obeying(table, parse_hand('concat_s\n [● and ●] [] => not [0 "+" 2]'))
    assert joined(left, ("show",)) == COLUMNS
    assert joined(left, ("show", PHRASE, "where")) == CONDITIONS
    assert joined(left, ("sum",)) is None
    assert from_json(to_json(left)) == left


def test_a_whole_table_may_be_given_by_hand() -> None:
    table = table_of(SEEN)
    table.tokens = (",", "AND")
    assert parse_hand(format_rules(table)).pinned == table
    with pytest.raises(CheckpointError, match="holds above every second frame"):
        parse_hand(format_rules(table).replace("=> [0 AND 2]", "=> not [0 AND 2]"))


def test_rules_with_and_without_a_second_frame_contradict_each_other() -> None:
    table = table_of(SEEN)
    data = to_json(table)
    data["concat_s"].append({"top": [None, "and", None], "memory": [], "counts": [{"parts": [0], "count": 9}]})
    with pytest.raises(CheckpointError, match="with and without a second frame"):
        from_json(data)
    text = format_rules(table).replace("\n\ntokens", "\n  [● and ●] [] => 0 9\n\ntokens")
    with pytest.raises(CheckpointError, match=r"line \d+.*with and without a second frame"):
        parse_rules(text)


def test_tables_that_differ_above_second_frames_differ() -> None:
    swapped = table_of([(SEEN[0][0], CONDITIONS), (SEEN[1][0], COLUMNS)])
    found = differences(table_of(SEEN), swapped)
    assert [difference.where.partition("above ")[2] for difference in found] == ["[show]", "[show ● where]"]
    assert not differences(swapped, swapped)


def test_rows_that_do_not_tell_leave_it_to_most_traces() -> None:
    """As after one of two traces was left out, or in a file that was edited."""
    table = table_of(SEEN)
    table.contexts[KEY][("show", PHRASE, "where")][CONDITIONS] -= 1
    table.index()
    assert joined(table, None) == COLUMNS


def test_an_unknown_word_is_written_where_the_second_frame_says() -> None:
    table = RuleTable(categories=Categories([["hop", "skip"]]))
    uses: dict[tuple[Status, Instruction], int] = {}
    for word, (second, place) in product(("hop", "skip"), (("a", 0), ("b", 1))):
        parts: Parts = (0, word.upper()) if place == 0 else (word.upper(), 0)
        uses[Status(EOS, (PHRASE, word), (second,), ()), ConcatS(parts)] = 3 - place
        table.reduce[word,] = Counter({(word.upper(),): 1})
    for (status, instruction), count in uses.items():
        table.add(status, instruction, count)
    table.tell_contexts(uses)
    table.index()
    engine = copy_unknown_words(RuleEngine(table), table, weighed=False)
    (decision,) = engine.decide([Status(EOS, (PHRASE, "blip"), ("b",), ())])
    assert decision is not None
    assert decision.instruction == ConcatS(("blip", 0))
