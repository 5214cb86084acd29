"""Best-first search for a trace of one example, guided by a `Policy` and pruned by the known output.

Pruned: phrases that are not substrings of the output, more tokens than it has, phrases that would never be
used, the sample by heart. The budget counts expanded nodes, so that a result does not depend on the load.
"""

import heapq
import math
import time
from typing import NamedTuple

from ness.config import SearchConfig
from ness.learn.coding import (
    END_MARK,
    NO_FRAME,
    PHRASE_MARK,
    Argument,
    CodedStatus,
    CodedTrace,
    CodedView,
    Sample,
    legal_opcodes,
    tokens_of,
)
from ness.learn.costs import Policy, RuleCosts
from ness.learn.evidence import Evidence
from ness.learn.lexicon import Lexicon
from ness.learn.proposals import CLOCK_EVERY, Frame, ReduceProposals, concat_choices, pinned_choices
from ness.learn.templates import Choice, cheapest_templates
from ness.machine.opcodes import CONCAT_M, CONCAT_S, FINAL, POP, PUSH, REDUCE, SHIFT

State = tuple[int, int, str]  # position, stack node, memory ("" = empty)
Successor = tuple[float, Argument, State]  # after the cost and the argument that lead there
DONE: State = (-1, -1, "")

_STEPS_PER_WORD = 8
_COUNT_BITS = 16  # one field of a packed token count
_LITERALS_PER_RULE = 4  # that the bound for novel tokens counts on


class SearchResult(NamedTuple):
    """The outcome of a search; `trace` is None where none was found within the budget."""

    trace: CodedTrace | None
    nodes: int


class _Stack:
    """Interned stacks: a node is a top frame on a node below; equal stacks are the same node."""

    def __init__(self, target: "_Target") -> None:
        self._target = target
        self._ids: dict[tuple[Frame, int], int] = {}
        self.top: list[Frame] = []
        self.below: list[int] = []
        self.view: list[CodedView] = []
        self.second: list[CodedView] = []
        self.tokens: list[int] = []  # packed counts of the tokens in all frames
        self.novel: list[int] = []  # bit set of the novel tokens in all frames

    def node(self, top: Frame, below: int) -> int:
        key = (top, below)
        found = self._ids.get(key)
        if found is None:
            found = self._ids[key] = len(self.top)
            self.top.append(top)
            self.below.append(below)
            self.view.append(tuple([PHRASE_MARK if type(item) is str else item for item in top]))  # type: ignore[misc]
            self.second.append(NO_FRAME if below < 0 else self.view[below])
            phrases = [item for item in top if type(item) is str]
            tokens = 0 if below < 0 else self.tokens[below]
            novel = 0 if below < 0 else self.novel[below]
            for phrase in phrases:
                tokens += self._target.packed(phrase)
                novel |= self._target.novel_bits(phrase)
            self.tokens.append(tokens)
            self.novel.append(novel)
        return found


class _Target:
    """The known output: substring tests, token counts packed into one integer, novel tokens as bits."""

    def __init__(self, target: str, known_tokens: set[str]) -> None:
        self.text = target
        alphabet = sorted(set(target))
        self._unit = {token: 1 << (_COUNT_BITS * index) for index, token in enumerate(alphabet)}
        self._packed: dict[str, int] = {"": 0}
        self._guard = sum(1 << (_COUNT_BITS * index + _COUNT_BITS - 1) for index in range(len(alphabet)))
        self._limit = self.packed(target) + self._guard
        novel = [token for token in alphabet if token not in known_tokens]
        self._novel_bit = {token: 1 << index for index, token in enumerate(novel)}
        self._novel_bits: dict[str, int] = {"": 0}
        self.all_novel = (1 << len(novel)) - 1

    def packed(self, phrase: str) -> int:
        found = self._packed.get(phrase)
        if found is None:
            found = self._packed[phrase] = sum([self._unit[token] for token in phrase])
        return found

    def novel_bits(self, phrase: str) -> int:
        found = self._novel_bits.get(phrase)
        if found is None:
            found = 0
            for token in phrase:
                found |= self._novel_bit.get(token, 0)
            self._novel_bits[phrase] = found
        return found

    def has_room(self, tokens: int) -> bool:
        """Tell whether no token occurs more often than in the output (no field borrows its guard bit)."""
        return (self._limit - tokens) & self._guard == self._guard


