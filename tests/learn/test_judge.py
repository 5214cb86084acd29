"""What hypotheses are judged by."""

import math
from dataclasses import replace

import pytest

from ness.config import Config
from ness.learn.coding import Codec, Sample
from ness.learn.fit import Hypothesis
from ness.learn.judge import Judge, Refit, with_known_words
from ness.learn.readings import Reading

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


def test_refits_of_one_lesson_are_judged_as_if_each_was_the_only_one() -> None:
    pairs = {"walk": "W", "run": "R", "walk twice": "W W", "run twice": "R R", "look": "L", "look twice": "L L"}
    lines = [(source.split(), target.split()) for source, target in pairs.items()]
    samples = [Codec(lines).encode(*line) for line in lines]
    readings = {Reading.PLAIN: [samples[:4], samples[4:]]}
    refit = Refit(Hypothesis(), 0, tuple(samples[:4]), tuple(samples[4:]), 0, 0, 0.0, 1.0, {}, math.inf)
    refits = [replace(refit, seed=seed, noise=1.5, order=seed) for seed in range(8)]
    refits += [replace(each, samples=tuple(samples), lesson=1) for each in refits]
    judge = Judge(readings, Config())
    assert [judge(each) for each in refits] == [Judge(readings, Config())(each) for each in refits]
