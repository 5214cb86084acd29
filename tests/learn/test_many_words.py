"""Thousands of words: structure from samples, words from all data."""

import random

import pytest

from ness.answer.evaluation import evaluate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data.example import Example
from ness.learn.learner import learn

TIMES = {1: (), 2: ("twice",), 3: ("thrice",)}


def sentence(rng: random.Random, words: int, phrases: int) -> Example:
    """Verbs, some of them twice or thrice, joined from the left by `and` or `after`."""
    source: tuple[str, ...] = ()
    target: tuple[str, ...] = ()
    for number in range(phrases):
        verb, times = f"v{rng.randrange(words)}", rng.choice((1, 2, 3))
        joined = rng.choice(("and", "after")) if number else ""
        source += (*([joined] if joined else []), verb, *TIMES[times])
        made = (verb.upper(),) * times
        target = made + target if joined == "after" else target + made
    return Example(source, target)


@pytest.mark.slow
def test_two_thousand_words_are_all_learned() -> None:
    """Some stand in long sentences only, for which the rules are mended at the end: then words are learned again."""
    rng = random.Random(0)
    found: dict[tuple[str, ...], Example] = {}
    while len(found) < 8_000:
        example = sentence(rng, 2_000, rng.choice((1, 1, 2, 2, 3)))
        found.setdefault(example.source, example)
    train = list(found.values())
    known = {word for line in train for word in line.source}
    drawn = [sentence(rng, 2_000, rng.choice((4, 5, 6))) for _ in range(300)]
    learned = learn(train, Config())
    assert not learned.unsolved
    assert not learned.memorised
    tests = [line for line in drawn if known.issuperset(line.source)]
    assert evaluate(RuleEngine(learned.table), tests).exact == 1
