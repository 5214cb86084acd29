"""What an invented task is, and how its training and test sets are drawn."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from ness.data.example import Example

Words = list[str]
Draw = Callable[[Random, int], tuple[Words, Words]]

_ATTEMPTS = 40_000


@dataclass(frozen=True, slots=True)
class Invention:
    """A seeded task: `draw` makes one source and target of about the size it is given."""

    name: str
    summary: str
    draw: Draw
    sizes: tuple[int, int]  # the largest size of a training and of a test draw
    longest: tuple[int, int]  # the longest source in training and in the test; tests are longer than training
    train: int = 300
    tests: int = 150
    expressible: bool | None = True  # whether one table of rules can do it; None: we do not know


def make(invention: Invention, seed: int) -> tuple[list[Example], list[Example]]:
    """Draw the training set (short sources) and the test set (longer ones) of an invention."""
    rng = Random(f"invented {invention.name} {seed}")
    small, large = invention.sizes
    shorter, longer = invention.longest
    train = _collect(invention.draw, rng, invention.train, range(1, small + 1), range(1, shorter + 1))
    words = {word for example in train for word in example.source}
    tests = _collect(invention.draw, rng, invention.tests, range(2, large + 1), range(shorter + 1, longer + 1))
    known = [example for example in tests if words.issuperset(example.source)]
    return sorted(train, key=lambda example: len(example.source)), known


def _collect(draw: Draw, rng: Random, wanted: int, sizes: range, lengths: range) -> list[Example]:
    """Draw distinct examples whose sources have one of the lengths."""
    found: dict[tuple[str, ...], Example] = {}
    for _ in range(_ATTEMPTS):
        source, target = draw(rng, rng.choice(sizes))
        if len(source) in lengths:
            found.setdefault(tuple(source), Example(tuple(source), tuple(target)))
            if len(found) == wanted:
                break
    return list(found.values())
