"""Learning by patterns: content words, their classes and constituents by counting; templates that name words."""

import time
from collections import Counter

import pytest

from agreement_task import agreement
from clock import ticking
from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data.example import Example, example_of
from ness.data.invented import invented
from ness.learn.constituents.argument_classes import argument_classes
from ness.learn.constituents.forms import Content
from ness.learn.constituents.grammar import induce_constituents
from ness.learn.constituents.learning import FREEDOM, learn_by_patterns
from ness.learn.constituents.own_tokens import own_tokens
from ness.learn.constituents.patterns import CLASS, OpenPattern, in_order, is_balanced, pairs_of_tokens, readings
from ness.learn.constituents.rules import Patterns
from ness.learn.deadline import Deadline
from ness.learn.learner import learn
from ness.machine import PHRASE, Operator, Parts
from ness.rules import Categories, RuleTable
from ness.rules.parse import parse_rules
from ness.rules.serialise import from_json, to_json
from ness.rules.table import ConcatKey
from ness.rules.text import format_rules

NAMES = [f"Name{number}" for number in range(12)]
NOUNS = [f"noun{number}" for number in range(16)]
ACTIVE = {f"did{number}": f"do{number}" for number in range(8)}
CHANGES = {f"went{number}": f"go{number}" for number in range(8)}  # alone, their subject is a theme


