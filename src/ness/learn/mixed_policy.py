"""Two policies in one: rule costs and, say, a controller's, weighed."""

from collections.abc import Sequence

from ness.learn.coding import CodedParts, CodedStatus, CodedView
from ness.learn.costs import Policy


class MixedPolicy:
    """Costs of two policies, weighed: a product of their probabilities, each to the power of its weight."""

    def __init__(self, rules: Policy, other: Policy, weight: float) -> None:
        self._rules = rules
        self._other = other
        self._weight = weight  # of the other policy, from 0 to 1

    def operator_costs(self, status: CodedStatus, operators: Sequence[int]) -> list[float]:
        return self._mix(
            self._rules.operator_costs(status, operators),
            self._other.operator_costs(status, operators),
        )

    def reduce_costs(self, frame: CodedView, phrases: Sequence[str]) -> list[float]:
        return self._mix(self._rules.reduce_costs(frame, phrases), self._other.reduce_costs(frame, phrases))

    def concat_costs(self, operator: int, top: CodedView, memory: int, arguments: Sequence[CodedParts]) -> list[float]:
        return self._mix(
            self._rules.concat_costs(operator, top, memory, arguments),
            self._other.concat_costs(operator, top, memory, arguments),
        )

    def _mix(self, rules: list[float], other: list[float]) -> list[float]:
        weight = self._weight
        return [(1 - weight) * one + weight * two for one, two in zip(rules, other, strict=True)]
