"""What searches can draw, with its shares: made once for each status, for all searches that keep to the same rules.

Searches of all examples pass through the same statuses again and again; policy and rules stay the same meanwhile.
"""

from bisect import bisect
from collections.abc import Callable
from itertools import accumulate
from typing import Generic, TypeVar, cast

from ness.config import SearchConfig
from ness.learn.coding import Argument, CodedStatus, legal_opcodes
from ness.machine.opcodes import CONCAT_M, CONCAT_S, FINAL, REDUCE
from ness.paper.known_rules import KnownRules
from ness.paper.moments import CodedFrame, Indices, Moment
from ness.paper.questions import ConcatQuestion, OperatorQuestion, ReduceQuestion, SearchQuestion, shares

A = TypeVar("A")


class Lot(Generic[A]):
    """Options to draw from with probability exp(-cost), up to a factor; a single one needs no costs."""

    __slots__ = ("_costs", "_rests", "_sums", "_total", "options", "question")

    def __init__(
        self, options: tuple[A, ...], costs: list[float] | None, question: SearchQuestion | None = None
    ) -> None:
        self.options, self._costs = options, costs
        self.question = question  # that has to be asked before anything can be drawn
        self._sums: list[float] | None = None  # of the shares up to each option but the last
        self._total = 0.0
        self._rests: list[Lot[A] | None] | None = None

    def price(self, costs: list[float]) -> None:
        """Take the answer to the question."""
        self._costs, self.question = costs, None

    def draw(self, random: Callable[[], float]) -> int:
        """Draw an option; return its place."""
        sums = self._sums
        if sums is None:
            if self._costs is None:
                return 0
            sums = self._sums = list(accumulate(shares(self._costs)))
            self._total = sums.pop()
        return bisect(sums, random() * self._total)

    def without(self, place: int) -> "Lot[A]":
        """Return what is left after a draw; the same for all who drew it."""
        rests = self._rests
        if rests is None:
            rests = self._rests = [None] * len(self.options)
        rest = rests[place]
        if rest is None:
            costs = self._costs and self._costs[:place] + self._costs[place + 1 :]
            rest = rests[place] = Lot(self.options[:place] + self.options[place + 1 :], costs)
        return rest


class Choices:
    """The operators that can be drawn in a status."""

    __slots__ = ("all", "lot")

    def __init__(self, status: CodedStatus, rules: KnownRules) -> None:
        rule = rules.operators.get(status)
        legal = legal_opcodes(status)
        self.all = legal if rule is None else tuple([operator for operator in legal if operator == rule])
        several = len(self.all) > 1
        self.lot: Lot[int] = Lot(self.all, None, OperatorQuestion(status, self.all) if several else None)


_WITH_ARGUMENTS = (REDUCE, CONCAT_M, CONCAT_S)
_NO_ARGUMENT: Lot[Argument] = Lot((None,), None)
_NOTHING: Lot[Argument] = Lot((), None)


class Prospects(dict[CodedStatus, Choices]):
    """The options of statuses under the same rules, each made when it is first reached."""

    def __init__(self, rules: KnownRules, config: SearchConfig) -> None:
        super().__init__()
        self.config, self._rules = config, rules
        self._lots: dict[tuple[int, CodedFrame, str], Lot[Argument]] = {}  # of arguments, by what they depend on
        self._asked: dict[SearchQuestion, Lot[Argument]] = {}  # by all that show an argument's predictor the same

    def __missing__(self, status: CodedStatus) -> Choices:
        options = self[status] = Choices(status, self._rules)
        return options

    def arguments(self, moment: Moment, operator: int) -> Lot[Argument]:
        """What to draw from for an operator; where there is a rule its argument alone is left."""
        if operator not in _WITH_ARGUMENTS:
            return _NO_ARGUMENT if operator != FINAL or moment.right else _NOTHING
        key = operator, moment.top, moment.memory
        lot = self._lots.get(key)
        if lot is None:
            lot = self._lots[key] = self._make(moment, operator)
        return lot

    def _make(self, moment: Moment, operator: int) -> Lot[Argument]:
        possible = moment.arguments(operator, self.config)
        if not possible:
            return _NOTHING
        _, top, _, memory = moment.status
        rules = self._rules
        rule = rules.reduce.get(top) if operator == REDUCE else rules.concat.get((operator, top, memory))
        if rule is not None:
            return Lot(tuple([each for each in possible if each == rule]), None)
        if len(possible) == 1:
            return Lot(possible, None)
        question = _about(operator, moment.status, possible)
        lot = self._asked.get(question)
        if lot is None:
            lot = self._asked[question] = Lot(possible, None, question)
        return lot


def _about(operator: int, status: CodedStatus, arguments: tuple[Argument, ...]) -> SearchQuestion:
    """Ask what arguments cost."""
    _, top, _, memory = status
    if operator == REDUCE:
        return ReduceQuestion(top, cast("tuple[str, ...]", arguments))
    return ConcatQuestion(operator, top, memory, cast("tuple[Indices, ...]", arguments))
