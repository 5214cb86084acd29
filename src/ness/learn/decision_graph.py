"""The decisions of coded rules, compiled: what a status leads to is worked out once, then it is one look-up per step.

Only the phrases of a frame are kept while rules are followed: which words stand beside them, a node knows. The same is
done for tables in words, where inputs are long, by `ness.machine.automaton`.
"""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any
from weakref import proxy

from ness.learn.coded_rules import CodedRules
from ness.learn.coding import (
    LITERAL,
    NO_FRAME,
    PHRASE_MARK,
    CodedParts,
    CodedView,
    Step,
    kind_mark,
    kind_of,
    without_kinds,
)
from ness.learn.proposals import is_wasteful
from ness.machine import remaining
from ness.machine.opcodes import CONCAT_M, CONCAT_S, POP, PUSH, REDUCE, SHIFT

STUCK = -1  # the code of a CONCAT whose parts are no phrases

# The code of the operator, the step, the node that follows, and an argument: the phrase of a REDUCE, at a POP the mark
# of the phrase and whether the memory is full, or the `Joining` of a CONCAT.
Edge = tuple[int, Step, "DecisionNode", Any]
# Makes the phrase from those of the frame, the memory last; which of these stay; whether a phrase is lost.
Joining = tuple[Callable[[list[str]], str], list[int], bool]


class DecisionGraph:
    """The nodes of coded rules, made when they are first needed. Rules may be confirmed meanwhile, but not changed."""

    def __init__(self, rules: CodedRules) -> None:
        self.rules = rules
        self._nodes: dict[tuple[CodedView, CodedView, int], DecisionNode] = {}
        self.start = self.node((), NO_FRAME, 0)

    def __del__(self) -> None:
        """Part the nodes, which lead to each other: many graphs are made, and garbage collection would be slow."""
        for node in self._nodes.values():
            node.clear()

    def node(self, view: CodedView, second: CodedView, memory: int) -> "DecisionNode":
        """The node of a status without its next word; equal ones are the same."""
        key = (view, second, memory)
        found = self._nodes.get(key)
        if found is None:
            found = self._nodes[key] = DecisionNode(self, view, second, memory)
        return found


class DecisionNode(dict[int, Edge | None]):
    """Edges by next word, made when they are first needed; None where no rule says what to do."""

    __slots__ = ("_graph", "_popped", "memory", "runs", "second", "view")

    def __init__(self, graph: DecisionGraph, view: CodedView, second: CodedView, memory: int) -> None:
        super().__init__()
        self.view = view
        self.second = second
        self.memory = memory
        self.runs: dict[int, Any] = {}  # of an empty frame: what came of it, by the words that decided
        self._graph: DecisionGraph = proxy(graph)
        self._popped: dict[tuple[int, int], DecisionNode] = {}

    def __missing__(self, word: int) -> Edge | None:
        edge = self[word] = self._edge(word)
        return edge

    def popped(self, popped: tuple[int, int]) -> "DecisionNode":
        """The node after POP onto the frame that this node shows, by the mark of the phrase and the memory by then."""
        found = self._popped.get(popped)
        if found is None:
            mark, memory = popped
            found = self._popped[popped] = self._graph.node((*self.view, mark), self.second, memory)
        return found

    def _edge(self, word: int) -> Edge | None:
        node, view, second, memory = self._graph.node, self.view, self.second, self.memory
        status = (word, view, second, memory)
        decision = self._graph.rules.decide(status)
        if decision is None:
            return None
        operator, argument = decision
        step = (status, operator, argument)
        if operator == SHIFT:
            return operator, step, node((*view, word), second, memory), None
        if operator == PUSH:
            return operator, step, node((), view, memory), None
        if operator == REDUCE:
            assert isinstance(argument, str)
            kind = kind_of(argument)
            return operator, step, node((kind_mark(kind),), second, memory), argument[:-1] if kind else argument
        if operator == POP:  # what follows lies on the stack
            return operator, step, self, (view[0], memory)
        if operator in (CONCAT_M, CONCAT_S):
            assert isinstance(argument, tuple)
            joining = self._joining(operator, argument)
            if joining is None:
                return STUCK, step, self, None
            if operator == CONCAT_M:
                return operator, step, node(remaining(view, argument), second, 1), joining
            return operator, step, node((kind_mark(kind_of(argument)),), second, 0), joining
        return operator, step, self, None  # FINAL

    def _joining(self, operator: int, parts: CodedParts) -> Joining | None:
        """What a CONCAT does; None if its parts are not there or no phrases."""
        own, view = self._graph.rules.own, without_kinds(self.view)
        if kind_of(parts):
            parts = parts[:-1]
        candidates = (*view, PHRASE_MARK) if self.memory else view
        pieces: list[int | str] = []
        for part in parts:
            if part >= LITERAL:
                pieces.append(chr(part - LITERAL))
            elif part >= len(candidates):
                return None
            elif candidates[part] == PHRASE_MARK:
                pieces.append(candidates[:part].count(PHRASE_MARK))
            elif candidates[part] in own:
                pieces.append(own[candidates[part]])
            else:
                return None
        stay = [place for place, item in enumerate(view) if item == PHRASE_MARK and place not in parts]
        wasteful = is_wasteful(operator, view, bool(self.memory), parts)
        return _joiner(pieces), [view[:place].count(PHRASE_MARK) for place in stay], wasteful


def _joiner(pieces: Sequence[int | str]) -> Callable[[list[str]], str]:
    """A function that joins the phrases at places and tokens."""
    places = [piece for piece in pieces if isinstance(piece, int)]
    if len(places) == len(pieces):
        pick = itemgetter(*places)
        return pick if len(places) == 1 else lambda phrases: "".join(pick(phrases))
    return lambda phrases: "".join([phrases[piece] if isinstance(piece, int) else piece for piece in pieces])
