"""What an engine answers: an output or an error, never a guess; how it came about is worked out when asked for."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from ness.machine import Instruction, Phrase, TraceStep, Word, steps_of, without_boundaries

Decided = tuple[tuple[Instruction, float], ...]  # instructions in order, each with its probability


@dataclass(frozen=True)
class Answer:
    """The translation of one source. Exactly one of `output` and `error` is None."""

    source: tuple[Word, ...]
    output: Phrase | None
    error: str | None  # one line: the step and what was met there
    support: int  # the least number of training traces behind any decision; 0: extrapolated
    steps: int
    decided: Callable[[], Decided] = field(repr=False, compare=False)

    @property
    def text(self) -> str:
        """The source as it was asked: its words, without the boundaries that the model reads."""
        return " ".join(without_boundaries(self.source))

    @property
    def probability(self) -> float:
        """The product of the probabilities of all decisions, up to the error if there is one."""
        return math.exp(sum(math.log(max(probability, 1e-300)) for _, probability in self.decided()))

    def program(self) -> tuple[Instruction, ...]:
        """The instructions executed."""
        return tuple(instruction for instruction, _ in self.decided())

    def trace(self) -> tuple[TraceStep, ...]:
        """The execution, state by state, up to the error if there is one."""
        return tuple(steps_of(self.source, self.program()))
