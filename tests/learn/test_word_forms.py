"""Words with several forms, wholes inside wholes, and small tasks in which one word decides about others."""

import pytest

from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data.example import example_of
from ness.data.invented import agreement
from ness.data.invented.invention import Invention, make
from ness.learn.constituents.forms import Content, form_in, with_form, word_forms
from ness.learn.constituents.grammar import induce_constituents
from ness.learn.constituents.learning import FREEDOM, learn_by_patterns
from ness.learn.constituents.patterns import CLASS, OpenPattern
from ness.learn.constituents.rules import Patterns
from ness.learn.learner import learn

NOUNS = {"cat": ("gato", "el", "viejo"), "cow": ("vaca", "la", "vieja"), "boy": ("chico", "el", "viejo")}
PAIRS = [(f"the {noun}", f"{form} {name}") for noun, (name, form, _) in NOUNS.items()]
PAIRS += [(f"the old {noun}", f"{form} {name} {old}") for noun, (name, form, old) in NOUNS.items()]
PAIRS += [(f"{a} and {b}", f"{x} y {y}") for a, x in PAIRS for b, y in PAIRS]
EXAMPLES = [example_of(source, target) for source, target in PAIRS]
OWN = {noun: name for noun, (name, _, _) in NOUNS.items()}


def test_forms_belong_to_the_rarest_word_that_always_comes_with_them() -> None:
    assert word_forms(EXAMPLES, OWN) == {"el": "the", "la": "the", "viejo": "old", "vieja": "old"}


def test_a_word_that_goes_without_its_tokens_has_no_forms() -> None:
    more = [example_of("the sun", "sol"), example_of("the moon", "luna"), example_of("the old sun", "sol viejo")]
    assert set(word_forms([*EXAMPLES[:6], *more], OWN).values()) == {"old"}


def test_forms_stand_in_the_order_of_their_words() -> None:
    content = Content(OWN, {"el": "the", "la": "the"})
    example = example_of("the cat and the cow", "el gato y la vaca")
    assert content.forms_at(example) == {0: 0, 3: 3}
    assert content.words(example) == (with_form("the", "el"), "cat", None, with_form("the", "la"), "cow")
    assert content.forms_at(example_of("the cat and the cow", "el gato y vaca")) == {}
    assert form_in(with_form("the", "el")) == ("the", "el")


def test_a_whole_that_stands_inside_another_one_may_be_nested() -> None:
    one = OpenPattern((f"{CLASS}n", "runs"), (0, "RUN"))
    two = OpenPattern((f"{CLASS}n", "runs", "and", f"{CLASS}n", "runs"), (0, "RUN", "AND", 3, "RUN"))
    patterns: Patterns = {one: {("a", None), ("b", None)}, two: {("a", None, None, "b", None)}}
    rules = induce_constituents(patterns).rules
    (label,) = set(rules.values())
    assert set(rules) == {one, OpenPattern((label, "and", label), (0, "AND", 2))}


@pytest.mark.parametrize("invention", agreement.INVENTIONS, ids=lambda invention: invention.name)
def test_small_tasks(invention: Invention) -> None:
    train, test = make(invention, 0)
    found = learn_by_patterns(train)
    assert found is not None
    assert not found.unsolved
    answers = translate(RuleEngine(found.table), [example.source for example in test])
    assert [answer.output for answer in answers] == [example.target for example in test]


@pytest.mark.slow
def test_what_is_foreseen_needs_no_search() -> None:
    train, _ = make(next(each for each in agreement.INVENTIONS if each.name == "case"), 0)
    learned = learn(train, Config())
    assert learned.freedom == FREEDOM
    assert learned.nodes == 0
    assert not learned.unsolved
