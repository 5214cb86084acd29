"""Verbs, some of them twice or thrice, joined by `and` or `after`: a small grammar with as many words as wanted."""

from random import Random

from ness.data.example import Example

_TIMES = {1: (), 2: ("twice",), 3: ("thrice",)}
_EXAMPLES_PER_WORD = 4
_TESTS = 300


def many_words(words: int, seed: int = 0) -> tuple[list[Example], list[Example]]:
    """Training sentences of one to three phrases, and tests of four to six, without words that training lacks."""
    rng = Random(seed)
    found: dict[tuple[str, ...], Example] = {}
    while len(found) < _EXAMPLES_PER_WORD * words:
        example = _sentence(rng, words, rng.choice((1, 1, 2, 2, 3)))
        found.setdefault(example.source, example)
    known = {word for source in found for word in source}
    drawn = [_sentence(rng, words, rng.choice((4, 5, 6))) for _ in range(_TESTS)]
    return list(found.values()), [example for example in drawn if known.issuperset(example.source)]


def _sentence(rng: Random, words: int, phrases: int) -> Example:
    """Phrases joined from the left."""
    source: tuple[str, ...] = ()
    target: tuple[str, ...] = ()
    for number in range(phrases):
        verb, times = f"v{rng.randrange(words)}", rng.choice((1, 2, 3))
        joined = rng.choice(("and", "after")) if number else ""
        source += (*([joined] if joined else []), verb, *_TIMES[times])
        made = (verb.upper(),) * times
        target = made + target if joined == "after" else target + made
    return Example(source, target)
