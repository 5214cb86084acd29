"""Learn from patterns: for tasks with many content words where the classes of words decide what a construct makes.

Counting finds the content words, their classes and the constituents; the rest is writing down. Small tasks, and tasks
whose patterns each have one output, need none of this and are left to the search.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ness.data.example import Example
from ness.errors import StepLimitReached
from ness.learn.constituents.argument_classes import argument_classes
from ness.learn.constituents.derivations import Constituent, derive, program_of
from ness.learn.constituents.grammar import Constituents, RuleIndex, Words, induce, size
from ness.learn.constituents.imagined import Steps, imagine
from ness.learn.constituents.own_tokens import own_tokens
from ness.learn.constituents.patterns import CLASS, OpenPattern, in_order, is_open, readings, unambiguous
from ness.learn.constituents.word_classes import Place, word_classes
from ness.machine import (
    PHRASE,
    Decisions,
    Execution,
    Operator,
    Phrase,
    Program,
    Seen,
    Word,
    entry,
    run,
    status_of,
)
from ness.rules import Categories, RuleTable

FREEDOM = "words"  # the name of this way, beside those of `ness.learn.freedom`
_CONTENT_WORDS = 20  # at least: fewer are no classes
_PATTERNS = 1_500  # that constituents are looked for in, the shortest
_SHORTER = 0.25  # what rules take of the symbols that their patterns have, at most: else they explain nothing
_SOLVED = 0.99  # of the examples, at least


@dataclass
class ByPatterns:
    """What was learned."""

    table: RuleTable
    traces: dict[Example, Program]
    unsolved: list[Example]
    constituents: int  # rules of constituents


def learn_by_patterns(examples: Sequence[Example], seed: int = 0) -> ByPatterns | None:
    """Learn by patterns where the examples ask for it and nearly all of them are solved; else None."""
    own = own_tokens(examples)
    if len(own) < _CONTENT_WORDS:
        return None
    alike = dict.fromkeys(own, CLASS)
    places: defaultdict[Word, set[Place]] = defaultdict(set)
    targets: defaultdict[tuple[str, ...], set[object]] = defaultdict(set)
    for (source, _), pattern in unambiguous(examples, own, alike):
        targets[pattern.source].add(pattern.target)
        for place, word in enumerate(source):
            if word in own:
                places[word].add((pattern, place))
    for example in examples:  # words that only such examples have
        if any(word in own and word not in places for word in example.source) and (p := in_order(example, own, alike)):
            for place, word in enumerate(example.source):
                if word in own:
                    places[word].add((p, place))
    if not _asks_for_classes(targets):
        return None
    classes = word_classes(places)
    patterns: defaultdict[OpenPattern, set[Words]] = defaultdict(set)
    for (source, _), pattern in unambiguous(examples, own, classes):
        patterns[pattern].add(tuple([word if word in own else None for word in source]))
    shortest = sorted(patterns, key=lambda pattern: (len(pattern.source), -len(patterns[pattern]), repr(pattern)))
    chosen = {pattern: patterns[pattern] for pattern in shortest[:_PATTERNS]}
    grammar = induce(chosen)
    if size([*grammar.rules, *grammar.whole]) > _SHORTER * size(chosen):
        return None
    found = _Learner(examples, own, classes, grammar).learned(seed)
    return found if len(found.unsolved) <= (1 - _SOLVED) * len(examples) else None


def _asks_for_classes(targets: Mapping[tuple[str, ...], set[object]]) -> bool:
    """Tell whether some pattern has several outputs: then it takes the words to know which."""
    return any(len(each) > 1 for each in targets.values())


class _Learner:
    """Reads the examples by a grammar and writes the rule table."""

    def __init__(
        self, examples: Sequence[Example], own: Mapping[Word, str], classes: Mapping[Word, str], grammar: Constituents
    ) -> None:
        self._examples = examples
        self._classes = classes
        self._grammar = grammar
        self._rules = RuleIndex(grammar.rules)
        self._own: dict[Word, Phrase] = {word: (token,) for word, token in own.items()}
        self._tokens = own
        self._derivations: dict[OpenPattern, Constituent] = {}
        members: defaultdict[str, list[Word]] = defaultdict(list)
        for word, name in classes.items():
            members[name].append(word)
        self._categories = Categories(members.values())
        self._representative = {name: min(words) for name, words in members.items()}

    def learned(self, seed: int) -> ByPatterns:
        """Find a derivation of each example, and the rules that they follow."""
        derived: dict[Example, Constituent] = {}
        times: Counter[OpenPattern] = Counter()
        for example in self._examples:
            for pattern in readings(example, self._tokens, self._classes):
                if (node := self._derive(pattern)) is not None:
                    derived[example] = node
                    times[pattern] += 1
                    break
        table = RuleTable(categories=self._categories, tokens=_first_seen(self._examples))
        used = {pattern: self._derivations[pattern] for pattern in times}
        for pattern, node in used.items():
            for status, operator in dict.fromkeys(self._steps(node)):
                table.operators.setdefault(status, Counter())[operator] += times[pattern]
        for example, node in derived.items():
            self._count_arguments(table, example.source, node)
        for word in self._own.keys() & {word for example in derived for word in example.source}:
            table.reduce[word,] = Counter({self._own[word]: 1})
        table.argument_categories = argument_classes(table.concat, self._categories)
        table.imagined = imagine(used, table.operators, self._steps, random.Random(seed))
        table.index()
        traces = {example: program_of(node, example.source, self._own) for example, node in derived.items()}
        unsolved = _unsolved(table, self._examples)
        for example in unsolved:
            traces.pop(example, None)
        return ByPatterns(table, traces, unsolved, len(self._grammar.rules))

    def _derive(self, pattern: OpenPattern) -> Constituent | None:
        """Derive a pattern; None where it takes a rule for the whole that the grammar lacks."""
        if pattern not in self._derivations:
            self._derivations[pattern] = derive(pattern, self._rules)
        node = self._derivations[pattern]
        return node if node.rule in self._grammar.whole else None

    def _count_arguments(self, table: RuleTable, source: tuple[Word, ...], node: Constituent) -> None:
        """Count what is made of the frames of an example."""
        frame: list[Seen] = []
        for item in node.items:
            if isinstance(item, Constituent):
                self._count_arguments(table, source, item)
                frame.append(PHRASE)
            else:
                frame.append(source[item])
        if len(frame) > 1 or node.rule.target != (0,) or not is_open(node.rule.source[0]):
            key = (Operator.CONCAT_S, tuple(frame), ())
            table.concat.setdefault(key, Counter())[node.rule.target] += 1

    def _steps(self, node: Constituent) -> Steps:
        """Run a derivation with a word of each class in the place of all."""
        words = _sample_words(node, self._representative)
        own = dict.fromkeys(words, ("own",))
        _, steps = run(words, program_of(node, words, own))
        return [(status_of(state), instruction.operator) for state, instruction in steps]


def _sample_words(node: Constituent, representative: Mapping[str, Word]) -> tuple[Word, ...]:
    words: list[Word] = []
    for name, item in zip(node.rule.source, node.items, strict=True):
        if isinstance(item, Constituent):
            words += _sample_words(item, representative)
        else:
            words.append(representative[name] if is_open(name) else name)
    return tuple(words)


def _first_seen(examples: Sequence[Example]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(token for _, target in examples for token in target))


def _unsolved(table: RuleTable, examples: Sequence[Example]) -> list[Example]:
    """List the examples that the rules do not translate as they should."""
    decisions = Decisions()
    return [example for example in examples if _answer(table, example.source, decisions) != example.target]


def _answer(table: RuleTable, source: tuple[Word, ...], decisions: Decisions) -> Phrase | None:
    execution = Execution(source)
    try:
        while (status := execution.advance(decisions)) is not None:
            decision = table.decide(status)
            compiled = None if decision is None else entry(status, decision.instruction, decision.support)
            if compiled is None:
                return None
            decisions[status] = compiled
    except StepLimitReached:
        return None
    return execution.output
