"""The rule table: what to do in each status, with the number of training traces behind each rule.

Four rule sets, as in the paper: (status, operator), (top frame, REDUCE argument), and for CONCAT_M and
CONCAT_S (top frame, memory; argument). A decision looks a status up as it is; then with its words replaced
by their categories. What is in neither is extrapolated, with support 0: from what was done with the same next
word, top frame and memory, if possible before a second frame that looks alike; else by top frame and memory alone.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from ness.machine import (
    ConcatM,
    ConcatS,
    Final,
    Indices,
    Instruction,
    Operator,
    Phrase,
    Pop,
    Push,
    Reduce,
    Shift,
    State,
    Status,
    View,
    Word,
    legal_operators,
    status_of,
    step,
)

_PLAIN: dict[Operator, Instruction] = {i.operator: i for i in (Shift(), Push(), Pop(), Final())}
_ANY = "*"  # any word of a second frame
T = TypeVar("T")
ConcatKey = tuple[Operator, View, View]  # CONCAT_M or CONCAT_S, top frame, memory


class Categories:
    """Classes of operationally equivalent words; a word that is in none is a class of its own."""

    def __init__(self, classes: Iterable[Iterable[Word]] = ()) -> None:
        self.classes = sorted(tuple(sorted(set(members))) for members in classes)
        self._representative = {word: members[0] for members in self.classes for word in members}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Categories) and self.classes == other.classes

    def __repr__(self) -> str:
        return f"Categories({self.classes})"

    def of(self, word: Word | None) -> Word | None:
        """Return the representative of a word's category; phrases and the end of input stay themselves."""
        return word if word is None else self._representative.get(word, word)

    def members(self, word: Word) -> tuple[Word, ...]:
        """Return all words that are equivalent to `word`, itself included."""
        representative = self.of(word)
        return next((members for members in self.classes if members[0] == representative), (word,))

    def view(self, items: View) -> View:
        return tuple([self.of(item) for item in items])

    def status(self, status: Status) -> Status:
        """Replace every word of a status by its category's representative."""
        second = None if status.second is None else self.view(status.second)
        return Status(self.of(status.next), self.view(status.top), second, status.memory)


class Decision(NamedTuple):
    """What to do in a status, and why."""

    instruction: Instruction
    support: int  # training traces that used this status, by category; 0 = extrapolated
    probability: float
    level: str  # what was looked up: "status", "category"; extrapolated: "outline", "next", "frame"
    alternatives: tuple[tuple[Instruction, float], ...] = ()  # next best, with probabilities


