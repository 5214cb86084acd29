"""Steps of traces are counted and exchanged by what they are, though identity is looked at first."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from ness.learn.coding import NO_FRAME, Step
from ness.learn.uses import SharedSteps, count_uses


def step(word: int) -> Step:
    return ((word, (), NO_FRAME, 0), 0, None)  # a new object each time


SHARED = [step(word) for word in range(3)]
steps = st.one_of(st.sampled_from(SHARED), st.builds(step, st.integers(0, 2)))
traces = st.lists(st.lists(steps, max_size=6), max_size=6)


@given(traces)
def test_each_trace_counts_once(found: list[list[Step]]) -> None:
    expected = Counter(each for trace in found for each in dict.fromkeys(trace))
    assert count_uses(found) == expected
    assert list(count_uses(found)) == list(expected)


@given(traces)
def test_kinds_count_once_too(found: list[list[Step]]) -> None:
    expected = Counter(kind for trace in found for kind in {each[0][0] % 2 for each in trace})
    assert SharedSteps(found).count(lambda each: each[0][0] % 2) == expected


@given(traces)
def test_every_step_is_exchanged(found: list[list[Step]]) -> None:
    assert SharedSteps(found).map(lambda each: each[0][0]) == [tuple([each[0][0] for each in trace]) for trace in found]