class _Steps:
    """The steps that can follow a state of one search, with their costs; what equal frames have in common is kept."""

    def __init__(
        self, policy: Policy, rules: RuleCosts, lexicon: Lexicon, sample: Sample, config: SearchConfig, deadline: float
    ) -> None:
        self._policy, self._rules, self._config = policy, rules, config
        self._source, text = sample
        known = {token for phrases in rules.reduce.values() for phrase in phrases for token in phrase}
        known.update(token for args in rules.concat.values() for parts in args for token in tokens_of(parts))
        known.update(token for word in self._source for token in rules.own.get(word, ()))
        self.target = _Target(text, known)
        self.stacks = _Stack(self.target)
        self._evidence = Evidence(rules, lexicon, sample)
        self._proposals = ReduceProposals(policy, rules, self._evidence, sample, config.max_reduce_length, deadline)
        self._operators: dict[CodedStatus, list[tuple[int, float]]] = {}
        self._reductions: dict[Frame, list[tuple[float, str]]] = {}
        self._concats: dict[tuple[int, Frame, str], list[Choice]] = {}

    def operators(self, status: CodedStatus) -> list[tuple[int, float]]:
        """The legal operators and their costs."""
        found = self._operators.get(status)
        if found is None:
            codes = legal_opcodes(status, bool(self._rules.own))
            found = list(zip(codes, self._policy.operator_costs(status, codes), strict=True))
            self._operators[status] = found
        return found

    def by(self, operator: int, state: State) -> list[Successor]:
        """Where an operator leads with each of its arguments."""
        position, node, memory = state
        stacks = self.stacks
        top, below = stacks.top[node], stacks.below[node]
        if operator == SHIFT:
            return [(0.0, None, (position + 1, stacks.node((*top, self._source[position]), below), memory))]
        if operator == PUSH:
            return [(0.0, None, (position, stacks.node((), node), memory))]
        if operator == POP:
            frame = stacks.top[below] + top
            return [(0.0, None, (position, stacks.node(frame, stacks.below[below]), memory))]
        if operator == REDUCE:
            return self._by_reduce(state, top, below)
        if operator == FINAL:
            return [(0.0, None, DONE)] if top[0] == self.target.text else []
        return self._by_concat(operator, state, top, below)

    def _by_reduce(self, state: State, top: Frame, below: int) -> list[Successor]:
        position, node, memory = state
        stacks, target = self.stacks, self.target
        options = self._reductions.get(top)
        if options is None:
            options = self._reductions[top] = self._proposals.of(stacks.view[node])
        tokens = target.packed(memory) + (stacks.tokens[below] if below >= 0 else 0)
        return [
            (cost, phrase, (position, stacks.node((phrase,), below), memory))
            for cost, phrase in options
            if target.has_room(tokens + target.packed(phrase))
        ]

    def _by_concat(self, operator: int, state: State, top: Frame, below: int) -> list[Successor]:
        position, node, memory = state
        stacks, target = self.stacks, self.target
        choices = self._concats.get((operator, top, memory))
        if choices is None:
            choices = self._concats[operator, top, memory] = self._choices(operator, top, stacks.view[node], memory)
        found: list[Successor] = []
        for cost, indices, phrase in choices:
            if operator == CONCAT_M:
                rest = tuple([item for index, item in enumerate(top) if index not in indices])
                successor = (position, stacks.node(rest, below), phrase)
            else:
                successor = (position, stacks.node((phrase,), below), "")
            if target.has_room(stacks.tokens[successor[1]] + target.packed(successor[2])):
                found.append((cost, indices, successor))
        return found

    def _choices(self, operator: int, top: Frame, view: CodedView, memory: str) -> list[Choice]:
        """CONCAT arguments in a frame: those that a person wants, else all that serve this example."""
        policy, rules, config, text = self._policy, self._rules, self._config, self.target.text
        if (operator, view, len(memory) > 0) in rules.pins.concat:
            return pinned_choices(policy, rules, operator, top, view, memory, text)
        choices = concat_choices(policy, operator, top, view, memory, text, config.max_indices)
        if operator == CONCAT_S and config.literals:
            items = (*top, memory) if memory else top
            choices += cheapest_templates(
                policy, rules, self._evidence, items, view, len(memory) > 0, config.literals, config.max_indices
            )
        return choices


