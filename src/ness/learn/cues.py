"""A cue from where words stand in the training inputs: which words belong to the same construct.

It is evidence in nats against a way of reading and forbids nothing. It looks at sources only, never at what a
word is called.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain, pairwise
from typing import TypeVar

from ness.learn.coding import CodedSource, Sample

Item = TypeVar("Item", bound=Hashable)

_LEAST_INPUTS = 3  # in which two words must always occur together to count as a pair
_EVIDENCE_PER_INPUT = 0.25  # evidence of each such input


class Cues:
    """Pairs of words that occur equally often in every input, properly nested, like brackets or `if`/`then`.

    They belong to the same construct, so to the same frame.
    """

    def __init__(self, samples: Iterable[Sample] = (), most: float = 0.0) -> None:
        self._opener: dict[int, int] = {}
        self._closer: dict[int, int] = {}
        self._evidence: dict[int, float] = {}  # by either word of a pair
        for first, second, inputs in pairs_of_words([source for source, _ in samples]):
            self._opener[second] = first
            self._closer[first] = second
            self._evidence[first] = self._evidence[second] = min(most, _EVIDENCE_PER_INPUT * inputs)

    def cost_of_reading(self, word: int, frame: CodedSource) -> float:
        """Evidence against reading a closing word into a frame that does not hold its opening word."""
        opener = self._opener.get(word)
        return 0.0 if opener is None or opener in frame else self._evidence[word]

    def cost_of_closing(self, frame: CodedSource) -> float:
        """Evidence against closing a frame whose opening word still waits for its closing word."""
        return max(
            (self._evidence[w] for w in frame if w in self._closer and self._closer[w] not in frame), default=0.0
        )


def pairs_of_words(sources: Sequence[tuple[Item, ...]]) -> list[tuple[Item, Item, int]]:
    """Pairs of words with the same count in every input, the first always ahead; and the number of inputs."""
    times = Counter(chain.from_iterable(sources))
    inputs_with = Counter(chain.from_iterable([set(source) for source in sources]))
    alike = Counter((inputs, times[word]) for word, inputs in inputs_with.items() if inputs >= _LEAST_INPUTS)
    # Of other words none can have the same counts in every input.
    candidates = {word for word, inputs in inputs_with.items() if alike[inputs, times[word]] > 1}
    occurrences: dict[Item, list[tuple[int, int]]] = defaultdict(list)  # word -> (input, count)
    for number, source in enumerate(sources) if candidates else ():
        for word in candidates.intersection(source):
            occurrences[word].append((number, source.count(word)))
    groups: dict[tuple[tuple[int, int], ...], list[Item]] = defaultdict(list)
    for word, counts in occurrences.items():
        groups[tuple(counts)].append(word)
    pairs = []
    for inputs, words in groups.items():
        here = [sources[number] for number, _ in inputs]
        words.sort(key=here[0].index)
        for first, second in pairwise(words):
            if all(is_nested(first, second, source) for source in here):
                pairs.append((first, second, len(here)))
    return pairs


def is_nested(first: Hashable, second: Hashable, items: Iterable[Hashable]) -> bool:
    """Tell whether every `second` has a `first` of its own before it."""
    depth = 0
    for item in items:
        depth += (item == first) - (item == second)
        if depth < 0:
            return False
    return True
