"""Training examples that are set aside, and the weights that do best on them."""

import random
from collections.abc import Sequence

from torch import Tensor

from ness.data.example import Example
from ness.experiments.systems.networks import Network


class BestWeights:
    """The weights that did best on what was held out."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._weights: dict[str, Tensor] = {}
        self.score = -1.0

    def keep(self, score: float) -> None:
        """Remember the present weights, if they are as good as any before."""
        if score >= self.score:  # of equals the later
            self.score = score
            self._weights = {name: value.clone() for name, value in self._network.state_dict().items()}

    def restore(self) -> None:
        """Put the best weights back."""
        self._network.load_state_dict(self._weights)


def set_aside(examples: list[Example], share: float, rng: random.Random) -> tuple[list[Example], list[Example]]:
    """Set a share of the examples aside; return those and the rest."""
    order = rng.sample(examples, len(examples)) if share else examples
    aside = int(share * len(order))
    return order[:aside], order[aside:]


def share_of(right: Sequence[bool]) -> float:
    """Return the share of what is right."""
    return sum(right) / max(1, len(right))
