"""Words that say together what none of them says alone."""

from dataclasses import replace
from itertools import product
from random import Random

import pytest

from ness.answer.evaluation import evaluate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data.example import Example, example_of
from ness.learn.coding import Codec
from ness.learn.learner import learn
from ness.learn.set_phrases import set_phrases

DAYS = {"monday": "d 1", "tuesday": "d 2", "friday": "d 5"}
TIMES = {"noon": "h 12", "dawn": "h 6"}


def found(lines: dict[str, str]) -> set[str]:
    codec = Codec([example_of(*line) for line in lines.items()])
    samples = [codec.encode(source.split(), target.split()) for source, target in lines.items()]
    return {" ".join(codec.source(source)) for source, _ in set_phrases(samples)}


def test_words_whose_own_outputs_are_missing_are_a_set_phrase() -> None:
    lines = {"twenty": "2 0", "five": "0 5", "twenty five": "2 5", "five then twenty five": "0 5 ; 2 5"}
    assert found(lines) == {"twenty five"}


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("twenty five", "2 0 5"),  # has what a word says alone
        ("five then twenty five", "0 5 ; 2 0"),  # says something else in a longer input
        ("five then twenty five", "0 5 ; 0 0"),
    ],
)
def test_what_may_be_put_together_or_says_something_else_elsewhere_is_none(line: str, output: str) -> None:
    lines = {"twenty": "2 0", "five": "0 5", "twenty five": "2 5", "five then twenty five": "0 5 ; 2 5"}
    assert found({**lines, line: output}) == set()


def test_what_no_longer_input_has_is_learned_by_heart() -> None:
    assert found({"twenty": "2 0", "five": "0 5", "twenty five": "2 5"}) == set()


def test_a_word_that_is_not_known_alone_tells_nothing() -> None:
    assert found({"twenty": "2 0", "twenty five": "2 5", "five then twenty five": "0 5 ; 2 5"}) == set()


def test_they_are_learned_and_joined_like_words() -> None:
    """Days and times alone, both together as one number, and lists of these."""
    spoken = {**DAYS, **TIMES}
    for number, (day, time) in enumerate(product(DAYS, TIMES)):
        spoken[f"{day} {time}"] = f"slot {number}"
    rng = Random(0)

    def lists(sizes: list[int], count: int) -> list[Example]:
        drawn = [rng.choices(list(spoken), k=rng.choice(sizes)) for _ in range(count)]
        return [example_of(" or ".join(each), " | ".join(spoken[part] for part in each)) for each in drawn]

    train = [example_of(*line) for line in spoken.items()] + lists([2, 3], 120)
    config = Config()
    learned = learn(train, replace(config, learner=replace(config.learner, workers=1, time_limit=60.0)))
    assert not learned.unsolved
    assert not learned.memorised
    assert evaluate(RuleEngine(learned.table), lists([4, 5, 6], 100)).exact == 1.0
