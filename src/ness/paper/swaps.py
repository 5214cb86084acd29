"""Words that training shows to be exchangeable together with a token each, such as `left` and `right`.

The paper's local equivariance: with one primitive in place of another the operators of a trace stay the same, the
arguments of REDUCE differ. Here it is read off the examples before any trace: a word goes with a token if they occur in
the same examples, and two such words are swapped if, wherever training shows an input with both swapped, its output has
both tokens swapped.
"""

import random
from bisect import bisect
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import accumulate, combinations
from typing import NamedTuple, TypeVar

from ness.learn.coding import PHRASE_MARK, CodedSource, CodedView, Sample

A = TypeVar("A", bound=Hashable)
CodedForm = tuple[tuple[int, int], ...]
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


def swaps_of(lessons: Sequence[Sequence[Sample]], introduced: bool = False) -> list[Swap]:
    """Find the swaps that examples show and none contradicts.

    Half of the examples of the rarer word must be shown swapped: of all its examples, or (introduced) of those in the
    lesson that introduces it. Lessons show new words in what is simple; of what is long, training shows little.
    """
    samples = [sample for part in lessons for sample in part]
    ends = list(accumulate(map(len, lessons)))
    shown = dict(samples)
    holders = _holders(source for source, _ in samples)
    lexicon = _lexicon(holders, _holders(target for _, target in samples))
    found = []
    for one, other in combinations(lexicon, 2):
        swap = Swap((one, other), (lexicon[one], lexicon[other]))
        rarer = min(holders[one], holders[other], key=len)
        if introduced:
            end = ends[bisect(ends, min(rarer))]
            rarer = frozenset(number for number in rarer if number < end)
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


class SwapAnalogies:
    """Arguments of REDUCE for words in a row that only later lessons show: as of others, with words swapped.

    What a lesson so far could have shown is not told so, nor what none shows: to learn that by heart must not pay.
    """

    def __init__(self, swaps: Sequence[Swap], sources: Iterable[CodedSource], later: Iterable[CodedSource]) -> None:
        self._tokens = {word: token for swap in swaps for word, token in zip(swap.words, swap.tokens, strict=True)}
        self._groups: dict[int, int] = {}
        for one, other in [swap.words for swap in swaps]:
            self._groups[other] = self._groups.setdefault(one, self._groups.get(other, one))
        self._sources, self._later = _text(sources), _text(later)
        self._foretold: dict[CodedView, bool] = {}

    def foretold(self, frame: CodedView) -> bool:
        """Whether a frame has words only, and only later lessons show them in this order."""
        if frame not in self._foretold:
            words = "" if PHRASE_MARK in frame else _row(frame)
            self._foretold[frame] = bool(words) and words in self._later and words not in self._sources
        return self._foretold[frame]

    def form(self, frame: CodedView) -> tuple[CodedForm, dict[int, int]]:
        """Show what can be swapped by its group, numbered; and which token has which number."""
        numbers: dict[int, int] = {}
        form = []
        for word in frame:
            if word in self._groups:
                form.append((self._groups[word], numbers.setdefault(ord(self._tokens[word]), len(numbers))))
            else:
                form.append((word, -1))
        return tuple(form), numbers


def _row(words: Iterable[int]) -> str:
    """Write words as a text, to look for some in a row."""
    return "".join([chr(word + 1) for word in words])


def _text(sources: Iterable[CodedSource]) -> str:
    return "\0".join(map(_row, sources))


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
