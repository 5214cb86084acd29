"""What a search can draw in each state, with its shares: made once for all searches that keep to the same rules.

Samples of one example pass through the same states again and again; the policy and the rules stay the same meanwhile.
"""

import random
from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate
from typing import Generic, TypeVar

from ness.config import SearchConfig
from ness.learn.coding import Argument, legal_opcodes
from ness.machine.opcodes import CONCAT_M, CONCAT_S, REDUCE
from ness.paper.known_rules import KnownRules
from ness.paper.moments import Moment
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
    """What can be drawn in a state; operators and arguments are priced when a search first asks."""

    __slots__ = ("_config", "_rules", "arguments", "moment", "operators", "question", "status")

    def __init__(self, moment: Moment, rules: KnownRules, config: SearchConfig) -> None:
        self.moment, self.status = moment, moment.status
        self._rules, self._config = rules, config
        rule = rules.operators.get(self.status)
        legal = legal_opcodes(self.status)
        operators = legal if rule is None else tuple([operator for operator in legal if operator == rule])
        self.question = OperatorQuestion(self.status, operators)
        self.operators: Lot[int] | None = None if len(operators) > 1 else Lot(operators, None)
        self.arguments: dict[int, Lot[Argument]] = {}

    def possible(self, operator: int) -> list[Argument]:
        """The arguments that make a substring of the target; that of a rule alone where there is one."""
        rule: Argument = None
        if operator == REDUCE:
            rule = self._rules.reduce.get(self.status[1])
        elif operator in (CONCAT_M, CONCAT_S):
            rule = self._rules.concat.get((operator, self.status[1], self.status[3]))
        return [each for each in self.moment.arguments(operator, self._config) if rule in (None, each)]

    def about(self, operator: int, arguments: Sequence[Argument]) -> SearchQuestion:
        """Ask what arguments cost."""
        _, top, _, memory = self.status
        if operator == REDUCE:
            return ReduceQuestion(top, tuple([each for each in arguments if isinstance(each, str)]))
        return ConcatQuestion(operator, top, memory, tuple([each for each in arguments if isinstance(each, tuple)]))


class Prospects(dict[Moment, Choices]):
    """The options of states under the same rules, each made when it is first reached."""

    def __init__(self, rules: KnownRules, config: SearchConfig) -> None:
        super().__init__()
        self.config, self._rules = config, rules

    def __missing__(self, moment: Moment) -> Choices:
        options = self[moment] = Choices(moment, self._rules, self.config)
        return options
