"""Examples without the names of their content words: what differs in these only is one pattern."""

from collections.abc import Mapping
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
    for word in dict.fromkeys([word for word in source if word in content]):
        places = [place for place, each in enumerate(source) if each == word]
        spans = _phrase_spans(content[word], target)
        if len(places) == 1 and spans:
            ways = [way | {places[0]: tuple(spans)} for way in ways]
            continue
        if len(spans) != len(places) or len(ways) * factorial(len(places)) > _MOST_WAYS:
            return []
        ways = [
            way | {place: (span,) for place, span in zip(places, order, strict=True)}
            for way in ways
            for order in permutations(spans)
        ]
    return [_marked(source, target, way) for way in ways]


def _phrase_spans(phrase: str, target: str) -> list[Span]:
    """Where a phrase stands in an output; nothing if it overlaps itself there."""
    starts = [place for place in range(len(target)) if target.startswith(phrase, place)]
    apart = all(after - before >= len(phrase) for before, after in pairwise(starts))
    return [(start, start + len(phrase)) for start in starts] if apart else []


def _marked(source: CodedSource, target: str, links: Mapping[int, tuple[Span, ...]]) -> Pattern:
    marked, text = list(source), list(target)
    for number, place in enumerate(sorted(links)):
        marked[place] = CONTENT - number
        for start, end in links[place]:
            text[start:end] = [chr(0x20 + number)] * (end - start)
    return Pattern(tuple(marked), "".join(text), links)
