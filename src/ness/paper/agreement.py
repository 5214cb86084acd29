"""What all traces together decide: a search policy, and how far a trace agrees with the others.

Nothing here looks at the form of a rule, only at how many other traces made the same decision. Where they are silent,
another policy is asked, as a rule the network.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import Any, Generic, TypeVar

from ness.config import LoopConfig
from ness.learn.coding import (
    NO_FRAME,
    PHRASE_MARK,
    Argument,
    CodedParts,
    CodedStatus,
    CodedTrace,
    CodedView,
    Step,
    legal_opcodes,
)
from ness.machine.opcodes import CONCAT_M, CONCAT_S, REDUCE
from ness.paper.questions import Answers, OperatorQuestion, ReduceQuestion, SearchQuestion
from ness.paper.swaps import CodedForm, SwapAnalogies
from ness.rules.categories import equivalence_classes

BANNED = 60.0  # nats: drawn only if nothing else is left
DecisionKey = tuple[Hashable, ...]  # an operator in a status by category, or an argument in what its predictor sees
K = TypeVar("K", bound=Hashable)
A = TypeVar("A", bound=Hashable)


class Majority(Generic[K, A]):
    """The most used entry of each key; what is not counted (any more) is unknown."""

    def __init__(self, counts: Mapping[K, Counter[A]]) -> None:
        self._counts = counts

    def get(self, key: K) -> A | None:
        counts = self._counts.get(key)
        if not counts:
            return None
        if len(counts) == 1:
            ((entry, count),) = counts.items()
            return entry if count > 0 else None
        best = max(counts.values())
        return min((entry for entry, count in counts.items() if count == best), key=str) if best > 0 else None


class ByCategory(dict[CodedStatus, CodedStatus]):
    """Statuses with each word as its category, made when they are first asked for."""

    def __init__(self, classes: Mapping[int, int]) -> None:
        super().__init__()
        self._classes = classes

    def __missing__(self, status: CodedStatus) -> CodedStatus:
        word, top, second, memory = status
        found = self[status] = self._classes.get(word, word), self.view(top), self.view(second), memory
        return found

    def view(self, view: CodedView) -> CodedView:
        """Show the words of a frame as their categories."""
        return view if view == NO_FRAME else tuple([self._classes.get(item, item) for item in view])


class _Counted:
    """How often a step was counted, and where: looked up once for each step."""

    __slots__ = ("counters", "times")

    def __init__(self, counters: Iterable[tuple[Counter[Any], Hashable]]) -> None:
        self.times, self.counters = 0, list(counters)


class TraceAgreement:
    """Counts of the decisions of traces, by status and by category, that traces can join and leave."""

    def __init__(
        self,
        classes: Mapping[int, int],
        config: LoopConfig,
        base: Answers | None = None,
        analogies: SwapAnalogies | None = None,
    ) -> None:
        self.classes, self._analogies = dict(classes), analogies
        self._categories = ByCategory(self.classes)
        self._banned: DecisionKey | None = None
        self._answers: dict[SearchQuestion, list[float]] = {}
        self._divided: frozenset[int] | None = None  # categories by which no argument can be told; None: not known yet
        self.uses: Counter[DecisionKey] = Counter()
        self._steps: dict[Step, _Counted] = {}
        self._total = 0
        self._config, self._base = config, base
        self._by_status: defaultdict[CodedStatus, Counter[int]] = defaultdict(Counter)
        self._by_category: defaultdict[CodedStatus, Counter[int]] = defaultdict(Counter)
        self._by_top: defaultdict[CodedStatus, Counter[int]] = defaultdict(Counter)
        self._by_frame: defaultdict[tuple[CodedView, int], Counter[int]] = defaultdict(Counter)
        self._reduce: defaultdict[CodedView, Counter[str]] = defaultdict(Counter)
        self._reduce_by_form: defaultdict[CodedForm, Counter[str]] = defaultdict(Counter)
        self._concat: defaultdict[tuple[int, CodedView, int], Counter[CodedParts]] = defaultdict(Counter)
        self._concat_by_category: defaultdict[tuple[int, CodedView, int], Counter[CodedParts]] = defaultdict(Counter)
        # The rules of all traces, for a search that follows them first.
        self.operators, self.reduce, self.concat = (
            Majority(self._by_status),
            Majority(self._reduce),
            Majority(self._concat),
        )
        self._back_off = Majority(self._by_category), Majority(self._by_top), Majority(self._concat_by_category)

    @property
    def banned(self) -> DecisionKey | None:
        """The decision that is not to be made, if there is one."""
        return self._banned

    @banned.setter
    def banned(self, decision: DecisionKey | None) -> None:
        self._banned = decision
        self._answers = {}

    def add(self, trace: CodedTrace, times: int = 1) -> None:
        """Let a trace join, or leave with -1."""
        self._answers, self._divided = {}, None
        for step in trace:
            self._count(step, times)

    @contextmanager
    def joined(self, trace: CodedTrace) -> Iterator[None]:
        """Let a trace join for a while; what was answered without it holds again afterwards."""
        answers = self._answers
        self.add(trace)
        yield
        self.add(trace, -1)
        self._answers = answers

    def by_other_categories(self, classes: Mapping[int, int]) -> "TraceAgreement":
        """Count the same traces by other categories."""
        counted = TraceAgreement(classes, self._config, self._base, self._analogies)
        counted.banned = self.banned
        for step, each in self._steps.items():
            if each.times:
                counted._count(step, each.times)
        return counted

    def _count(self, step: Step, times: int) -> None:
        counted = self._steps.get(step)
        if counted is None:
            counted = self._steps[step] = _Counted(self._counters(step))
        counted.times += times
        for counts, entry in counted.counters:
            counts[entry] += times
        self._total += times if step[2] is None else 2 * times

    def _counters(self, step: Step) -> Iterator[tuple[Counter[Any], Hashable]]:
        """Where a step is counted: the counts, and its entry there."""
        status, operator, argument = step
        by_category = self._categories[status]
        yield self._by_status[status], operator
        yield self._by_category[by_category], operator
        yield self._by_top[_without_second(by_category)], operator
        yield self._by_frame[by_category[1], by_category[3]], operator
        if isinstance(argument, str):
            yield self._reduce[status[1]], argument
            if self._analogies is not None:
                form, numbers = self._analogies.form(status[1])
                yield self._reduce_by_form[form], argument.translate(numbers)
        elif argument is not None:
            yield self._concat[operator, status[1], status[3]], argument
            yield self._concat_by_category[operator, by_category[1], status[3]], argument
        for decision in self.decisions(step):
            yield self.uses, decision

    def categories(self, words: Collection[int]) -> dict[int, int]:
        """Put words into one category if exchanging them keeps every operator that the traces show.

        Words that were of one category stay so until traces contradict it: too little in common is no reason to part.
        """
        known = {status: self.operators.get(status) for status in self._by_status}
        decisions = {status: operator for status, operator in known.items() if operator is not None}
        classes = equivalence_classes(decisions, set(words))
        for word, other in self.classes.items():
            one, two = classes.get(word, word), classes.get(other, other)
            if one != two:
                together = {each: min(one, two) if of in (one, two) else of for each, of in classes.items()}
                if not _contradict(decisions, together):
                    classes = together
        return classes

    def by_category(self, status: CodedStatus) -> CodedStatus:
        """Show each word of a status as its category."""
        return self._categories[status]

    def decisions(self, step: Step) -> Iterator[DecisionKey]:
        """Name what a step decides: the operator, and the argument."""
        status, operator, argument = step
        by_category = self._categories[status]
        yield by_category, operator
        if operator == REDUCE:
            yield operator, status[1], argument
        elif argument is not None:
            yield operator, by_category[1], status[3], argument

    def makes(self, trace: CodedTrace, decision: DecisionKey) -> bool:
        """Whether a trace makes a decision."""
        return any(decision == each for step in trace for each in self.decisions(step))

    def disagreement(self, trace: CodedTrace) -> float:
        """Weigh a trace against all others: by how rare its decisions are, by contradictions, by what is its own."""
        config = self._config
        cost, unsupported = 0.0, False
        for step in trace:
            status, operator, argument = step
            for decision in self.decisions(step):
                uses = max(self.uses[decision], 0)
                unsupported = unsupported or not uses
                cost -= math.log((uses + config.unseen) / (self._total + 1))
            by_category = self._categories[status]
            contradictions = _others(self._by_category.get(by_category), operator)
            if isinstance(argument, str):
                contradictions += _others(self._reduce.get(status[1]), argument)
            elif argument is not None:
                key = operator, by_category[1], status[3]
                contradictions += _others(self._concat_by_category.get(key), argument)
            cost += config.contradiction * contradictions
        return cost + config.unsupported * unsupported

    def decide(self, status: CodedStatus) -> tuple[int, Argument] | None:
        """Return what most traces did in a status, else in its category, else with any second frame."""
        by_category = self._categories[status]
        operator = self.operators.get(status)
        by_categories, by_tops, concat_by_category = self._back_off
        if operator is None:
            operator = by_categories.get(by_category)
        if operator is None:
            operator = by_tops.get(_without_second(by_category))
        if operator is None or operator not in legal_opcodes(status) or self._banned == (by_category, operator):
            return None
        argument: Argument = None
        if operator == REDUCE:
            argument = self.reduce.get(status[1])
            if argument is None:
                argument = self._told(status[1])
        elif operator in (CONCAT_M, CONCAT_S):
            argument = self.concat.get((operator, status[1], status[3]))
            if argument is None:
                argument = concat_by_category.get((operator, by_category[1], status[3]))
        else:
            return operator, None
        return None if argument is None else (operator, argument)

    def _told(self, frame: CodedView) -> str | None:
        """What a frame becomes by analogy with others, if only later lessons can show it."""
        if self._analogies is None or not self._analogies.foretold(frame):
            return None
        form, numbers = self._analogies.form(frame)
        argument = Majority(self._reduce_by_form).get(form)
        return argument and argument.translate({number: token for token, number in numbers.items()})

    def shows(self, status: CodedStatus) -> bool:
        """Whether traces decide this status, or one with words of the same categories.

        The argument of a CONCAT, too: that of other words tells nothing if words of a category, such as `twice` and
        `thrice`, have different arguments elsewhere.
        """
        by_category = self._categories[status]
        operator = self._back_off[0].get(by_category)
        if operator not in (CONCAT_M, CONCAT_S):
            return operator is not None
        return self.concat.get((operator, status[1], status[3])) is not None or not self._divides(by_category[1])

    def _divides(self, top: CodedView) -> bool:
        """Whether a frame by category has words whose category does not tell arguments."""
        if self._divided is None:
            self._divided = frozenset(self._divided_categories())
        return not self._divided.isdisjoint(top)

    def _divided_categories(self) -> Iterator[int]:
        """The categories of words whose exchange, the rest of the frame alike, changes an argument of a CONCAT."""
        alike: dict[tuple[int, CodedView, int], list[tuple[CodedView, CodedParts]]] = {}
        for key in self._concat:
            operator, top, memory = key
            argument = self.concat.get(key)
            if argument is not None:
                alike.setdefault((operator, self._categories.view(top), memory), []).append((top, argument))
        for frames in alike.values():
            for (one, argument), (other, another) in combinations(frames, 2):
                if argument != another:
                    apart = [word for word, exchanged in zip(one, other, strict=True) if word != exchanged]
                    if len(apart) == 1:
                        yield self.classes.get(apart[0], apart[0])

    # ---------------------------------------------------------------- a search policy

    def answer(self, questions: Sequence[SearchQuestion]) -> list[list[float]]:
        """Price what was counted by its share, and the rest as the base policy does, mixed with even shares.

        Answers are remembered until a trace joins or leaves.
        """
        news = [question for question in dict.fromkeys(questions) if question not in self._answers]
        self._answers.update(zip(news, self._priced(news), strict=True))
        return [self._answers[question] for question in questions]

    def _priced(self, questions: Sequence[SearchQuestion]) -> list[list[float]]:
        even = [[math.exp(-cost) for cost in _evenly(question)] for question in questions]
        if self._base is not None:
            known = [[math.exp(-cost) for cost in costs] for costs in self._base.answer(questions)]
            share = self._config.exploration
            even = [
                [share * x + (1 - share) * y for x, y in zip(xs, ys, strict=True)]
                for xs, ys in zip(even, known, strict=True)
            ]
        return [self._mixed(question, shares) for question, shares in zip(questions, even, strict=True)]

    def _mixed(self, question: SearchQuestion, shares: list[float]) -> list[float]:
        before, levels, options = self._counted(question)
        weight = self._config.base_weight
        for counts in levels:
            total = sum(counts.values()) if counts else 0
            if counts and total > 0:
                shares = [
                    (counts[option] + weight * share) / (total + weight)
                    for option, share in zip(options, shares, strict=True)
                ]
        costs = [-math.log(share) if share > 0 else BANNED for share in shares]
        if self._banned is None or self._banned[:-1] != before:
            return costs
        return [BANNED if option == self._banned[-1] else cost for option, cost in zip(options, costs, strict=True)]

    def _counted(self, question: SearchQuestion) -> tuple[DecisionKey, Sequence[Counter[Any] | None], Sequence[Any]]:
        """Return what a question is about, the counts that answer it, general ones first, and its options."""
        if isinstance(question, OperatorQuestion):
            by_category = self._categories[question.status]
            counts = (
                self._by_frame.get((by_category[1], by_category[3])),
                self._by_top.get(_without_second(by_category)),
                self._by_category.get(by_category),
                self._by_status.get(question.status),
            )
            return (by_category,), counts, question.operators
        if isinstance(question, ReduceQuestion):
            return (REDUCE, question.frame), (self._reduce.get(question.frame),), question.phrases
        operator, top, memory, arguments = question
        key = operator, self._categories.view(top), memory
        return key, (self._concat_by_category.get(key), self._concat.get((operator, top, memory))), arguments


def _contradict(decisions: Mapping[CodedStatus, int], classes: Mapping[int, int]) -> bool:
    """Whether statuses of one category have different operators."""
    by_category = ByCategory(classes)
    operators: dict[CodedStatus, int] = {}
    return any(operators.setdefault(by_category[status], o) != o for status, o in decisions.items())


def _without_second(status: CodedStatus) -> CodedStatus:
    word, top, _, memory = status
    return word, top, (), memory


def _others(counts: Counter[A] | None, entry: A) -> float:
    """The share of decisions that were made otherwise."""
    total = sum(counts.values()) if counts else 0
    return (total - counts[entry]) / total if counts and total > 0 else 0.0


def _evenly(question: SearchQuestion) -> list[float]:
    """Without a network: all operators alike; arguments by their length, as a decoder that knows nothing."""
    if isinstance(question, OperatorQuestion):
        return [math.log(len(legal_opcodes(question.status)))] * len(question.operators)
    if isinstance(question, ReduceQuestion):
        return [2.0 * len(phrase) for phrase in question.phrases]
    items = question.top.count(PHRASE_MARK) + question.memory + 1
    return [math.log(items) * (len(indices) + 1) for indices in question.arguments]
