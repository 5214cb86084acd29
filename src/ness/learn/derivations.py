"""Traces from a grammar: what the structure of an example is, read off where its content words end up.

A content word has a token of its own, so its place in the output is known; a stretch of the input whose words end up
side by side, with no others among them, may be a phrase. From the shortest example to the longest, the cheapest way is
taken to build each output from phrases: by the rules so far, or by new ones (a frame of words and phrases, and the
template that joins them). No search over instructions is needed: a derivation has just one trace.

Examples that differ in their content words only are one pattern; nothing here depends on the size of the vocabulary.
What this cannot see (phrases that are written twice, or not at all) is left to the search.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ness.learn.coding import (
    END,
    LITERAL,
    NO_FRAME,
    Argument,
    CodedParts,
    CodedSource,
    CodedStatus,
    CodedTrace,
    CodedView,
    P,
    Sample,
    Step,
    literal,
)
from ness.learn.lexicon import Lexicon
from ness.machine.opcodes import CONCAT_S, FINAL, POP, PUSH, REDUCE, SHIFT

Span = tuple[int, int]

_LONGEST = 40  # words of an example that is derived; longer ones have nothing new to tell
_LEAST_SHARE = 0.7  # evidence for a phrase of a word without a token of its own
_PHRASE = 4  # tokens of such a phrase, at most
_WIDEST = 6  # phrases of one new frame
_FEW_RULES = 60  # that need not serve many patterns
_USE = 0.1  # nats for each use of a known rule
_RULE = 3.0  # for a new rule ...
_WORD = 0.5  # ... for each word of its frame
_GAP = 0.5  # ... for each phrase
_TOKEN = 0.5  # ... for each token
_LEAST = 0.5  # for a new rule that many patterns share
_CONFLICT = 8.0  # for a frame that has another template


class FrameRule(NamedTuple):
    """A frame of words and phrases, and what it becomes; without a phrase: only tokens."""

    frame: CodedView
    parts: CodedParts


@dataclass(frozen=True, slots=True)
class Derivation:
    """A derivation of a stretch of the input: a content word, or a frame with the derivations of its phrases."""

    span: Span
    made: Span  # the stretch of the output
    cost: float
    rule: FrameRule | None = None  # None: a content word
    phrases: "tuple[Derivation, ...]" = ()

    def rules(self) -> "list[FrameRule]":
        own = [] if self.rule is None else [self.rule]
        return own + [rule for tree in self.phrases for rule in tree.rules()]


@dataclass(frozen=True, slots=True)
class Pattern:
    """An example without the names of its content words."""

    source: CodedSource  # content words are marked
    target: str
    links: Mapping[int, Span]  # where the content words end up


_CONTENT = -100  # the first content word of a pattern; the next ones count down


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


@dataclass
class FrameGrammar:
    """Rules with their uses, learned pattern by pattern."""

    content: Mapping[int, str]  # words with a phrase of their own
    lexicon: Lexicon
    most_literals: int
    most_effort: int  # ways to apply a rule that it may look at
    shared: bool = False  # whether a new rule is cheaper the more patterns might use it
    effort: int = 0  # ways that it has looked at
    uses: Counter[FrameRule] = field(default_factory=Counter)
    possible: Counter[FrameRule] = field(default_factory=Counter)  # patterns that might use a rule
    frames: dict[CodedView, Counter[CodedParts]] = field(default_factory=dict)
    trees: dict[tuple[CodedSource, str], Derivation | None] = field(default_factory=dict)

    def learn(self, samples: Iterable[Sample]) -> bool:
        """Derive each pattern, the shortest first; again, since later ones may tell how to read earlier ones.

        Tell whether that took no more effort than it may.
        """
        patterns: dict[tuple[CodedSource, str], Pattern] = {}
        for sample in samples:
            pattern = pattern_of(sample, self.content)
            if pattern is not None:
                patterns.setdefault((pattern.source, pattern.target), pattern)
        ordered = sorted(patterns, key=lambda key: (len(key[0]), len(key[1]), key))
        passes = [False, True, True] if self.shared else [True, True]  # the first one only looks what is possible
        for counted in passes:
            for key in ordered:
                old = self.trees.get(key)
                if old is not None:
                    self._count(old, -1)
                tree = _Chart(self, patterns[key]).whole()
                if self.effort > self.most_effort:
                    return False
                self.trees[key] = tree if counted else None
                if counted and tree is not None:
                    self._count(tree, 1)
                if len(self.uses) > max(_FEW_RULES, len(self.trees) / 2):
                    return False  # hardly a rule serves a second pattern
        return True

    def trace(self, sample: Sample) -> CodedTrace | None:
        """The trace of an example whose pattern was derived."""
        pattern = pattern_of(sample, self.content)
        tree = self.trees.get((pattern.source, pattern.target)) if pattern else None
        return None if tree is None else _TraceWriter(sample, self.content).trace(tree)

    def _count(self, tree: Derivation, by: int) -> None:
        for rule in tree.rules():
            self.uses[rule] += by
            counts = self.frames.setdefault(rule.frame, Counter())
            counts[rule.parts] += by
            if self.uses[rule] <= 0:
                del self.uses[rule], counts[rule.parts]


class _Chart:
    """All stretches of one pattern with the cheapest ways to derive them."""

    def __init__(self, grammar: FrameGrammar, pattern: Pattern) -> None:
        self._grammar = grammar
        self._pattern = pattern
        self._source, self._target = pattern.source, pattern.target
        self._made: dict[Span, dict[Span, Derivation]] = {}
        self._rules = list(grammar.uses)
        self._seen: set[FrameRule] = set()
        self._linked = [0] * (len(self._target) + 1)  # linked tokens before a place in the output
        taken = {place for start, end in pattern.links.values() for place in range(start, end)}
        for place in range(len(self._target)):
            self._linked[place + 1] = self._linked[place] + (place in taken)

    def whole(self) -> Derivation | None:
        """The cheapest derivation of the whole."""
        length = len(self._source)
        everything = (0, len(self._target))
        for size in range(1, length + 1):
            for start in range(length - size + 1):
                self._fill((start, start + size))
            if self._grammar.effort > self._grammar.most_effort:
                return None
        span = (0, length)
        made = self._made[span]
        new = self._new_rule(span, everything)
        if new is not None and (everything not in made or new.cost < made[everything].cost):
            made[everything] = new
        return made.get(everything)

    def _fill(self, span: Span) -> None:
        """Derive a stretch of the input in all ways worth knowing."""
        start, end = span
        made: dict[Span, Derivation] = {}
        self._made[span] = made
        links = [self._pattern.links[place] for place in range(start, end) if place in self._pattern.links]
        if end - start == 1:
            if links:
                made[links[0]] = Derivation(span, links[0], 0.0)
            else:
                self._word(span)
        for rule in self._rules:
            for tree in self._applied(rule, span):
                if tree.made not in made or tree.cost < made[tree.made].cost:
                    made[tree.made] = tree
        if links and end - start > 1 and (start, end) != (0, len(self._source)):
            tight = (min(first for first, _ in links), max(last for _, last in links))
            if self._only(tight, links):
                for stretch in self._stretches(span, tight):
                    new = None if stretch in made else self._new_rule(span, stretch)
                    if new is not None:
                        made[stretch] = new

    def _stretches(self, span: Span, tight: Span) -> "list[Span]":
        """Stretches of the output that a new rule may make: what is linked, what a part of the input already makes
        of it, and with the tokens beside it."""
        start, end = span
        found = {tight: None}
        for part in ((start + 1, end), (start, end - 1), (start + 1, end - 1)):
            for made in self._made.get(part, {}):
                if made[0] <= tight[0] and tight[1] <= made[1]:
                    found[made] = None
        if self._grammar.shared:
            first, last = tight
            while first > 0 and self._free(first - 1, first):
                first -= 1
            while last < len(self._target) and self._free(last, last + 1):
                last += 1
            for made in ((first, tight[1]), (tight[0], last), (first, last)):
                found[made] = None
        return list(found)

    def _word(self, span: Span) -> None:
        """New phrases of a word without a token of its own, where the examples speak for them."""
        word = self._source[span[0]]
        for size in range(1, _PHRASE + 1):
            for start in range(len(self._target) - size + 1):
                made = (start, start + size)
                phrase = self._target[start : start + size]
                if self._linked[made[1]] > self._linked[start] or made in self._made[span]:
                    continue
                share = self._grammar.lexicon.share((word,), phrase)
                if share >= _LEAST_SHARE:
                    cost = self._price(FrameRule((word,), tuple(map(literal, phrase)))) - 2 * math.log(share)
                    self._made[span][made] = Derivation(
                        span, made, cost, FrameRule((word,), tuple(map(literal, phrase)))
                    )

    def _only(self, made: Span, links: list[Span]) -> bool:
        """Tell whether a stretch of the output has just these links in it."""
        return self._linked[made[1]] - self._linked[made[0]] == sum(end - start for start, end in links)

    def _price(self, rule: FrameRule) -> float:
        grammar = self._grammar
        counts = grammar.frames.get(rule.frame)
        conflict = _CONFLICT if counts and counts[rule.parts] < max(counts.values(), default=0) else 0.0
        if grammar.uses[rule] > 0:
            return _USE + 1.0 / (1 + grammar.uses[rule]) + conflict
        gaps = rule.frame.count(P)
        literals = sum(part >= LITERAL for part in rule.parts)
        price = _RULE + _WORD * (len(rule.frame) - gaps) + _GAP * gaps + _TOKEN * literals
        if grammar.shared:
            price = max(_LEAST, price / max(1, grammar.possible[rule]))
        return price + conflict

    def _applied(self, rule: FrameRule, span: Span) -> "list[Derivation]":
        """Ways to derive a stretch by a known rule."""
        found: list[Derivation] = []
        frame, parts = rule
        start, end = span
        if len(frame) > end - start or (frame == (P,)):
            return found
        price = self._price(rule)

        def match(index: int, place: int, phrases: tuple[Derivation, ...]) -> None:
            self._grammar.effort += 1
            if index == len(frame):
                if place == end:
                    made = self._joined(frame, parts, phrases)
                    found.extend(
                        Derivation(span, where, price + sum(tree.cost for tree in phrases), rule, phrases)
                        for where in made
                    )
                return
            item = frame[index]
            if item != P:
                if place < end and self._source[place] == item:
                    match(index + 1, place + 1, phrases)
                return
            last = end - (len(frame) - index - 1)  # each further item has a word at least
            ends = (last,) if index == len(frame) - 1 else range(place + 1, last + 1)
            for stop in ends:
                if (place, stop) == span:
                    continue
                for tree in self._made.get((place, stop), {}).values():
                    match(index + 1, stop, (*phrases, tree))

        match(0, start, ())
        return found

    def _joined(self, frame: CodedView, parts: CodedParts, phrases: tuple[Derivation, ...]) -> list[Span]:
        """Where in the output the phrases stand as a template joins them."""
        target = self._target
        of_index: dict[int, Derivation] = {}
        numbers = iter(phrases)
        for index, item in enumerate(frame):
            if item == P:
                of_index[index] = next(numbers)
        if not phrases:
            text = "".join([chr(part - LITERAL) for part in parts])
            starts = [place for place in range(len(target)) if target.startswith(text, place)]
            return [(place, place + len(text)) for place in starts if self._free(place, place + len(text))]
        before, first = next((index, part) for index, part in enumerate(parts) if part < LITERAL)
        start = of_index[first].made[0] - before
        place = start
        if start < 0:
            return []
        for part in parts:
            if part >= LITERAL:
                if place >= len(target) or ord(target[place]) != part - LITERAL:
                    return []
                place += 1
            else:
                if of_index[part].made[0] != place:
                    return []
                place = of_index[part].made[1]
        return [(start, place)]

    def _free(self, start: int, end: int) -> bool:
        return self._linked[end] == self._linked[start]

    def _new_rule(self, span: Span, made: Span) -> Derivation | None:
        """The cheapest new rule for a stretch: what its frame shows as words, what as phrases."""
        start, end = span
        lower, upper = made
        # Of each prefix of the stretch: cost, taken places of the output, phrases.
        best: dict[int, tuple[float, int, tuple[Derivation, ...]]] = {start: (0.0, 0, ())}
        for place in range(start + 1, end + 1):
            options: list[tuple[float, int, tuple[Derivation, ...]]] = []
            if place - 1 in best and place - 1 not in self._pattern.links:
                cost, taken, phrases = best[place - 1]
                options.append((cost + _WORD, taken, phrases))
            for earlier in range(start, place):
                if (earlier, place) == span or earlier not in best:
                    continue
                cost, taken, phrases = best[earlier]
                if len(phrases) >= _WIDEST:
                    continue
                for tree in self._made[earlier, place].values():
                    first, last = tree.made
                    mask = (1 << last) - (1 << first)
                    if lower <= first and last <= upper and not mask & taken:
                        saved = _TOKEN * (last - first)
                        options.append((cost + _GAP + tree.cost - saved, taken | mask, (*phrases, tree)))
            if options:
                best[place] = min(options, key=lambda option: option[0])
        if end not in best:
            return None
        _, _, phrases = best[end]
        rule = self._rule(span, made, phrases)
        if sum(part >= LITERAL for part in rule.parts) > self._grammar.most_literals:
            return None
        if any(self._linked[place + 1] > self._linked[place] for place in self._literal_places(made, phrases)):
            return None
        if self._grammar.shared and rule not in self._seen:
            self._seen.add(rule)
            self._grammar.possible[rule] += 1
        return Derivation(span, made, self._price(rule) + sum(tree.cost for tree in phrases), rule, phrases)

    def _literal_places(self, made: Span, phrases: tuple[Derivation, ...]) -> list[int]:
        covered = {place for tree in phrases for place in range(*tree.made)}
        return [place for place in range(*made) if place not in covered]

    def _rule(self, span: Span, made: Span, phrases: tuple[Derivation, ...]) -> FrameRule:
        """The frame and the template that these phrases leave."""
        starts = {tree.span[0]: tree for tree in phrases}
        frame: list[int] = []
        index_of: dict[int, int] = {}  # by where a phrase begins in the output
        place = span[0]
        while place < span[1]:
            tree = starts.get(place)
            if tree is None:
                frame.append(self._source[place])
                place += 1
            else:
                index_of[tree.made[0]] = len(frame)
                frame.append(P)
                place = tree.span[1]
        ends = {tree.made[0]: tree.made[1] for tree in phrases}
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


class _TraceWriter:
    """Writes the trace of a derivation: the leftmost phrase of a frame is built in it, the others above it."""

    def __init__(self, sample: Sample, content: Mapping[int, str]) -> None:
        self._source, self._target = sample
        self._content = content
        self._steps: list[Step] = []
        self._frames: list[list[int]] = [[]]
        self._place = 0

    def trace(self, tree: Derivation) -> CodedTrace:
        self._write(tree)
        self._step(FINAL)
        return tuple(self._steps)

    def _status(self) -> CodedStatus:
        next_word = self._source[self._place] if self._place < len(self._source) else END
        second = tuple(self._frames[-2]) if len(self._frames) > 1 else NO_FRAME
        return next_word, tuple(self._frames[-1]), second, 0

    def _step(self, operator: int, argument: Argument = None) -> None:
        self._steps.append((self._status(), operator, argument))
        if operator == SHIFT:
            self._frames[-1].append(self._source[self._place])
            self._place += 1
        elif operator == PUSH:
            self._frames.append([])
        elif operator == POP:
            top = self._frames.pop()
            self._frames[-1] += top
        elif operator in (REDUCE, CONCAT_S):
            self._frames[-1] = [P]

    def _write(self, tree: Derivation) -> None:
        if tree.rule is None:
            self._step(SHIFT)
            self._step(REDUCE, self._content[self._source[tree.span[0]]])
            return
        frame, parts = tree.rule
        phrases = iter(tree.phrases)
        for index, item in enumerate(frame):
            if item != P:
                self._step(SHIFT)
            elif index == 0:
                self._write(next(phrases))
            else:
                self._step(PUSH)
                self._write(next(phrases))
                self._step(POP)
        if P in frame:
            self._step(CONCAT_S, parts)
        else:
            self._step(REDUCE, "".join([chr(part - LITERAL) for part in parts]))
