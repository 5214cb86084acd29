"""All stretches of one pattern, with the cheapest ways to derive them."""

import math
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import chain, islice, product
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

from ness.learn.coding import LITERAL, PHRASE_MARK, CodedParts, CodedView, literal
from ness.learn.derivations.output import PatternOutput
from ness.learn.derivations.patterns import Pattern
from ness.learn.derivations.rules import PHRASE, TOKEN, WORD, Derivation, FrameRule, RuleBook, Span, word_before
from ness.learn.lexicon import Lexicon

_LEAST_SHARE = 0.7  # evidence for a phrase of a word without a token of its own
_EVIDENCE = 2.0  # weight of weak evidence
_PHRASE = 4  # tokens of such a phrase, at most
_WIDEST = 6  # phrases of one new frame
_ALIKE = 1e-9  # nats: costs that differ by less differ by rounding
_MOST_ALIKE = 200  # derivations of one pattern that cost the same


# A derivation as a phrase of a new rule: the stretch of the output, what it costs, the places that it takes, as bits.
_Part = tuple[int, int, float, int, Derivation]
# The cheapest way to read a stretch up to some place, by one word or one phrase more than up to another: what it costs,
# the places of the output that it takes, its phrases, the place before, the derivation of the phrase (None: a word).
_Prefix = tuple[float, int, int, int, Derivation | None]


class _KnownRule(NamedTuple):
    """A rule that may apply, and what is worked out once."""

    rule: FrameRule
    words: frozenset[int]  # of its frame
    phrase_places: list[int]  # in its frame


_cost_of = attrgetter("cost")


def _phrases_of(best: Mapping[int, _Prefix], end: int) -> tuple[Derivation, ...]:
    """The phrases on the cheapest way to a place."""
    found: list[Derivation] = []
    *_, before, tree = best[end]
    while before < end:
        if tree is not None:
            found.append(tree)
        end = before
        *_, before, tree = best[end]
    return tuple(found[::-1])


