"""Invented tasks: deterministic, disjoint, functional, and every answer checked by a second way where there is one."""

from itertools import pairwise

import pytest

from ness.data.invented import INVENTIONS, invented

NAMES = pytest.mark.parametrize("name", INVENTIONS)


@NAMES
@pytest.mark.parametrize("seed", [0, 7])
def test_sets(name: str, seed: int) -> None:
    invention = INVENTIONS[name]
    train, tests = invented(name, seed)
    assert (train, tests) == invented(name, seed)
    assert len(train) == invention.train
    assert len(tests) == invention.tests
    assert 60 <= len(train) <= 400
    assert 100 <= len(tests) <= 300
    assert max(len(example.source) for example in train) < min(len(test.source) for test in tests)
    sources = [example.source for example in train + tests]
    assert len(sources) == len(set(sources))
    assert {word for test in tests for word in test.source} <= {word for e in train for word in e.source}
    assert {token for test in tests for token in test.target} <= {token for e in train for token in e.target}


@NAMES
def test_seeds_differ(name: str) -> None:
    assert invented(name, 0)[1] != invented(name, 1)[1]


def test_there_are_many_and_one_is_beyond_the_machine() -> None:
    assert len(INVENTIONS) >= 14
    assert [name for name, invention in INVENTIONS.items() if invention.expressible is False] == ["closing_tag"]
    assert [name for name, invention in INVENTIONS.items() if invention.expressible is None] == ["boolean"]


@pytest.mark.parametrize("name", ["numbers", "dates"])
@pytest.mark.parametrize("seed", range(5))
def test_training_shows_every_pair_of_ten_and_unit(name: str, seed: int) -> None:
    train, tests = invented(name, seed)
    pairs = [
        {pair for source, _ in examples for pair in pairwise(source) if pair[0] in ("twenty", "thirty", "forty")}
        for examples in (train, tests)
    ]
    units = [{pair for pair in found if pair[1] not in ("then", "of")} for found in pairs]
    assert len(units[0]) == 18
    assert units[1] <= units[0]


PYTHON_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**"}


def value(source: tuple[str, ...]) -> float:
    """Evaluate a formula by Python's own rules."""
    names = {"a": 1.1, "b": 1.3, "c": 0.9, "d": 0.7}
    return float(eval(" ".join(source).replace("^", "**"), {}, names))


def apply(operator: str, left: float, right: float) -> float:
    return float(eval(f"left {PYTHON_OPERATORS[operator]} right", {}, {"left": left, "right": right}))


@pytest.mark.parametrize("name", ["postfix_arithmetic", "power", "parentheses_to_prefix", "parentheses_to_postfix"])
def test_formulas_keep_their_value(name: str) -> None:
    for source, target in [example for examples in invented(name) for example in examples]:
        postfix = name.startswith("post") or name.endswith("postfix")
        stack: list[float] = []
        for token in target if postfix else reversed(target):
            if token in PYTHON_OPERATORS:
                second, first = stack.pop(), stack.pop()
                stack.append(apply(token, first, second) if postfix else apply(token, second, first))
            else:
                stack.append(value((token,)))
        assert stack == [pytest.approx(value(source))]


GOLDEN = {
    "boolean": ("not s or r or not q", "( OR ( OR ( NOT S ) R ) ( NOT Q ) )"),
    "reversal": ("a d b a", "A B D A"),
    "mirror": ("a d b", "A D B D A"),
    "clauses": ("the girl liked the girl that helped the girl", "like GIRL WHICH GIRL help GIRL"),
    "records": ("begin size is one ; age is red end", '{ "size" : ONE , "age" : RED }'),
    "closing_tag": ("b [ b [ p [ word ] ] ]", "<b> <b> <p> WORD </p> </b> </b>"),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str) -> None:
    source, target = GOLDEN[name]
    found = [e for seed in range(6) for e in invented(name, seed)[0] if e.source == tuple(source.split())]
    assert found
    assert {" ".join(example.target) for example in found} == {target}
