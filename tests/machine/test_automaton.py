"""The compiled table does what the plain machine does with the same decisions, also when it stops and goes on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ness.errors import StepLimitReached
from ness.machine import (
    Decisions,
    Execution,
    Phrase,
    Word,
    drive,
    entry,
)
from strategies import RandomPolicy, sources


def plainly(source: tuple[Word, ...], policy: RandomPolicy) -> tuple[Phrase, int] | None:
    """Output and steps of the plain machine; None where it does not end."""
    try:
        output, steps = drive(source, policy)
    except StepLimitReached:
        return None
    return output, len(steps)


def quickly(
    source: tuple[Word, ...], policy: RandomPolicy, table: Decisions, fresh: bool = False
) -> tuple[Phrase, int] | None:
    """The same on the compiled machine; `fresh`: go on with another table after each stop."""
    execution = Execution(source)
    try:
        while (status := execution.advance(table)) is not None:
            if fresh:
                table = Decisions(table)
            found = entry(status, policy(status), support=7)
            assert found is not None
            table[status] = found
    except StepLimitReached:
        return None
    assert execution.output is not None
    assert execution.support == 7
    return execution.output, execution.steps


@settings(max_examples=50)
@given(st.integers(0, 10_000), st.lists(sources, min_size=1, max_size=8), st.booleans())
def test_the_compiled_table_equals_the_plain_machine(seed: int, many: list[tuple[Word, ...]], fresh: bool) -> None:
    policy = RandomPolicy(seed)
    table = Decisions()
    for source in many:
        assert quickly(source, policy, table, fresh) == plainly(source, policy)


@pytest.mark.parametrize("fresh", [False, True])
def test_enough_random_policies_come_to_an_end(fresh: bool) -> None:
    """Else the test above would compare nothing but failures."""
    ended = [quickly(("a", "b", "and", "a"), RandomPolicy(seed), Decisions(), fresh) for seed in range(200)]
    assert sum(end is not None for end in ended) > 50
    assert max(end[1] for end in ended if end is not None) > 12


def test_a_status_is_asked_once() -> None:
    """What is compiled does not look into the table again."""
    policy = RandomPolicy(3)
    table = Decisions()
    first = quickly(("a", "b", "a"), policy, table)
    table.clear()
    assert quickly(("a", "b", "a"), policy, table) == first
    assert not table
