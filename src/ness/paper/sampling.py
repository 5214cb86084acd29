"""The paper's own search: instructions sampled from a policy, with backtracking, in at most so many executed steps.

A step after which nothing is left to do (no argument makes a substring of the output, or all was tried) is taken back
and another one is sampled.
Arguments are drawn among those that make a substring: what the paper draws and rejects is not drawn, nor counted.
Rules of earlier lessons are followed first; only if that finds nothing, other instructions are tried in their place.

A search is a generator of questions, so that many searches can ask a network together.
"""

import math
import random
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeVar

from ness.config import SearchConfig
from ness.learn.coding import Argument, CodedStatus, CodedTrace, CodedView, Step, degenerate_trace, legal_opcodes
from ness.learn.costs import Policy
from ness.machine.opcodes import CONCAT_M, CONCAT_S, FINAL, REDUCE
from ness.paper.moments import Indices, Moment

K = TypeVar("K")
A = TypeVar("A")
K_contra = TypeVar("K_contra", contravariant=True)
A_co = TypeVar("A_co", covariant=True)


class OperatorQuestion(NamedTuple):
    """What do these operators cost?"""

    status: CodedStatus
    operators: tuple[int, ...]


class ReduceQuestion(NamedTuple):
    """What does it cost to make each phrase of this frame?"""

    frame: CodedView
    phrases: tuple[str, ...]


class ConcatQuestion(NamedTuple):
    """What do these arguments of a CONCAT cost?"""

    operator: int
    top: CodedView
    memory: int
    arguments: tuple[Indices, ...]


SearchQuestion = OperatorQuestion | ReduceQuestion | ConcatQuestion


class SampledTrace(NamedTuple):
    """A trace, perhaps the degenerate one for want of a better, and the steps executed to find it."""

    trace: CodedTrace
    steps: int
    degenerate: bool


Search = Generator[SearchQuestion, list[float], SampledTrace]


class Answers(Protocol):
    """A policy that is asked many questions at once."""

    def answer(self, questions: Sequence[SearchQuestion]) -> list[list[float]]: ...


class RuleLookup(Protocol[K_contra, A_co]):
    """A rule for a key, if there is one."""

    def get(self, key: K_contra, /) -> A_co | None: ...


class KnownRules(Protocol):
    """Operators by status, arguments by what their predictors see."""

    @property
    def operators(self) -> RuleLookup[CodedStatus, int]: ...

    @property
    def reduce(self) -> RuleLookup[CodedView, str]: ...

    @property
    def concat(self) -> RuleLookup[tuple[int, CodedView, int], Indices]: ...


@dataclass
class ExtractedRules:
    """Rules of earlier lessons: the most used operator of a status, and argument of a frame."""

    operators: dict[CodedStatus, int] = field(default_factory=dict)
    reduce: dict[CodedView, str] = field(default_factory=dict)
    concat: dict[tuple[int, CodedView, int], Indices] = field(default_factory=dict)

    @classmethod
    def of(cls, traces: Iterable[CodedTrace], conflicts: str = "count") -> "ExtractedRules":
        """Read the rules off non-degenerate traces; where these differ, the latest or the most used one."""
        operators: dict[CodedStatus, Counter[int]] = {}
        reduce: dict[CodedView, Counter[str]] = {}
        concat: dict[tuple[int, CodedView, int], Counter[Indices]] = {}
        for trace in traces:
            for status, operator, argument in trace:
                _count(operators, status, operator)
                if isinstance(argument, str):
                    _count(reduce, status[1], argument)
                elif argument is not None:
                    _count(concat, (operator, status[1], status[3]), argument)
        choose = _most_used if conflicts == "count" else _latest
        return cls(choose(operators), choose(reduce), choose(concat))


def _count(rows: dict[K, Counter[A]], key: K, entry: A) -> None:
    """Count an entry and put it last."""
    counts = rows.setdefault(key, Counter())
    counts[entry] = counts.pop(entry, 0) + 1


def _latest(rows: Mapping[K, Counter[A]]) -> dict[K, A]:
    return {key: next(reversed(counts)) for key, counts in rows.items()}


def _most_used(rows: Mapping[K, Counter[A]]) -> dict[K, A]:
    return {key: min(counts, key=lambda entry: (-counts[entry], entry)) for key, counts in rows.items()}


