"""From a grammar of constituents to a rule table: examples are derived, run, and their decisions counted."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ness.data.example import Example
from ness.errors import StepLimitReached
from ness.learn.constituents.argument_classes import argument_classes
from ness.learn.constituents.derivations import Constituent, derive, parts_with_forms, program_of
from ness.learn.constituents.exchanges import Steps, imagine
from ness.learn.constituents.forms import Content
from ness.learn.constituents.patterns import OpenPattern, is_formed, is_open, readings
from ness.learn.constituents.rules import Constituents, RuleIndex
from ness.learn.deadline import NEVER, Deadline
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
)
from ness.rules import Categories, RuleTable


class WrittenTable(NamedTuple):
    """The rules, a trace of each example that follows them, and the other examples."""

    table: RuleTable
    traces: dict[Example, Program]
    unsolved: list[Example]


class TableWriter:
    """Reads the examples by a grammar and writes the rule table."""

    def __init__(
        self,
        examples: Sequence[Example],
        content: Content,
        classes: Mapping[Word, str],
        grammar: Constituents,
        deadline: Deadline = NEVER,
    ) -> None:
        self._deadline = deadline
        self._examples = examples
        self._content = content
        self._classes = classes
        self._grammar = grammar
        self._rules = RuleIndex(grammar.rules)
        self._own: dict[Word, Phrase] = {word: (token,) for word, token in content.own.items()}
        self._derivations: dict[OpenPattern, Constituent] = {}
        members: defaultdict[str, list[Word]] = defaultdict(list)
        for word, name in classes.items():
            members[name].append(word)
        self._categories = Categories(members.values())
        # What is made of a frame depends on each formed word itself.
        self._unformed = Categories([words for name, words in members.items() if not is_formed(name)])
        self._representative = {name: min(words) for name, words in members.items()}

    def write(self) -> WrittenTable:
        """Find a derivation of each example, and the rules that they follow."""
        derived: dict[Example, Constituent] = {}
        times: Counter[OpenPattern] = Counter()
        for example in self._examples:
            self._deadline.check()
            for pattern in readings(example, self._content, self._classes):
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
            self._count_arguments(table, example.source, node, self._forms(example))
        for word in self._own.keys() & {word for example in derived for word in example.source}:
            table.reduce[word,] = Counter({self._own[word]: 1})
        table.argument_categories = argument_classes(table.concat, self._unformed)
        table.imagined = imagine(used, table.operators, self._steps)
        table.index()
        traces = {
            example: program_of(node, example.source, self._own, self._forms(example))
            for example, node in derived.items()
        }
        unsolved = unsolved_by(table, self._examples, self._deadline)
        for example in unsolved:
            traces.pop(example, None)
        return WrittenTable(table, traces, unsolved)

    def _derive(self, pattern: OpenPattern) -> Constituent | None:
        """Derive a pattern; None where it takes a rule for the whole that the grammar lacks."""
        if pattern not in self._derivations:
            self._derivations[pattern] = derive(pattern, self._rules)
        node = self._derivations[pattern]
        return node if node.rule in self._grammar.whole else None

    def _forms(self, example: Example) -> dict[int, str]:
        """The forms of an example's words, by their places."""
        return {place: example.target[made] for place, made in self._content.forms_at(example).items()}

    def _count_arguments(
        self, table: RuleTable, source: tuple[Word, ...], node: Constituent, forms: Mapping[int, str]
    ) -> None:
        """Count what is made of the frames of an example."""
        self._deadline.check()
        frame: list[Seen] = []
        for item in node.items:
            if isinstance(item, Constituent):
                self._count_arguments(table, source, item, forms)
                frame.append(PHRASE)
            else:
                frame.append(source[item])
        if len(frame) > 1 or node.rule.target != (0,) or not is_open(node.rule.source[0]):
            key = (Operator.CONCAT_S, tuple(frame), ())
            table.concat.setdefault(key, Counter())[parts_with_forms(node, forms)] += 1

    def _steps(self, node: Constituent) -> Steps:
        """Run a derivation with a word of each class in the place of all."""
        self._deadline.check()
        words = _sample_words(node, self._representative)
        own = dict.fromkeys(words, ("own",))
        _, steps = run(words, program_of(node, words, own, {}))
        return [(step.status, step.instruction.operator) for step in steps]


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


def unsolved_by(table: RuleTable, examples: Sequence[Example], deadline: Deadline = NEVER) -> list[Example]:
    """List the examples that the rules do not translate as they should."""
    outputs = answers(table, [example.source for example in examples], deadline)
    return [example for example, output in zip(examples, outputs, strict=True) if output != example.target]


def answers(table: RuleTable, sources: Iterable[tuple[Word, ...]], deadline: Deadline = NEVER) -> list[Phrase | None]:
    """What the rules make of inputs; None where they end."""
    decisions = Decisions()
    return [_answer(table, source, decisions, deadline) for source in sources]


def _answer(table: RuleTable, source: tuple[Word, ...], decisions: Decisions, deadline: Deadline) -> Phrase | None:
    execution = Execution(source)
    deadline.check()
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
