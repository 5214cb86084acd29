"""The larger translation tests: what is asked, and what training no longer shows."""

import pytest

from ness.data.example import Example
from ness.data.translation_tests import (
    TranslationQuestion,
    extended_daxy,
    held_out,
    is_recombination,
    score,
    uninflected,
)


def example(source: str, target: str) -> Example:
    return Example(tuple(source.split()), tuple(target.split()))


def corpus() -> list[Example]:
    subjects = {"i am": "je suis", "he is": "il est", "we re": "nous sommes", "i m not": "je ne suis pas"}
    words = ("calme", "triste", "jeune", "rapide")
    pairs = [example(f"{s} {w}_ .", f"{f} {w} .") for s, f in subjects.items() for w in words]
    return [*pairs, example("i am calme_ and triste_ .", "je suis calme et triste ."), example("i am daxy .", "d .")]


def test_daxy_is_asked_in_48_ways() -> None:
    questions = extended_daxy()
    assert len({question.source for question in questions}) == 48
    by_source = {" ".join(question.source): question.references for question in questions}
    assert by_source["he s not daxy ."] == {("il", "n", "est", "pas", "daxiste", ".")}
    assert len(by_source["you are not very daxy ."]) == 6


def test_held_out_combinations_leave_the_training_set() -> None:
    held = held_out(corpus(), seed=1, words=2)
    asked = {question.source for question in held.validation + held.test}
    assert len(asked) == 6  # two words, three of their four prefixes each
    assert not asked & {source for source, _ in held.train}
    words = {word for source in asked for word in source if word.endswith("_")}
    assert len(words) == 2
    for word in words:
        assert len([source for source, _ in held.train if word in source]) == 1
    assert example("i am daxy .", "d .") in held.train
    assert {word for q in held.validation for word in q.source if "_" in word}.isdisjoint(
        word for q in held.test for word in q.source if "_" in word
    )


def test_the_seed_decides_what_is_held_out() -> None:
    assert held_out(corpus(), seed=1, words=2) == held_out(reversed(corpus()), seed=1, words=2)
    assert any(held_out(corpus(), seed=1, words=2) != held_out(corpus(), seed=seed, words=2) for seed in range(2, 6))


def test_a_recombination_joins_known_parts() -> None:
    train = [example("she is tall .", "elle est grande ."), example("he s mean .", "il est mechant .")]
    known = TranslationQuestion(("he", "is", "tall", "."), frozenset([("il", "est", "grande", ".")]))
    new = TranslationQuestion(("he", "is", "tall", "."), frozenset([("il", "est", "grand", ".")]))
    assert is_recombination(known, train)
    assert not is_recombination(new, train)


@pytest.mark.parametrize(
    ("answer", "exact", "semantic", "loose"),
    [
        ("tu es heureux .", 1, 1, 1),
        ("vous etes heureux .", 0, 1, 1),
        ("vous etes heureuses .", 0, 0, 1),
        ("tu es grand .", 0, 0, 0),
    ],
)
def test_scores(answer: str, exact: float, semantic: float, loose: float) -> None:
    question = TranslationQuestion(("you", "are", "happy", "."), frozenset([("tu", "es", "heureux", ".")]))
    assert score([question], [tuple(answer.split())]) == (1, exact, semantic, loose, 0)


def test_no_answer_is_counted_apart() -> None:
    assert score([TranslationQuestion(("you",), frozenset([("tu",)]))], [None]).unanswered == 1


def test_inflection_is_dropped() -> None:
    feminine, masculine = ("elles", "sont", "tres", "heureuses"), ("ils", "sont", "fort", "heureux")
    assert uninflected(feminine) == uninflected(masculine) != feminine