def search(
    policy: Policy,
    rules: RuleCosts,
    lexicon: Lexicon,
    sample: Sample,
    config: SearchConfig,
    escalated: bool = False,
    deadline: float = math.inf,
) -> SearchResult:
    """Look for the cheapest trace that yields the sample's target."""
    if time.monotonic() > deadline:  # what is prepared below takes long for long samples
        return SearchResult(None, 0)
    source = sample[0]
    length = len(source)
    max_nodes = config.escalated_nodes if escalated else config.nodes
    pull = config.escalated_pull if escalated else config.pull
    steps = _Steps(policy, rules, lexicon, sample, config, deadline)
    stacks, target = steps.stacks, steps.target
    novel_cost = config.novelty * (rules.config.reduce_token + rules.config.reduce_word)
    tokens_per_rule = config.max_reduce_length + min(config.literals, _LITERALS_PER_RULE)
    all_novel = target.all_novel
    max_depth = _STEPS_PER_WORD * length + 6

    start: State = (0, stacks.node((), -1), "")
    best: dict[State, float] = {start: 0.0}
    parent: dict[State, tuple[State, CodedStatus, int, Argument]] = {}
    queue: list[tuple[float, int, float, int, State]] = [(pull * length, 0, 0.0, 0, start)]
    closed: set[State] = set()
    pushed = nodes = 0
    while queue and nodes < max_nodes:
        _, _, cost, depth, state = heapq.heappop(queue)
        if state in closed:
            continue
        closed.add(state)
        if state is DONE:
            return SearchResult(_trace(parent, state), nodes)
        nodes += 1
        if depth >= max_depth:
            continue
        if nodes % CLOCK_EVERY == 1 and time.monotonic() > deadline:
            break
        position, node, memory = state
        next_word = source[position] if position < length else END_MARK
        status = (next_word, stacks.view[node], stacks.second[node], 1 if memory else 0)
        for operator, operator_cost in steps.operators(status):
            for argument_cost, argument, successor in steps.by(operator, state):
                if successor in closed:
                    continue
                new_cost = cost + operator_cost + argument_cost
                if new_cost >= best.get(successor, math.inf):
                    continue
                best[successor] = new_cost
                parent[successor] = (state, status, operator, argument)
                estimate = new_cost
                if successor is not DONE:
                    estimate += pull * (length - successor[0])
                    if all_novel:  # a lower bound for the rules still to be written that make the novel tokens
                        made = stacks.novel[successor[1]] | target.novel_bits(successor[2])
                        estimate += novel_cost * math.ceil((all_novel & ~made).bit_count() / tokens_per_rule)
                pushed += 1
                heapq.heappush(queue, (estimate, pushed, new_cost, depth + 1, successor))
    return SearchResult(None, nodes)


def _trace(parent: dict[State, tuple[State, CodedStatus, int, Argument]], state: State) -> CodedTrace:
    steps = []
    while state in parent:
        state, status, operator, argument = parent[state]
        steps.append((status, operator, argument))
    return tuple(reversed(steps))
