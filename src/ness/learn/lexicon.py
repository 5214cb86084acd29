"""Corpus evidence: which words may stand for which target phrase, judged by what occurs together."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain

from ness.learn.coding import CodedSource, CodedView, Sample
from ness.learn.cooccurrence import count_occurrences
from ness.rules.backoff import most_used

_SCANNED = 200  # samples looked at for one pair; more do not change the share much
_OWNED = 0.9  # Dice coefficient from which a token belongs to a word alone


class Lexicon:
    """Soft evidence that some words, in order but not necessarily adjacent, become a phrase."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self._samples = samples
        self._occurrences = Counter(chain.from_iterable([set(source) for source, _ in samples]))
        self._with_word = self._first_samples()
        self._shares: dict[tuple[CodedView, str], float] = {}
        self._owned: dict[int, frozenset[str]] = {}
        self._dices: dict[int, dict[str, float]] = defaultdict(dict)  # by word, made when first needed

    def share(self, words: CodedView, phrase: str) -> float:
        """The share of the words' occurrences that the outputs can account for by this phrase."""
        key = (words, phrase)
        found = self._shares.get(key)
        if found is None:
            found = self._shares[key] = self._count_share(words, phrase)
        return found

    def _count_share(self, words: CodedView, phrase: str) -> float:
        if not words:
            return 1.0
        occurrences = covered = 0
        for source, target in self._with_word[min(words, key=self._occurrences.__getitem__)]:
            count = source.count(words[0]) if len(words) == 1 else int(is_subsequence(words, source))
            if count:
                occurrences += count
                covered += min(count, target.count(phrase))
        return covered / occurrences if occurrences else 0.0

    def _first_samples(self) -> dict[int, list[Sample]]:
        """The samples with each word, as far as they are looked at."""
        found: dict[int, list[Sample]] = defaultdict(list)
        wanted = set(self._occurrences)
        for sample in self._samples:
            for word in wanted.intersection(sample[0]):
                found[word].append(sample)
                if len(found[word]) == min(_SCANNED, self._occurrences[word]):
                    wanted.remove(word)
            if not wanted:
                break
        return found

    def own_tokens(self, word: int) -> frozenset[str]:
        """The target tokens that go with this word alone: they occur in the same samples."""
        found = self._owned.get(word)
        if found is None:
            found = self._owned[word] = frozenset(t for t, dice in self._dice(word).items() if dice >= _OWNED)
        return found

    def separation(self, word: int, phrase: str) -> float:
        """How far the tokens of a phrase occur without this word, or it without them: from 0, never, to 1, always."""
        dice = self._dice(word)
        return 1 - sum(dice.get(token, 0.0) for token in phrase) / len(phrase)

    def _dice(self, word: int) -> dict[str, float]:
        """The Dice coefficients of a word and the tokens that occur with it."""
        if not self._dices:
            with_word, with_token, together = count_occurrences(self._samples)
            for (each, token), count in together.items():
                self._dices[each][token] = 2 * count / (with_word[each] + with_token[token])
        return self._dices[word]

    def explained_by_parts(self, rules: Mapping[CodedView, Mapping[str, int]], words: CodedView, phrase: str) -> bool:
        """Tell whether a part of the words has a rule inside the phrase, or two of them own tokens of it."""
        if len(words) < 2:
            return False
        for start in range(len(words)):
            for end in range(start + 1, len(words) + 1):
                if end - start < len(words):
                    made = most_used(rules.get(words[start:end]))
                    if made is not None and made in phrase:
                        return True
        if len(phrase) < 2:
            return False
        owned = [self.own_tokens(word) & set(phrase) for word in words]
        return sum(map(bool, owned)) > 1 and len(frozenset().union(*owned)) > 1


def is_subsequence(words: Sequence[int], source: CodedSource) -> bool:
    """Tell whether the words occur in the source in this order."""
    rest = iter(source)
    return all(word in rest for word in words)
