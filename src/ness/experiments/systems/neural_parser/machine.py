"""The parsing machine: a stack of short frames, an immutable ParserState and one pure function, `step`.

Nothing here knows about tensors. Trees are plain tuples, so two that are equal are the same subtree.
"""

from collections.abc import Callable, Iterator
from enum import IntEnum
from itertools import permutations
from typing import NamedTuple, Union

Tokens = tuple[str, ...]
Built = tuple[str, tuple[Union[str, "Built"], ...]]  # a label and its children
ParserItem = str | Built
ParserFrame = tuple[ParserItem, ...]
Roots = tuple[str, ...]
Places = tuple[int, ...]

END = "</s>"  # the next token when the input is used up
_STEPS_PER_TOKEN = 20


class Op(IntEnum):
    """The instructions; REDUCE has a label and the places of the children as arguments."""

    SHIFT = 0
    CALL = 1
    REDUCE = 2
    RETURN = 3
    FINAL = 4


class ParserStatus(NamedTuple):
    """All that a decision may look at: the next token and the roots of the top two frames."""

    token: str
    top: Roots
    below: Roots | None
    lone: bool  # the top frame is one tree that REDUCE built


class ParserAction(NamedTuple):
    """An instruction with its arguments."""

    op: Op
    label: str = ""
    places: Places = ()


class Stack(NamedTuple):
    """Frames below the top one."""

    frame: ParserFrame
    below: "Stack | None"


class ParserState(NamedTuple):
    """One moment of a parse."""

    position: int = 0
    top: ParserFrame = ()
    below: Stack | None = None


ParserPolicy = Callable[[ParserStatus], ParserAction]
ParserDecision = tuple[ParserStatus, ParserAction]


def status_of(state: ParserState, source: Tokens) -> ParserStatus:
    """Return what a decision may look at."""
    token = source[state.position] if state.position < len(source) else END
    lone = len(state.top) == 1 and not isinstance(state.top[0], str)
    return ParserStatus(token, _roots(state.top), _roots(state.below.frame) if state.below else None, lone)


def _roots(frame: ParserFrame) -> Roots:
    return tuple([item if isinstance(item, str) else item[0] for item in frame])


def is_legal(op: Op, status: ParserStatus, frame_limit: int) -> bool:
    """Say whether an instruction can run; no frame holds more than `frame_limit` items."""
    match op:
        case Op.SHIFT:
            return status.token != END and len(status.top) < frame_limit
        case Op.CALL:  # a fresh frame is empty, so it never comes twice in a row
            return status.token != END and 0 < len(status.top) < frame_limit
        case Op.REDUCE:
            return len(status.top) > 0
        case Op.RETURN:
            return status.lone and status.below is not None
        case Op.FINAL:
            return status.lone and status.below is None and status.token == END


def step(state: ParserState, action: ParserAction, source: Tokens) -> ParserState:
    """Execute a legal instruction; FINAL changes nothing."""
    match action.op:
        case Op.SHIFT:
            return ParserState(state.position + 1, (*state.top, source[state.position]), state.below)
        case Op.CALL:
            return ParserState(state.position, (), Stack(state.top, state.below))
        case Op.REDUCE:
            tree = (action.label, tuple([state.top[place] for place in action.places]))
            return ParserState(state.position, (tree,), state.below)
        case Op.RETURN:
            assert state.below is not None
            return ParserState(state.position, (*state.below.frame, *state.top), state.below.below)
        case Op.FINAL:
            return state


def run(source: Tokens, policy: ParserPolicy) -> Iterator[tuple[ParserState, ParserStatus, ParserAction]]:
    """Follow a policy until FINAL, for so many steps at most; it must ask for legal instructions only."""
    state = ParserState()
    for _ in range(_STEPS_PER_TOKEN * (len(source) + 1)):
        status = status_of(state, source)
        action = policy(status)
        yield state, status, action
        if action.op == Op.FINAL:
            return
        state = step(state, action, source)


def parse(source: Tokens, policy: ParserPolicy) -> Tokens | None:
    """Return the tree that a policy builds in prefix order; None where it never ends."""
    for state, _, action in run(source, policy):
        if action.op == Op.FINAL:
            return prefix_of(state.top[0])
    return None


def selections(frame_limit: int) -> list[Places]:
    """List all ordered selections of items of a frame, the children that REDUCE may take."""
    return [places for size in range(1, frame_limit + 1) for places in permutations(range(frame_limit), size)]


def prefix_of(tree: ParserItem) -> Tokens:
    """Write a tree in prefix order."""
    tokens: list[str] = []
    rest: list[ParserItem] = [tree]
    while rest:
        item = rest.pop()
        if isinstance(item, str):
            tokens.append(item)
        else:
            tokens.append(item[0])
            rest.extend(reversed(item[1]))
    return tuple(tokens)
