"""What hypotheses are judged by."""

import pytest

from ness.learn.coding import Sample
from ness.learn.fit import Hypothesis
from ness.learn.judge import with_known_words

KNOWN: Sample = ((1, 2), "a")
NEW_CONTENT: Sample = ((1, 8), "b")
NEW_CONSTRUCT: Sample = ((1, 9, 8), "c")


@pytest.mark.parametrize(
    ("content", "judged_by"),
    [(None, [KNOWN]), ({8}, [KNOWN, NEW_CONSTRUCT]), ({8, 9}, [KNOWN]), (set(), [KNOWN, NEW_CONTENT, NEW_CONSTRUCT])],
)
def test_a_new_word_is_no_error_but_a_new_construct_is(content: set[int] | None, judged_by: list[Sample]) -> None:
    hypothesis = Hypothesis({KNOWN: ()})
    assert with_known_words(hypothesis, [KNOWN, NEW_CONTENT, NEW_CONSTRUCT], content) == judged_by