def _sentences() -> list[Example]:
    """Sentences with modifiers at the object only, clauses at most two deep, and words that are missing somewhere."""
    phrases = [(name, name) for name in NAMES]
    phrases += [(f"{article} {noun}", form + noun) for noun in NOUNS for article, form in (("the", "* "), ("a", ""))]
    verbs = {**ACTIVE, **CHANGES}
    simple: list[tuple[str, str]] = []
    for number in range(600):
        (subject, agent), (thing, theme) = phrases[number * 7 % 44], phrases[(number * 5 + number // 44) % 44]
        (place, where), prep = phrases[(number * 3 + 1) % 44], ("in", "on")[number % 2]
        verb = list(verbs)[number % 16]
        kind = number // 16 % 4
        role = "theme" if verb in CHANGES else "agent"
        if kind == 0:
            simple.append((f"{subject} {verb}", f"{verbs[verb]} ( {role} = {agent} )"))
        elif kind == 1 and verb != "went7":  # seen alone only
            simple.append((f"{subject} {verb} {thing}", f"{verbs[verb]} ( agent = {agent} , theme = {theme} )"))
        elif kind == 2 and place != thing != subject and verb != "went7":
            made = f"{theme} ( at {prep} = {where} )"
            source = f"{subject} {verb} {thing} {prep} {place}"
            simple.append((source, f"{verbs[verb]} ( agent = {agent} , theme = {made} )"))
    said = _said(simple)
    return [example_of(f"{source} .", form) for source, form in (*simple, *said[::2], *_said(said[1::2]))]


def _said(clauses: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [
        (f"{name} said that {source}", f"say ( agent = {name} , that = {form} )")
        for (source, form), name in zip(clauses, NAMES * 50, strict=False)
        if name not in source
    ]


@pytest.fixture(scope="module")
def table() -> RuleTable:
    found = learn_by_patterns(_sentences())
    assert found is not None
    assert found.unsolved == []
    assert set(found.traces) == set(_sentences())
    return found.table


def _answers(table: RuleTable, *sources: str) -> list[tuple[str, int]]:
    answers = translate(RuleEngine(table), [source.split() for source in sources])
    return [(" ".join(answer.output or ("none",)), answer.support) for answer in answers]


def test_a_modifier_at_the_subject_is_imagined(table: RuleTable) -> None:
    ((output, support),) = _answers(table, "the noun1 in a noun2 did3 Name1 .")
    assert output == "do3 ( agent = * noun1 ( at in = noun2 ) , theme = Name1 )"
    assert support == 0


def test_what_is_imagined_does_not_depend_on_the_seed(table: RuleTable) -> None:
    found = learn_by_patterns(_sentences(), seed=3)
    assert found is not None
    assert found.table == table


def test_deeper_nesting(table: RuleTable) -> None:
    outputs = _answers(
        table,
        "Name1 said that Name2 said that Name3 said that Name4 did1 .",
        "Name1 did1 the noun1 in a noun2 on the noun3 in Name4 .",
    )
    assert outputs[0][0] == (
        "say ( agent = Name1 , that = say ( agent = Name2 , that = "
        "say ( agent = Name3 , that = do1 ( agent = Name4 ) ) ) )"
    )
    assert outputs[1][0] == (
        "do1 ( agent = Name1 , theme = * noun1 ( at in = noun2 ( at on = * noun3 ( at in = Name4 ) ) ) )"
    )


def test_the_class_of_a_verb_decides_the_template(table: RuleTable) -> None:
    answers = _answers(table, "Name1 did2 .", "Name1 went2 .", "Name1 went7 .", "Name1 went7 Name2 .")
    assert [output for output, _ in answers] == [
        "do2 ( agent = Name1 )",
        "go2 ( theme = Name1 )",
        "go7 ( theme = Name1 )",
        "go7 ( agent = Name1 , theme = Name2 )",
    ]
    assert all(support > 0 for _, support in answers)
    assert any(set(CHANGES) <= set(words) for words in table.categories.classes for _ in [0] if "did1" in words)
    assert tuple(sorted(CHANGES)) in table.argument_categories.classes


def test_a_class_that_is_only_supposed_has_no_support(table: RuleTable) -> None:
    unknown = RuleTable(
        table.operators,
        table.reduce,
        {key: counts for key, counts in table.concat.items() if "did1" not in key[1] or len(key[1]) > 2},
        table.categories,
        table.tokens,
        table.argument_categories,
        table.imagined,
    )
    ((output, support),) = _answers(unknown, "Name1 did1 .")
    assert (output, support) == ("do1 ( agent = Name1 )", 0)


def test_rules_that_name_words_are_read_back(table: RuleTable) -> None:
    assert from_json(to_json(table)) == table
    assert parse_rules(format_rules(table)) == table


@pytest.mark.slow
def test_the_learner_takes_this_way_where_its_rules_are_short() -> None:
    assert learn(_sentences(), Config()).freedom == FREEDOM
    assert learn_by_patterns(_sentences()[:10]) is None


def test_few_words_of_several_classes_are_told_apart_by_what_is_made_of_them() -> None:
    train, test = invented("blocks")
    found = learn_by_patterns(train)
    assert found is not None
    assert not found.unsolved
    assert {"red", "blue"} <= set(found.table.categories.members("green"))
    assert "block" not in found.table.categories.members("green")
    answers = translate(RuleEngine(found.table), [source for source, _ in test])
    assert [answer.output for answer in answers] == [target for _, target in test]


@pytest.mark.parametrize("looks", [0, 10, 1_000, 5_000])
def test_a_deadline_ends_it_wherever_it_is(looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ticking(monkeypatch, tick=1.0)
    assert learn_by_patterns(_sentences(), deadline=Deadline(looks + 0.5)) is None
    assert time.monotonic() == looks + 2  # it ended at the first look at the clock after the deadline


def test_what_was_learned_before_the_deadline_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    ticking(monkeypatch, tick=1.0)
    found = learn_by_patterns(_sentences(), deadline=Deadline(1e9))
    assert found is not None
    found.deadline = Deadline(time.monotonic())
    assert not found.foreseen  # which there was no time to find out


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_agreement(seed: int) -> None:
    train, test = agreement(seed, 1500)
    found = learn_by_patterns(train)
    assert found is not None
    answers = translate(RuleEngine(found.table), [example.source for example in test])
    assert [answer.output for answer in answers] == [example.target for example in test]


def test_content_words_have_tokens_of_their_own() -> None:
    own = own_tokens(_sentences(), 0.3)
    assert own["Name3"] == "Name3"
    assert own["did3"] == "do3"
    assert not {"the", "a", "."} & set(own)


def test_readings_of_a_token_that_two_words_share() -> None:
    example, own = example_of("x and x", "X X"), Content({"x": "X"}, {})
    assert {pattern.target for pattern in readings(example, own, {})} == {(0, 0), (0, 2), (2, 0), (2, 2)}
    assert in_order(example, own, {"x": CLASS}) == OpenPattern((CLASS, "and", CLASS), (0, 2))
    assert in_order(example_of("x and x", "X"), own, {}) is None


def test_pairs_of_tokens() -> None:
    pairs = pairs_of_tokens([("(", 0, ")"), ("(", "(", 0, ")", ")", "x"), (0,)])
    assert pairs == [("(", ")")]
    assert is_balanced(("(", ")"), pairs)
    assert not is_balanced((")", "("), pairs)


def test_patterns_that_share_nothing_have_no_constituents() -> None:
    patterns: Patterns = {OpenPattern(("a", f"{CLASS}n"), (1,)): {(None, "n")}}
    assert induce_constituents(patterns).rules == {}


def test_argument_classes_follow_the_word_that_tells() -> None:
    frames: dict[tuple[str, str], Parts] = {
        (word, other): (1,) if word == "a" else (1, 1) for word in "ab" for other in "xy"
    }
    concat: dict[ConcatKey, Counter[Parts]] = {
        (Operator.CONCAT_S, (*top, PHRASE), ()): Counter({parts: 1}) for top, parts in frames.items()
    }
    classes = argument_classes(concat, Categories([("a", "b"), ("x", "y")]))
    assert classes.classes == [("a",), ("b",), ("x", "y")]