def sampled_search(first: Moment, rules: KnownRules, config: SearchConfig, rng: random.Random) -> Search:
    """Look for a non-degenerate trace of an example; the degenerate one is the fallback.

    Following the rules takes at most half of the steps, so that there are some left for doing otherwise.
    """
    steps = 0
    no_rules = ExtractedRules()
    phases: list[tuple[KnownRules, int]] = [(rules, config.sampled_steps // 2)] if rules != no_rules else []
    for known, limit in [*phases, (no_rules, config.sampled_steps)]:
        trace, steps = yield from _descend(first, known, config, rng, steps, limit)
        if trace is not None:
            return SampledTrace(trace, steps, degenerate=False)
    return SampledTrace(degenerate_trace(first.sample), steps, degenerate=len(first.sample[1]) > 1)


def search_together(policy: Answers, searches: Sequence[Search]) -> list[SampledTrace]:
    """Run searches in lockstep: each round, all that go on ask together."""
    found: dict[int, SampledTrace] = {}
    waiting: list[tuple[int, SearchQuestion]] = []

    def go_on(number: int, costs: list[float] | None) -> None:
        search = searches[number]
        try:
            question = next(search) if costs is None else search.send(costs)
        except StopIteration as end:
            found[number] = end.value
        else:
            waiting.append((number, question))

    for number in range(len(searches)):
        go_on(number, None)
    while waiting:
        asked, waiting = waiting, []
        for (number, _), costs in zip(asked, policy.answer([question for _, question in asked]), strict=True):
            go_on(number, costs)
    return [found[number] for number in range(len(searches))]


def ask(policy: Policy, question: SearchQuestion) -> list[float]:
    """Put a question to a policy."""
    if isinstance(question, OperatorQuestion):
        return policy.operator_costs(*question)
    if isinstance(question, ReduceQuestion):
        return policy.reduce_costs(*question)
    return policy.concat_costs(*question)


class _Choices:
    """What is left to try in a state; what was drawn is not drawn again."""

    def __init__(self, moment: Moment, rules: KnownRules, config: SearchConfig) -> None:
        self.moment, self.status = moment, moment.status
        self._rules, self._config = rules, config
        rule = rules.operators.get(self.status)
        self._operators = [o for o in legal_opcodes(self.status) if rule is None or o == rule]
        self._operator_costs: dict[int, float] | None = None
        self._arguments: dict[int, list[Argument]] = {}
        self._argument_costs: dict[int, dict[Argument, float]] = {}

    def _possible(self, operator: int) -> list[Argument]:
        """The arguments that make a substring of the target; those of a rule alone where there is one."""
        rule: Argument = None
        if operator == REDUCE:
            rule = self._rules.reduce.get(self.status[1])
        elif operator in (CONCAT_M, CONCAT_S):
            rule = self._rules.concat.get((operator, self.status[1], self.status[3]))
        return [each for each in self.moment.arguments(operator, self._config) if rule in (None, each)]

    def draw(self, rng: random.Random) -> Generator[SearchQuestion, list[float], tuple[int, Argument] | None]:
        """Draw an instruction from the policy's distribution over what is left; None: nothing is.

        An operator's arguments are looked for when it is drawn; one that has none is put aside and drawn anew.
        """
        while self._operators:
            if len(self._operators) > 1 and self._operator_costs is None:
                operators = tuple(self._operators)
                answer = yield OperatorQuestion(self.status, operators)
                self._operator_costs = dict(zip(operators, answer, strict=True))
            operator = _draw(rng, self._operators, self._operator_costs or {})
            arguments = self._arguments.get(operator)
            if arguments is None:
                arguments = self._arguments[operator] = self._possible(operator)
            if not arguments:
                self._operators.remove(operator)
                continue
            if len(arguments) > 1 and operator not in self._argument_costs:
                answer = yield self._question(operator, arguments)
                self._argument_costs[operator] = dict(zip(arguments, answer, strict=True))
            argument = _draw(rng, arguments, self._argument_costs.get(operator, {}))
            arguments.remove(argument)
            return operator, argument
        return None

    def _question(self, operator: int, arguments: Sequence[Argument]) -> SearchQuestion:
        _, top, _, memory = self.status
        if operator == REDUCE:
            return ReduceQuestion(top, tuple(each for each in arguments if isinstance(each, str)))
        return ConcatQuestion(operator, top, memory, tuple(each for each in arguments if isinstance(each, tuple)))


def _descend(
    first: Moment, rules: KnownRules, config: SearchConfig, rng: random.Random, steps: int, limit: int
) -> Generator[SearchQuestion, list[float], tuple[CodedTrace | None, int]]:
    """Sample instruction after instruction; where none is left, take the last step back."""
    path = [_Choices(first, rules, config)]
    trace: list[Step] = []
    entered = {first.frames}  # what follows from the same frames is tried once
    while path and steps < limit:
        choices = path[-1]
        drawn = yield from choices.draw(rng)
        if drawn is None:
            path.pop()
            if trace:
                trace.pop()
            continue
        operator, argument = drawn
        steps += 1
        if operator == FINAL:
            return (*trace, (choices.status, operator, argument)), steps
        following = choices.moment.after(operator, argument)
        if following is not None and following.frames not in entered:
            entered.add(following.frames)
            trace.append((choices.status, operator, argument))
            path.append(_Choices(following, rules, config))
    return None, steps


def _draw(rng: random.Random, options: Sequence[A], costs: Mapping[A, float]) -> A:
    """Draw with probability exp(-cost), up to a factor; one option, or options that cost alike, need no costs."""
    if not costs:
        return options[rng.randrange(len(options))]
    return rng.choices(options, shares([costs[option] for option in options]))[0]


def shares(costs: Sequence[float]) -> list[float]:
    """Return exp(-cost) as multiples of the largest, however dear all are; if all are impossible, they are alike."""
    least = min(costs)
    return [1.0] * len(costs) if math.isinf(least) else [math.exp(least - cost) for cost in costs]
