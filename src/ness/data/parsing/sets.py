"""The training and test sets of the parsing tasks."""

from collections.abc import Iterator
from functools import partial
from random import Random

from ness.data.example import Example
from ness.data.lazy_examples import LazyExamples
from ness.data.parsing.curricula import SIZE, curriculum
from ness.data.parsing.grammar import LANGUAGES, Language, prefix_of, source_of
from ness.data.parsing.sampler import sampler_of

VARIANTS = ("curriculum", "std-10", "std-50")
TEST_LENGTHS = (10, 50, 100, 500, 1000, 5000)
TEST_SIZE = 1000
STANDARD_SIZE = 10_000


def training_set(language_name: str, variant: str, seed: int) -> list[Example]:
    """Return the curriculum, for std-10 and std-50 followed by random inputs of about that length."""
    language = LANGUAGES[language_name]
    train = curriculum(language, seed)
    if variant != "curriculum":
        length = int(variant.removeprefix("std-"))
        rng = Random(f"training {language_name} {variant} {seed}")
        train += [_draw(language, rng, _near(language, rng, length, length // 2)) for _ in range(STANDARD_SIZE)]
    return train


def training_size(variant: str) -> int:
    """Return the number of training examples of a variant."""
    return SIZE + (0 if variant == "curriculum" else STANDARD_SIZE)


def test_sets(language_name: str, train: list[Example], seed: int) -> dict[str, LazyExamples]:
    """Return Test-10 to Test-5000: 1,000 distinct inputs of about that length each, none of them in training."""
    language = LANGUAGES[language_name]
    sets = {}
    for length in TEST_LENGTHS:
        sets[f"test-{length}"] = LazyExamples(TEST_SIZE, partial(_draw_tests, language, train, length, seed))
    return sets


def _draw_tests(language: Language, train: list[Example], length: int, seed: int) -> Iterator[Example]:
    rng = Random(f"test {language.name} {length} {seed}")
    seen = {example.source for example in train}
    while True:
        example = _draw(language, rng, _near(language, rng, length, 3))
        if example.source not in seen:
            seen.add(example.source)
            yield example


def _near(language: Language, rng: Random, length: int, spread: int) -> int:
    """Draw a length around `length`, an odd one for While-Lang."""
    if language.name == "while":
        odd = length - spread + (length - spread + 1) % 2
        return rng.randrange(odd, length + spread + 1, 2)
    return rng.randint(length - spread, length + spread)


def _draw(language: Language, rng: Random, length: int) -> Example:
    tree = sampler_of(language.name).draw(rng, length)
    return Example(source_of(tree), prefix_of(tree))
