"""Examples without the names of their content words: what differs in these only is one pattern."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise, permutations
from math import factorial

from ness.learn.coding import CodedSource, Sample
from ness.learn.derivations.rules import CONTENT, Span

_LONGEST = 40  # words of an example that is derived; longer ones have nothing new to tell
_MOST_WAYS = 6  # to link repeated words to their phrases


@dataclass(frozen=True, slots=True)
class Pattern:
    """An example without the names of its content words."""

    source: CodedSource  # content words are marked
    target: str
    links: Mapping[int, tuple[Span, ...]]  # where the content words end up

    @property
    def key(self) -> tuple[CodedSource, str]:
        return self.source, self.target


def patterns_of(sample: Sample, content: Mapping[int, str]) -> list[Pattern]:
    """The pattern of an example: several, if a content word occurs in it more than once; none if that says too little.

    Which of two occurrences is written where is not known then; as they come is the first guess. A word that occurs
    once may be written several times.
    """
    source, target = sample
    if len(source) > _LONGEST:
        return []
    ways: list[dict[int, tuple[Span, ...]]] = [{}]
    places: dict[str, list[int]] = {}
    for place, word in enumerate(source):
        if word in content:
            places.setdefault(content[word], []).append(place)
    found = _phrase_spans(places, target)
    for phrase, own in places.items():
        spans = found[phrase]
        if len(own) == 1 and spans:
            ways = [way | {own[0]: tuple(spans)} for way in ways]
            continue
        if len(spans) != len(own) or len(ways) * factorial(len(own)) > _MOST_WAYS:
            return []
        ways = [
            way | {place: (span,) for place, span in zip(own, order, strict=True)}
            for way in ways
            for order in permutations(spans)
        ]
    return [_marked(source, target, way) for way in ways]


def _phrase_spans(phrases: Iterable[str], target: str) -> dict[str, list[Span]]:
    """Where phrases stand in an output, long ones first; nowhere, if one overlaps itself there."""
    found: dict[str, list[Span]] = {}
    taken: set[int] = set()
    for phrase in sorted(phrases, key=len, reverse=True):
        starts = [place for place in range(len(target)) if target.startswith(phrase, place)]
        free = [start for start in starts if taken.isdisjoint(range(start, start + len(phrase)))]
        apart = all(after - before >= len(phrase) for before, after in pairwise(free))
        found[phrase] = [(start, start + len(phrase)) for start in free] if apart else []
        taken.update([place for span in found[phrase] for place in range(*span)])
    return found


def _marked(source: CodedSource, target: str, links: Mapping[int, tuple[Span, ...]]) -> Pattern:
    marked, text = list(source), list(target)
    for number, place in enumerate(sorted(links)):
        marked[place] = CONTENT - number
        for start, end in links[place]:
            text[start:end] = [chr(0x20 + number)] * (end - start)
    return Pattern(tuple(marked), "".join(text), links)
