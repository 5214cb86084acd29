"""The levels of the back-off, one by one."""

from collections import Counter

import pytest

from ness.machine import PHRASE, Operator, Status
from ness.rules import RuleTable
from ness.rules.backoff import nearest
from ness.rules.table import shape


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
    assert nearest(frame, shape) == expected


def test_the_nearest_word_and_the_next_one_tell_what_binds_tighter() -> None:
    """`buy 5 of tea and ...` was seen to end before `and`: so does `... and 5 of tea` before another one."""
    table = RuleTable(
        operators={
            Status("and", (PHRASE,), ("buy", PHRASE, "of"), ()): Counter({Operator.POP: 9}),
            Status("and", (PHRASE,), ("first",), ()): Counter({Operator.SHIFT: 99}),
            Status("and", (PHRASE,), ("first", "second"), ()): Counter({Operator.SHIFT: 99}),
        }
    )
    unseen = Status("and", (PHRASE,), (PHRASE, "and", PHRASE, "of"), ())
    decision = table.decide(unseen)
    assert decision is not None
    assert (decision.instruction.operator, decision.level, decision.support) == (Operator.POP, "nearest", 0)
