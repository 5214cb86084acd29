"""Words that training shows to be exchangeable together with a token each, such as `left` and `right`.

The paper's local equivariance: with one primitive in place of another the operators of a trace stay the same, the
arguments of REDUCE differ. Here it is read off the examples before any trace: a word goes with a token if they occur in
the same examples, and two such words are swapped if, wherever training shows an input with both swapped, its output has
both tokens swapped.
"""

import random
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple, TypeVar

from ness.learn.coding import Sample

A = TypeVar("A", bound=Hashable)
_SHOWN = 0.5  # share of the rarer word's examples that training must show swapped


class Swap(NamedTuple):
    """Two words, and the tokens that go with them."""

    words: tuple[int, int]
    tokens: tuple[str, str]

    def of(self, sample: Sample) -> Sample:
        """Swap the words of an input, and the tokens of its output."""
        (one, other), (token, another) = self.words, self.tokens
        words, tokens = {one: other, other: one}, str.maketrans(token + another, another + token)
        source, target = sample
        return tuple([words.get(word, word) for word in source]), target.translate(tokens)


def swaps_of(samples: Sequence[Sample]) -> list[Swap]:
    """Find the swaps that examples show and none contradicts."""
    shown = dict(samples)
    holders = _holders(source for source, _ in samples)
    lexicon = _lexicon(holders, _holders(target for _, target in samples))
    found = []
    for one, other in combinations(lexicon, 2):
        swap = Swap((one, other), (lexicon[one], lexicon[other]))
        rarer = min(holders[one], holders[other], key=len)
        swapped = [swap.of(samples[number]) for number in holders[one] | holders[other]]
        agrees = all(shown.get(source, target) == target for source, target in swapped)
        if agrees and sum(swap.of(samples[number])[0] in shown for number in rarer) >= _SHOWN * len(rarer):
            found.append(swap)
    return found


class Counterparts(dict[Sample, Sample | None]):
    """For each example one of its swaps, drawn when it is first asked for; None where there is nothing to swap."""

    def __init__(self, swaps: Sequence[Swap] = (), rng: random.Random | None = None) -> None:
        super().__init__()
        self._swaps, self._rng = swaps, rng or random.Random(0)

    def __missing__(self, sample: Sample) -> Sample | None:
        able = [swap for swap in self._swaps if not set(swap.words).isdisjoint(sample[0])]
        made = self[sample] = self._rng.choice(able).of(sample) if able else None
        return made


def _holders(sequences: Iterable[Iterable[A]]) -> dict[A, frozenset[int]]:
    """Number the sequences that hold each item."""
    held: dict[A, set[int]] = {}
    for number, items in enumerate(sequences):
        for item in items:
            held.setdefault(item, set()).add(number)
    return {item: frozenset(numbers) for item, numbers in held.items()}


def _lexicon(words: Mapping[int, frozenset[int]], tokens: Mapping[str, frozenset[int]]) -> dict[int, str]:
    """Find the token of each word that no other word or token accompanies in all its examples."""
    by_holders: dict[frozenset[int], tuple[list[int], list[str]]] = {}
    for word, numbers in words.items():
        by_holders.setdefault(numbers, ([], []))[0].append(word)
    for token, numbers in tokens.items():
        by_holders.setdefault(numbers, ([], []))[1].append(token)
    alone = [(some[0], others[0]) for some, others in by_holders.values() if len(some) == len(others) == 1]
    return dict(sorted(alone))
