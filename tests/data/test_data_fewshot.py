"""The few-shot task against its files, and fresh grammars of its kind."""

from itertools import product
from pathlib import Path
from random import Random

import pytest

import ness.data.random_grammar as module
from ness.data.example import example_of
from ness.data.fewshot import fewshot
from ness.data.random_grammar import Function, Grammar, random_grammar

SEEDS = range(60)


def test_equal_to_the_files(shared: Path) -> None:
    for name, examples in zip(("train", "test"), fewshot(), strict=True):
        lines = (shared / "fewshot" / f"{name}.txt").read_text().splitlines()
        assert examples == [example_of(*line.removeprefix("IN: ").split(" OUT: ")) for line in lines]


def fewshot_grammar() -> Grammar:
    colours = dict(zip(("dax", "lug", "wif", "zup"), ("RED", "BLUE", "GREEN", "YELLOW"), strict=True))
    functions = [
        Function("fep", "postfix", (0, 0, 0), 3),
        Function("blicket", "binary", (0, 1, 0), 2),
        Function("kiki", "binary", (1, 0), 1),
    ]
    return Grammar(colours, {function.word: function for function in functions})


def test_the_task_itself_is_of_the_family() -> None:
    grammar = fewshot_grammar()
    for example in (example for examples in fewshot() for example in examples):
        assert grammar.meaning(example.source) == example.target


@pytest.mark.parametrize(
    ("words", "left", "right"),
    [("a f b f c", "ABACABA", "ABCBA"), ("a f b g", "ABAABA", "ABBA"), ("p a f b", "AABAA", "ABAABA")],
)
def test_precedence_and_associativity(words: str, left: str, right: str) -> None:
    for associates, tight, output in (("left", 3.0, left), ("right", 1.0, right)):
        functions = [
            Function("f", "binary", (0, 1, 0), 2, associates),
            Function("g", "postfix", (0, 0), 4 - tight),
            Function("p", "prefix", (0, 0), tight),
        ]
        grammar = Grammar({letter: letter.upper() for letter in "abc"}, {one.word: one for one in functions})
        assert "".join(grammar.meaning(tuple(words.split()))) == output


@pytest.mark.parametrize("seed", SEEDS)
def test_random_grammar(seed: int) -> None:
    train, tests = random_grammar(seed)
    assert (train, tests) == random_grammar(seed)
    assert 14 <= len(train) <= 35
    assert len(tests) == 15
    sources = [example.source for example in train + tests]
    assert len(sources) == len(set(sources))
    # The primitive that every test holds occurs in training only by itself.
    primitives = {example.source[0] for example in train if len(example.source) == 1}
    held_out = set.intersection(*(set(test.source) for test in tests)) & primitives
    assert any(all(word not in e.source for e in train if len(e.source) > 1) for word in held_out)
    assert {word for test in tests for word in test.source} <= {word for e in train for word in e.source}


def test_random_grammars_show_all_forms() -> None:
    """Function words stand before, after and between their operands."""
    first: set[int] = set()
    last: set[int] = set()
    middle: set[int] = set()
    for seed in SEEDS:
        train, _ = random_grammar(seed)
        primitives = {example.source for example in train if len(example.source) == 1}
        for source, _target in train:
            if len(source) == 2:
                (last if source[:1] in primitives else first).add(seed)
            if len(source) == 3 and source[:1] in primitives and source[2:] in primitives:
                middle.add(seed)
    assert len(first) > 5
    assert len(last) > 5
    assert len(middle) == len(SEEDS)


def test_every_reading_that_fits_training_gives_the_same_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resolve the conflicts of small grammars in all possible ways, by brute force."""
    drawn: list[Grammar] = []

    def draw(rng: Random) -> Grammar:
        drawn.append(original(rng))
        return drawn[-1]

    original = module._draw_grammar
    monkeypatch.setattr(module, "_draw_grammar", draw)
    checked = 0
    for seed in range(20):
        train, tests = random_grammar(seed)
        grammar = drawn[-1]
        conflicts = grammar.conflicts()
        if len(conflicts) > 6:
            continue
        checked += 1
        for flips in product((False, True), repeat=len(conflicts)):
            flipped = frozenset(conflict for conflict, flip in zip(conflicts, flips, strict=True) if flip)
            if all(grammar.meaning(example.source, flipped) == example.target for example in train):
                assert all(grammar.meaning(test.source, flipped) == test.target for test in tests)
    assert checked > 8
