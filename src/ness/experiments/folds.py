"""Parts of the training data that are held out in turn: settings are judged by what was not learned from."""

import random
from collections.abc import Sequence

from ness.data.example import Example
from ness.errors import DataError

LONG = "long"  # the longest inputs: what rules are for
_MOST = 0.5  # of the inputs that may be held out for their length


def folds_of(examples: Sequence[Example], count: int, long: bool = True) -> list[str]:
    """Name the folds: "1/3", "2/3", "3/3" at random, and "long" where inputs differ in length."""
    return [f"{number}/{count}" for number in range(1, count + 1)] + ([LONG] if long and _longest(examples) else [])


def held_out(examples: Sequence[Example], fold: str, seed: int) -> tuple[list[Example], list[Example]]:
    """Split examples: what to learn from and what to judge by; no input and no word is in the second part alone."""
    if fold == LONG:
        chosen = set(_longest(examples))
    else:
        number, count = map(int, fold.split("/"))
        sources = sorted({example.source for example in examples})
        random.Random(f"folds {seed}").shuffle(sources)
        chosen = set(sources[number - 1 :: count])
    rest = [example for example in examples if example.source not in chosen]
    words = {word for example in rest for word in example.source}
    tokens = {token for example in rest for token in example.target}
    held = [
        example
        for example in dict.fromkeys(examples)
        if example.source in chosen and words.issuperset(example.source) and tokens.issuperset(example.target)
    ]
    if not held:
        raise DataError(
            f"nothing can be held out (fold {fold} of {len(examples)} examples): each has a word of its own; give more"
        )
    judged = {example.source for example in held}
    return [example for example in examples if example.source not in judged], held


def _longest(examples: Sequence[Example]) -> list[tuple[str, ...]]:
    """The inputs of the greatest lengths, a quarter of all or a little more; none where that would be most of them."""
    sources = sorted({example.source for example in examples}, key=lambda source: (len(source), source), reverse=True)
    shortest = len(sources[(len(sources) - 1) // 4])
    long = [source for source in sources if len(source) >= shortest]
    if len(long) > _MOST * len(sources):
        long = [source for source in sources if len(source) > shortest]
    return long
