"""A grammar of frames, learned pattern by pattern, from the shortest to the longest.

A content word has a token of its own, so its place in the output is known; a stretch of the input whose words end up
side by side, with no others among them, may be a phrase. The cheapest way is taken to build each output from phrases:
by the rules so far, or by new ones (a frame of words and phrases, and the template that joins them). No search over
instructions is needed: a derivation has just one trace. What this cannot see (content words that are not written) is
left to the search.
"""

import math
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from ness.learn.coding import CodedSource, CodedTrace, Sample
from ness.learn.constituents.patterns import even_tokens, pairs_of_tokens
from ness.learn.deadline import Deadline, OutOfTime
from ness.learn.derivations.agreement import KnownTraces, agreeing
from ness.learn.derivations.chart import Chart
from ness.learn.derivations.compounds import NONE as NO_COMPOUNDS
from ness.learn.derivations.compounds import Compounds
from ness.learn.derivations.factoring import rewritten, taken_apart
from ness.learn.derivations.inflections import NONE, Inflections
from ness.learn.derivations.kinds import find_kinds, inflected
from ness.learn.derivations.patterns import Pattern, patterns_of
from ness.learn.derivations.rules import Derivation, RuleBook
from ness.learn.derivations.writing import TraceWriter
from ness.learn.lexicon import Lexicon

_FEW_RULES = 60  # that need not serve many patterns
_USUAL = 50  # patterns; more of them may get more effort
_COMPACT = 4  # patterns for each rule, on average: hardly an accident; then more effort pays ...
_MORE = 10  # ... so many times more

Edges = tuple[int, int]
_Key = tuple[CodedSource, str]
_ROUNDS = 4
_WITNESSES = 20  # samples of a pattern that tell it
_FIRST_LOOK = 16  # rules; so many are looked through for what they share ...
_GROWTH = 1.5  # ... and again, when there are so many times as many


class GrammarLimits(NamedTuple):
    """How large a rule may be, and how much may be looked at."""

    literals: int  # tokens of one template
    effort: int  # ways to apply a rule
    deadline: float = math.inf  # by the monotonic clock
    growing: bool = False  # whether more may be looked at where there are many patterns


