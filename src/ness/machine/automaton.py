"""Decisions compiled for speed: what a status leads to is worked out once, then it is one look-up per step.

A `Node` is a status without its next word. Its decision for a word, together with the node that follows, is an
`Edge`. Words in frames need not be kept: where the phrases stand is known when an edge is made.
"""

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, Final

from ness.machine.instructions import ConcatM, ConcatS, Indices, Instruction, Operator, Phrase, Reduce, Word
from ness.machine.state import PHRASE, Status, View
from ness.machine.step import legal_operators

SHIFT, REDUCE, PUSH, POP, CONCAT_M, CONCAT_S, FINAL = range(7)
_CODES: Final = {operator: code for code, operator in enumerate(Operator)}

# (code, argument, support): what to do in a status, and how many training traces stand behind it.
Entry = tuple[int, Any, int]
Table = Mapping[Status, Entry]

# Code, argument, support and the node that follows. The argument of CONCAT: a function that takes the phrases, the
# memory last, and picks the parts; whether there are several; for CONCAT_M, the phrases that stay.
Edge = tuple[int, Any, int, "Node"]
Pick = Callable[[list[Any]], Any]


def entry(status: Status, instruction: Instruction, support: int = 0) -> Entry | None:
    """Compile a decision for the table; None if the instruction is illegal in this status."""
    operator = instruction.operator
    if operator not in legal_operators(status):
        return None
    argument: Phrase | tuple[int, ...] | None = None
    if isinstance(instruction, Reduce):
        argument = instruction.phrase
        if not argument:
            return None
    elif isinstance(instruction, ConcatM | ConcatS):
        argument = instruction.indices
        candidates = status.top + status.memory
        if not argument or any(not 0 <= i < len(candidates) or candidates[i] is not PHRASE for i in argument):
            return None
        if operator is Operator.CONCAT_M and not any(i < len(status.top) for i in argument):
            return None
    return _CODES[operator], argument, support


class Decisions(dict[Status, Entry]):
    """A table that keeps its compiled form; entries may be added but never changed."""

    def __init__(self, entries: Table | None = None) -> None:
        super().__init__(entries or {})
        self.automaton = Automaton(self, remember=True)


class Automaton:
    """The nodes of a table."""

    def __init__(self, table: Table, remember: bool) -> None:
        self.table = table
        self.remember = remember  # False: ask the table at every step
        self._nodes: dict[tuple[View, View | None, View], Node] = {}
        self.start = self.node((), None, ())

    def node(self, view: View, second: View | None, memory: View) -> "Node":
        """The node of a status without its next word; equal ones are the same."""
        key = (view, second, memory)
        found = self._nodes.get(key)
        if found is None:
            found = self._nodes[key] = Node(self, view, second, memory)
        return found


class Node(dict[Word | None, Edge]):
    """Edges by next word, made when they are first needed; None where the table lacks the status."""

    __slots__ = ("_automaton", "_popped", "memory", "second", "view")

    def __init__(self, automaton: Automaton, view: View, second: View | None, memory: View) -> None:
        super().__init__()
        self.view = view
        self.second = second
        self.memory = memory
        self._automaton = automaton
        self._popped: list[Node | None] = [None, None]

    def __missing__(self, word: Word | None) -> Edge | None:
        found = self._automaton.table.get(Status(word, self.view, self.second, self.memory))
        if found is None:
            return None
        edge = self._edge(word, *found)
        if self._automaton.remember:
            self[word] = edge
        return edge

    def popped(self, memory: int) -> "Node":
        """The node after POP onto the frame that this node shows; `memory` tells whether it is full by then."""
        found = self._popped[memory]
        if found is None:
            full = (PHRASE,) * memory
            found = self._popped[memory] = self._automaton.node((*self.view, PHRASE), self.second, full)
        return found

    def _edge(self, word: Word | None, code: int, argument: Any, support: int) -> Edge:
        node, view, second, memory = self._automaton.node, self.view, self.second, self.memory
        match code:
            case 0:  # SHIFT
                return code, None, support, node((*view, word), second, memory)
            case 2:  # PUSH
                return code, None, support, node((), view, memory)
            case 1:  # REDUCE
                return code, argument, support, node((PHRASE,), second, memory)
            case 3:  # POP: what follows lies on the stack
                return code, len(memory), support, self
            case 4:  # CONCAT_M
                kept = [index for index in range(len(view)) if index not in argument]
                stay = [index for index in kept if view[index] is PHRASE]
                picked = (self._pick(argument), len(argument) > 1, self._places(stay))
                return code, picked, support, node(tuple([view[index] for index in kept]), second, (PHRASE,))
            case 5:  # CONCAT_S
                return code, (self._pick(argument), len(argument) > 1), support, node((PHRASE,), second, ())
        return code, None, support, self  # FINAL

    def _pick(self, indices: Indices) -> Pick:
        return itemgetter(*self._places(indices))

    def _places(self, indices: Indices | list[int]) -> list[int]:
        """Where items stand if words are not counted."""
        candidates = self.view + self.memory
        return [sum(item is PHRASE for item in candidates[:index]) for index in indices]
