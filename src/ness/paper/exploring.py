"""A policy some of whose draws do not ask it."""

import math
from collections.abc import Sequence

from ness.paper.questions import Answers, SearchQuestion, shares


class ExploringAnswers:
    """A policy some of whose draws are from all options alike."""

    def __init__(self, policy: Answers, share: float) -> None:
        self._policy, self._share = policy, share

    def answer(self, questions: Sequence[SearchQuestion]) -> list[list[float]]:
        """Mix the policy's shares of the options with equal ones."""
        mixed = []
        for costs in self._policy.answer(questions):
            weights = shares(costs)
            even = self._share / len(costs)
            mixed.append([-math.log((1 - self._share) * weight / sum(weights) + even) for weight in weights])
        return mixed
