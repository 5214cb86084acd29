"""The machine again, for long inputs: a linked stack, phrases as ropes, decisions from a table.

Time is linear in input plus output. `Execution.advance` stops at a status that the table lacks, so that
the missing decisions of many inputs can be asked together. It trusts the table: an instruction that the
status does not allow must never be entered (`entry` checks that once per status, not once per step).
With a `Decisions` table every step is one look-up; any other table is asked at each step.
"""

from typing import Any

from ness.errors import StepLimitReached
from ness.machine.automaton import Automaton, AutomatonNode, Decisions, StatusTable
from ness.machine.instructions import Phrase, Word
from ness.machine.opcodes import CONCAT_M, FINAL, POP, PUSH, REDUCE, SHIFT
from ness.machine.state import EOS, Next, Status
from ness.machine.step import MAX_OUTPUT, no_end, step_limit

_UNBOUNDED = 1 << 62  # more traces than there can be
_SURELY_SHORT = 100_000  # tokens; a longer output is measured before it is joined on

# A rope is a phrase (a tuple of tokens) or a list of ropes; flattened once, at FINAL.
Rope = Phrase | list[Any]
# Linked frames: the phrases of a frame, the node that shows it, the frames below.
Below = tuple[list[Any], AutomatonNode, Any] | None


class Execution:
    """One run of the machine that can stop for a missing decision and go on."""

    __slots__ = (
        "_automaton",
        "_below",
        "_frame",
        "_memory",
        "_node",
        "_position",
        "output",
        "source",
        "steps",
        "support",
    )

    def __init__(self, source: tuple[Word, ...]) -> None:
        self.source = source
        self.steps = 0
        self.support: int | None = None  # the least support among the decisions so far
        self.output: Phrase | None = None  # set at FINAL
        self._position = 0
        self._frame: list[Any] = []  # the phrases of the top frame
        self._memory: Rope | None = None
        self._below: Below = None
        self._node: AutomatonNode | None = None
        self._automaton: Automaton | None = None

    def advance(self, table: StatusTable, max_output: int = MAX_OUTPUT) -> Status | None:
        """Run until FINAL (None; see `output`) or until a status that `table` lacks (returned)."""
        node = self._use(table)
        words: tuple[Next, ...] = (*self.source, EOS)
        position = self._position
        word = words[position]
        frame, memory, below = self._frame, self._memory, self._below
        support = _UNBOUNDED if self.support is None else self.support
        limit = step_limit(len(self.source))
        for steps in range(self.steps, limit):
            edge = node[word]
            if edge is None:
                break
            code, argument, known, following = edge
            if known < support:
                support = known
            if code == SHIFT:
                position += 1
                word = words[position]
                node = following
            elif code == REDUCE:
                frame = [argument]
                node = following
            elif code == PUSH:
                below = (frame, node, below)
                frame = []
                node = following
            elif code == POP:
                assert below is not None
                lower, pushed, below = below
                lower.append(frame[0])
                frame = lower
                node = pushed.popped(argument)
            elif code == FINAL:
                self.steps, self.support = steps + 1, support  # first: the error of an endless output tells the step
                self.output = flatten(frame[0], max_output)
                return None
            else:
                if memory is not None:
                    frame.append(memory)
                # A single part stays itself: with two parts or more in every rope, flattening is linear.
                rope = argument[0](frame)
                if argument[1]:
                    rope = list(rope)
                if code == CONCAT_M:
                    frame = [frame[place] for place in argument[2]]
                    memory = rope
                else:
                    frame = [rope]
                    memory = None
                node = following
        else:
            steps = limit
        self._position, self._frame, self._memory, self._below, self._node = position, frame, memory, below, node
        self.steps, self.support = steps, None if support is _UNBOUNDED else support
        status = Status(word, node.view, node.second, node.memory)
        if steps == limit:
            raise StepLimitReached(no_end(limit, len(self.source), status))
        return status

    def _use(self, table: StatusTable) -> AutomatonNode:
        """Make the nodes those of this table; return the node to go on from."""
        old = self._automaton
        if isinstance(table, Decisions):
            automaton = table.automaton
        else:
            automaton = old if old is not None and old.table is table else Automaton(table, remember=False)
        if self._node is None:
            self._node = automaton.start
        elif automaton is not old:
            self._move(automaton)
        self._automaton = automaton
        return self._node

    def _move(self, automaton: Automaton) -> None:
        """Exchange all nodes for those of another table."""
        assert self._node is not None
        nodes = [self._node]
        frames = []
        below = self._below
        while below is not None:
            frame, node, below = below
            frames.append(frame)
            nodes.append(node)
        same = [automaton.node(node.view, node.second, node.memory) for node in nodes]
        for frame, node in zip(reversed(frames), reversed(same[1:]), strict=True):
            below = (frame, node, below)
        self._node, self._below = same[0], below


def flatten(rope: Rope, max_output: int = MAX_OUTPUT) -> Phrase:
    """Join a rope's tokens, left to right, without recursion."""
    tokens: list[str] = []
    pending: list[Rope] = [rope]
    unchecked = min(max_output, _SURELY_SHORT)
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending.extend(reversed(part))
        else:
            tokens.extend(part)
            if len(tokens) > unchecked:
                if rope_length(rope) > max_output:
                    raise StepLimitReached(
                        f"the output would be longer than {max_output:,} tokens; give a shorter input"
                    )
                unchecked = max_output
    return tuple(tokens)


def rope_length(rope: Rope) -> int:
    """Count a rope's tokens without joining them: shared parts are counted once, then multiplied."""
    lengths: dict[int, int] = {}
    pending: list[tuple[Rope, bool]] = [(rope, False)]
    while pending:
        part, parts_known = pending.pop()
        if id(part) in lengths:
            continue
        if not isinstance(part, list):
            lengths[id(part)] = len(part)
        elif parts_known:
            lengths[id(part)] = sum(lengths[id(each)] for each in part)
        else:
            pending.append((part, True))
            pending.extend((each, False) for each in part)
    return lengths[id(rope)]
