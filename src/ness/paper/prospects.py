"""What searches can draw, with its shares: made once for each status, for all searches that keep to the same rules.

Searches of all examples pass through the same statuses again and again; policy and rules stay the same meanwhile.
"""

import random
from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate
from typing import Generic, TypeVar

from ness.config import SearchConfig
from ness.learn.coding import Argument, CodedStatus, legal_opcodes
from ness.machine.opcodes import CONCAT_M, CONCAT_S, REDUCE
from ness.paper.known_rules import KnownRules
from ness.paper.questions import ConcatQuestion, OperatorQuestion, ReduceQuestion, SearchQuestion, shares

A = TypeVar("A")


class Lot(Generic[A]):
    """Options to draw from with probability exp(-cost), up to a factor; a single one needs no costs."""

    __slots__ = ("_costs", "_sums", "_without", "options")

    def __init__(self, options: Sequence[A], costs: Sequence[float] | None) -> None:
        self.options, self._costs = options, costs
        self._sums: list[float] | None = None
        self._without: dict[A, Lot[A]] = {}

    def draw(self, rng: random.Random) -> A:
        """Draw an option."""
        if self._costs is None:
            return self.options[0]
        sums = self._sums
        if sums is None:
            sums = self._sums = list(accumulate(shares(self._costs)))
        return self.options[bisect(sums, rng.random() * sums[-1], 0, len(sums) - 1)]

    def without(self, drawn: A) -> "Lot[A]":
        """Return what is left after a draw; the same for all who drew it."""
        rest = self._without.get(drawn)
        if rest is None:
            place = self.options.index(drawn)
            costs = self._costs and [*self._costs[:place], *self._costs[place + 1 :]]
            rest = self._without[drawn] = Lot([*self.options[:place], *self.options[place + 1 :]], costs)
        return rest


class Choices:
    """What can be drawn in a status; operators and arguments are priced when a search first asks."""

    __slots__ = ("_lots", "_priced", "_rules", "operators", "question", "status")

    def __init__(self, status: CodedStatus, rules: KnownRules, priced: "dict[SearchQuestion, Lot[Argument]]") -> None:
        self.status = status
        rule = rules.operators.get(status)
        legal = legal_opcodes(status)
        operators = legal if rule is None else tuple([operator for operator in legal if operator == rule])
        self.question = OperatorQuestion(status, operators)
        self.operators: Lot[int] | None = None if len(operators) > 1 else Lot(operators, None)
        self._rules: dict[int, Argument] = {
            REDUCE: rules.reduce.get(status[1]) if REDUCE in legal else None,
            CONCAT_M: rules.concat.get((CONCAT_M, status[1], status[3])) if CONCAT_M in legal else None,
            CONCAT_S: rules.concat.get((CONCAT_S, status[1], status[3])) if CONCAT_S in legal else None,
        }
        self._lots: dict[tuple[int, tuple[Argument, ...]], Lot[Argument]] = {}
        self._priced = priced  # by all statuses that show an argument's predictor the same

    def arguments(self, operator: int, possible: tuple[Argument, ...]) -> Lot[Argument] | SearchQuestion:
        """What to draw from where these arguments are possible, or what has to be asked first.

        Where there is a rule its argument alone is left.
        """
        lot = self._lots.get((operator, possible))
        if lot is None:
            rule = self._rules.get(operator)
            left = possible if rule is None else tuple([each for each in possible if each == rule])
            if len(left) > 1:
                question = self._about(operator, left)
                if question not in self._priced:
                    return question
                lot = self._priced[question]
            else:
                lot = Lot(left, None)
            self._lots[operator, possible] = lot
        return lot

    def price(self, question: SearchQuestion, costs: list[float]) -> None:
        """Take an answer."""
        if isinstance(question, OperatorQuestion):
            if self.operators is None:
                self.operators = Lot(question.operators, costs)
        elif question not in self._priced:
            options = question.phrases if isinstance(question, ReduceQuestion) else question.arguments
            self._priced[question] = Lot(options, costs)

    def _about(self, operator: int, arguments: Sequence[Argument]) -> SearchQuestion:
        """Ask what arguments cost."""
        _, top, _, memory = self.status
        if operator == REDUCE:
            return ReduceQuestion(top, tuple([each for each in arguments if isinstance(each, str)]))
        return ConcatQuestion(operator, top, memory, tuple([each for each in arguments if isinstance(each, tuple)]))


class Prospects(dict[CodedStatus, Choices]):
    """The options of statuses under the same rules, each made when it is first reached."""

    def __init__(self, rules: KnownRules, config: SearchConfig) -> None:
        super().__init__()
        self.config, self._rules = config, rules
        self._priced: dict[SearchQuestion, Lot[Argument]] = {}

    def __missing__(self, status: CodedStatus) -> Choices:
        options = self[status] = Choices(status, self._rules, self._priced)
        return options
