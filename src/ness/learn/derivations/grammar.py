"""A grammar of frames, learned pattern by pattern, from the shortest to the longest.

A content word has a token of its own, so its place in the output is known; a stretch of the input whose words end up
side by side, with no others among them, may be a phrase. The cheapest way is taken to build each output from phrases:
by the rules so far, or by new ones (a frame of words and phrases, and the template that joins them). No search over
instructions is needed: a derivation has just one trace. What this cannot see (phrases that are written twice, or not at
all) is left to the search.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ness.learn.coding import CodedSource, CodedTrace, Sample
from ness.learn.derivations.chart import Chart
from ness.learn.derivations.patterns import Pattern, pattern_of
from ness.learn.derivations.rules import Derivation, RuleBook
from ness.learn.derivations.writing import TraceWriter
from ness.learn.lexicon import Lexicon

_FEW_RULES = 60  # that need not serve many patterns


class GrammarLimits(NamedTuple):
    """How large a rule may be, and how much may be looked at."""

    literals: int  # tokens of one template
    effort: int  # ways to apply a rule


@dataclass
class FrameGrammar:
    """Rules with their uses, learned pattern by pattern."""

    content: Mapping[int, str]  # words with a phrase of their own
    lexicon: Lexicon
    limits: GrammarLimits
    book: RuleBook = field(default_factory=RuleBook)
    derivations: dict[tuple[CodedSource, str], Derivation | None] = field(default_factory=dict)

    def learn(self, samples: Iterable[Sample]) -> bool:
        """Derive each pattern, the shortest first; again, since later ones may tell how to read earlier ones.

        Tell whether that took no more effort than it may.
        """
        patterns: dict[tuple[CodedSource, str], Pattern] = {}
        for sample in samples:
            pattern = pattern_of(sample, self.content)
            if pattern is not None:
                patterns.setdefault((pattern.source, pattern.target), pattern)
        effort = 0
        ordered = sorted(patterns, key=lambda key: (len(key[0]), len(key[1]), key))
        passes = [False, True, True] if self.book.shared else [True, True]  # the first one only looks what is possible
        for counted in passes:
            for key in ordered:
                old = self.derivations.get(key)
                if old is not None:
                    self.book.count(old.rules(), -1)
                chart = Chart(patterns[key], self.book, self.lexicon, self.limits.literals, self.limits.effort - effort)
                tree = chart.whole()
                effort += chart.effort
                if effort > self.limits.effort:
                    return False
                self.derivations[key] = tree if counted else None
                if counted and tree is not None:
                    self.book.count(tree.rules(), 1)
                if len(self.book.uses) > max(_FEW_RULES, len(self.derivations) / 2):
                    return False  # hardly a rule serves a second pattern
        return True

    def trace(self, sample: Sample) -> CodedTrace | None:
        """The trace of an example whose pattern was derived."""
        pattern = pattern_of(sample, self.content)
        tree = self.derivations.get((pattern.source, pattern.target)) if pattern else None
        return None if tree is None else TraceWriter(sample, self.content).trace(tree)
