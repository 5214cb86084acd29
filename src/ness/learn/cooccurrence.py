"""How many examples have a word, a target token, and both."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

W = TypeVar("W", bound=Hashable)


class Occurrences(NamedTuple, Generic[W]):
    """Counts of examples; a word or token counts once in each."""

    with_word: Counter[W]
    with_token: Counter[str]
    together: Counter[tuple[W, str]]


def count_occurrences(examples: Iterable[tuple[Sequence[W], Sequence[str]]]) -> Occurrences[W]:
    """Count words and tokens over examples; what was counted last is known, and not to be changed."""
    return _count(tuple(examples))


@lru_cache(maxsize=2)  # several parts of the learner count the same examples
def _count(examples: tuple[tuple[Sequence[W], Sequence[str]], ...]) -> Occurrences[W]:
    found: Occurrences[W] = Occurrences(Counter(), Counter(), Counter())
    sources, targets = zip(*examples, strict=True) if examples else ((), ())
    kinds = Counter(zip(map(frozenset, sources), map(frozenset, targets), strict=True))  # many have the same ones
    for (words, tokens), times in kinds.items():
        together = [(word, token) for word in words for token in tokens]
        if times == 1:
            found.with_word.update(words)
            found.with_token.update(tokens)
            found.together.update(together)
        else:
            found.with_word.update(dict.fromkeys(words, times))
            found.with_token.update(dict.fromkeys(tokens, times))
            found.together.update(dict.fromkeys(together, times))
    return found
