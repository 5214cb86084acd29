"""Thousands of words: structure from samples, words from all data."""

import pytest

from ness.answer.evaluation import evaluate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data.invented.many_words import many_words
from ness.learn.learner import learn


@pytest.mark.slow
def test_two_thousand_words_are_all_learned() -> None:
    """Some stand in long sentences only, for which the rules are mended at the end: then words are learned again."""
    train, tests = many_words(2_000)
    learned = learn(train, Config())
    assert not learned.unsolved
    assert not learned.memorised
    assert evaluate(RuleEngine(learned.table), tests).exact == 1
