"""The output of one pattern: where its content words are written, and what can be a phrase of it."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from ness.learn.coding import PHRASE_MARK, literal
from ness.learn.derivations.patterns import Pattern
from ness.learn.derivations.rules import Derivation, FrameRule, Span


class PatternOutput:
    """Stretches of the output of a pattern, as far as the pattern alone tells about them."""

    def __init__(self, pattern: Pattern, closing: Mapping[str, str]) -> None:
        self._source, self._target = pattern.source, pattern.target
        self._closing = closing  # tokens that close what others open
        # Where content words are written, and which of them.
        self._owners = sorted((span, place) for place, spans in pattern.links.items() for span in spans)
        self.single = len(self._owners) == len(pattern.links)  # whether each of them is written once
        taken = {place for (start, end), _ in self._owners for place in range(start, end)}
        self._linked = [0] * (len(self._target) + 1)  # tokens of content words before a place
        for place in range(len(self._target)):
            self._linked[place + 1] = self._linked[place] + (place in taken)
        self._copied: dict[tuple[str, Span], list[Span]] = {}  # where a phrase stands in a stretch
        self._masks: dict[tuple[Span, Span], int] = {}  # the same, as bits

    def is_free(self, start: int, end: int) -> bool:
        """Tell whether a stretch has no token of a content word."""
        return self._linked[end] == self._linked[start]

    def tight(self, words: set[int]) -> list[Span]:
        """Stretches of the output with all of these content words and no others, from one of them to another.

        A stretch that is the same words several times over is also each of these times.
        """
        found: list[Span] = []
        for inside, group in groupby(self._owners, key=lambda owner: owner[1] in words):
            run = list(group)
            owners = [place for _, place in run]
            if inside and words.issubset(owners):
                found.append((run[0][0][0], run[-1][0][1]))
                times = min(map(owners.count, words))
                size, rest = divmod(len(run), times)
                if times > 1 and not rest and owners == owners[:size] * times:
                    parts = [run[size * number : size * (number + 1)] for number in range(times)]
                    found += [(part[0][0][0], part[-1][0][1]) for part in parts]
        return found

    def closed(self, made: Span) -> Span:
        """A stretch of the output up to the tokens that close what it opens, if no content words come before these."""
        first, last = made
        waiting: list[str] = []
        for place in range(first, len(self._target)):
            if place >= last and not waiting:
                return first, place
            if place >= last and not self.is_free(place, place + 1):
                return made
            token = self._target[place]
            if waiting and token == waiting[-1]:
                waiting.pop()
            elif token in self._closing:
                waiting.append(self._closing[token])
        return made if waiting else (first, len(self._target))

    def enclosed(self, made: Span) -> Span:
        """A stretch of the output with the token before it that opens, if the one behind it closes that."""
        first, last = made
        before, behind = self._target[max(0, first - 1) : first], self._target[last : last + 1]
        return (first - 1, last + 1) if before and self._closing.get(before) == behind else made

    def widened(self, made: Span) -> list[Span]:
        """A stretch with the free tokens before it, behind it, and on both sides."""
        first, last = made
        while first > 0 and self.is_free(first - 1, first):
            first -= 1
        while last < len(self._target) and self.is_free(last, last + 1):
            last += 1
        return [(first, made[1]), (made[0], last), (first, last)]

    def copies_mask(self, tree: Derivation, made: Span) -> int:
        """The places that all copies of a phrase take in a stretch of the output, as bits."""
        key = (tree.made, made)
        found = self._masks.get(key)
        if found is None:
            found = self._masks[key] = sum([(1 << last) - (1 << first) for first, last in self.copies(tree, made)])
        return found

    def copies(self, tree: Derivation, made: Span) -> list[Span]:
        """Where in a stretch of the output a phrase stands: once, if it has no content; else wherever it is written."""
        first, last = tree.made
        if self.single or self.is_free(first, last):
            return [tree.made]
        text = self._target[first:last]
        found = self._copied.get((text, made))
        if found is None:
            found = self._copied[text, made] = []
            place = self._target.find(text, *made)
            while place >= 0:
                found.append((place, place + len(text)))
                place = self._target.find(text, place + len(text), made[1])
        return found

    def is_covered(self, made: Span, phrases: Sequence[Derivation]) -> bool:
        """Tell whether phrases write all content words of a stretch."""
        covered = {place for tree in phrases for copy in self.copies(tree, made) for place in range(*copy)}
        return all(place in covered or self.is_free(place, place + 1) for place in range(*made))

    def rule(self, span: Span, made: Span, phrases: Sequence[Derivation]) -> FrameRule:
        """The rule that makes a stretch of the output from one of the input: frame and template around the phrases."""
        starts = {tree.span[0]: tree for tree in phrases}
        frame: list[int] = []
        index_of: dict[int, int] = {}  # by where a phrase begins in the output
        ends: dict[int, int] = {}
        place = span[0]
        while place < span[1]:
            tree = starts.get(place)
            if tree is None:
                frame.append(self._source[place])
                place += 1
            else:
                for first, last in self.copies(tree, made):
                    index_of[first], ends[first] = len(frame), last
                frame.append(PHRASE_MARK)
                place = tree.span[1]
        parts: list[int] = []
        at = made[0]
        while at < made[1]:
            if at in ends:
                parts.append(index_of[at])
                at = ends[at]
            else:
                parts.append(literal(self._target[at]))
                at += 1
        return FrameRule(tuple(frame), tuple(parts))