@dataclass
class RuleTable:
    """Rules with counts; a count is the number of training traces that used the rule.

    REDUCE rules of one frame with equal counts stand in the order of the traces, the preferred one first.
    """

    operators: dict[Status, Counter[Operator]] = field(default_factory=dict)
    reduce: dict[tuple[Word, ...], Counter[Phrase]] = field(default_factory=dict)
    concat: dict[ConcatKey, Counter[Indices]] = field(default_factory=dict)
    categories: Categories = field(default_factory=Categories)

    def __post_init__(self) -> None:
        self.index()

    @classmethod
    def from_traces(
        cls, traces: Iterable[tuple[tuple[Word, ...], Iterable[Instruction]]], categories: Categories
    ) -> "RuleTable":
        """Read the rules off (source, program) pairs."""
        used: Counter[tuple[Status, Instruction]] = Counter()
        for source, program in traces:
            state = State(source)
            rules = []
            for instruction in program:
                rules.append((status_of(state), instruction))
                state = step(state, instruction)
            used.update(list(dict.fromkeys(rules)))
        table = cls(categories=categories)
        for (status, instruction), count in used.items():
            table.add(status, instruction, count)
        table.index()
        return table

    def add(self, status: Status, instruction: Instruction, count: int = 1) -> None:
        """Count one more use of a rule; call `index` after the last one."""
        operator = instruction.operator
        self.operators.setdefault(status, Counter())[operator] += count
        if isinstance(instruction, Reduce):
            frame = tuple(word for word in status.top if word is not None)
            self.reduce.setdefault(frame, Counter())[instruction.phrase] += count
        elif isinstance(instruction, ConcatM | ConcatS):
            key = (operator, status.top, status.memory)
            self.concat.setdefault(key, Counter())[instruction.indices] += count

    def index(self) -> None:
        """Build the look-ups by category and by frame from the rules."""
        self._by_category: dict[Status, Counter[Operator]] = {}
        self._by_outline: dict[Status, Counter[Operator]] = {}
        self._by_next: dict[tuple[Word | None, View, View], Counter[Operator]] = {}
        self._by_frame: dict[tuple[View, View], Counter[Operator]] = {}
        self._concat_by_category: dict[ConcatKey, Counter[Indices]] = {}
        for status, operators in self.operators.items():
            by_category = self.categories.status(status)
            self._by_category.setdefault(by_category, Counter()).update(operators)
            self._by_frame.setdefault((by_category.top, by_category.memory), Counter()).update(operators)
        for status, operators in self._by_category.items():
            self._by_outline.setdefault(_outline(status), Counter()).update(operators.keys())
        for status, operators in self._by_outline.items():
            self._by_next.setdefault((status.next, status.top, status.memory), Counter()).update(operators.keys())
        for (operator, top, memory), arguments in self.concat.items():
            concat_key = (operator, self.categories.view(top), memory)
            self._concat_by_category.setdefault(concat_key, Counter()).update(arguments)

    def decide(self, status: Status) -> Decision | None:
        """Return the most supported legal instruction; None where no rule covers the status."""
        by_category = self.categories.status(status)
        category_counts = self._by_category.get(by_category)
        legal = legal_operators(status)
        for level, counts in (
            ("status", self.operators.get(status)),
            ("category", category_counts),
            ("outline", self._by_outline.get(_outline(by_category))),
            ("next", self._by_next.get((by_category.next, by_category.top, by_category.memory))),
            ("frame", self._by_frame.get((by_category.top, by_category.memory))),
        ):
            options = self._options(status, by_category, counts or {}, legal)
            if options:
                (instruction, probability), *others = options
                support = sum(category_counts.values()) if category_counts and level in ("status", "category") else 0
                return Decision(instruction, support, probability, level, tuple(others[:3]))
        return None

    def support(self, status: Status, instruction: Instruction) -> int:
        """Count the training traces that used a status, by category; 0 where none of them did this there."""
        decision = self.decide(status)
        if decision is None or instruction not in (decision.instruction, *(each for each, _ in decision.alternatives)):
            return 0
        return decision.support

    def _options(
        self, status: Status, by_category: Status, counts: Mapping[Operator, int], legal: tuple[Operator, ...]
    ) -> list[tuple[Instruction, float]]:
        """Instructions with probabilities, best first; the operators as counted, completed by their arguments."""
        total = sum(counts.values())
        options = [
            (count, share, instruction)
            for operator, count in counts.items()
            if operator in legal
            for instruction, share in self._instructions(operator, status, by_category)
        ]
        # The operator first, as the controller decides: an argument with many rivals does not weaken it.
        options.sort(key=lambda option: (-option[0], option[2].operator, -option[1], str(option[2])))
        return [(instruction, share * count / total) for count, share, instruction in options]

    def _instructions(self, operator: Operator, status: Status, by_category: Status) -> list[tuple[Instruction, float]]:
        if operator in _PLAIN:
            return [(_PLAIN[operator], 1.0)]
        if operator is Operator.REDUCE:
            frame = tuple(word for word in status.top if word is not None)
            return [(Reduce(phrase), share) for phrase, share in _shares(self.reduce.get(frame))]
        make = ConcatM if operator is Operator.CONCAT_M else ConcatS
        exact = self.concat.get((operator, status.top, status.memory))
        general = self._concat_by_category.get((operator, by_category.top, by_category.memory))
        return [(make(indices), share) for indices, share in _shares(exact or general)]


def _shares(counts: Mapping[T, int] | None) -> list[tuple[T, float]]:
    if not counts:
        return []
    total = sum(counts.values())
    return [(key, count / total) for key, count in counts.items()]


def _outline(status: Status) -> Status:
    """Forget which words stand in the second frame."""
    second = None if status.second is None else tuple([None if item is None else _ANY for item in status.second])
    return Status(status.next, status.top, second, status.memory)
