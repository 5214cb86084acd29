"""Several answers from any engine that decides by status. No torch here."""

from collections.abc import Sequence
from typing import NamedTuple

from ness.answer.answers import Answer
from ness.answer.beam import Candidate, Options, beam_search
from ness.answer.engine import AnyEngine, Engine, SourceEngine, as_read, translate, why_unreadable
from ness.errors import ConfigError
from ness.machine import Instruction, Status, Word, steps_of

WIDTH = 20  # states of a beam


class WeighedAnswer(NamedTuple):
    """One of several answers, with the probability of all executions that end with it."""

    answer: Answer
    probability: float


class _RememberedOptions:
    """Weighs instructions by an engine's decisions and their alternatives; asks about each status once."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[Status, list[tuple[Instruction, float]]] = {}

    def options(self, status: Status) -> list[tuple[Instruction, float]]:
        if status not in self._known:
            self._known[status] = self._ask(status)
        return self._known[status]

    def _ask(self, status: Status) -> list[tuple[Instruction, float]]:
        if isinstance(self._engine, Options):
            return self._engine.options(status)
        (decision,) = self._engine.decide([status])
        if decision is None:
            return []
        return [(decision.instruction, decision.probability), *decision.alternatives]


class BeamDecoder:
    """Finds the likeliest answers of an engine."""

    def __init__(self, engine: AnyEngine, width: int = WIDTH) -> None:
        if isinstance(engine, SourceEngine):
            raise ConfigError("This network looks beyond the status, which a beam cannot follow; decode greedily")
        self._engine = engine
        self._policy = _RememberedOptions(engine)
        self._width = width

    def candidates(self, source: Sequence[Word]) -> list[Candidate]:
        """Return the answers found, likeliest first; none where the input cannot be read or no execution ends."""
        if why_unreadable(source, self._engine.words):
            return []
        return beam_search(self._policy, as_read(tuple(source), self._engine.words), self._width)

    def answers(self, source: Sequence[Word]) -> list[WeighedAnswer]:
        """Return the answers found as answers of their own, each with its support and trace; else why there is none."""
        read = as_read(tuple(source), self._engine.words)
        found = [self._answer(read, candidate) for candidate in self.candidates(source)]
        if found:
            return found
        (greedy,) = translate(self._engine, [source])
        return [WeighedAnswer(greedy, greedy.probability)]

    def _answer(self, source: tuple[Word, ...], candidate: Candidate) -> WeighedAnswer:
        decided = candidate.decided
        support = min(
            self._engine.support(step.status, step.instruction)
            for step in steps_of(source, [instruction for instruction, _ in decided])
        )
        answer = Answer(source, candidate.output, None, support, len(decided), lambda: decided)
        return WeighedAnswer(answer, candidate.probability)
