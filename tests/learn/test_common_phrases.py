"""Phrases that words have in common: several words in a row that say one thing, words of which each says the same."""

import math
from itertools import product

import pytest

from ness.answer.evaluation import evaluate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data.example import Example, example_of
from ness.learn.coding import Codec, Sample
from ness.learn.constituents.patterns import even_tokens
from ness.learn.derivations.attempt import attempt_by_derivations
from ness.learn.derivations.compounds import NONE, Compounds, find_compounds
from ness.learn.derivations.content import is_written_once
from ness.learn.derivations.output import PatternOutput
from ness.learn.derivations.patterns import Pattern, patterns_of
from ness.learn.learner import learn
from ness.learn.lexical_words import lexical_phrases, shared_phrases
from ness.learn.readings import Reading

SIZES = {"small": "S", "large": "L", "extra large": "XL", "extra small": "XS"}
THINGS = ("shirt", "coat", "hat", "scarf")


def orders(sizes: dict[str, str] = SIZES) -> list[Example]:
    """`an extra large shirt` becomes `shirt ( XL )`, alone and in lists."""
    single = [(f"a {size} {x}", f"{x} ( {sizes[size]} )") for size, x in product(sizes, THINGS)]
    double = [(f"{a} and {c}", f"{b} ; {d}") for (a, b), (c, d) in product(single, single) if (a, b) != (c, d)]
    return [example_of(*pair) for pair in single + double]


def coded(examples: list[Example]) -> tuple[Codec, list[Sample]]:
    codec = Codec(examples)
    return codec, [codec.encode(*example) for example in examples]


def rows(codec: Codec, compounds: Compounds, samples: list[Sample]) -> set[str]:
    """The rows of words that are joined somewhere."""
    joined = {word for sample in samples for word in compounds.join(sample)[0]}
    return {" ".join(map(codec.word, compounds.words(w))) for w in joined if not compounds.is_single(w)}


def test_words_in_a_row_that_have_a_token_together_are_joined() -> None:
    codec, samples = coded(orders())
    compounds = find_compounds(samples)
    assert rows(codec, compounds, samples) == {"extra large", "extra small"}
    for sample in samples:
        source, target = compounds.join(sample)
        assert target == sample[1]
        assert tuple(word for each in source for word in compounds.words(each)) == sample[0]


def test_words_that_each_have_a_token_are_not_joined() -> None:
    _, samples = coded(orders({"small": "S", "large": "L", "warm small": "W S", "warm large": "W L"}))
    assert not find_compounds(samples)
    assert NONE.join(samples[0]) is samples[0]


def test_a_row_of_words_is_learned_as_one() -> None:
    _, samples = coded(orders())
    lessons = [[sample for sample in samples if len(sample[0]) <= 4], [s for s in samples if len(s[0]) > 4]]
    found = attempt_by_derivations({Reading.PLAIN: lessons}, Config(), math.inf)
    assert found is not None
    assert found.wrong == 0
    learned = learn(orders(), Config())
    tests = [
        example_of(
            " and ".join(f"a {size} {x}" for size, x in zip(SIZES, THINGS, strict=True)),
            " ; ".join(f"{x} ( {token} )" for token, x in zip(SIZES.values(), THINGS, strict=True)),
        )
    ]
    assert evaluate(RuleEngine(learned.table), tests).exact == 1


FOODS = {"soup": "soup", "soups": "soup", "cake": "cake", "cakes": "cake", "tea": "black tea", "teas": "black tea"}
NUMBERS = {"one": "1", "two": "2", "three": "3"}


def meals() -> list[Example]:
    single = [(f"{n} {food}", f"{NUMBERS[n]} x {FOODS[food]}") for n, food in product(NUMBERS, FOODS)]
    double = [(f"{a} with {c}", f"{b} , {d}") for (a, b), (c, d) in product(single, single) if a != c]
    return [example_of(*pair) for pair in single + double]


def test_words_that_share_a_token_have_the_same_phrase() -> None:
    codec, samples = coded(meals())
    shared = shared_phrases(samples)
    assert {codec.word(word): " ".join(codec.phrase(phrase)) for word, phrase in shared.items()} == FOODS
    assert not shared.keys() & lexical_phrases(samples).keys()  # numbers have tokens of their own


def test_a_token_of_something_else_is_not_shared() -> None:
    """`;` is written as often as one of the words stands there, but once: between two of them."""
    codec, samples = coded(orders())
    assert not {codec.word(word) for word in shared_phrases(samples)} & set(THINGS)


def test_words_with_one_phrase_may_have_any_place_of_it() -> None:
    codec, [sample] = coded([example_of("one soup with two soups", "1 x soup , 2 x soup")])
    content = {codec.words[word]: codec.tokens["soup"] for word in ("soup", "soups")}
    links = [pattern.links for pattern in patterns_of(sample, content)]
    first, second = ((2, 3),), ((6, 7),)
    assert links == [{1: first, 4: second}, {1: second, 4: first}]


def test_a_phrase_is_not_looked_for_inside_a_longer_one() -> None:
    codec, [sample] = coded([example_of("matcha and tea", "green tea , tea")])
    tea = codec.tokens["tea"]
    content = {codec.words["matcha"]: codec.tokens["green"] + tea, codec.words["tea"]: tea}
    assert [pattern.links for pattern in patterns_of(sample, content)] == [{0: ((0, 2),), 2: ((3, 4),)}]
    assert is_written_once([sample], content)


def test_tokens_that_come_in_twos_may_be_quotes() -> None:
    assert even_tokens([['"', "a", '"', ":", '"', "b", '"'], ['"', "b", '"'], ["a", ":"]]) == ['"']


@pytest.mark.parametrize(
    ("target", "made", "closed"),
    [
        ('" A "', (0, 2), (0, 3)),  # an open quote
        ("[ A ; ]", (0, 2), (0, 4)),  # what stands before the token that closes
        ("[ A B ]", (0, 2), (0, 2)),  # another content word does, too
        ("A ]", (0, 1), (0, 1)),
    ],
)
def test_a_stretch_reaches_to_what_closes_it(target: str, made: tuple[int, int], closed: tuple[int, int]) -> None:
    tokens = target.split()
    codec, [sample] = coded([example_of("a b", target)])
    links = {place: ((tokens.index(x), tokens.index(x) + 1),) for place, x in enumerate("AB") if x in tokens}
    closing = {codec.tokens[one]: codec.tokens[other] for one, other in ('""', "[]") if one in tokens}
    pattern = Pattern(sample[0], sample[1], links)
    assert PatternOutput(pattern, closing).closed(made) == closed
