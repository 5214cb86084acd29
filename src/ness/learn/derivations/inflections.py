"""Words that have several tokens, of which each output has one: `red` is `rojo` or `roja`, `the` is `el` or `la`.

Where each of these tokens is exchanged for one that stands for all of them, what is left tells how sentences are built.
Which form stands where is told by the kinds of the phrases beside it (`kinds`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ness.learn.coding import Sample

_SURE = 0.95  # of the examples must agree
_MOST_FORMS = 12  # of a word
_LEAST = 2  # examples of a form


class Inflections:
    """Words with their forms, and the examples with one token for all forms of a word."""

    def __init__(self, forms: Mapping[int, Sequence[str]]) -> None:
        self.forms = dict(forms)
        self._stem = str.maketrans({token: tokens[0] for tokens in forms.values() for token in tokens})

    def __bool__(self) -> bool:
        return bool(self.forms)

    def stem(self, sample: Sample) -> Sample:
        """The example with one token in place of all forms of a word: as many tokens as before."""
        source, target = sample
        return (source, target.translate(self._stem)) if self.forms else sample


NONE = Inflections({})


def find_inflections(samples: Sequence[Sample]) -> Inflections:
    """Find words that each have one of several tokens wherever they stand, and tokens that no other word has."""
    with_word: Counter[int] = Counter()
    with_token: Counter[str] = Counter()
    together: Counter[tuple[str, int]] = Counter()
    for source, target in samples:
        words, tokens = set(source), set(target)
        with_word.update(words)
        with_token.update(tokens)
        together.update([(token, word) for token in tokens for word in words])
    owners: dict[str, list[int]] = defaultdict(list)
    for (token, word), count in together.items():
        if count >= _SURE * with_token[token] and with_token[token] >= _LEAST:
            owners[token].append(word)
    tokens_of: dict[int, list[str]] = defaultdict(list)
    for token in sorted(owners, key=lambda token: (-with_token[token], token)):
        tokens_of[min(owners[token], key=lambda word: (with_word[word], word))].append(token)
    return Inflections(
        {word: forms for word, tokens in sorted(tokens_of.items()) if len(forms := _forms(word, tokens, samples)) > 1}
    )


def _forms(word: int, tokens: Iterable[str], samples: Sequence[Sample]) -> list[str]:
    """The tokens of which each output has one for each time that the input has the word; none if there are no such."""
    counted = [(source.count(word), Counter(target)) for source, target in samples if word in source]
    left = list(tokens)
    while len(left) > 1:
        if len(left) <= _MOST_FORMS and _agreement(counted, left) >= _SURE:
            return left
        if len(left) > 2 * _MOST_FORMS:
            return []
        left = max(
            ([each for each in left if each != token] for token in left), key=lambda some: _agreement(counted, some)
        )
    return []


def _agreement(counted: Sequence[tuple[int, Mapping[str, int]]], tokens: Sequence[str]) -> float:
    """In which share of the examples the tokens are written as often as the word is."""
    right = sum(times == sum([counts.get(token, 0) for token in tokens]) for times, counts in counted)
    return right / len(counted)
