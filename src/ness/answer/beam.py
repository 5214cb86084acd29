"""Several answers with probabilities: a beam over the machine's states, for any source of weighted instructions.

States are compared with others that have read as much of the input. Executions that reach the same state are one
from then on, and those with the same output one answer: probabilities add up.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

from ness.answer.answers import Decided
from ness.machine import Final, Instruction, Phrase, Shift, State, Status, Word, status_of, step, why_illegal

K = TypeVar("K")
_Path = tuple[Instruction, float, "_Path | None"]  # the last instruction, its probability, what came before

_STEPS_WITHOUT_READING = 64  # after one word; what takes longer does not end
_LEAST_SHARE = 1e-6  # of the best state: less likely ones are dropped
_LONGEST = 100_000  # tokens of a phrase: a beam holds many, and repetition can ask for exponentially long ones


@runtime_checkable
class Options(Protocol):
    """Whatever weighs instructions by local status."""

    def options(self, status: Status) -> list[tuple[Instruction, float]]:
        """Return instructions with their probabilities."""


class Candidate(NamedTuple):
    """One of several answers."""

    output: Phrase
    probability: float  # of all executions found that end with this output
    decided: Decided  # the likeliest of these executions


class _Weight(NamedTuple):
    """How likely all executions are that come to one state or output, and the likeliest of them."""

    probability: float
    best: float
    path: _Path | None

    def then(self, instruction: Instruction, share: float) -> "_Weight":
        return _Weight(self.probability * share, self.best * share, (instruction, share, self.path))

    def decided(self) -> Decided:
        steps = []
        path = self.path
        while path is not None:
            steps.append(path[:2])
            path = path[2]
        return tuple(reversed(steps))


def beam_search(policy: Options, source: Sequence[Word], width: int = 20) -> list[Candidate]:
    """Return the answers that a beam of `width` states finds, likeliest first."""
    outputs: dict[Phrase, _Weight] = {}
    reached = {State(tuple(source)): _Weight(1.0, 1.0, None)}
    while reached:
        reached = _read_on(policy, _best(reached, width), outputs, width)
    ranked = sorted(outputs.items(), key=lambda item: -item[1].probability)  # among equals the first found
    return [Candidate(output, weight.probability, weight.decided()) for output, weight in ranked]


def _read_on(
    policy: Options, states: dict[State, _Weight], outputs: dict[Phrase, _Weight], width: int
) -> dict[State, _Weight]:
    """Execute until each state has read one more word or ended; ended ones add to `outputs`."""
    reached: dict[State, _Weight] = {}
    for _ in range(_STEPS_WITHOUT_READING):
        moved: dict[State, _Weight] = {}
        for state, weight in states.items():
            for instruction, share in _legal(policy, state, width):
                if isinstance(instruction, Final):
                    phrase = state.top[0]
                    assert isinstance(phrase, tuple)
                    _add(outputs, tuple(phrase), weight.then(instruction, share))  # of whatever kind
                    continue
                new = step(state, instruction)
                if any(len(item) > _LONGEST for item in (*new.top, *new.memory)):
                    continue
                _add(reached if isinstance(instruction, Shift) else moved, new, weight.then(instruction, share))
        states = _best(moved, width)
        if not states:
            break
    return reached


def _add(weights: dict[K, _Weight], key: K, new: _Weight) -> None:
    """Add an execution to those that came to the same; the likelier one is remembered."""
    known = weights.get(key)
    if known is not None:
        likelier = new if new.best > known.best else known
        new = likelier._replace(probability=known.probability + new.probability)
    weights[key] = new


def _legal(policy: Options, state: State, width: int) -> Iterable[tuple[Instruction, float]]:
    options = [option for option in policy.options(status_of(state)) if why_illegal(state, option[0]) is None]
    return sorted(options, key=lambda option: -option[1])[:width]


def _best(states: dict[State, _Weight], width: int) -> dict[State, _Weight]:
    """Keep the likeliest states; the order of their discovery decides among equals."""
    ranked = sorted(states.items(), key=lambda item: -item[1].probability)[:width]
    return {s: weight for s, weight in ranked if weight.probability > _LEAST_SHARE * ranked[0][1].probability}
