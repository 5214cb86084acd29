"""What a search asks a policy: the costs of operators in a status, and of arguments in what their predictors see."""

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ness.learn.coding import CodedStatus, CodedView
from ness.learn.costs import Policy
from ness.paper.moments import Indices


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


class Answers(Protocol):
    """A policy that is asked many questions at once."""

    def answer(self, questions: Sequence[SearchQuestion]) -> list[list[float]]: ...


def ask(policy: Policy, question: SearchQuestion) -> list[float]:
    """Put a question to a policy."""
    if isinstance(question, OperatorQuestion):
        return policy.operator_costs(*question)
    if isinstance(question, ReduceQuestion):
        return policy.reduce_costs(*question)
    return policy.concat_costs(*question)


def shares(costs: Sequence[float]) -> list[float]:
    """Return exp(-cost) as multiples of the largest, however dear all are; if all are impossible, they are alike."""
    least = min(costs)
    return [1.0] * len(costs) if math.isinf(least) else [math.exp(least - cost) for cost in costs]
