"""What a step costs: its code length under the rules so far.

Following a known rule is nearly free, a new rule costs what it takes to write it down, contradicting a rule
costs much. Together: the description length of one deterministic program. An operator is coded by backing off
from the status to the status by categories, then forgetting the words of the second frame, the second frame, the
next word, and at last the words of the top frame: a new construct is cheap if it is handled as others of its shape.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from ness.config import CostConfig
from ness.learn.coding import (
    CONCAT_M,
    CONCAT_S,
    FINAL,
    POP,
    PUSH,
    REDUCE,
    SHIFT,
    Argument,
    CodedStatus,
    CodedTrace,
    CodedView,
    P,
    legal,
    outline,
    shape,
)
from ness.learn.cues import Cues

K = TypeVar("K")
A = TypeVar("A")
Rows = dict[K, dict[A, int]]
Indices = tuple[int, ...]
Ban = tuple[CodedStatus, int]  # a decision (status, operator) that a hypothesis does without

_NOTHING: Mapping[int, int] = {}


class Policy(Protocol):
    """What steers a search: costs (lower is better) of operators and of their arguments, many at once."""

    def operator_costs(self, status: CodedStatus, operators: Sequence[int]) -> list[float]: ...

    def reduce_costs(self, frame: CodedView, phrases: Sequence[str]) -> list[float]: ...

    def concat_costs(self, operator: int, top: CodedView, memory: int, arguments: Sequence[Indices]) -> list[float]: ...


class RuleCosts:
    """Rule counts of a set of traces, and the cost of a step under them."""

    def __init__(self, config: CostConfig, cues: Cues, seed: int = 0, noise: float = 0.0) -> None:
        self.config = config
        self.cues = cues
        self.seed = seed
        self.noise = noise  # on the cost of new rules, so that hypotheses differ
        self._classes: dict[int, int] = {}
        self._category_views: dict[CodedView, CodedView] = {}
        self.bans: frozenset[Ban] = frozenset()
        self.clear()

    def clear(self) -> None:
        self.by_status: Rows[CodedStatus, int] = {}
        self.by_category: Rows[CodedStatus, int] = {}
        self.by_outline: Rows[CodedStatus, int] = {}
        self.by_next: Rows[tuple[int, CodedView, int], int] = {}
        self.by_frame: Rows[tuple[CodedView, int], int] = {}
        self.by_shape: Rows[tuple[CodedView, int], int] = {}
        self.reduce: Rows[CodedView, str] = {}
        self.concat: Rows[tuple[int, CodedView, int], Indices] = {}
        self.concat_by_category: Rows[tuple[int, CodedView, int], Indices] = {}
        self.concat_by_shape: Rows[tuple[int, CodedView, int], Indices] = {}

    # ---------------------------------------------------------------- counting

    @property
    def classes(self) -> dict[int, int]:
        """Word -> representative of its category."""
        return self._classes

    @classes.setter
    def classes(self, classes: dict[int, int]) -> None:
        self._classes = classes
        self._category_views = {}

    def categorise(self, view: CodedView) -> CodedView:
        found = self._category_views.get(view)
        if found is None:
            of = self._classes.get
            found = self._category_views[view] = tuple([of(item, item) for item in view])
        return found

    def category_status(self, status: CodedStatus) -> CodedStatus:
        next_word, top, second, memory = status
        return self._classes.get(next_word, next_word), self.categorise(top), self.categorise(second), memory

    def add(self, trace: CodedTrace, times: int = 1) -> None:
        """Count the steps of a trace (`times` -1 takes them back)."""
        for status, operator, argument in trace:
            self._add(status, operator, argument, times)

    def rebuild(self, traces: Iterable[CodedTrace]) -> None:
        """Count anew, as after a change of categories."""
        self.clear()
        steps: Counter[tuple[CodedStatus, int, Argument]] = Counter()
        for trace in traces:
            steps.update(trace)
        for (status, operator, argument), times in steps.items():
            self._add(status, operator, argument, times)

    def _add(self, status: CodedStatus, operator: int, argument: Argument, times: int) -> None:
        by_category = self.category_status(status)
        next_word, top, _, memory = by_category
        _bump(self.by_status, status, operator, times)
        change = _bump(self.by_category, by_category, operator, times)
        if change:  # below categories, what differs is counted, not how often it is used
            change = _bump(self.by_outline, outline(by_category), operator, change)
            if change:
                _bump(self.by_next, (next_word, top, memory), operator, change)
        change = _bump(self.by_frame, (top, memory), operator, times)
        if change:  # shapes count frames, not uses: one frequent construct must not speak for all
            _bump(self.by_shape, (shape(top), memory), operator, change)
        if operator == REDUCE:
            assert isinstance(argument, str)
            _bump(self.reduce, status[1], argument, times)
        elif operator in (CONCAT_M, CONCAT_S):
            assert isinstance(argument, tuple)
            _bump(self.concat, (operator, status[1], memory), argument, times)
            change = _bump(self.concat_by_category, (operator, top, memory), argument, times)
            if change:
                _bump(self.concat_by_shape, (operator, shape(top), memory), argument, change)

    # ---------------------------------------------------------------- costs (the Policy protocol)

    def operator_costs(self, status: CodedStatus, operators: Sequence[int]) -> list[float]:
        config = self.config
        by_category = self.category_status(status)
        exact = self.by_status.get(status, _NOTHING)
        category = self.by_category.get(by_category, _NOTHING)
        general = self._extrapolated(status, by_category, new=not category)
        n_exact, n_category = sum(exact.values()), sum(category.values())
        most = max(exact.values()) if exact else 0
        a, b = config.status_weight, config.category_weight
        costs = []
        for operator in operators:
            p = (category.get(operator, 0) + b * general[operator]) / (n_category + b)
            known = exact.get(operator, 0)
            cost = config.step - math.log((known + a * p) / (n_exact + a))
            if n_exact and known < most:
                cost += config.operator_conflict
            if (status, operator) in self.bans:
                cost += config.operator_conflict
            costs.append(cost)
        return costs

    def _extrapolated(self, status: CodedStatus, by_category: CodedStatus, new: bool) -> list[float]:
        """Shares of the operators, by what is left of a status as more and more of it is forgotten."""
        config = self.config
        next_word, top, _, memory = by_category
        local = self.by_frame.get((top, memory), _NOTHING)
        alike = self.by_shape.get((shape(top), memory), _NOTHING)
        n_local, n_alike = sum(local.values()), sum(alike.values())
        c, d = config.frame_weight, config.shape_weight
        coarse = [w * (alike.get(o, 0) + d / 7) / (n_alike + d) for o, w in enumerate(self._frame_prior(status))]
        scale = c / (sum(coarse) * (n_local + c))
        if self.noise:
            coarse = [p * math.exp(-self._noise(*top, memory, o)) for o, p in enumerate(coarse)]
        shares = [local.get(o, 0) / (n_local + c) + scale * p for o, p in enumerate(coarse)]
        if new:  # the next word has its say
            shares = self._next_word_prior(status, shares)
        for counts, weight in (
            (self.by_next.get((next_word, top, memory)), config.next_weight),
            (self.by_outline.get(outline(by_category)), config.outline_weight),
        ):
            if counts:
                total = sum(counts.values()) + weight
                shares = [(counts.get(o, 0) + weight * p) / total for o, p in enumerate(shares)]
        return shares

    def _frame_prior(self, status: CodedStatus) -> list[float]:
        """Weights of operators in a new frame: what rarely belongs to a clear program weighs less."""
        config, cues = self.config, self.cues
        _, top, _, memory = status
        against = [0.0] * 7
        if memory:  # the memory is for building one phrase, not for keeping it while reading on
            against[SHIFT] = against[PUSH] = against[POP] = config.memory_held
        else:  # nothing is complete while one of its words waits for its pair
            against[REDUCE] = against[CONCAT_S] = against[CONCAT_M] = cues.unfinished(top)
        if top and top[-1] == P:  # phrases side by side: no word between them tells what to do
            against[PUSH] += config.juxtaposed
        if REDUCE in self.by_frame.get((self.categorise(top), 1 - memory), _NOTHING):
            against[REDUCE] += config.two_roles  # words are content or label, rarely both
        return [math.exp(-nats) if nats else 1.0 for nats in against]

    def _next_word_prior(self, status: CodedStatus, weights: list[float]) -> list[float]:
        """Weigh down SHIFT of a word into a frame where it does not belong."""
        next_word, top, _, _ = status
        misplaced = self.cues.misplaced(next_word, top)
        word = (self._classes.get(next_word, next_word),)
        if top and REDUCE in self.by_frame.get((word, 0), _NOTHING):
            misplaced += self.config.content  # a word that is a phrase by itself gets a frame of its own
        if not misplaced:
            return weights
        weights = list(weights)
        weights[SHIFT] *= math.exp(-misplaced)
        total = sum(weights)
        return [weight / total for weight in weights]

    def reduce_costs(self, frame: CodedView, phrases: Sequence[str]) -> list[float]:
        config = self.config
        known = self.reduce.get(frame, {})
        total = sum(known.values())
        most = max(known.values()) if known else 0
        weight = config.argument_weight
        words = config.reduce_word * len(frame) + (0.0 if frame else config.reduce_empty)
        costs = []
        for phrase in phrases:
            count = known.get(phrase, 0)
            new = words + config.reduce_token * len(phrase) + self._noise(*frame, *map(ord, phrase))
            cost = -math.log((count + weight * math.exp(-new)) / (total + weight))
            costs.append(cost + (config.reduce_conflict if total and count < most else 0.0))
        return costs

    def concat_costs(self, operator: int, top: CodedView, memory: int, arguments: Sequence[Indices]) -> list[float]:
        config = self.config
        by_category = self.categorise(top)
        exact = self.concat.get((operator, top, memory), {})
        category = self.concat_by_category.get((operator, by_category, memory), {})
        alike = self.concat_by_shape.get((operator, shape(top), memory), {})
        n_exact, n_category, n_alike = sum(exact.values()), sum(category.values()), sum(alike.values())
        most = max(exact.values()) if exact else 0
        weight = config.argument_weight
        costs = []
        for argument in arguments:
            new = config.concat * (0.7 + 0.3 * len(argument)) + self._noise(operator, *by_category, memory, *argument)
            new += config.concat_wide * max(0, len(set(argument)) - 2)
            if operator == CONCAT_S and len(argument) == 1:
                new += config.concat_single
            p = (alike.get(argument, 0) + config.shape_weight * math.exp(-new)) / (n_alike + config.shape_weight)
            p = (category.get(argument, 0) + weight * p) / (n_category + weight)
            count = exact.get(argument, 0)
            cost = -math.log((count + weight * p) / (n_exact + weight))
            costs.append(cost + (config.concat_conflict if n_exact and count < most else 0.0))
        return costs

    def _noise(self, *key: int) -> float:
        """A fixed draw from [0, noise) for this key; tuples of integers hash the same everywhere."""
        return self.noise * ((hash((self.seed, *key)) & 0xFFFF) / 0x10000) if self.noise else 0.0

    # ---------------------------------------------------------------- deciding

    def decide(self, status: CodedStatus) -> tuple[int, Argument] | None:
        """The most used legal instruction: by status, by categories, else by less and less of the status."""
        _, top, _, memory = status
        by_category = self.category_status(status)
        for counts in (
            self.by_status.get(status),
            self.by_category.get(by_category),
            self.by_outline.get(outline(by_category)),
            self.by_next.get((by_category[0], by_category[1], memory)),
            self.by_frame.get((by_category[1], memory)),
        ):
            if not counts:
                continue
            operators = legal(status)
            for operator in sorted(counts, key=lambda o: (-counts[o], o)):
                if operator not in operators:
                    continue
                if operator == REDUCE:
                    argument: Argument = most_used(self.reduce.get(top))
                elif operator in (CONCAT_M, CONCAT_S):
                    argument = most_used(self.concat.get((operator, top, memory))) or most_used(
                        self.concat_by_category.get((operator, by_category[1], memory))
                    )
                else:
                    return operator, None
                if argument is not None:
                    return operator, argument
        return None

    def settled(self, trace: CodedTrace) -> bool:
        """Tell whether other traces alone already dictate every step: without this one, nothing changes."""
        for status, operator, argument in trace:
            row = self.by_status[status]
            if len(row) > 1 or row[operator] < 2:
                return False
            if operator == REDUCE:
                reductions = self.reduce[status[1]]
                if len(reductions) > 1 or reductions[argument] < 2:  # type: ignore[index]
                    return False
            elif operator in (CONCAT_M, CONCAT_S):
                arguments = self.concat[operator, status[1], status[3]]
                if len(arguments) > 1 or arguments[argument] < 2:  # type: ignore[index]
                    return False
        return True

    def conflicts(self) -> list[frozenset[Ban]]:
        """Decisions that others contradict in the same status by category; candidates for a ban."""
        return [group for key, group in self._decisions(self.category_status) if len(self.by_category[key]) > 1]

    def odd(self) -> list[frozenset[Ban]]:
        """Decisions that differ from others with the same next word, top frame and memory, and a second frame alike."""
        return [group for key, group in self._decisions(self.category_status) if len(self.by_outline[outline(key)]) > 1]

    def frame_decisions(self) -> list[frozenset[Ban]]:
        """All decisions, those of the same top frame by category and memory together; candidates for a ban."""

        def frame(status: CodedStatus) -> tuple[CodedView, int]:
            return self.categorise(status[1]), status[3]

        return [group for _, group in self._decisions(frame)]

    def _decisions(self, key_of: Callable[[CodedStatus], K]) -> list[tuple[K, frozenset[Ban]]]:
        groups: dict[tuple[K, int], list[Ban]] = {}
        for status, counts in self.by_status.items():
            for operator in counts:
                if operator != FINAL:
                    groups.setdefault((key_of(status), operator), []).append((status, operator))
        return [(key, frozenset(groups[key, operator])) for key, operator in sorted(groups)]


def most_used(counts: Mapping[A, int] | None) -> A | None:
    """The key with the highest count; the smallest of several."""
    if not counts:
        return None
    best = max(counts.values())
    return min(key for key, count in counts.items() if count == best)  # type: ignore[type-var]


def _bump(rows: Rows[K, A], key: K, entry: A, times: int) -> int:
    """Add to a count; empty entries go. Return 1 if the entry is new, -1 if it has gone, else 0."""
    row = rows.get(key)
    if row is None:
        row = rows[key] = {}
    before = row.get(entry, 0)
    after = before + times
    if after:
        row[entry] = after
        return 0 if before else 1
    row.pop(entry, None)
    if not row:
        del rows[key]
    return -1 if before else 0
