"""Examples without the names of their content words: what differs in these only is one pattern."""

from collections.abc import Mapping
from dataclasses import dataclass

from ness.learn.coding import CodedSource, Sample
from ness.learn.derivations.rules import Span

_LONGEST = 40  # words of an example that is derived; longer ones have nothing new to tell
_CONTENT = -100  # the first content word of a pattern; the next ones count down


@dataclass(frozen=True, slots=True)
class Pattern:
    """An example without the names of its content words."""

    source: CodedSource  # content words are marked
    target: str
    links: Mapping[int, Span]  # where the content words end up


def pattern_of(sample: Sample, content: Mapping[int, str]) -> Pattern | None:
    """The pattern of an example; None if a content word is not written exactly once."""
    source, target = sample
    places = [place for place, word in enumerate(source) if word in content]
    if len({source[place] for place in places}) < len(places) or len(source) > _LONGEST:
        return None
    marked = list(source)
    links = {}
    for number, place in enumerate(places):
        phrase = content[source[place]]
        start = target.find(phrase)
        if start < 0 or target.find(phrase, start + 1) >= 0:
            return None
        links[place] = (start, start + len(phrase))
        marked[place] = _CONTENT - number
    text = list(target)
    for number, place in enumerate(places):
        start, end = links[place]
        text[start:end] = [chr(0x20 + number)] * (end - start)
    return Pattern(tuple(marked), "".join(text), links)
