"""Cues from where words stand in the training inputs: what may begin, end or belong together.

Each cue is evidence in nats against a way of reading; none forbids anything. They look at sources only, never
at what a word is called.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from ness.search.coding import CodedSource, Sample

_LEAST_INPUTS = 3  # in which two words must always occur together to count as a pair
_PAIR_PER_INPUT = 0.25  # evidence of each such input


class Cues:
    """What the training inputs say about constituents.

    `not_first`, `not_last`: no input begins or ends with this word, so hardly any constituent does; the evidence
    is how surprising that would be for a word that stands anywhere.
    `opener`, `closer`: two words that occur equally often in every input, properly nested, like brackets or
    `if`/`then`: they belong to the same construct, so to the same frame.
    """

    def __init__(self, samples: Iterable[Sample] = (), edge: float = 0.0, pair: float = 0.0) -> None:
        sources = [source for source, _ in samples]
        self.not_first, self.not_last = _edges(sources, edge)
        self.opener: dict[int, int] = {}
        self.closer: dict[int, int] = {}
        self.pair: dict[int, float] = {}  # evidence, by either word
        if pair:
            for first, second, inputs in _pairs(sources):
                self.opener[second] = first
                self.closer[first] = second
                self.pair[first] = self.pair[second] = min(pair, _PAIR_PER_INPUT * inputs)

    def misplaced(self, word: int, frame: CodedSource) -> float:
        """Evidence against reading a closing word into a frame that does not hold its opening word."""
        opener = self.opener.get(word)
        return 0.0 if opener is None or opener in frame else self.pair[word]

    def unfinished(self, frame: CodedSource) -> float:
        """Evidence against closing a frame whose opening word still waits for its closing word."""
        return max((self.pair[w] for w in frame if w in self.closer and self.closer[w] not in frame), default=0.0)


def _edges(sources: Sequence[CodedSource], most: float) -> tuple[dict[int, float], dict[int, float]]:
    expected: dict[int, float] = defaultdict(float)
    for source in sources:
        for word in source:
            expected[word] += 1 / len(source)
    first = {source[0] for source in sources}
    last = {source[-1] for source in sources}
    return (
        {word: min(most, times) for word, times in expected.items() if word not in first},
        {word: min(most, times) for word, times in expected.items() if word not in last},
    )


def _pairs(sources: Sequence[CodedSource]) -> list[tuple[int, int, int]]:
    """Pairs of words with the same count in every input, the first always ahead; and the number of inputs."""
    occurrences: dict[int, list[tuple[int, int]]] = defaultdict(list)  # word -> (input, count)
    for number, source in enumerate(sources):
        for word in dict.fromkeys(source):
            occurrences[word].append((number, source.count(word)))
    groups: dict[tuple[tuple[int, int], ...], list[int]] = defaultdict(list)
    for word, counts in occurrences.items():
        if len(counts) >= _LEAST_INPUTS:
            groups[tuple(counts)].append(word)
    pairs = []
    for inputs, words in groups.items():
        here = [sources[number] for number, _ in inputs]
        words.sort(key=here[0].index)
        for first, second in pairwise(words):
            if all(_nested(first, second, source) for source in here):
                pairs.append((first, second, len(here)))
    return pairs


def _nested(first: int, second: int, source: CodedSource) -> bool:
    """Tell whether every `second` has a `first` of its own before it."""
    depth = 0
    for word in source:
        depth += (word == first) - (word == second)
        if depth < 0:
            return False
    return True
