"""Imagined inputs: sources recombined from parts of training traces. No torch here, and no test data.

Every stretch of a source that became a phrase may stand where another one did, and words of a category stand for each
other. Nothing says that such an input means something; whoever asks for it lets the rules answer it or refuse it.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ness.machine import ConcatS, Pop, Program, Push, Reduce, Shift, Word
from ness.rules.table import Categories

Span = tuple[int, int]  # from the first word to the one after the last
_TRIES = 20  # draws for each input that is wanted; small languages run out of new ones


class Stretch(NamedTuple):
    """Words that became a phrase, and the spans within them that did, their whole included."""

    words: tuple[Word, ...]
    spans: tuple[Span, ...]

    def replaced(self, span: Span, filler: "Stretch") -> "Stretch":
        """Put another stretch in the place of a span; spans around it stretch with it, those across it are gone."""
        start, end = span
        grown = len(filler.words) - (end - start)
        kept = [(a, b) for a, b in self.spans if b <= start]
        kept += [(a + grown, b + grown) for a, b in self.spans if a >= end]
        kept += [(a, b + grown) for a, b in self.spans if a <= start and b >= end and (a, b) != span]
        kept += [(a + start, b + start) for a, b in filler.spans]
        words = (*self.words[:start], *filler.words, *self.words[end:])
        return Stretch(words, tuple(dict.fromkeys(kept)))


def phrase_spans(program: Program) -> Iterator[Span]:
    """Yield the stretches of a trace's source that became one phrase."""
    position = 0
    starts = [0]
    for instruction in program:
        if isinstance(instruction, Shift):
            position += 1
        elif isinstance(instruction, Push):
            starts.append(position)
        elif isinstance(instruction, Pop):
            starts.pop()
        elif isinstance(instruction, Reduce | ConcatS) and starts[-1] < position:
            yield starts[-1], position


class Imagination:
    """Draws inputs of any depth from the traces; the same seed draws the same ones."""

    def __init__(self, traces: Iterable[tuple[tuple[Word, ...], Program]], categories: Categories) -> None:
        self._alike = {word: members for members in categories.classes for word in members}
        # Words of a category stand for each other, so one trace of each pattern shows all there is.
        patterns = {categories.view(source): (source, program) for source, program in traces}
        wholes = [Stretch(source, tuple(dict.fromkeys(phrase_spans(program)))) for source, program in patterns.values()]
        parts = {categories.view(part.words): part for whole in wholes for part in _parts(whole)}
        self.longest = max((len(source) for source in patterns), default=0)
        self._wholes, self._parts = _by_length(wholes), _by_length(parts.values())

    def draw(self, count: int, seed: int, depths: Sequence[int], longest: int) -> list[tuple[Word, ...]]:
        """Draw up to `count` distinct inputs of at most `longest` words, each recombined as often as a depth says."""
        rng = random.Random(seed)
        drawn: dict[tuple[Word, ...], None] = {}
        for _ in range(count * _TRIES if self._wholes else 0):
            drawn.setdefault(self._one(rng, rng.choice(depths), longest))
            if len(drawn) == count:
                break
        return list(drawn)

    def _one(self, rng: random.Random, depth: int, longest: int) -> tuple[Word, ...]:
        stretch = _choose(rng, self._wholes, longest)
        for _ in range(depth):
            if not stretch.spans:
                break
            start, end = rng.choice(stretch.spans)
            room = longest - len(stretch.words) + (end - start)
            stretch = stretch.replaced((start, end), _choose(rng, self._parts, room))
        return tuple([self._exchanged(rng, word) for word in stretch.words])

    def _exchanged(self, rng: random.Random, word: Word) -> Word:
        return rng.choice(self._alike.get(word, (word,)))


def _parts(whole: Stretch) -> Iterator[Stretch]:
    """Cut out every span, with the spans inside it."""
    for start, end in whole.spans:
        inside = tuple((a - start, b - start) for a, b in whole.spans if a >= start and b <= end)
        yield Stretch(whole.words[start:end], inside)


def _by_length(stretches: Iterable[Stretch]) -> list[list[Stretch]]:
    lengths: dict[int, list[Stretch]] = {}
    for stretch in stretches:
        lengths.setdefault(len(stretch.words), []).append(stretch)
    return [lengths[length] for length in sorted(lengths)]


def _choose(rng: random.Random, by_length: Sequence[Sequence[Stretch]], longest: int) -> Stretch:
    """Choose a length first, as there are many more long stretches than short ones; the shortest always fits."""
    fitting = [group for group in by_length if len(group[0].words) <= longest] or by_length[:1]
    return rng.choice(rng.choice(fitting))
