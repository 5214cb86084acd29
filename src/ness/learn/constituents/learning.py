"""Learn from patterns: where the classes of words decide what a construct makes.

Counting finds the content words, their classes and the constituents; the rest is writing down. Tasks whose patterns
each have one output need none of this and are left to the search.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from ness.data.example import Example
from ness.learn.constituents.forms import Content, word_forms
from ness.learn.constituents.grammar import induce_constituents
from ness.learn.constituents.own_tokens import own_tokens
from ness.learn.constituents.patterns import CLASS, FORMED, OpenPattern, clear_readings, in_order, unambiguous
from ness.learn.constituents.rules import Words, count_symbols
from ness.learn.constituents.word_classes import Place, guess_word_classes
from ness.learn.constituents.writing import TableWriter, unsolved_by
from ness.learn.deadline import NEVER, Deadline, OutOfTime
from ness.machine import Parts, Program, Word
from ness.rules import RuleTable

FREEDOM = "words"  # the name of this way, beside those of `ness.learn.freedom`
_SAMPLE = 2_000  # examples that tell whether words decide anything
_COMMON = (0.3, 0.9)  # share of the examples beyond which a word belongs to the structure: both are tried
_PATTERNS = 1_500  # that constituents are looked for in, the shortest
_RECURRING = 0.75  # patterns as a share of the examples, at most: else hardly two examples share one
_SHORTER = 0.25  # share of the symbols of the examples that rules take, at most; of their patterns: enough of a proof
_PARTS = 3  # of the examples, each to be foreseen by the others
_SOLVED = 0.99  # of the examples, at least
_FEW = 100  # examples that show whether it is worth while to learn from all
_HOPELESS = 0.1  # of these unsolved: from all, more would be


@dataclass
class PatternResult:
    """What was learned."""

    table: RuleTable
    traces: dict[Example, Program]
    unsolved: list[Example]
    share: float  # of the symbols of the patterns that the rules take
    examples: Sequence[Example]
    seed: int
    deadline: Deadline = NEVER

    @cached_property
    def length(self) -> int:
        """The symbols of the rules, those of words of one category counted once."""
        table = self.table
        statuses = {table.categories.status(status) for status in table.operators}
        templates = {
            (operator, table.argument_categories.view(top), parts)
            for (operator, top, _), arguments in table.concat.items()
            for parts in arguments
        }
        return len(statuses) + sum(len(view) + len(parts) for _, view, parts in templates)

    @property
    def wrong(self) -> float:
        """The share of the examples that are not solved."""
        return len(self.unsolved) / len(self.examples)

    @property
    def is_short(self) -> bool:
        """Whether the rules are so much shorter than their patterns that nothing else needs to be tried."""
        if self.share > _SHORTER:
            return False
        return self.wrong <= 1 - _SOLVED if len(self.examples) > _SAMPLE else not self.unsolved and self.foreseen

    @cached_property
    def foreseen(self) -> bool:
        """Whether what is learned without the longest examples translates these, or without any part the part.

        What there is no time to find out is not foreseen.
        """
        longest = max(len(source) for source, _ in self.examples)
        shorter = [example for example in self.examples if len(example.source) < longest]
        mixed = random.Random(self.seed).sample(self.examples, len(self.examples))
        without = [[each for place, each in enumerate(mixed) if place % _PARTS != part] for part in range(_PARTS)]
        return self._foreseen_by(shorter) or all(map(self._foreseen_by, without))

    def _foreseen_by(self, some: Sequence[Example]) -> bool:
        found = learn_by_patterns(some, self.seed, self.deadline) if some else None
        if found is None:
            return False
        known, learned = {word for source, _ in found.traces for word in source}, set(some)
        others = [e for e in self.examples if e not in learned and known.issuperset(e.source)]
        return bool(others) and not unsolved_by(found.table, others)


def learn_by_patterns(examples: Sequence[Example], seed: int = 0, deadline: Deadline = NEVER) -> PatternResult | None:
    """Learn by patterns where the examples ask for it and nearly all of them are solved in time; else None."""
    found: list[PatternResult] = []
    with suppress(OutOfTime):
        found.extend(_results(examples, seed, deadline))
    return min(found, key=lambda each: (len(each.unsolved), each.length), default=None)


def _results(examples: Sequence[Example], seed: int, deadline: Deadline) -> Iterator[PatternResult]:
    """Yield what each idea of the content words leads to, if it solves enough, up to one that need not be bettered."""
    some = random.Random(seed).sample(examples, min(_SAMPLE, len(examples)))
    if not any(_asks_for_classes(some, content) for content in _content_guesses(some)):
        return
    symbols = sum(len(source) + len(target) for source, target in examples)
    for content in _content_guesses(examples):
        deadline.check()
        for classes in _class_guesses(examples, content) if _asks_for_classes(examples, content) else ():
            if len(examples) > 2 * _FEW and _is_hopeless(some, content, classes, seed, deadline):
                continue
            one = _learn_with(examples, content, classes, seed, deadline)
            if one is not None and one.wrong <= 1 - _SOLVED and one.length <= _SHORTER * symbols:
                yield one
                if one.share <= _SHORTER and not one.unsolved:
                    return


def _is_hopeless(
    some: Sequence[Example], content: Content, classes: Mapping[Word, str], seed: int, deadline: Deadline
) -> bool:
    """Tell whether not even few examples are solved, which need not share patterns."""
    first = _learn_with(some[:_FEW], content, classes, seed, deadline, 1.0)
    return first is not None and first.wrong > _HOPELESS


def _content_guesses(examples: Sequence[Example]) -> Iterator[Content]:
    """Yield different ideas of what the content words are."""
    tried: list[Content] = []
    for common in _COMMON:
        own = own_tokens(examples, common)
        for word_of in (word_forms(examples, own), {}):
            content = Content(own, word_of)
            if own and content not in tried:
                tried.append(content)
                yield content


def _asks_for_classes(examples: Sequence[Example], content: Content) -> bool:
    """Tell whether some pattern has several outputs, or some word several forms: then it takes words to know which."""
    targets: dict[tuple[str, ...], Parts] = {}
    for _, (source, target) in unambiguous(examples, content, _one_class_each(content)):
        if targets.setdefault(source, target) != target:
            return True
    return bool(content.word_of)


def _one_class_each(content: Content) -> dict[Word, str]:
    """Take all content words for one class, and all with forms for another one."""
    return dict.fromkeys(content.own, CLASS) | dict.fromkeys(content.formed, FORMED)


def _class_guesses(examples: Sequence[Example], content: Content) -> Iterator[dict[Word, str]]:
    """Yield different ideas of the classes of the content words."""
    alike = _one_class_each(content)
    places: defaultdict[Word, set[Place]] = defaultdict(set)
    for (source, _), pattern in unambiguous(examples, content, alike):
        for place, word in enumerate(source):
            if word in alike:
                places[word].add((pattern, place))
    for example in examples:  # words that only such examples have
        if any(word in alike and word not in places for word in example.source):
            pattern_in_order = in_order(example, content, alike)
            for place, word in enumerate(example.source):
                if word in alike and pattern_in_order is not None:
                    places[word].add((pattern_in_order, place))
    plain, formed = ({w: f for w, f in places.items() if (w in content.formed) is b} for b in (False, True))
    for classes, formed_classes in product(guess_word_classes(plain), guess_word_classes(formed, FORMED)):
        yield classes | formed_classes


def _learn_with(
    examples: Sequence[Example],
    content: Content,
    classes: Mapping[Word, str],
    seed: int,
    deadline: Deadline,
    recurring: float = _RECURRING,
) -> PatternResult | None:
    """Learn with given content words and their classes; None where hardly two examples share a pattern."""
    patterns: defaultdict[OpenPattern, set[Words]] = defaultdict(set)
    for example, pattern in clear_readings(examples, content, classes):
        patterns[pattern].add(content.words(example))
    if len(patterns) > recurring * sum(map(len, patterns.values())):
        return None
    shortest = sorted(patterns, key=lambda pattern: (len(pattern.source), -len(patterns[pattern]), repr(pattern)))
    chosen = {pattern: patterns[pattern] for pattern in shortest[:_PATTERNS]}
    grammar = induce_constituents(chosen, deadline)
    share = count_symbols([*grammar.rules, *grammar.whole]) / max(1, count_symbols(chosen))
    table, traces, unsolved = TableWriter(examples, content, classes, grammar, deadline).write()
    return PatternResult(table, traces, unsolved, share, examples, seed, deadline)
