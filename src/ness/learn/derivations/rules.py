"""Rules of frames, what they cost, and derivations by them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from ness.learn.coding import LITERAL, PHRASE_MARK, CodedParts, CodedSource, CodedView

Span = tuple[int, int]

CONTENT = -100  # the first content word of a pattern; the next ones count down

USE = 0.1  # nats for each use of a known rule
_RULE = 3.0  # for a new rule ...
WORD = 0.5  # ... for each word of its frame
PHRASE = 0.5  # ... for each phrase
TOKEN = 0.5  # ... for each token
_LEAST = 0.5  # for a new rule that many patterns share
CONFLICT = 8.0  # for a frame that has another template, or for a rule that is blamed
_OTHER_KIND = 2.0  # for a frame that has another template, where kinds may tell which
ANYWHERE = -98  # in place of the word before a phrase, where that does not matter ...
NO_WORD = -99  # ... or where there is none


class FrameRule(NamedTuple):
    """A frame of words and phrases, and what it becomes; without a phrase: only tokens."""

    frame: CodedView
    parts: CodedParts

    @property
    def places(self) -> list[int]:
        """Where phrases stand in the frame."""
        return [place for place, item in enumerate(self.frame) if item == PHRASE_MARK]

    @property
    def literals(self) -> int:
        """How many target tokens it writes down."""
        return sum([part >= LITERAL for part in self.parts])


def cost_of(rule: FrameRule) -> float:
    """What it takes to write a rule down."""
    phrases = rule.frame.count(PHRASE_MARK)
    return _RULE + WORD * (len(rule.frame) - phrases) + PHRASE * phrases + TOKEN * rule.literals


def word_before(source: CodedSource, place: int) -> int:
    """The word before a place; content words are all alike, and so is where nothing is before."""
    return max(source[place - 1], CONTENT) if place else NO_WORD


class Derivation(NamedTuple):
    """A derivation of a stretch of the input: a content word, or a frame with the derivations of its phrases."""

    span: Span
    made: Span  # the stretch of the output
    cost: float
    rule: FrameRule | None = None  # None: a content word
    phrases: "tuple[Derivation, ...]" = ()

    def rules(self) -> list[FrameRule]:
        """All rules that it uses, each as often as it does."""
        own = [] if self.rule is None else [self.rule]
        return own + [rule for phrase in self.phrases for rule in phrase.rules()]

    def uses(self, source: CodedSource) -> list[tuple[FrameRule, int]]:
        """All rules that it uses, each with the word before the phrase that it makes of a source."""
        own = [] if self.rule is None else [(self.rule, word_before(source, self.span[0]))]
        return own + [use for phrase in self.phrases for use in phrase.uses(source)]


@dataclass
class RuleBook:
    """Rules with their uses, and the price of one more use."""

    shared: bool = False  # whether a new rule is cheaper the more patterns might use it
    contextual: bool = False  # whether a frame may have another template after another word
    kinds: bool = False  # whether a frame may have another template for phrases of other kinds
    uses: Counter[FrameRule] = field(default_factory=Counter)
    possible: Counter[FrameRule] = field(default_factory=Counter)  # patterns that might use a rule
    frames: dict[tuple[CodedView, int], Counter[CodedParts]] = field(default_factory=dict)  # by the word before
    blamed: set[FrameRule] = field(default_factory=set)  # which led to traces that others contradict
    undivided: set[tuple[int, int]] = field(default_factory=set)  # words in a row, too dear to divide

    @property
    def conflict(self) -> float:
        """What another template of a frame costs."""
        return _OTHER_KIND if self.kinds else CONFLICT

    @property
    def least_new(self) -> float:
        """What a new rule costs at least."""
        return _LEAST if self.shared else _RULE + min(WORD, PHRASE)

    def count(self, uses: Iterable[tuple[FrameRule, int]], by: int) -> None:
        """Note uses of rules, each with the word before, or take them back."""
        for rule, before in uses:
            self.uses[rule] += by
            if self.uses[rule] <= 0:
                del self.uses[rule]
            counts = self.frames.setdefault((rule.frame, self._context(before)), Counter())
            counts[rule.parts] += by
            if counts[rule.parts] <= 0:
                del counts[rule.parts]

    def _context(self, before: int) -> int:
        """What may tell the template of a frame."""
        return before if self.contextual else ANYWHERE

    def divisions(self, source: CodedSource) -> dict[int, float]:
        """What it costs that a phrase begins at a place, where that divides words that should not be."""
        places = range(1, len(source)) if self.undivided else ()
        return {place: CONFLICT for place in places if source[place - 1 : place + 1] in self.undivided}

    def price(self, rule: FrameRule, before: int) -> float:
        """What a use of a rule costs: little if it is known, what it takes to write it down if it is new."""
        counts = self.frames.get((rule.frame, self._context(before)))
        conflict = 0.0
        if counts and counts.get(rule.parts, 0) < max(counts.values()):
            conflict = self.conflict
        conflict += CONFLICT if rule in self.blamed else 0.0
        uses = self.uses.get(rule, 0)
        if uses > 0:
            return USE + 1.0 / (1 + uses) + conflict
        price = cost_of(rule)
        if self.shared:
            price = max(_LEAST, price / max(1, self.possible[rule]))
        return price + conflict
