"""The rule table: what to do in each status, with the number of training traces behind each rule.

Four rule sets, as in the paper: (status, operator), (top frame, REDUCE argument), and for CONCAT_M and
CONCAT_S (top frame, memory; argument). A decision looks a status up as it is; then with its words replaced
by their categories. What is in neither is extrapolated, with support 0: from what was done with the same next
word, top frame and memory, if possible before a second frame that looks alike or ends alike; else by top frame and
memory alone.

Where words of a category have different arguments in a CONCAT, `arguments` tells what one more of them has, or refuses.
They may have categories of their own for arguments: `slept` and `burned` share operators, not arguments.
A position of CONCAT_S that holds a word stands for what the word's own REDUCE rule says. `imagined` are decisions that
no training trace shows, but one that has a constituent in a new place would take: they come before extrapolation.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from ness.errors import CheckpointError
from ness.machine import (
    BARE,
    EOS,
    PHRASE,
    ConcatM,
    ConcatS,
    Instruction,
    Next,
    Operator,
    Parts,
    Phrase,
    PhraseMark,
    Reduce,
    Seen,
    Status,
    View,
    Word,
    kind_of,
    legal_operators,
    steps_of,
    word_positions,
)
from ness.rules.arguments import ConcatArguments, Found
from ness.rules.backoff import REFUSED, BackOff, FrameNotation, most_used
from ness.rules.contexts import Contexts

_ANY = "any word"  # in the outline of a frame; no word has a space
A = TypeVar("A", bound=Parts)  # an argument of REDUCE or CONCAT
_CONCATS = (Operator.CONCAT_M, Operator.CONCAT_S)
ConcatKey = tuple[Operator, View, View]  # CONCAT_M or CONCAT_S, top frame, memory
ContextRows = dict[View | None, Counter[Parts]]  # arguments by second frame


class Categories:
    """Classes of operationally equivalent words; a word that is in none is a class of its own."""

    def __init__(self, classes: Iterable[Iterable[Word]] = ()) -> None:
        self.classes = sorted(tuple(sorted(set(members))) for members in classes)
        self._representative = {word: members[0] for members in self.classes for word in members}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Categories) and self.classes == other.classes

    def __repr__(self) -> str:
        return f"Categories({self.classes})"

    def of(self, word: Word) -> Word:
        """Return the representative of a word's category."""
        return self._representative.get(word, word)

    def members(self, word: Word) -> tuple[Word, ...]:
        """Return all words that are equivalent to `word`, itself included."""
        representative = self.of(word)
        return next((members for members in self.classes if members[0] == representative), (word,))

    def next(self, word: Next) -> Next:
        return self.of(word) if isinstance(word, str) else EOS

    def view(self, items: View) -> View:
        """Show words as their categories, and phrases of all kinds alike."""
        return tuple([self.of(item) if isinstance(item, str) else PHRASE for item in items])

    def second(self, items: View | None) -> View | None:
        return None if items is None else self.view(items)

    def context_rows(self, rows: "ContextRows") -> "ContextRows":
        """Add up arguments of second frames that look alike."""
        found: ContextRows = {}
        for second, arguments in rows.items():
            if used := +arguments:
                found.setdefault(self.second(second), Counter()).update(used)
        return found

    def status(self, status: Status) -> Status:
        """Replace every word of a status by its category's representative."""
        return Status(self.next(status.next), self.view(status.top), self.second(status.second), status.memory)


class Decision(NamedTuple):
    """What to do in a status, and why."""

    instruction: Instruction
    support: int  # training traces that used this status, by category; 0 = extrapolated
    probability: float
    level: str  # what was looked up: the name of a level of the back-off, or "imagined"
    alternatives: tuple[tuple[Instruction, float], ...] = ()  # next best, with probabilities


