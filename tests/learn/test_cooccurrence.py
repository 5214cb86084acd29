"""Counts of words, tokens, and both, over examples."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from ness.learn.cooccurrence import count_occurrences

LINES = st.lists(st.tuples(st.text("ab", max_size=3), st.text("xy", max_size=3)), max_size=12)


@given(LINES)
def test_each_example_counts_once(lines: list[tuple[str, str]]) -> None:
    found = count_occurrences(lines)
    assert found.with_word == Counter(word for source, _ in lines for word in set(source))
    assert found.with_token == Counter(token for _, target in lines for token in set(target))
    assert found.together == Counter((word, token) for s, t in lines for word in set(s) for token in set(t))
