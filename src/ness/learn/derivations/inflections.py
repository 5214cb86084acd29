"""Words that have several tokens, of which each output has one: `red` is `rojo` or `roja`, `the` is `el` or `la`.

Where each of these tokens is exchanged for one that stands for all of them, what is left tells how sentences are built.
Which form stands where is told by the kinds of the phrases beside it (`kinds`). Several words may share their forms:
`the` is `il` or `la`, and `my` is `il mio` or `la mia`.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from ness.learn.coding import Sample

_GIVEN_TOKEN = 0.95  # of the examples with a form must have one of the words
_COUNTED = 0.75  # of the examples with the words must have as many forms: `de le` may be `du`
_MOST_FORMS = 12  # of a word
_MOST_OWNERS = 3  # words that share their forms
_LEAST = 2  # examples of a form


class Inflections:
    """Forms, in groups that stand for each other, and the words that have them."""

    def __init__(self, words: Collection[int] = (), forms: Iterable[Sequence[str]] = ()) -> None:
        self.words = frozenset(words)
        self._stem = str.maketrans({token: tokens[0] for tokens in forms for token in tokens})

    def __bool__(self) -> bool:
        return bool(self.words)

    def stem(self, sample: Sample) -> Sample:
        """The example with one token in place of all forms of a word: as many tokens as before."""
        source, target = sample
        return (source, target.translate(self._stem)) if self.words else sample


NONE = Inflections()


def find_inflections(samples: Sequence[Sample]) -> Inflections:
    """Find words that have one of several tokens wherever they stand, where no other words have these."""
    with_word: Counter[int] = Counter()
    with_token: defaultdict[str, list[int]] = defaultdict(list)  # the numbers of the examples
    for number, (source, target) in enumerate(samples):
        with_word.update(set(source))
        for token in set(target):
            with_token[token].append(number)
    groups: dict[frozenset[int], list[str]] = defaultdict(list)
    for token, numbers in sorted(with_token.items(), key=lambda each: (-len(each[1]), each[0])):
        if len(numbers) >= _LEAST:
            owners = _owners([set(samples[number][0]) for number in numbers], with_word)
            if owners:
                groups[owners].append(token)
    forms = {words: found for words, tokens in groups.items() if (found := _forms(words, tokens, samples))}
    return Inflections([word for words in forms for word in words], forms.values())


def _owners(sources: Sequence[set[int]], with_word: Mapping[int, int]) -> frozenset[int]:
    """The words of which one at least is in all of these examples: as few as can be, and those that are rare else."""
    owners: set[int] = set()
    left = list(sources)
    while left and len(left) > (1 - _GIVEN_TOKEN) * len(sources):
        if len(owners) == _MOST_OWNERS:
            return frozenset()
        counts = Counter([word for source in left for word in source])
        most = max(counts.values())
        enough = [word for word, count in counts.items() if count >= _GIVEN_TOKEN * most]
        word = min(enough, key=lambda word: (with_word[word], word))
        owners.add(word)
        left = [source for source in left if word not in source]
    return frozenset(owners)


def _forms(words: Collection[int], tokens: Iterable[str], samples: Sequence[Sample]) -> list[str]:
    """The tokens of which outputs have one for each time that the input has one of the words, if there are such."""
    counted = [(times, Counter(target)) for source, target in samples if (times := sum(map(source.count, words)))]
    left = list(tokens)
    while len(left) > 1:
        if len(left) > 2 * _MOST_FORMS:
            return []
        now = _agreement(counted, left)
        shorter = [[each for each in left if each != token] for token in left]
        best = max(shorter, key=lambda some: _agreement(counted, some))
        if now >= _COUNTED and len(left) <= _MOST_FORMS and _agreement(counted, best) <= now:
            return left
        left = best
    return []


def _agreement(counted: Sequence[tuple[int, Mapping[str, int]]], tokens: Sequence[str]) -> float:
    """In which share of the examples the tokens are written as often as the words are."""
    right = sum(times == sum([counts.get(token, 0) for token in tokens]) for times, counts in counted)
    return right / len(counted)