@dataclass
class RuleTable:
    """Rules with counts; a count is the number of training traces that used the rule.

    REDUCE rules of one frame with equal counts stand in the order of the traces, the preferred one first: so weighed
    rules take them. Exact rules take, of equal ones, the argument whose tokens came first in the examples, as the
    learner does: what judged a hypothesis is what answers, whatever words and tokens are called.
    """

    operators: dict[Status, Counter[Operator]] = field(default_factory=dict)
    reduce: dict[tuple[Word, ...], Counter[Phrase]] = field(default_factory=dict)
    concat: dict[ConcatKey, Counter[Parts]] = field(default_factory=dict)
    categories: Categories = field(default_factory=Categories)
    tokens: tuple[str, ...] = ()  # of the target language, in the order in which the examples have them
    argument_categories: Categories = field(default_factory=Categories)  # none: `categories` serve arguments too
    imagined: dict[Status, Operator] = field(default_factory=dict)  # statuses by category
    contexts: dict[ConcatKey, ContextRows] = field(default_factory=dict)  # of frames whose second frame tells more
    reduce_kinds: dict[tuple[Word, ...], int] = field(default_factory=dict)  # the kinds of phrases that REDUCE makes

    def __post_init__(self) -> None:
        self.index()

    @classmethod
    def from_traces(
        cls,
        traces: Iterable[tuple[tuple[Word, ...], Iterable[Instruction]]],
        categories: Categories,
        contextual: bool = False,
    ) -> "RuleTable":
        """Read the rules off (source, program) pairs; `contextual`: second frames may tell arguments of CONCAT."""
        used: Counter[tuple[Status, Instruction]] = Counter()
        for source, program in traces:
            used.update(decisions_of(source, program))
        table = cls(categories=categories)
        for (status, instruction), count in used.items():
            table.add(status, instruction, count)
        if contextual:
            table.tell_contexts(used)
        table.index()
        return table

    def add(self, status: Status, instruction: Instruction, count: int = 1) -> None:
        """Count one more use of a rule; call `index` after the last one."""
        operator = instruction.operator
        self.operators.setdefault(status, Counter())[operator] += count
        if isinstance(instruction, Reduce):
            self.reduce.setdefault(words_of(status.top), Counter())[instruction.phrase] += count
            if instruction.kind:
                self.reduce_kinds[words_of(status.top)] = instruction.kind
        elif isinstance(instruction, ConcatM | ConcatS):
            key = (operator, status.top, status.memory)
            self.concat.setdefault(key, Counter())[instruction.parts] += count
        if isinstance(instruction, ConcatS) and instruction.own:
            for word, phrase in zip(words_named(status.top, instruction.parts), instruction.own, strict=True):
                self.reduce.setdefault((word,), Counter())[phrase] += count

    def tell_contexts(self, uses: Mapping[tuple[Status, Instruction], int]) -> None:
        """Note by second frame what frames with several arguments become, where that tells; call `index` after that."""
        rows: dict[ConcatKey, ContextRows] = {}
        for (status, instruction), count in uses.items():
            if isinstance(instruction, ConcatM | ConcatS):
                key = (instruction.operator, status.top, status.memory)
                if len(self.concat[key]) > 1:
                    rows.setdefault(key, {}).setdefault(status.second, Counter())[instruction.parts] += count
        self.contexts = {key: row for key, row in rows.items() if self._contexts(row).tell}

    def count_contexts(self) -> None:
        """Add up what frames become above all second frames; call `index` after that."""
        for key, rows in self.contexts.items():
            if key in self.concat:
                raise CheckpointError(f"the {key[0]} of a frame has rules with and without a second frame")
            self.concat[key] = sum(rows.values(), Counter())

    def index(self) -> None:
        """Build the look-ups by category and by less of a status from the rules."""
        self._backoff = BackOff(tuple(Operator), FrameNotation(shape))
        self._rank = {token: rank for rank, token in enumerate(self.tokens)}
        self._supports: dict[tuple[Status, Operator], int] = {}
        self._backoff.imagined = {tuple(status): {operator: 1} for status, operator in self.imagined.items()}
        self._concat_by_category: dict[ConcatKey, Counter[Parts]] = {}
        self.names_words = any(words_named(top, parts) for (_, top, _), rules in self.concat.items() for parts in rules)
        for status, operators in self.operators.items():
            by_category = self.categories.status(status)
            for operator, count in operators.items():
                if count > 0:
                    self._backoff.add(status, by_category, operator, count)
                    # At least so many traces did this in a status of this category: of each raw status, each once.
                    most = self._supports.get((by_category, operator), 0)
                    self._supports[by_category, operator] = max(most, count)
        for (operator, top, memory), arguments in self.concat.items():
            concat_key = (operator, self.categories.view(top), memory)
            self._concat_by_category.setdefault(concat_key, Counter()).update(arguments)
        best = {key: most_used(+counts, self.order) for key, counts in self.concat.items() if +counts}
        alike = self.argument_categories.view if self.argument_categories.classes else None
        contexts = {key: self._contexts(rows) for key, rows in self.contexts.items()}
        told = {key: found for key, found in contexts.items() if found.tell}
        self.arguments = ConcatArguments(best, self.categories.view, alike, told, _kind_of_item)

    def _contexts(self, rows: ContextRows) -> Contexts:
        return Contexts(self.categories.context_rows(rows), FrameNotation(shape))

    @property
    def kinds(self) -> set[int]:
        """The kinds of phrases that the rules make."""
        joined = {kind_of(parts) for rules in self.concat.values() for parts in rules}
        return joined.union(self.reduce_kinds.values()) - {0}

    def decide(self, status: Status) -> Decision | None:
        """Return the most supported legal instruction; None where no rule covers the status."""
        by_category = self.categories.status(status)
        legal = legal_operators(status, self.names_words)
        for level, counts in self._backoff.levels(status, by_category):
            total = sum(counts.values())
            # The operator first, as the controller decides: an argument with many rivals does not weaken it.
            options: list[tuple[Instruction, float]] = []
            for operator in self._backoff.ranked(counts, legal):
                found = self._argument(operator, status)
                if found and found.argument is None and not options:
                    return None
                possible = self._instructions(operator, status, found)
                options += [(instruction, share * counts[operator] / total) for instruction, share in possible]
            if options:
                (instruction, probability), *others = options
                support = self._supports.get((by_category, instruction.operator), 0) if level.supported else 0
                found = self._argument(instruction.operator, status)
                if found and not found.shown:
                    support = 0
                return Decision(instruction, support, probability, level.name, tuple(others[:3]))
        return None

    def why_undecided(self, status: Status) -> str:
        """Say which words leave a decision open; nothing where no rule covers the status."""
        found = self._backoff.decide(
            status,
            self.categories.status(status),
            legal_operators(status, self.names_words),
            lambda operator: self._completed(operator, status),
        )
        if found is None or found[1] is not REFUSED:
            return ""
        return self.arguments.why_refused(found[0], status.top, status.memory)

    def _completed(self, operator: Operator, status: Status) -> Any:
        """What is done with an operator, as the back-off asks for it."""
        found = self._argument(operator, status)
        if found and found.argument is None:
            return REFUSED
        return self._instructions(operator, status, found) or None

    def support(self, status: Status, instruction: Instruction) -> int:
        """Count the training traces that used a status, by category; 0 where none of them did this there."""
        decision = self.decide(status)
        if decision is None or decision.support == 0 or instruction == decision.instruction:
            return decision.support if decision and instruction == decision.instruction else 0
        if instruction not in [each for each, _ in decision.alternatives]:
            return 0
        return self._supports.get((self.categories.status(status), instruction.operator), 0)

    def _argument(self, operator: Operator, status: Status) -> Found | None:
        """What the rules tell about the argument of a CONCAT; None where it is another operator, or no rule has one."""
        if operator not in _CONCATS:
            return None
        return self.arguments.find(operator, status.top, status.memory, self.categories.second(status.second))

    def _instructions(self, operator: Operator, status: Status, found: Found | None) -> list[tuple[Instruction, float]]:
        if operator in BARE:
            return [(BARE[operator], 1.0)]
        if operator is Operator.REDUCE:
            words = words_of(status.top)
            kind = self.reduce_kinds.get(words, 0)
            return [(Reduce(phrase, kind), share) for phrase, share in self._shares(self.reduce.get(words))]
        if found is None or found.argument is None:
            return []
        options = [(found.argument, 1.0)]
        key = (operator, status.top, status.memory)
        if found.shown and not self.arguments.by_second(*key):
            exact = self.concat.get(key)
            by_category = self._concat_by_category.get((operator, self.categories.view(status.top), status.memory))
            options = self._shares(exact) or self._shares(by_category) or options
        if operator is Operator.CONCAT_M:
            return [(ConcatM(parts), share) for parts, share in options]
        complete = [(self._with_own(status, parts), share) for parts, share in options]
        return [(instruction, share) for instruction, share in complete if instruction is not None]

    def _with_own(self, status: Status, parts: Parts) -> ConcatS | None:
        """Complete a CONCAT_S by the own phrases of the words that it names; None where one of them has none."""
        if not self.names_words:
            return ConcatS(parts)
        phrases = [self._shares(self.reduce.get((word,))) for word in words_named(status.top, parts)]
        return ConcatS(parts, tuple([options[0][0] for options in phrases])) if all(phrases) else None

    def _shares(self, counts: Mapping[A, int] | None) -> list[tuple[A, float]]:
        """Arguments with their shares, the most used first."""
        if not counts:
            return []
        total = sum(counts.values())
        ordered = sorted(counts.items(), key=lambda item: (-item[1], self.order(item[0])))
        return [(key, count / total) for key, count in ordered if count > 0]

    def order(self, argument: Parts) -> tuple[tuple[int, int, str], ...]:
        """A sort key for arguments: positions before tokens, tokens as the examples have them."""
        last = len(self._rank)
        return tuple([(0, p, "") if isinstance(p, int) else (1, self._rank.get(p, last), p) for p in argument])


def decisions_of(source: tuple[Word, ...], program: Iterable[Instruction]) -> list[tuple[Status, Instruction]]:
    """The decisions of a trace, each once, in their order."""
    return list(dict.fromkeys([(each.status, each.instruction) for each in steps_of(source, program)]))


def words_named(top: View, parts: Parts) -> tuple[Word, ...]:
    """The words of a frame that the parts of a CONCAT name, each place once."""
    return words_of(tuple([top[position] for position in word_positions(top, parts)]))


def _kind_of_item(item: Seen) -> int:
    return 0 if isinstance(item, str) else item.kind


def words_of(items: View) -> tuple[Word, ...]:
    """The words of a frame."""
    return tuple([item for item in items if isinstance(item, str)])


def shape(items: View | None) -> View | None:
    """Show a frame without saying which words stand in it."""
    return None if items is None else tuple([PHRASE if isinstance(item, PhraseMark) else _ANY for item in items])
