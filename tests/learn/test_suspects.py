"""Wrong lines are named with the output that is expected, and are not learned; odd rules are to blame, not lines."""

import random
from collections.abc import Iterable
from itertools import product

import pytest

from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config, CostConfig
from ness.data.example import Example, example_of
from ness.data.invented.schemes import random_scheme
from ness.data.random_grammar import random_grammar
from ness.learn.cleaning import errors_of_rules, near_misses
from ness.learn.coding import Codec
from ness.learn.costs import RuleCosts
from ness.learn.cues import Cues
from ness.learn.learner import learn
from ness.learn.result import LearningResult
from ness.learn.suspects import find_suspects, is_small_edit

VERBS = ("walk", "run", "jump", "look")


def commands(jump_twice: tuple[str, ...] = ("JUMP", "JUMP")) -> list[Example]:
    phrases: dict[str, tuple[str, ...]] = {verb: (verb.upper(),) for verb in VERBS}
    phrases |= {f"{verb} twice": (verb.upper(),) * 2 for verb in VERBS}
    phrases["jump twice"] = jump_twice
    both = [(f"{a} and {b}", phrases[a] + phrases[b]) for a, b in product(phrases, repeat=2)]
    return [Example(tuple(source.split()), target) for source, target in [*phrases.items(), *both]]


def with_wrong(places: dict[str, str]) -> list[Example]:
    found = []
    for example in commands():
        wrong = places.get(" ".join(example.source))
        found.append(Example(example.source, tuple(wrong.split())) if wrong else example)
    return found


WRONG = {
    "run": "JUMP",  # exchanged
    "walk and run": "WALK",  # dropped
    "jump twice and look": "JUMP JUMP JUMP LOOK",  # inserted
}


@pytest.fixture(scope="module")
def learned() -> LearningResult:
    return learn(with_wrong(WRONG), Config())


def test_wrong_lines_are_named_with_the_right_outputs(learned: LearningResult) -> None:
    right = {example.source: example.target for example in commands()}
    assert {" ".join(example.source) for example in learned.suspicious} == set(WRONG)
    assert all(expected == right[example.source] for example, expected in learned.suspicious.items())


def test_wrong_lines_are_not_learned_and_the_rest_is(learned: LearningResult) -> None:
    assert (learned.unsolved, learned.memorised) == ([], [])
    assert not learned.suspicious.keys() & learned.traces.keys()
    answers = translate(RuleEngine(learned.table), [example.source for example in commands()])
    assert [answer.output for answer in answers] == [example.target for example in commands()]


def test_right_lines_are_not_suspicious() -> None:
    assert learn(commands(), Config()).suspicious == {}


def test_what_several_lines_say_is_an_exception_and_no_mistake() -> None:
    """All lines with `jump twice` say the same: that is a rule, however odd."""
    odd = commands(jump_twice=("JUMP", "HOP"))
    assert sum("HOP" in example.target for example in odd) > 10
    assert learn(odd, Config()).suspicious == {}


def test_an_exception_that_two_lines_share_is_no_mistake() -> None:
    odd = commands(jump_twice=("JUMP", "HOP"))
    shown = {("jump", "twice"), ("jump", "twice", "and", "walk")}
    lines = [line for line in odd if "HOP" not in line.target or line.source in shown]
    found = learn(lines, Config())
    assert (found.suspicious, found.unsolved) == ({}, [])


def test_a_construct_of_two_examples_is_learned() -> None:
    rare = [example_of("walk back", "TURN WALK"), example_of("run back", "TURN RUN")]
    found = learn([*commands(), *rare], Config())
    assert (found.suspicious, found.unsolved, found.memorised) == ({}, [], [])
    assert [answer.output for answer in translate(RuleEngine(found.table), [("jump", "back")])] == [("TURN", "JUMP")]


def one_token_less(lines: list[Example], places: Iterable[int]) -> dict[Example, Example]:
    """Drop a token from the outputs of some lines; map these to what they were."""
    found = {}
    for number, place in enumerate(places):
        source, target = line = lines[place]
        start = number % len(target)
        lines[place] = Example(source, target[:start] + target[start + 1 :])
        found[lines[place]] = line
    return found


