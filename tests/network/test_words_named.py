"""Networks whose CONCAT_S arguments name words: what they may choose, what the words stand for, learned end to end."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from ness.answer.engine import translate
from ness.answer.network_engine import controller_engine
from ness.answer.rule_engine import RuleEngine
from ness.config import Config, ControllerConfig, TrainingConfig
from ness.data.example import Example, example_of
from ness.learn.constituents.learning import PatternResult, learn_by_patterns
from ness.machine import EOS, PHRASE, ConcatS, Operator, Status
from ness.model.teacher import RuleTeacher
from ness.model.train import train
from ness.network.controller import Controller, make_controller
from ness.network.imitation import train_controller
from ness.network.rows import StatusItems
from ness.network.training_set import names_words
from ness.network.vocabularies import Vocabularies
from ness.network.weights import read_weights, weight_bytes

NOUNS = {"dog": "der Hund", "man": "der Mann", "cat": "die Katze", "lamp": "die Lampe", "book": "das Buch"}
WORDS = Vocabularies.of([("the", "dog")], [("der", "Hund")])
FRAME = Status(EOS, ("the", "dog"), None, ())


def _pair(noun: str, article: str) -> tuple[str, str]:
    form, name = NOUNS[noun].split()
    return f"{article} {noun}", f"{form if article == 'the' else 'ein' if form != 'die' else 'eine'} {name}"


@cache
def _examples() -> tuple[Example, ...]:
    """One or two nouns with an article that agrees."""
    single = [_pair(noun, article) for noun in NOUNS for article in ("the", "a")]
    double = [(f"{a} and {b}", f"{x} und {y}") for a, x in single for b, y in single if a != b]
    return tuple(example_of(*pair) for pair in [*single, *double])


@cache
def _learned() -> PatternResult:
    found = learn_by_patterns(_examples())
    assert found is not None
    assert not found.unsolved
    return found


def test_words_may_be_pointed_at_only_where_they_are_named() -> None:
    plain, naming = StatusItems(WORDS, False), StatusItems(WORDS, False, own=True)
    assert plain.pointer(FRAME).candidates == ()
    assert naming.pointer(FRAME).candidates == (0, 1)
    assert Operator.CONCAT_S not in plain.operator(FRAME).legal
    assert Operator.CONCAT_S in naming.operator(FRAME).legal


def test_a_word_is_shown_alone_with_its_phrase() -> None:
    items = StatusItems(WORDS, False, own=True)
    named = items.words_named(FRAME, ConcatS(("der", 1), (("Hund",),)))
    assert named == [(items.view(("dog",)), ("Hund",))]
    assert items.words_named(Status(EOS, (PHRASE,), None, ()), ConcatS((0,))) == []


@cache
def _controller() -> Controller:
    traces = [(example.source, program) for example, program in _learned().traces.items()]
    assert names_words(traces)
    words = Vocabularies.of([e.source for e in _examples()], [e.target for e in _examples()])
    controller = make_controller(words, ControllerConfig(), templates=True, names_words=True)
    teacher = RuleTeacher(traces, _learned().table, 100, 0)
    config = TrainingConfig(max_steps=1000)
    result = train_controller(controller, traces, _learned().table.categories, config, seed=0, teacher=teacher)
    assert result.converged
    return controller.eval()


@pytest.mark.slow
def test_the_network_says_what_the_rules_say() -> None:
    longer = [("the", "dog", "and", "a", "cat", "and", "the", "book"), ("a", "lamp", "and", "the", "lamp")]
    sources = [*(example.source for example in _examples()), *longer]
    network = translate(controller_engine(_controller(), _learned().table), sources)
    rules = translate(RuleEngine(_learned().table), sources)
    assert [answer.output for answer in network] == [answer.output for answer in rules]
    assert network[-2].output == ("der", "Hund", "und", "eine", "Katze", "und", "das", "Buch")


@pytest.mark.parametrize("able", [False, True])
def test_weights_tell_whether_words_are_named(able: bool) -> None:
    config = ControllerConfig(embedding_size=8, hidden_size=8)
    controller = make_controller(WORDS, config, templates=True, names_words=able)
    assert read_weights(weight_bytes(controller), WORDS, config, "cpu", Path("weights")).names_words is able


@pytest.mark.parametrize("kind", ["off", "soft"])
def test_networks_that_do_not_decide_by_status_are_not_trained(kind: str) -> None:
    config = replace(Config(), controller=replace(Config().controller, categories=kind, lexical_size=0))
    model = train(list(_examples()), config)
    assert model.network is None
    assert "names words" in model.network_note or "name words" in model.network_note
    assert model.default_engine.name == "rules"
