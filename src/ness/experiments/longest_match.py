"""The baseline: longest match over a learned phrase table, from left to right, without any stack machine."""

from collections.abc import Mapping, Sequence

from ness.machine import Phrase, Word


class LongestMatch:
    """Replace the longest known source phrase by its most frequent translation, again and again.

    Among equally frequent ones the first in the alphabet is taken, or the first in the table, as the rules do.
    """

    def __init__(self, rules: Mapping[tuple[Word, ...], Mapping[Phrase, int]], as_ordered: bool = False) -> None:
        ordered = {words: list(found) if as_ordered else sorted(found) for words, found in rules.items()}
        self._best = {words: max(found, key=lambda phrase: rules[words][phrase]) for words, found in ordered.items()}
        self._longest = max(map(len, self._best), default=0)

    def translate(self, source: Sequence[Word]) -> Phrase | None:
        """Return the output; None where no phrase of the table fits."""
        words = tuple(source)
        output: list[str] = []
        start = 0
        while start < len(words):
            ends = range(min(len(words), start + self._longest), start, -1)
            end = next((end for end in ends if words[start:end] in self._best), None)
            if end is None:
                return None
            output += self._best[words[start:end]]
            start = end
        return tuple(output)