@pytest.mark.slow
def test_wrong_lines_cost_hardly_a_search_where_right_ones_cost_none() -> None:
    lines = list(dict.fromkeys(random_scheme(7004)[0]))
    assert learn(lines, Config()).nodes == 0
    wrong = one_token_less(lines, [*range(50, 250, 20)])
    found = learn(lines, Config())
    assert found.unsolved == []
    assert found.nodes < 100
    assert found.suspicious == {line: right.target for line, right in wrong.items()}


def rules_of(examples: list[Example]) -> tuple[RuleCosts, Codec]:
    codec = Codec(examples)
    found = learn(examples, Config())
    rules = RuleCosts(CostConfig(), Cues())
    rules.rebuild(codec.trace(example.source, program) for example, program in found.traces.items())
    return rules, codec


def test_a_rule_that_is_as_often_wrong_as_right_is_to_blame() -> None:
    rules, codec = rules_of(commands())
    rng = random.Random(0)
    lines = commands()
    spoiled = {example: Example(example.source, (*example.target, "WALK")) for example in lines}
    few = set(rng.sample(lines, 3))
    samples = [codec.encode(*(spoiled[example] if example in few else example)) for example in lines]
    verdict = find_suspects(rules, samples)
    assert (len(verdict.errors), len(verdict.suspects)) == (0, 3)
    many = set(rng.sample(lines, len(lines) // 2))
    samples = [codec.encode(*(spoiled[example] if example in many else example)) for example in lines]
    verdict = find_suspects(rules, samples)
    assert (len(verdict.errors), len(verdict.suspects)) == (len(many), 0)


def test_near_misses_are_errors_by_few_tokens() -> None:
    rules, codec = rules_of(commands())
    near, far = (codec.encode(("walk", "and", "run"), target) for target in (("WALK", "LOOK"), ("LOOK", "JUMP")))
    assert near_misses(rules, [near, far]) == [near]


def test_few_near_misses_are_no_errors_of_rules_where_lines_are_wrong() -> None:
    rules, codec = rules_of(commands())
    right = [codec.encode(*example) for example in commands()]
    rare = codec.encode(("walk", "and", "walk", "and", "run"), ("WALK", "WALK", "WALK"))  # which no rule is sure of
    far = codec.encode(("walk", "and", "walk", "and", "run"), ("LOOK", "JUMP", "JUMP"))
    assert find_suspects(rules, [*right, rare]).errors == [rare]
    assert errors_of_rules(rules, [*right, rare], wrong_lines=0) == [rare]
    assert errors_of_rules(rules, [*right, rare], wrong_lines=1) == []
    assert errors_of_rules(rules, [*right, rare, rare, rare], wrong_lines=2) == [rare] * 3  # more than are known
    assert errors_of_rules(rules, [*right, far], wrong_lines=1) == [far]


@pytest.mark.parametrize(
    ("output", "target", "near"),
    [
        ("ab", "ab", False),  # nothing is wrong
        ("ab", "a", True),
        ("ab", "abb", True),
        ("ab", "ac", True),
        ("ab", "cd", False),
        ("abcdefgh", "abdefghx", True),  # two of eight tokens
        ("abcdefgh", "hgfedcba", False),
    ],
)
def test_near_outputs_differ_by_a_small_edit(output: str, target: str, near: bool) -> None:
    assert is_small_edit(output, target) is near


@pytest.mark.parametrize("number", [1087, 1094, 20050])
def test_a_line_that_alone_tells_what_binds_tighter_is_no_mistake(number: int) -> None:
    """Two words that join phrases are of one category, and only one line has them side by side in this order."""
    train, tests = random_grammar(number)
    learned = learn(train, Config())
    assert not learned.suspicious
    engine = RuleEngine(learned.table)
    assert [answer.output for answer in translate(engine, [t.source for t in tests])] == [t.target for t in tests]
