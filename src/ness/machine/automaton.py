"""Decisions compiled for speed: what a status leads to is worked out once, then it is one look-up per step.

An `AutomatonNode` is a status without its next word. Its decision for a word, together with the node that follows, is
an `Edge`. Words in frames need not be kept: where the phrases stand is known when an edge is made.
"""

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any

from ness.machine.frames import remaining
from ness.machine.instructions import (
    ConcatM,
    ConcatS,
    Instruction,
    Part,
    Parts,
    Phrase,
    Reduce,
    kind_of,
    positions,
    without_kind,
)
from ness.machine.legality import why_illegal_in, word_positions
from ness.machine.opcodes import CODES, CONCAT_M, CONCAT_S, POP, PUSH, REDUCE, SHIFT
from ness.machine.state import PHRASE, Next, Seen, Status, View, count_phrases, made_phrase, phrase_mark
from ness.machine.state import view as as_view

# (code, argument, support): what to do in a status, and how many training traces stand behind it.
Entry = tuple[int, Any, int]
StatusTable = Mapping[Status, Entry]

# Code, argument, support and the node that follows. The argument of CONCAT: a function that takes the phrases, the
# memory last, and picks the parts; whether there are several; for CONCAT_M, the phrases that stay.
Edge = tuple[int, Any, int, "AutomatonNode"]
Pick = Callable[[list[Any]], Any]


def entry(status: Status, instruction: Instruction, support: int = 0) -> Entry | None:
    """Compile a decision for the table; None if the instruction is illegal in this status."""
    if why_illegal_in(status, instruction) is not None:
        return None
    argument: Phrase | Parts | None = None
    if isinstance(instruction, Reduce):
        argument = made_phrase(instruction.phrase, instruction.kind)
    elif isinstance(instruction, ConcatM | ConcatS):
        argument = instruction.parts
    if isinstance(instruction, ConcatS) and instruction.own:
        argument = spelled_out(status.top + status.memory, instruction)
    return CODES[instruction.operator], argument, support


def spelled_out(candidates: View, instruction: ConcatS) -> Parts:
    """The parts of a CONCAT_S with the own phrases of words as tokens: what a status with these words leads to."""
    own = dict(zip(word_positions(candidates, instruction.parts), instruction.own, strict=True))
    spelled: list[Part] = []
    for part in instruction.parts:
        spelled += own.get(part, (part,)) if isinstance(part, int) else (part,)
    return tuple(spelled)


class Decisions(dict[Status, Entry]):
    """A table that keeps its compiled form; entries may be added but never changed."""

    def __init__(self, entries: StatusTable | None = None) -> None:
        super().__init__(entries or {})
        self.automaton = Automaton(self, remember=True)


class Automaton:
    """The nodes of a table."""

    def __init__(self, table: StatusTable, remember: bool) -> None:
        self.table = table
        self.remember = remember  # False: ask the table at every step
        self._nodes: dict[tuple[View, View | None, View], AutomatonNode] = {}
        self.start = self.node((), None, ())

    def node(self, view: View, second: View | None, memory: View) -> "AutomatonNode":
        """The node of a status without its next word; equal ones are the same."""
        key = (view, second, memory)
        found = self._nodes.get(key)
        if found is None:
            found = self._nodes[key] = AutomatonNode(self, view, second, memory)
        return found


class AutomatonNode(dict[Next, Edge]):
    """Edges by next word, made when they are first needed; None where the table lacks the status."""

    __slots__ = ("_automaton", "_popped", "memory", "second", "view")

    def __init__(self, automaton: Automaton, view: View, second: View | None, memory: View) -> None:
        super().__init__()
        self.view = view
        self.second = second
        self.memory = memory
        self._automaton = automaton
        self._popped: dict[tuple[Seen, int], AutomatonNode] = {}

    def __missing__(self, word: Next) -> Edge | None:
        found = self._automaton.table.get(Status(word, self.view, self.second, self.memory))
        if found is None:
            return None
        edge = self._edge(word, *found)
        if self._automaton.remember:
            self[word] = edge
        return edge

    def popped(self, popped: tuple[Seen, int]) -> "AutomatonNode":
        """The node after POP onto the frame that this node shows, by the mark of the phrase, and the memory by then."""
        found = self._popped.get(popped)
        if found is None:
            mark, memory = popped
            found = self._popped[popped] = self._automaton.node((*self.view, mark), self.second, (PHRASE,) * memory)
        return found

    def _edge(self, word: Next, code: int, argument: Any, support: int) -> Edge:
        node, view, second, memory = self._automaton.node, self.view, self.second, self.memory
        if code == SHIFT:
            assert isinstance(word, str)
            return code, None, support, node((*view, word), second, memory)
        if code == PUSH:
            return code, None, support, node((), view, memory)
        if code == REDUCE:
            return code, tuple(argument), support, node(as_view((argument,)), second, memory)
        if code == POP:  # what follows lies on the stack
            return code, (view[0], len(memory)), support, self
        if code == CONCAT_M:
            stay = [index for index, item in enumerate(view) if not isinstance(item, str) and index not in argument]
            picked = (self._pick(argument), len(argument) > 1, self._places(stay))
            return code, picked, support, node(remaining(view, argument), second, (PHRASE,))
        if code == CONCAT_S:
            mark = phrase_mark(kind_of(argument))
            return code, (self._pick(argument), len(without_kind(argument)) > 1), support, node((mark,), second, ())
        return code, None, support, self  # FINAL

    def _pick(self, parts: Parts) -> Pick:
        """A function that takes the phrases, the memory last, and returns the parts."""
        selected, parts = positions(parts), without_kind(parts)
        places = self._places(selected)
        if len(selected) == len(parts):
            return itemgetter(*places)
        rest = iter(places)
        ropes: list[int | tuple[str]] = [next(rest) if isinstance(part, int) else (part,) for part in parts]
        return lambda phrases: [phrases[rope] if isinstance(rope, int) else rope for rope in ropes]

    def _places(self, indices: Iterable[int]) -> list[int]:
        """Where items stand if words are not counted."""
        candidates = self.view + self.memory
        return [count_phrases(candidates[:index]) for index in indices]
