"""The baseline: longest match over a learned phrase table, from left to right, without any stack machine."""

from collections.abc import Mapping, Sequence

from ness.machine import Phrase, Word


class LongestMatch:
    """Replace the longest known source phrase by its most frequent translation, again and again."""

    def __init__(self, rules: Mapping[tuple[Word, ...], Mapping[Phrase, int]]) -> None:
        self._best = {words: min(found, key=lambda phrase: (-found[phrase], phrase)) for words, found in rules.items()}
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
