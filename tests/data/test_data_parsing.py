"""Both parsing languages: tables, oracle, sampler, curricula, training and test sets."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from ness.data.parsing import (
    LAMBDA,
    LANGUAGES,
    TEST_LENGTHS,
    VARIANTS,
    WHILE,
    Language,
    curriculum,
    parse,
    prefix_of,
    sampler_of,
    source_of,
    test_sets,
    training_set,
    training_size,
)
from ness.data.parsing.curricula import all_features, features
from ness.data.parsing.grammar import nodes_of
from ness.data.parsing.oracle import parse_tree
from ness.errors import DataError

make_test_sets = test_sets
del test_sets  # pytest would take it for a test

BOTH = pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)


def test_tables_have_the_papers_numbers_of_productions() -> None:
    counts = {name: Counter(p.label for p in language.productions) for name, language in LANGUAGES.items()}
    assert list(counts["while"].values()) == [2, 2, 6, 12, 16, 4, 10, 12, 4, 5]
    assert list(counts["lambda"].values()) == [26, 2, 26, 4, 4, 4]


@pytest.mark.parametrize(("language", "file"), [(WHILE, "golden_while.tsv"), (LAMBDA, "golden_lambda_ab.tsv")])
def test_golden_trees(shared: Path, language: Language, file: str) -> None:
    for line in (shared / "cfg" / file).read_text().splitlines():
        source, tree = line.split("\t")
        assert " ".join(parse(language, source.split())) == tree


def test_condition_comes_first() -> None:
    source, tree = "y = 1 if x == y", "If Eq Identifier x Identifier y Assign Identifier y Literal 1"
    assert parse(WHILE, source.split()) == tuple(tree.split())


@pytest.mark.parametrize(
    ("language", "source"),
    [
        (WHILE, ""),
        (WHILE, "x ="),
        (WHILE, "x = 0 = 1"),
        (WHILE, "x == y == 0"),
        (WHILE, "0 = x"),
        (WHILE, "x = y == 0"),
        (WHILE, "while x { y = 0"),
        (WHILE, "while x y = 0 }"),
        (WHILE, "x = 0 }"),
        (WHILE, "{ x = 0 }"),
        (WHILE, "x + y ; x = 0"),
        (WHILE, "x z"),
        (WHILE, "x = 0 ; x = 1 ; if x"),
        (WHILE, "while x { while y }"),
        (LAMBDA, ""),
        (LAMBDA, "lam a a"),
        (LAMBDA, "lam a ."),
        (LAMBDA, "a lam b . b"),
        (LAMBDA, "let a = b"),
        (LAMBDA, "let a = in b"),
        (LAMBDA, "a in b"),
        (LAMBDA, "lam lam . a"),
        (LAMBDA, "a = b"),
        (LAMBDA, "let"),
    ],
)
def test_what_is_no_sentence_is_refused(language: Language, source: str) -> None:
    with pytest.raises(DataError, match=f"not a sentence of the {language.name} language at token"):
        parse(language, source.split())


@BOTH
@pytest.mark.parametrize("length", [7, 8, 9, 10, 11, 31, 101, 1001, 5001])
def test_sampler_draws_exact_lengths_that_the_oracle_parses(language: Language, length: int) -> None:
    if language is WHILE:
        length |= 1
    rng = Random(length)
    for _ in range(20 if length < 1000 else 2):
        tree = sampler_of(language.name).draw(rng, length)
        source = source_of(tree)
        assert len(source) == length
        assert parse(language, source) == prefix_of(tree)


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize(("length", "samples"), [(21, 1500), (101, 300), (1001, 60)])
def test_all_productions_occur_at_all_lengths(language: Language, length: int, samples: int) -> None:
    rng = Random(1)
    trees = [sampler_of(language.name).draw(rng, length) for _ in range(samples)]
    assert {node.production for tree in trees for node in nodes_of(tree)} == set(language.productions)
    assert len({source_of(tree) for tree in trees}) == samples


def test_sampler_refuses_lengths_that_do_not_exist() -> None:
    rng = Random(0)
    for length in (0, 1, 4, 10):
        with pytest.raises(DataError, match=f"has length {length}"):
            sampler_of("while").draw(rng, length)
    with pytest.raises(DataError, match="no Lam of the lambda language has length 3"):
        sampler_of("lambda").draw(rng, 3, "Lam")


@pytest.mark.slow
def test_very_deep_inputs_need_no_recursion() -> None:
    depth = 20_000
    nested = ["while", "x", "{"] * depth + ["x", "=", "0"] + ["}"] * depth
    assert parse(WHILE, nested).count("While") == depth
    assert parse(WHILE, ["x", *["+", "1"] * depth]).count("Op+") == depth
    assert parse(LAMBDA, ["lam", "a", "."] * depth + ["a"]).count("Lam") == depth
    assert parse(LAMBDA, ["a"] * depth).count("App") == depth - 1
    assert parse(LAMBDA, ["let", "a", "="] * depth + ["a"] + ["in", "b"] * depth).count("Let") == depth


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("seed", [0, 1])
def test_curriculum_shows_everything(language: Language, seed: int) -> None:
    examples = curriculum(language, seed)
    assert examples == curriculum(language, seed)
    assert 100 <= len(examples) <= 150
    assert len(set(examples)) == len(examples)
    assert all(parse(language, example.source) == example.target for example in examples)
    trees = [parse_tree(language, example.source) for example in examples]
    assert set().union(*map(features, trees)) >= all_features(language)
    lengths = [len(example.source) for example in examples]
    assert lengths == sorted(lengths)
    assert 8.5 <= sum(lengths) / len(lengths) <= 11
    atoms = {source for source, _ in examples if len(source) == 1}
    assert len(atoms) == (4 if language is WHILE else 26)
    letters = {p for p in language.productions if p.label in ("Var", "Bind", "Identifier", "Literal")}
    assert letters <= {node.production for tree in trees for node in nodes_of(tree)}


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("variant", VARIANTS)
def test_training_and_test_sets(language: Language, variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ness.data.parsing.sets.STANDARD_SIZE", 600)
    train = training_set(language.name, variant, 3)
    assert len(train) == training_size(variant)
    if variant != "curriculum":
        drawn = [len(example.source) for example in train[-600:]]
        wanted = int(variant.removeprefix("std-"))
        assert 0.9 * wanted <= sum(drawn) / len(drawn) <= 1.1 * wanted
    known = {example.source for example in train}
    tests = make_test_sets(language.name, train, 3)
    assert list(tests) == [f"test-{length}" for length in TEST_LENGTHS]
    for length in TEST_LENGTHS:
        test = tests[f"test-{length}"]
        assert len(test) == 1000
        some = test[:300] if length < 100 else test[:3]
        assert len({example.source for example in some}) == len(some)
        assert known.isdisjoint(example.source for example in some)
        assert all(abs(len(example.source) - length) <= 3 for example in some)
        assert all(parse(language, example.source) == example.target for example in some[:20])


def test_test_sets_are_made_as_far_as_they_are_looked_at() -> None:
    first = make_test_sets("while", [], 0)["test-10"]
    second = make_test_sets("while", [], 0)["test-10"]
    assert second[5] == first[:10][5]
    assert first[-1] == second[999]
    assert list(first) == list(second)
    with pytest.raises(IndexError):
        first[1000]
