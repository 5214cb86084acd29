"""Rules of frames, what they cost, and derivations by them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from ness.learn.coding import LITERAL, PHRASE_MARK, CodedParts, CodedView

Span = tuple[int, int]

USE = 0.1  # nats for each use of a known rule
_RULE = 3.0  # for a new rule ...
WORD = 0.5  # ... for each word of its frame
PHRASE = 0.5  # ... for each phrase
TOKEN = 0.5  # ... for each token
_LEAST = 0.5  # for a new rule that many patterns share
CONFLICT = 8.0  # for a frame that has another template, or for a rule that is blamed


class FrameRule(NamedTuple):
    """A frame of words and phrases, and what it becomes; without a phrase: only tokens."""

    frame: CodedView
    parts: CodedParts


def cost_of(rule: FrameRule) -> float:
    """What it takes to write a rule down."""
    phrases = rule.frame.count(PHRASE_MARK)
    literals = sum([part >= LITERAL for part in rule.parts])
    return _RULE + WORD * (len(rule.frame) - phrases) + PHRASE * phrases + TOKEN * literals


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


@dataclass
class RuleBook:
    """Rules with their uses, and the price of one more use."""

    shared: bool = False  # whether a new rule is cheaper the more patterns might use it
    uses: Counter[FrameRule] = field(default_factory=Counter)
    possible: Counter[FrameRule] = field(default_factory=Counter)  # patterns that might use a rule
    frames: dict[CodedView, Counter[CodedParts]] = field(default_factory=dict)
    blamed: set[FrameRule] = field(default_factory=set)  # which led to traces that others contradict

    @property
    def least_new(self) -> float:
        """What a new rule costs at least."""
        return _LEAST if self.shared else _RULE + min(WORD, PHRASE)

    def count(self, rules: Iterable[FrameRule], by: int) -> None:
        """Note uses, or take them back."""
        for rule in rules:
            self.uses[rule] += by
            counts = self.frames.setdefault(rule.frame, Counter())
            counts[rule.parts] += by
            if self.uses[rule] <= 0:
                del self.uses[rule], counts[rule.parts]

    def price(self, rule: FrameRule) -> float:
        """What a use of a rule costs: little if it is known, what it takes to write it down if it is new."""
        counts = self.frames.get(rule.frame)
        conflict = CONFLICT if counts and counts.get(rule.parts, 0) < max(counts.values()) else 0.0
        conflict += CONFLICT if rule in self.blamed else 0.0
        uses = self.uses.get(rule, 0)
        if uses > 0:
            return USE + 1.0 / (1 + uses) + conflict
        price = cost_of(rule)
        if self.shared:
            price = max(_LEAST, price / max(1, self.possible[rule]))
        return price + conflict
