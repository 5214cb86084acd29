"""The levels of the back-off, one by one."""

from collections import Counter
from random import Random

import pytest

from ness.machine import PHRASE, Operator, Status
from ness.rules import RuleTable
from ness.rules.backoff import BackOff, FrameNotation, nearest
from ness.rules.table import shape
from rule_tables import crowded_statuses


def test_counts_do_not_depend_on_the_order_and_can_be_taken_back() -> None:
    rng = Random(0)
    known = crowded_statuses()
    for _ in range(20):
        used = [(rng.choice(known), rng.choice(list(Operator)), rng.randint(1, 3)) for _ in range(80)]
        counted, otherwise = (BackOff(tuple(Operator), FrameNotation(shape)) for _ in range(2))
        for status, operator, times in used:
            counted.add(status, status, operator, times)
        for status, operator, times in rng.sample(used, len(used)):
            otherwise.add(status, status, operator, times)
        assert counted.rows == otherwise.rows
        assert all(counted.rows.values())
        for status, operator, times in used:
            counted.add(status, status, operator, -times)
        assert not any(counted.rows.values())


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (("buy", PHRASE, "of"), ("of",)),
        ((PHRASE, "and", PHRASE, PHRASE), ("and", PHRASE, PHRASE)),
        (("any", "*"), ("*",)),
        ((PHRASE,), (PHRASE,)),
        ((), ()),
        (None, None),
    ],
)
def test_what_is_nearest_begins_with_the_last_word(frame: tuple[object, ...] | None, expected: object) -> None:
    assert nearest(frame, FrameNotation(shape)) == expected


def test_the_nearest_word_and_the_next_one_tell_what_binds_tighter() -> None:
    """`buy 5 of tea and ...` was seen to end before `and`: so does `... and 5 of tea` before another one."""
    table = RuleTable(
        operators={
            Status("and", (PHRASE,), ("buy", PHRASE, "of"), ()): Counter({Operator.POP: 9}),
            Status("and", (PHRASE,), ("first",), ()): Counter({Operator.SHIFT: 99}),
            Status("and", (PHRASE,), ("first", "second"), ()): Counter({Operator.SHIFT: 99}),
            Status("end", (PHRASE, "and", PHRASE, "of", PHRASE), None, ()): Counter({Operator.CONCAT_S: 9}),
        }
    )
    unseen = Status("and", (PHRASE,), (PHRASE, "and", PHRASE, "of"), ())
    decision = table.decide(unseen)
    assert decision is not None
    assert (decision.instruction.operator, decision.level, decision.support) == (Operator.POP, "nearest", 0)


def test_what_is_done_at_the_bottom_tells_less_about_a_frame_above_another() -> None:
    """`● then` at the bottom is read on, above `sorted by` it is closed first: so it is above `● then`."""
    table = RuleTable(
        operators={
            Status("then", (PHRASE,), None, ()): Counter({Operator.SHIFT: 99}),
            Status("then", (PHRASE,), (PHRASE, "sorted", "by"), ()): Counter({Operator.POP: 9}),
            Status("end", (PHRASE, "then", PHRASE), None, ()): Counter({Operator.CONCAT_S: 9}),
        }
    )
    decision = table.decide(Status("then", (PHRASE,), (PHRASE, "then"), ()))
    assert decision is not None
    assert (decision.instruction.operator, decision.level, decision.support) == (Operator.POP, "height", 0)


def test_no_extrapolated_step_ends_in_a_frame_that_no_rule_has() -> None:
    """`twice ●` was mostly read on in frames alike (`list ● end`), but no frame has `and` there."""
    table = RuleTable(
        operators={
            Status("end", ("twice", PHRASE), ("say",), ()): Counter({Operator.SHIFT: 99}),
            Status("or", ("twice", PHRASE), ("say",), ()): Counter({Operator.CONCAT_S: 9}),
            Status("or", ("twice", PHRASE, "end"), ("say",), ()): Counter({Operator.CONCAT_S: 9}),
        },
        concat={(Operator.CONCAT_S, ("twice", PHRASE), ()): Counter({(1, 1): 9})},
    )
    decision = table.decide(Status("and", ("twice", PHRASE), ("say",), ()))
    assert decision is not None
    assert (decision.instruction.operator, decision.level) == (Operator.CONCAT_S, "frame")


def test_no_frame_is_opened_for_a_word_that_begins_none() -> None:
    frame = (PHRASE, "is", PHRASE)
    table = RuleTable(
        operators={
            Status("big", frame, None, ()): Counter({Operator.PUSH: 99}),
            Status("big", (), frame, ()): Counter({Operator.SHIFT: 99}),
            Status("or", frame, None, ()): Counter({Operator.CONCAT_S: 9}),
        },
        concat={(Operator.CONCAT_S, frame, ()): Counter({(0, 2): 9})},
    )
    decision = table.decide(Status("and", frame, None, ()))
    assert decision is not None
    assert decision.instruction.operator is Operator.CONCAT_S


def test_a_frame_is_not_closed_where_what_is_below_cannot_go_on() -> None:
    """`either ● or ●` waits for `end`: before `then`, the phrase goes on, as it does above `match`."""
    waiting = ("either", PHRASE, "or")
    table = RuleTable(
        operators={
            Status("then", (PHRASE,), (PHRASE, "then"), ()): Counter({Operator.POP: 99}),
            Status("then", (PHRASE,), (PHRASE, "then", PHRASE), ()): Counter({Operator.POP: 99}),
            Status("then", (PHRASE,), ("match",), ()): Counter({Operator.SHIFT: 9}),
            Status("digit", (PHRASE, "then"), ("match",), ()): Counter({Operator.PUSH: 9}),
            Status("end", (*waiting, PHRASE), None, ()): Counter({Operator.SHIFT: 9}),
            Status("then", (*waiting, PHRASE, "end"), None, ()): Counter({Operator.CONCAT_S: 9}),
        },
    )
    decision = table.decide(Status("then", (PHRASE,), waiting, ()))
    assert decision is not None
    assert (decision.instruction.operator, decision.level) == (Operator.SHIFT, "height")
