"""Lessons and vocabularies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ness.data.example import Example, example_of
from ness.data.lessons import by_length, scan_lessons, translation_lessons
from ness.data.vocabulary import Vocabulary, source_vocabulary, target_vocabulary
from ness.errors import DataError

tokens = st.lists(st.sampled_from("abc"), min_size=1, max_size=12).map(tuple)
examples = st.lists(st.builds(Example, tokens, tokens), max_size=30)


@given(examples)
def test_lessons_hold_every_example_once_short_ones_first(data: list[Example]) -> None:
    for plan in (by_length, scan_lessons, translation_lessons):
        lessons = plan(data)
        flat = [example for lesson in lessons for example in lesson]
        assert sorted(flat) == sorted(set(data))
        assert all(lessons)
    lengths = [{len(example.source) for example in lesson} for lesson in by_length(data)]
    assert all(len(one) == 1 for one in lengths)
    assert [min(one) for one in lengths] == sorted(min(one) for one in lengths)


def test_scan_lessons_take_the_shorter_side() -> None:
    pairs = [
        ("a", "x x x"),
        ("a b c d e", "x"),
        ("a b c", "x x x x x"),
        ("a b c d e", "x " * 8),
        ("a b c d e", "x " * 9),
    ]
    lessons = scan_lessons(example_of(*pair) for pair in pairs)
    assert [len(lesson) for lesson in lessons] == [2, 1, 1, 1]


def test_vocabulary_round_trip() -> None:
    data = [example_of("b a", "X"), example_of("a c", "Y X")]
    words = source_vocabulary(data)
    assert list(words) == ["a", "b", "c"]
    assert list(target_vocabulary(data)) == ["X", "Y"]
    assert words.decode(words.encode(("c", "a"))) == ("c", "a")
    assert "b" in words
    assert len(words) == 3
    assert words == Vocabulary("abc")
    assert hash(words) == hash(Vocabulary("abc"))


def test_unknown_word_is_named_with_a_hint() -> None:
    with pytest.raises(DataError, match="'jmup' does not occur in the training data; did you mean 'jump'"):
        Vocabulary(["jump", "walk"]).number("jmup")
    with pytest.raises(DataError, match=r"'zzz' does not occur in the training data$"):
        Vocabulary(["jump", "walk"]).number("zzz")
