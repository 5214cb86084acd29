"""What separates the parts of a construct binds less than what stands anywhere, though no example shows both."""

from random import Random

import pytest

from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data.example import Example, example_of
from ness.learn.learner import learn
from ness.learn.result import LearningResult
from ness.rules import serialise

NAMES = ("a", "b", "c", "d", "e", "f")


def examples() -> list[Example]:
    """Sums, negations and lists of names, but no list with a sum or a negation in it."""
    random = Random(1)
    found = {name: name.upper() for name in NAMES}
    for _ in range(40):
        one, two, three = random.sample(NAMES, 3)
        first, second, third = one.upper(), two.upper(), three.upper()
        found[f"{one} plus {two}"] = f"( {first} + {second} )"
        found[f"{one} plus {two} plus {three}"] = f"( ( {first} + {second} ) + {third} )"
        found[f"minus {one}"] = f"( - {first} )"
        found[f"list {one} or {two} end"] = f"[ {first} {second} ]"
        found[f"list {one} or {two} or {three} end"] = f"[ {first} {second} {third} ]"
        found[f"list {one} or {two} end plus {three}"] = f"( [ {first} {second} ] + {third} )"
    return [example_of(source, target) for source, target in found.items()]


@pytest.fixture(scope="module")
def learned() -> LearningResult:
    return learn(examples(), Config())


NEW = {
    "list a or b plus c or d end": "[ A ( B + C ) D ]",
    "list a plus b or c end": "[ ( A + B ) C ]",
    "list minus a or b end": "[ ( - A ) B ]",
    "list a or list b or c plus d end end": "[ A [ B ( C + D ) ] ]",
}


def test_parts_of_a_list_are_ended_by_its_own_words_alone(learned: LearningResult) -> None:
    assert learned.table.imagined
    for table in (learned.table, serialise.from_json(serialise.to_json(learned.table))):
        found = [answer.output for answer in translate(RuleEngine(table), [tuple(source.split()) for source in NEW])]
        assert found == [tuple(target.split()) for target in NEW.values()]


def test_a_separator_is_in_no_category_with_what_stands_anywhere(learned: LearningResult) -> None:
    assert learned.table.categories.members("or") == ("or",)
