"""Random translation schemes are what they say: seeded, unambiguous, with longer tests of known words."""

from random import Random

import pytest

from ness.data.invented.schemes import draw_scheme, random_scheme, sentence, wide_scheme

SEEDS = range(12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_tests_are_longer_and_hold_known_words(seed: int) -> None:
    train, tests = random_scheme(seed)
    words = {word for example in train for word in example.source}
    assert tests
    assert min(len(example.source) for example in tests) > max(len(example.source) for example in train)
    assert all(words.issuperset(example.source) for example in tests)
    assert random_scheme(seed) == (train, tests)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_source_has_one_target(seed: int) -> None:
    rng = Random(seed)
    scheme = draw_scheme(rng)
    targets: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for _ in range(2000):
        source, target = sentence(scheme, rng, rng.randrange(4))
        targets.setdefault(tuple(source), set()).add(tuple(target))
    assert all(len(found) == 1 for found in targets.values())


def test_schemes_differ() -> None:
    assert len({str(draw_scheme(Random(seed))) for seed in SEEDS}) == len(SEEDS)


def test_large_schemes_have_words_enough() -> None:
    train, tests = random_scheme(2005)
    assert train
    assert tests


def test_wide_schemes_have_templates_long_leaves_and_enclosed_outputs() -> None:
    drawn = [wide_scheme(seed)[0] for seed in range(12)]
    assert drawn[3] == wide_scheme(3)[0]
    sizes = [sum(len(example.source) == 1 for example in train) for train in drawn]
    assert (min(sizes), max(sizes)) == (5, 400)
    assert any(len(example.target) > 2 for train in drawn for example in train if len(example.source) == 1)
    ends = [{(example.target[0], example.target[-1]) for example in train} for train in drawn]
    assert {("[", "]")} in ends