@dataclass
class FrameGrammar:
    """Rules with their uses, learned pattern by pattern."""

    content: Mapping[int, str]  # words with a phrase of their own
    lexicon: Lexicon
    limits: GrammarLimits
    book: RuleBook = field(default_factory=RuleBook)
    inflections: Inflections = NONE
    compounds: Compounds = NO_COMPOUNDS
    edges: Edges | None = None  # the words for begin and end of the input, where the frame around the whole has them
    derivations: dict[tuple[CodedSource, str], Derivation | None] = field(default_factory=dict)
    _alike: dict[tuple[CodedSource, str], list[Derivation]] = field(default_factory=dict)  # that cost the same
    _traces: KnownTraces = field(default_factory=KnownTraces)
    _effort: int = 0
    _patterns: int = 0
    _samples: Sequence[Sample] = ()
    _known_patterns: dict[Sample, list[Pattern]] = field(default_factory=dict)
    _next_look: float = _FIRST_LOOK  # so many rules are looked through for what they share
    _closing: dict[str, str] = field(default_factory=dict)  # tokens by those that open what they close

    def learn(self, samples: Sequence[Sample]) -> bool:
        """Derive each pattern, the shortest first; again, since later ones may tell how to read earlier ones.

        Tell whether that took no more effort and time than it may.
        """
        passes = [False, True, True] if self.book.shared else [True, True]  # the first one only looks what is possible
        groups = self._groups(samples)
        self._patterns = len(groups)
        self._samples = samples
        targets = [self._stem(sample)[1] for sample in samples]
        self._closing = {token: token for token in even_tokens(targets)} | dict(pairs_of_tokens(targets))
        for counted in passes:
            self._take_apart()
            for group in groups:
                if len(group) > 1 and (not counted or self._effort > self._most_effort / 2):
                    continue  # the others are surer evidence
                if not self._derive(group, counted):
                    return False
                if len(self.book.uses) > self._next_look:
                    self._take_apart()
                if len(self.book.uses) > max(_FEW_RULES, len(self.derivations) / 2):
                    return False  # hardly a rule serves a second pattern
            if not self.book.uses and not self.book.shared:
                break  # the next pass would find the same
        self._take_apart()
        self._agree()
        return True

    def _take_apart(self) -> None:
        """Take rules apart that have much in common, in the derivations so far."""
        book, around = self.book, self.edges or ()
        uses = {rule: times for rule, times in book.uses.items() if rule.frame[0] not in around}
        apart = taken_apart(uses, self._closing, self.inflections.words, book.conflict, book.undivided)
        for key, tree in self.derivations.items() if apart else ():
            if tree is not None and not apart.keys().isdisjoint(tree.rules()):
                self.book.count(tree.uses(key[0]), -1)
                self.derivations[key] = parted = rewritten(tree, apart)
                self._alike.pop(key, None)
                self.book.count(parted.uses(key[0]), 1)
        self._next_look = max(_FIRST_LOOK, _GROWTH * len(self.book.uses))

    def learn_otherwise(self, samples: Iterable[Sample]) -> bool:
        """Derive the patterns of these otherwise, if rules are to blame: those that serve no other pattern."""
        groups = [group for group in self._groups(samples) if any(p.key in self.derivations for p in group)]
        keys = {pattern.key for group in groups for pattern in group}
        mine, others = (
            {rule for key, tree in self.derivations.items() if (key in keys) == own and tree for rule in tree.rules()}
            for own in (True, False)
        )
        blamed = mine - others - self.book.blamed
        self.book.blamed |= blamed
        if not blamed or not all(self._derive(group) for group in groups):
            return False
        self._agree()
        return True

    def learn_undivided(self, samples: Sequence[Sample], words: Iterable[tuple[int, int]]) -> bool:
        """Derive all anew, with the rules as they are, such that to divide these words in a row is dear."""
        self.book.undivided.update(words)
        self._effort = 0
        return self.learn(samples)

    def _agree(self) -> None:
        """Of derivations that cost the same, take those whose traces agree with the others."""
        before = dict(self.derivations)
        alike = {key: self._alike.get(key, [tree]) for key, tree in self.derivations.items() if tree}
        self._traces.keep([tree for trees in alike.values() for tree in trees])
        self.derivations |= agreeing(alike, self._traces)
        if self.book.kinds:
            with suppress(OutOfTime):
                self._agree_in_kinds({key: trees for key, trees in alike.items() if len(trees) > 1})
            so_far = {key: tree for key, tree in self.derivations.items() if tree}
            self.derivations |= agreeing(alike, self._traces, so_far)
        for key, tree in self.derivations.items():
            old = before[key]
            if tree is not old and tree is not None and old is not None:
                self.book.count(old.uses(key[0]), -1)
                self.book.count(tree.uses(key[0]), 1)

    def _agree_in_kinds(self, alike: Mapping[_Key, Sequence[Derivation]]) -> None:
        """Of derivations that cost the same, take those whose rules join phrases of kinds that others join, too."""
        samples: dict[_Key, list[Sample]] = {}
        for sample in map(self.compounds.join, self._samples):
            for pattern in self._patterns_in(self.inflections.stem(sample)):
                if self.derivations.get(pattern.key) is not None:
                    samples.setdefault(pattern.key, []).append(sample)
        # All of their forms, by pattern: for each sample the derivations of its pattern.
        written = {
            key: [[(inflected(tree, target), source) for tree in trees] for source, target in samples[key][:_WITNESSES]]
            for key, trees in alike.items()
            if key in samples
        }
        for _ in range(_ROUNDS):
            chosen = {key: tree for key in samples if (tree := self.derivations[key])}
            pairs = [(inflected(chosen[key], target), source) for key in samples for source, target in samples[key]]
            kinds = find_kinds(pairs, Deadline(self.limits.deadline))
            if kinds is None:
                return
            uses = Counter([use for tree, source in pairs for use in kinds.uses(tree, source)])
            for key, rows in written.items():
                trees = alike[key]
                said = [
                    Counter([use for pair in column for use in kinds.uses(*pair)]) for column in zip(*rows, strict=True)
                ]
                now = trees.index(chosen[key])
                alone = [sum(uses[use] <= said[now][use] for use in each) for each in said]
                if min(alone) < alone[now]:
                    self.derivations[key] = trees[alone.index(min(alone))]
            if all(self.derivations[key] == tree for key, tree in chosen.items()):
                return

    @property
    def _most_effort(self) -> int:
        """How much may be looked at."""
        size = max(1, self._patterns / _USUAL) if self.limits.growing else 1
        return round(self.limits.effort * size * (_MORE if self.is_compact else 1))

    @property
    def is_torn(self) -> bool:
        """Whether some frame has several templates: what encloses it may tell which."""
        return len({rule.frame for rule in self.book.uses}) < len(self.book.uses)

    @property
    def is_limited(self) -> bool:
        """Whether so much was looked at that more effort might change what was found."""
        return self._effort > self.limits.effort / 2

    @property
    def is_compact(self) -> bool:
        """Whether few rules serve many patterns."""
        return len(self.derivations) > max(_FEW_RULES / 2, _COMPACT * len(self.book.uses))

    def _derive(self, group: Sequence[Pattern], counted: bool = True) -> bool:
        """Derive an example anew, in the cheapest of its patterns; tell whether there was effort and time for it."""
        for pattern in group:
            old = self.derivations.pop(pattern.key, None)
            self._alike.pop(pattern.key, None)
            if old is not None:
                self.book.count(old.uses(pattern.source), -1)
        for new_rules in (False, True):
            found: list[tuple[Derivation, Pattern, Chart]] = []
            for pattern in group:
                left = self._most_effort - self._effort
                chart = Chart(
                    pattern,
                    self.book,
                    self.lexicon,
                    self.limits.literals,
                    left,
                    self._closing,
                    self.inflections.words,
                    self.edges is not None,
                )
                tree = chart.whole(new_rules)
                self._effort += chart.effort
                if self._effort > self._most_effort or time.monotonic() > self.limits.deadline:
                    return False
                if tree is not None:
                    found.append((tree, pattern, chart))
            best = min(found, key=lambda each: each[0].cost, default=None)
            if best is not None and best[0].cost < self.book.least_new:
                break  # no new rule can make it cheaper
        if best is None or not counted:
            self.derivations[group[0].key] = None
            return True
        tree, pattern, chart = best
        self.derivations[pattern.key] = tree
        self._alike[pattern.key] = chart.alike(tree)
        self.book.count(tree.uses(pattern.source), 1)
        return True

    def _groups(self, samples: Iterable[Sample]) -> list[list[Pattern]]:
        """The patterns of the examples, the shortest first; several in a group where a word occurs more than once."""
        stems = map(self._stem, samples)
        groups = {tuple([p.key for p in group]): group for s in stems if (group := self._patterns_in(s))}
        sure = {keys[0] for keys in groups if len(keys) == 1}
        kept = [keys for keys in groups if len(keys) == 1 or not sure.intersection(keys)]
        return [
            groups[keys] for keys in sorted(kept, key=lambda keys: (len(keys[0][0]), len(keys[0][1]), len(keys), keys))
        ]

    def _patterns_in(self, sample: Sample) -> list[Pattern]:
        found = self._known_patterns.get(sample)
        if found is None:
            found = self._known_patterns[sample] = patterns_of(sample, self.content)
        return found

    def traces(self, samples: Iterable[Sample]) -> dict[Sample, CodedTrace]:
        """The traces of those examples whose patterns were derived."""
        joined = [(sample, self.compounds.join(sample)) for sample in samples]
        trees = [(sample, view, tree) for sample, view in joined if (tree := self._tree(view)) is not None]
        kinds = None
        if self.book.kinds:
            with suppress(OutOfTime):
                kinds = find_kinds([(tree, source) for _, (source, _), tree in trees], Deadline(self.limits.deadline))
        return {
            sample: TraceWriter(view, self.content, kinds, self.compounds).trace(tree) for sample, view, tree in trees
        }

    def _stem(self, sample: Sample) -> Sample:
        """An example as patterns are made of it."""
        return self.inflections.stem(self.compounds.join(sample))

    def _tree(self, sample: Sample) -> Derivation | None:
        """The derivation of an example with joined words, with the tokens of its own output."""
        patterns = self._patterns_in(self.inflections.stem(sample))
        tree = next((tree for p in patterns if (tree := self.derivations.get(p.key)) is not None), None)
        return inflected(tree, sample[1]) if tree is not None and self.inflections else tree
