"""The parsing machine: a stack of short frames, an immutable State and one pure function, `step`.

Nothing here knows about tensors. Trees are plain tuples, so two that are equal are the same subtree.
"""

from collections.abc import Callable
from enum import IntEnum
from itertools import permutations
from typing import NamedTuple, Union

Tokens = tuple[str, ...]
Built = tuple[str, tuple[Union[str, "Built"], ...]]  # a label and its children
Item = str | Built
Frame = tuple[Item, ...]
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


class Status(NamedTuple):
    """All that a decision may look at: the next token and the roots of the top two frames."""

    token: str
    top: Roots
    below: Roots | None


class Action(NamedTuple):
    """An instruction with its arguments."""

    op: Op
    label: str = ""
    places: Places = ()


class Stack(NamedTuple):
    """Frames below the top one."""

    frame: Frame
    below: "Stack | None"


class State(NamedTuple):
    """One moment of a parse."""

    position: int = 0
    top: Frame = ()
    below: Stack | None = None


Policy = Callable[[Status], Action]


def status_of(state: State, source: Tokens) -> Status:
    """Return what a decision may look at."""
    token = source[state.position] if state.position < len(source) else END
    return Status(token, _roots(state.top), _roots(state.below.frame) if state.below else None)


def _roots(frame: Frame) -> Roots:
    return tuple([item if isinstance(item, str) else item[0] for item in frame])


def is_legal(op: Op, state: State, source: Tokens, frame_limit: int) -> bool:
    """Say whether an instruction can run; no frame holds more than `frame_limit` items."""
    held = len(state.top)
    match op:
        case Op.SHIFT:
            return state.position < len(source) and held < frame_limit
        case Op.CALL:  # a fresh frame is empty, so it never comes twice in a row
            return state.position < len(source) and 0 < held < frame_limit
        case Op.REDUCE:
            return held > 0
        case Op.RETURN:
            return held == 1 and state.below is not None and not isinstance(state.top[0], str)
        case Op.FINAL:
            alone = held == 1 and state.below is None and not isinstance(state.top[0], str)
            return alone and state.position == len(source)


def legal_ops(state: State, source: Tokens, frame_limit: int) -> list[Op]:
    """List the instructions that can run."""
    return [op for op in Op if is_legal(op, state, source, frame_limit)]


def step(state: State, action: Action, source: Tokens) -> State:
    """Execute a legal instruction; FINAL changes nothing."""
    match action.op:
        case Op.SHIFT:
            return State(state.position + 1, (*state.top, source[state.position]), state.below)
        case Op.CALL:
            return State(state.position, (), Stack(state.top, state.below))
        case Op.REDUCE:
            tree = (action.label, tuple([state.top[place] for place in action.places]))
            return State(state.position, (tree,), state.below)
        case Op.RETURN:
            assert state.below is not None
            return State(state.position, (*state.below.frame, *state.top), state.below.below)
        case Op.FINAL:
            return state


def parse(source: Tokens, policy: Policy, frame_limit: int) -> Item | None:
    """Follow a policy to the end; None where it asks for what is illegal, or never ends."""
    state = State()
    for _ in range(_STEPS_PER_TOKEN * (len(source) + 1)):
        action = policy(status_of(state, source))
        if not _runs(action, state, source, frame_limit):
            return None
        if action.op == Op.FINAL:
            return state.top[0]
        state = step(state, action, source)
    return None


def _runs(action: Action, state: State, source: Tokens, frame_limit: int) -> bool:
    """Say whether an action can run; a frame below that is full cannot take what RETURN brings."""
    if action.op == Op.REDUCE and max(action.places, default=0) >= len(state.top):
        return False
    return is_legal(action.op, state, source, frame_limit)


def selections(frame_limit: int) -> list[Places]:
    """List all ordered selections of items of a frame, the children that REDUCE may take."""
    return [places for size in range(1, frame_limit + 1) for places in permutations(range(frame_limit), size)]


def prefix_of(tree: Item) -> Tokens:
    """Write a tree in prefix order."""
    tokens: list[str] = []
    rest: list[Item] = [tree]
    while rest:
        item = rest.pop()
        if isinstance(item, str):
            tokens.append(item)
        else:
            tokens.append(item[0])
            rest.extend(reversed(item[1]))
    return tuple(tokens)
