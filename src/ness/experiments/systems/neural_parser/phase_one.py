"""Phase one: find traces that parse a sample, from the pair of input and tree alone.

The published search samples whole traces by the network's probabilities plus a constant and learns the arguments by
REINFORCE. Here the likeliest traces by those same probabilities come first, what cannot give the tree is cut off, and
REDUCE takes the arguments that build a subtree of the target (least difference 0).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from ness.experiments.systems.neural_parser.machine import (
    Op,
    ParserAction,
    ParserDecision,
    ParserFrame,
    ParserItem,
    ParserState,
    ParserStatus,
    Places,
    Tokens,
    is_legal,
    status_of,
    step,
)
from ness.experiments.systems.trees import read_tree

Trace = tuple[ParserDecision, ...]
Scores = Callable[[ParserStatus], Callable[[ParserAction], float]]  # log-probabilities of the actions in a status
_NODES = 20_000  # states that are looked at for one sample


class Path(NamedTuple):
    """The last decision, and those before."""

    decision: ParserDecision
    before: "Path | None"


class ScoredTrace(NamedTuple):
    """A trace and its log-likelihood."""

    trace: Trace
    score: float


class TreeSample:
    """A pair of input and target, with the target's subtrees."""

    def __init__(self, source: Tokens, target: Tokens, arities: Mapping[str, int]) -> None:
        self.source, self.target = source, target
        tree = read_tree(target, arities)
        built: dict[int, ParserItem] = {}
        for place in reversed(range(len(target))):
            children = tuple(built[child] for child in tree.children[place])
            built[place] = (target[place], children) if children else target[place]
        self.tree = built[0]
        self.subtrees = list(dict.fromkeys(item for item in built.values() if not isinstance(item, str)))
        self._built = frozenset(self.subtrees)
        leaves = Counter(token for token, children in zip(target, tree.children, strict=True) if not children)
        # What the tree has no place for may be dropped; a token that it needs each time may not.
        self._dropped = set((Counter(source) - leaves).keys())

    def reduces(self, frame: ParserFrame) -> Iterator[ParserAction]:
        """List the arguments of REDUCE that build a subtree of the target and drop nothing it needs."""
        for label, children in self.subtrees:
            places = _places(children, frame)
            if places is not None and self._may_keep(places, frame):
                yield ParserAction(Op.REDUCE, label, places)

    def allows(self, action: ParserAction, frame: ParserFrame) -> bool:
        """Say whether an action is none of REDUCE, or builds a subtree of the target and drops nothing it needs."""
        if action.op != Op.REDUCE:
            return True
        tree = (action.label, tuple([frame[place] for place in action.places]))
        return tree in self._built and self._may_keep(action.places, frame)

    def _may_keep(self, places: Places, frame: ParserFrame) -> bool:
        """Say whether all other items of a frame may be dropped."""
        return all(
            place in places or (isinstance(item, str) and item in self._dropped) for place, item in enumerate(frame)
        )


def _places(children: Sequence[ParserItem], frame: ParserFrame) -> tuple[int, ...] | None:
    """Find the children in a frame, each in a place of its own."""
    places: list[int] = []
    for child in children:
        place = next((place for place, item in enumerate(frame) if item == child and place not in places), None)
        if place is None:
            return None
        places.append(place)
    return tuple(places)


def find_traces(sample: TreeSample, scores: Scores, frame_limit: int, wanted: int) -> list[ScoredTrace]:
    """Find the likeliest traces that give the sample's tree, with their log-likelihoods, so many at most."""
    found: list[ScoredTrace] = []
    tried: Counter[ParserState] = Counter()
    numbers = count()  # equally likely ones in the order of their finding
    queue: list[tuple[float, int, ParserState, Path | None]] = [(0.0, next(numbers), ParserState(), None)]
    for _ in range(_NODES):
        if not queue or len(found) == wanted:
            break
        cost, _, state, path = heappop(queue)
        if path is not None and path.decision[1].op == Op.FINAL:
            found.append(ScoredTrace(_trace(path), -cost))
            continue
        tried[state] += 1
        if tried[state] > wanted:
            continue
        status = status_of(state, sample.source)
        score = scores(status)
        for action in _actions(sample, state, status, frame_limit):
            reached = step(state, action, sample.source)
            heappush(queue, (cost - score(action), next(numbers), reached, Path((status, action), path)))
    return found


def _actions(sample: TreeSample, state: ParserState, status: ParserStatus, frame_limit: int) -> Iterator[ParserAction]:
    """List what can be done and may lead to the sample's tree."""
    for op in Op:
        if is_legal(op, status, frame_limit):
            if op == Op.REDUCE:
                yield from sample.reduces(state.top)
            elif op != Op.FINAL or state.top[0] == sample.tree:
                yield ParserAction(op)


def _trace(path: Path | None) -> Trace:
    decisions: list[ParserDecision] = []
    while path is not None:
        decisions.append(path.decision)
        path = path.before
    return tuple(reversed(decisions))
