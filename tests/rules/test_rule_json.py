"""Rules as JSON: equal after a round trip, one clear line for anything damaged."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings

from ness.errors import CheckpointError
from ness.machine import Operator, Status, parse_program
from ness.rules import Categories, RuleTable
from ness.rules.serialise import from_json, to_json
from rule_tables import crowded_statuses, crowded_table, rule_tables

JUMP_TWICE = "SHIFT; REDUCE JUMP; SHIFT; CONCAT_S 0,0; FINAL"
JUMP_AND_LOOK = "SHIFT; REDUCE JUMP; SHIFT; PUSH; SHIFT; REDUCE LOOK; POP; CONCAT_M 0,2; REDUCE X; CONCAT_S 1,0; FINAL"


def small_table() -> RuleTable:
    traces = [
        (("jump", "twice"), parse_program(JUMP_TWICE)),
        (("jump", "and", "look"), parse_program(JUMP_AND_LOOK)),
    ]
    return RuleTable.from_traces(traces, Categories([["look", "jump"]]))


@settings(max_examples=40)
@given(rule_tables())
def test_a_table_survives_a_real_json_file(table: RuleTable) -> None:
    data = to_json(table)
    read = from_json(json.loads(json.dumps(data)))
    assert read == table
    assert to_json(read) == data


@pytest.mark.parametrize("seed", range(20))
def test_a_table_that_was_read_decides_alike(seed: int) -> None:
    table = crowded_table(seed)
    read = from_json(to_json(table))
    assert read == table
    assert all(read.decide(status) == table.decide(status) for status in crowded_statuses())


def test_order_does_not_depend_on_insertion() -> None:
    table = small_table()
    backwards = RuleTable(
        operators=dict(reversed(table.operators.items())),
        reduce=dict(reversed(table.reduce.items())),
        concat=dict(reversed(table.concat.items())),
        categories=table.categories,
    )
    assert json.dumps(to_json(backwards)) == json.dumps(to_json(table))


def test_rules_unlearned_are_not_written() -> None:
    table = small_table()
    table.operators[Status("gone", (), None, ())] = table.operators.popitem()[1]
    table.operators[Status("gone", (), None, ())].clear()
    assert all(rule["next"] != "gone" for rule in to_json(table)["operators"])


def _set(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        place: Any = data
        for part in parents:
            place = place[part]
        place[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_set("format", "other"), "not NeSS rules"),
        (_set("version", 1), "update ness-machine"),
        (_set("version", True), "update ness-machine"),
        (_set("surprise", 1), "unknown field `surprise`"),
        (lambda data: data.pop("reduce"), "missing required field `reduce`"),
        (_set("categories", [["a"], ["b", "a"]]), "'a' is listed twice"),
        (_set("categories", [[]]), r"categories\[0\]: expected `array` of length >= 1"),
        (_set("categories", "ab"), "categories: expected `array`, got `str`"),
        (_set("categories", [[1]]), r"categories\[0\]\[0\]: expected `str`, got `int`"),
        (_set("operators.0.next", 3), r"operators\[0\].next: expected `str \| null`, got `int`"),
        (_set("operators.0.memory", ["word"]), r"operators\[0\].memory\[0\]: expected `null`, got `str`"),
        (_set("operators.0.counts", {}), r"operators\[0\].counts: expected `object` of length >= 1"),
        (_set("operators.0.counts", {"JUMP": 1}), "invalid enum value 'JUMP'"),
        (_set("operators.0.counts", {"SHIFT": 0}), ">= 1"),
        (_set("operators.0.counts", {"SHIFT": True}), "expected `int`"),
        (_set("operators.0.counts", {"SHIFT": 1.0}), "expected `int`"),
        (_set("operators.0.counts", {"POP": 1}), "POP cannot run with"),
        (lambda data: data["operators"].append(data["operators"][0]), "listed twice"),
        (_set("reduce.0.counts", []), r"reduce\[0\].counts: expected `array` of length >= 1"),
        (_set("reduce.0.counts.0.phrase", []), r"counts\[0\].phrase: expected `array` of length >= 1"),
        (_set("reduce.0.frame", [None]), r"reduce\[0\].frame\[0\]: expected `str`, got `null`"),
        (_set("concat_s.0.counts.0.parts", [9]), "outside 0..1"),
        (_set("concat_s.0.counts.0.parts", [-1]), "at least one position"),
        (_set("concat_s.0.counts.0.parts", []), "at least one position"),
        (_set("concat_m.0", None), r"concat_m\[0\]: expected `object`, got `null`"),
    ],
)
def test_damage_is_named(change: Callable[[dict[str, Any]], None], message: str) -> None:
    data = to_json(small_table())
    change(data)
    with pytest.raises(CheckpointError, match=message):
        from_json(data)


@pytest.mark.parametrize("data", [None, [], "rules", 3, {}])
def test_other_values_are_refused(data: object) -> None:
    with pytest.raises(CheckpointError):
        from_json(data)


def test_concat_m_must_take_from_the_top_frame() -> None:
    data = to_json(small_table())
    data["concat_m"] = [{"top": [None], "memory": [None], "counts": [{"parts": [1], "count": 1}]}]
    with pytest.raises(CheckpointError, match="CONCAT_M must select a phrase of the top frame"):
        from_json(data)


def test_counts_come_back_as_counters() -> None:
    read = from_json(to_json(small_table()))
    status = Status("jump", (), None, ())
    assert read.operators[status][Operator.SHIFT] == 2
    assert read.operators[status][Operator.POP] == 0
