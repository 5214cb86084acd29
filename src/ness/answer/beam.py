"""Several answers with probabilities: a beam over the machine's states, for any source of weighted instructions.

States are compared with others that have read as much of the input. Executions that reach the same state are one
from then on, and those with the same output one answer: probabilities add up.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from ness.machine import Final, Instruction, Phrase, Shift, State, Status, Word, status_of, step, why_illegal

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


def beam_search(policy: Options, source: Sequence[Word], width: int = 20) -> list[Candidate]:
    """Return the answers that a beam of `width` states finds, likeliest first."""
    outputs: dict[Phrase, float] = defaultdict(float)
    reached: dict[State, float] = {State(tuple(source)): 1.0}
    while reached:
        reached = _read_on(policy, _best(reached, width), outputs, width)
    ranked = sorted(outputs.items(), key=lambda item: -item[1])  # the order of discovery decides among equals
    return [Candidate(output, probability) for output, probability in ranked]


def _read_on(
    policy: Options, states: dict[State, float], outputs: dict[Phrase, float], width: int
) -> dict[State, float]:
    """Execute until each state has read one more word or ended; ended ones add to `outputs`."""
    reached: dict[State, float] = {}
    for _ in range(_STEPS_WITHOUT_READING):
        moved: dict[State, float] = {}
        for state, probability in states.items():
            for instruction, share in _legal(policy, state, width):
                if isinstance(instruction, Final):
                    phrase = state.top[0]
                    assert isinstance(phrase, tuple)
                    outputs[phrase] += probability * share
                    continue
                following = reached if isinstance(instruction, Shift) else moved
                new = step(state, instruction)
                if any(len(item) > _LONGEST for item in (*new.top, *new.memory)):
                    continue
                following[new] = following.get(new, 0.0) + probability * share
        states = _best(moved, width)
        if not states:
            break
    return reached


def _legal(policy: Options, state: State, width: int) -> Iterable[tuple[Instruction, float]]:
    options = [option for option in policy.options(status_of(state)) if why_illegal(state, option[0]) is None]
    return sorted(options, key=lambda option: -option[1])[:width]


def _best(states: dict[State, float], width: int) -> dict[State, float]:
    """Keep the likeliest states; the order of their discovery decides among equals."""
    ranked = sorted(states.items(), key=lambda item: -item[1])[:width]
    return {state: probability for state, probability in ranked if probability > _LEAST_SHARE * ranked[0][1]}