class Chart:
    """All stretches of one pattern with the cheapest ways to derive them."""

    def __init__(
        self,
        pattern: Pattern,
        book: RuleBook,
        lexicon: Lexicon,
        literals: int,
        most_effort: int,
        closing: Mapping[str, str] = MappingProxyType({}),
        visible: Container[int] = (),
        bounded: bool = False,
    ) -> None:
        self._pattern = pattern
        self._book = book
        self._lexicon = lexicon
        self._literals = literals
        self._most_effort = most_effort
        self._visible = visible  # words that are no phrases by themselves
        self._bounded = bounded  # whether begin and end of the input are words: those of the frame around the whole
        self._output = PatternOutput(pattern, closing)  # `closing`: tokens that close what others open
        self.effort = 0  # ways to apply a rule that were looked at
        self._source, self._target = pattern.source, pattern.target
        self._divisions = book.divisions(self._source)
        self._made: dict[Span, dict[Span, Derivation]] = {}
        self._by_start: dict[Span, dict[int, list[Derivation]]] = {}  # the same, by where in the output they begin
        self._alike: dict[tuple[Span, Span], list[Derivation]] = {}  # others that cost the same as the one in `_made`
        self._cheapest: dict[Span, Span] = {}  # of these, what the cheapest makes
        self._stops: list[list[int]] = []  # where these end, by where they begin
        # The same, as parts of a new rule, by where they end: where they begin, from left to right, and what they make.
        self._ending: list[list[tuple[int, list[_Part]]]] = []
        self._rules: dict[int, list[_KnownRule]] = {}  # those that can apply, by what their frames begin with
        everywhere = set(self._source)
        for rule in book.uses:
            words = frozenset(rule.frame) - {PHRASE_MARK}
            if words <= everywhere and rule.frame != (PHRASE_MARK,):
                places = [place for place, item in enumerate(rule.frame) if item == PHRASE_MARK]
                self._rules.setdefault(rule.frame[0], []).append(_KnownRule(rule, words, places))
        self._seen: set[FrameRule] = set()
        self._prices: dict[tuple[FrameRule, int], float] = {}

    def whole(self, new_rules: bool = True) -> Derivation | None:
        """The cheapest derivation of the whole, with new rules or by known ones alone."""
        for table in (self._made, self._by_start, self._alike, self._cheapest):
            table.clear()
        length = len(self._source)
        self._stops = [[] for _ in range(length + 1)]
        self._ending = [[] for _ in range(length + 1)]
        for size in range(1, length + 1):
            for start in range(length - size + 1):
                self._fill((start, start + size), new_rules)
                self._note((start, start + size), new_rules)
            if self.effort > self._most_effort:
                return None
        span, everything = (0, length), (0, len(self._target))
        made = self._made[span]
        new = None
        if new_rules:
            new = self._around_whole() if self._bounded else self._new_rule(span, everything)
        if new is not None and (everything not in made or new.cost < made[everything].cost):
            made[everything] = new
            self._alike.pop((span, everything), None)
        return made.get(everything)

    def alike(self, tree: Derivation, most: int = _MOST_ALIKE) -> list[Derivation]:
        """The derivations that cost the same as this one, which comes first."""
        return list(islice(self._variants(tree, most), most))

    def _variants(self, tree: Derivation, most: int) -> Iterator[Derivation]:
        for each in (tree, *self._alike.get((tree.span, tree.made), ())):
            for phrases in product(*[self.alike(phrase, most) for phrase in each.phrases]):
                yield each._replace(phrases=phrases)

    def _fill(self, span: Span, new_rules: bool) -> None:
        """Derive a stretch of the input in all ways worth knowing."""
        start, end = span
        made: dict[Span, Derivation] = {}
        self._made[span] = made
        if self._bounded and (start == 0) != (end == len(self._source)):
            return
        words = {place for place in range(start, end) if place in self._pattern.links}
        if end - start == 1:
            for link in self._pattern.links.get(start, ()):
                made[link] = Derivation(span, link, 0.0)
            if not words and new_rules and self._source[start] not in self._visible:
                self._word(span)
        for rule in self._fitting(span):
            for tree in self._applied(rule, span):
                known = made.get(tree.made)
                if known is not None and abs(tree.cost - known.cost) < _ALIKE:
                    self._alike.setdefault((span, tree.made), []).append(tree)
                elif known is None or tree.cost < known.cost:
                    made[tree.made] = tree
                    self._alike.pop((span, tree.made), None)
        if new_rules and words and end - start > 1 and (start, end) != (0, len(self._source)):
            for tight in self._output.tight(words):
                for stretch in self._stretches(span, tight):
                    known = made.get(stretch)
                    if known is not None and known.cost < self._book.least_new:
                        continue
                    new = self._new_rule(span, stretch)
                    if new is not None and (known is None or new.cost < known.cost):
                        made[stretch] = new
                        self._alike.pop((span, stretch), None)

    def _stretches(self, span: Span, tight: Span) -> list[Span]:
        """Stretches of the output that a new rule may make: what is linked, what a part of the input already makes
        of it, what two parts around a word make together, with what closes it, what encloses it, and with the tokens
        beside it."""
        start, end = span
        closed = self._output.closed(tight)
        found = dict.fromkeys((tight, closed, self._output.enclosed(closed)))
        for part in ((start + 1, end), (start, end - 1), (start + 1, end - 1)):
            for made in self._made.get(part, {}):
                if made[0] <= tight[0] and tight[1] <= made[1]:
                    found[made] = None
        for middle in range(start + 1, end - 1):
            hull = None if middle in self._pattern.links else self._hull((start, middle), (middle + 1, end))
            if hull is not None and hull[0] <= tight[0] and tight[1] <= hull[1]:
                found[hull] = None
        if self._book.shared:
            found |= dict.fromkeys(self._output.widened(tight))
        return list(found)

    def _hull(self, left: Span, right: Span) -> Span | None:
        """What the cheapest derivations of two parts make together."""
        one, other = self._cheapest.get(left), self._cheapest.get(right)
        return None if one is None or other is None else (min(one[0], other[0]), max(one[1], other[1]))

    def _word(self, span: Span) -> None:
        """New phrases of a word without a token of its own, where the examples speak for them."""
        word = self._source[span[0]]
        for size in range(1, _PHRASE + 1):
            for start in range(len(self._target) - size + 1):
                made = (start, start + size)
                phrase = self._target[start : start + size]
                if not self._output.is_free(*made) or made in self._made[span]:
                    continue
                share = self._lexicon.share((word,), phrase)
                if share >= _LEAST_SHARE:
                    rule = FrameRule((word,), tuple(map(literal, phrase)))
                    cost = self._price(rule, span) - _EVIDENCE * math.log(share)
                    self._made[span][made] = Derivation(span, made, cost, rule)

    def _fitting(self, span: Span) -> list[_KnownRule]:
        """The rules whose words can stand in a stretch, as can be told at a glance."""
        start, end = span
        inside = set(self._source[start:end])
        ends = (PHRASE_MARK, self._source[end - 1])
        return [
            each
            for each in chain(self._rules.get(self._source[start], ()), self._rules.get(PHRASE_MARK, ()))
            if len(each.rule.frame) <= end - start and each.rule.frame[-1] in ends and each.words <= inside
        ]

    def _applied(self, known: _KnownRule, span: Span) -> list[Derivation]:
        """Ways to derive a stretch by a known rule."""
        rule, _, phrase_places = known
        price = self._price(rule, span)
        cuts: list[tuple[Span, ...]] = []
        self._lay(rule.frame, span, 0, span[0], (), cuts)
        found: list[Derivation] = []
        for cut in cuts:
            whole = price + self._division(span, cut)
            found += [
                Derivation(span, made, whole + sum([tree.cost for tree in phrases]), rule, phrases)
                for made, phrases in self._joined(rule.parts, dict(zip(phrase_places, cut, strict=True)))
            ]
        return found

    def _division(self, span: Span, phrases: Iterable[Span]) -> float:
        """What it costs that phrases of a stretch begin where they do; at its own beginning they divide nothing."""
        if not self._divisions:
            return 0.0
        return sum([self._divisions.get(first, 0.0) for first, _ in phrases if first > span[0]])

    def _price(self, rule: FrameRule, span: Span) -> float:
        """What it costs to derive a stretch by a rule, without its phrases."""
        key = rule, word_before(self._source, span[0])
        price = self._prices.get(key)
        if price is None or self._book.shared:  # where what is possible is still counted
            price = self._prices[key] = self._book.price(*key)
        return price

    def _lay(
        self,
        frame: CodedView,
        span: Span,
        index: int,
        place: int,
        cut: tuple[Span, ...],
        found: list[tuple[Span, ...]],
    ) -> None:
        """Lay a frame, from an index on, over a stretch, from a place on; note the parts of it that are phrases."""
        self.effort += 1
        size, source, end = len(frame), self._source, span[1]
        while index < size and frame[index] != PHRASE_MARK:
            if place >= end or source[place] != frame[index]:
                return
            self.effort += 1
            index += 1
            place += 1
        if index == size:
            if place == end:
                found.append(cut)
        elif index == size - 1:
            if place < end and (place, end) != span and self._made.get((place, end)):
                self.effort += 1
                found.append((*cut, (place, end)))
        else:
            last = end - (size - index - 1)  # each further item has a word at least
            following = frame[index + 1]
            for stop in self._stops[place]:
                if stop > last:
                    break
                if following == PHRASE_MARK or source[stop] == following:
                    self._lay(frame, span, index + 1, stop, (*cut, (place, stop)), found)

    def _joined(self, parts: CodedParts, cut: Mapping[int, Span]) -> list[tuple[Span, tuple[Derivation, ...]]]:
        """Where in the output phrases stand as a template joins them, and which of their derivations these are."""
        target = self._target
        if not cut:
            text = "".join([chr(part - LITERAL) for part in parts])
            starts = [place for place in range(len(target)) if target.startswith(text, place)]
            return [((at, at + len(text)), ()) for at in starts if self._output.is_free(at, at + len(text))]
        found: list[tuple[Span, tuple[Derivation, ...]]] = []
        before, first = next((number, part) for number, part in enumerate(parts) if part < LITERAL)
        for start in {tree.made[0] - before for tree in self._made[cut[first]].values()}:
            if start >= 0:
                for end, chosen in self._join(parts, cut, 0, start, {}):
                    found.append(((start, end), tuple([chosen[index] for index in cut])))
        return found

    def _join(
        self, parts: CodedParts, cut: Mapping[int, Span], number: int, place: int, chosen: dict[int, Derivation]
    ) -> list[tuple[int, dict[int, Derivation]]]:
        """Follow a template, from a part on, along the output, from a place on: where it ends, by which derivations."""
        target = self._target
        while number < len(parts):
            part = parts[number]
            if part >= LITERAL:
                if place >= len(target) or ord(target[place]) != part - LITERAL:
                    return []
                place += 1
            elif part in chosen:
                first, last = chosen[part].made
                if not (first < place and target.startswith(target[first:last], place)):
                    return []
                place += last - first
            else:
                found: list[tuple[int, dict[int, Derivation]]] = []
                for tree in self._beginning(cut[part], place):
                    self.effort += 1
                    found += self._join(parts, cut, number + 1, tree.made[1], chosen | {part: tree})
                return found
            number += 1
        return [(place, chosen)]

    def _beginning(self, span: Span, place: int) -> list[Derivation]:
        """The derivations of a stretch that make something from a place of the output on."""
        of_span = self._by_start.get(span)
        if of_span is None:
            of_span = self._by_start[span] = {}
            for tree in self._made[span].values():
                of_span.setdefault(tree.made[0], []).append(tree)
        return of_span.get(place, [])

    def _new_rule(self, span: Span, made: Span) -> Derivation | None:
        """The cheapest new rule for a stretch: what its frame shows as words, what as phrases."""
        start, end = span
        lower, upper = made
        output, single = self._output, self._output.single
        best: dict[int, _Prefix] = {start: (0.0, 0, 0, start, None)}
        for place in range(start + 1, end + 1):
            found: _Prefix | None = None
            least = math.inf
            before = best.get(place - 1)
            if before is not None and place - 1 not in self._pattern.links:
                least = before[0] + WORD
                found = (least, before[1], before[2], place - 1, None)
            for earlier, parts in self._ending[place]:
                before = best.get(earlier)
                if before is None or before[2] >= _WIDEST or (earlier, place) == span:
                    continue
                so_far, taken, phrases_before, _, _ = before
                so_far += self._division(span, ((earlier, place),))
                for first, last, cost, mask, tree in parts:
                    if lower <= first and last <= upper:
                        if not single:
                            mask = output.copies_mask(tree, made)
                            cost = tree.cost - TOKEN * mask.bit_count()
                        total = so_far + PHRASE + cost
                        if total < least and not mask & taken:
                            least = total
                            found = (total, taken | mask, phrases_before + 1, earlier, tree)
            if found is not None:
                best[place] = found
        if end not in best:
            return None
        phrases = _phrases_of(best, end)
        rule = output.rule(span, made, phrases)
        if rule.literals > self._literals:
            return None
        if not output.is_covered(made, phrases):
            return None
        self._note_possible(rule)
        price = self._price(rule, span) + self._division(span, [tree.span for tree in phrases])
        return Derivation(span, made, price + sum(tree.cost for tree in phrases), rule, phrases)

    def _note_possible(self, rule: FrameRule) -> None:
        """Count that the pattern might use a rule, where that makes it cheaper."""
        if self._book.shared and rule not in self._seen:
            self._seen.add(rule)
            self._book.possible[rule] += 1

    def _around_whole(self) -> Derivation | None:
        """The cheapest new rule for the whole from one phrase, between the words for begin and end."""
        span, everything = (0, len(self._source)), (0, len(self._target))
        options: list[Derivation] = []
        for tree in self._made[1, len(self._source) - 1].values():
            rule = self._output.rule(span, everything, (tree,))
            if rule.literals <= self._literals and self._output.is_covered(everything, (tree,)):
                self._note_possible(rule)
                options.append(Derivation(span, everything, self._price(rule, span) + tree.cost, rule, (tree,)))
        return min(options, key=_cost_of, default=None)

    def _note(self, span: Span, new_rules: bool) -> None:
        """Note what a stretch can be in larger ones; in a new rule, what its phrase makes needs no token there."""
        made = self._made[span]
        start, end = span
        if made:
            self._stops[start].append(end)
        if made and new_rules:
            self._cheapest[span] = min(made.values(), key=_cost_of).made
            parts = [
                (first, last, tree.cost - TOKEN * (last - first), (1 << last) - (1 << first), tree)
                for (first, last), tree in made.items()
            ]
            self._ending[end].insert(0, (start, parts))
