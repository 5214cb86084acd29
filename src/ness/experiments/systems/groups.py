"""Groups of permutations of words and actions, for the equivariant network."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from ness.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Group:
    """A product of cyclic groups; an element is one shift for each orbit."""

    orbits: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]  # words, and the actions that move with them

    @property
    def elements(self) -> list[tuple[int, ...]]:
        """Return all elements, the neutral one first."""
        return list(product(*(range(len(words)) for words, _ in self.orbits)))

    def number(self, element: Sequence[int]) -> int:
        """Return the place of an element, its shifts taken around, in the list of all."""
        found = 0
        for shift, (words, _) in zip(element, self.orbits, strict=True):
            found = found * len(words) + shift % len(words)
        return found

    def between(self, first: Sequence[int], second: Sequence[int]) -> int:
        """Return the number of first⁻¹·second."""
        return self.number([b - a for a, b in zip(first, second, strict=True)])

    def moved(self, element: Sequence[int], token: str) -> str:
        """Apply an element to a word or an action."""
        for shift, orbit in zip(element, self.orbits, strict=True):
            for side in orbit:
                if token in side:
                    return side[(side.index(token) + shift) % len(side)]
        return token


def read_group(text: str) -> Group:
    """Read orbits written as "jump run / I_JUMP I_RUN; left right / I_TURN_LEFT I_TURN_RIGHT"."""
    orbits = []
    for part in filter(None, map(str.strip, text.split(";"))):
        words, _, actions = (tuple(side.split()) if side != "/" else () for side in part.partition("/"))
        if len(words) < 2 or len(words) != len(actions):
            raise ConfigError(f"'{part}' is no orbit; write it as: word word / ACTION ACTION, as many of each")
        orbits.append((words, actions))
    return Group(tuple(orbits))
