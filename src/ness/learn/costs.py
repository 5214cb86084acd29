"""What a step costs: its code length under the rules so far.

Following a known rule is nearly free, a new rule costs what it takes to write it down, contradicting a rule
costs much. Together: the description length of one deterministic program. An operator is coded by backing off
from the status to the status by categories, then forgetting the words of the second frame, the second frame, the
next word, and at last the words of the top frame: a new construct is cheap if it is handled as others of its shape.
"""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from ness.config import CostConfig
from ness.learn.coded_rules import Ban, CodedRules
from ness.learn.coding import LITERAL, CodedParts, CodedStatus, CodedView, outline, shape
from ness.learn.cues import Cues
from ness.machine.opcodes import CODES, CONCAT_M, CONCAT_S, POP, PUSH, REDUCE, SHIFT

_NOTHING: Mapping[int, int] = {}


class Policy(Protocol):
    """What steers a search: costs (lower is better) of operators and of their arguments, many at once."""

    def operator_costs(self, status: CodedStatus, operators: Sequence[int]) -> list[float]: ...

    def reduce_costs(self, frame: CodedView, phrases: Sequence[str]) -> list[float]: ...

    def concat_costs(
        self, operator: int, top: CodedView, memory: int, arguments: Sequence[CodedParts]
    ) -> list[float]: ...


class RuleCosts(CodedRules):
    """Rule counts of a set of traces, and the cost of a step under them (a `Policy`)."""

    def __init__(
        self,
        config: CostConfig,
        cues: Cues,
        seed: int = 0,
        noise: float = 0.0,
        lexical: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        super().__init__()
        self.lexical = lexical  # words with a token of their own; none where the machine is the paper's
        self.config = config
        self.cues = cues
        self.seed = seed
        self.noise = noise  # on the cost of new rules, so that hypotheses differ
        self.bans: frozenset[Ban] = frozenset()
        self._factors: dict[tuple[CodedView, int], list[float]] = {}

    def operator_costs(self, status: CodedStatus, operators: Sequence[int]) -> list[float]:
        config = self.config
        by_category = self.category_status(status)
        exact = self.by_status.get(status, _NOTHING)
        category = self.by_category.get(by_category, _NOTHING)
        general = self._extrapolated(status, by_category, new=not category)
        n_exact, n_category = sum(exact.values()), sum(category.values())
        most = max(exact.values()) if exact else 0
        a, b = config.status_weight, config.category_weight
        pinned = not self.pins.empty
        costs = []
        for operator in operators:
            p = (category.get(operator, 0) + b * general[operator]) / (n_category + b)
            known = exact.get(operator, 0)
            cost = config.step - math.log((known + a * p) / (n_exact + a))
            if n_exact and known < most:
                cost += config.operator_conflict
            if self.bans and (status, operator) in self.bans:
                cost += config.operator_conflict
            if pinned and self.pins.rule_out_operator(status, operator):
                cost = math.inf
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
        even = d / len(CODES)
        coarse = [w * (alike.get(o, 0) + even) / (n_alike + d) for o, w in enumerate(self._frame_prior(status))]
        scale = c / (sum(coarse) * (n_local + c))
        if self.noise:
            coarse = [p * factor for p, factor in zip(coarse, self._noise_factors(top, memory), strict=True)]
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
        against = [0.0] * len(CODES)
        if memory:  # the memory is for building one phrase, not for keeping it while reading on
            against[SHIFT] = against[PUSH] = against[POP] = config.memory_held
        else:  # nothing is complete while one of its words waits for its pair
            against[REDUCE] = against[CONCAT_S] = against[CONCAT_M] = cues.cost_of_closing(top)
        if top and top[-1] < 0:  # phrases side by side: no word between them tells what to do
            against[PUSH] += config.juxtaposed
        if len(top) == 1 and not memory and top[0] in self.lexical:
            against[SHIFT] += config.content
            against[PUSH] += config.content
        if REDUCE in self.by_frame.get((self.categorise(top), 1 - memory), _NOTHING):
            against[REDUCE] += config.two_roles  # words are content or label, rarely both
        return [math.exp(-nats) if nats else 1.0 for nats in against]

    def _next_word_prior(self, status: CodedStatus, weights: list[float]) -> list[float]:
        """Weigh down SHIFT of a word into a frame where it does not belong."""
        next_word, top, _, _ = status
        misplaced = self.cues.cost_of_reading(next_word, top)
        word = (self._classes.get(next_word, next_word),)
        if top and (next_word in self.lexical or REDUCE in self.by_frame.get((word, 0), _NOTHING)):
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
        pinned = not self.pins.empty
        costs = []
        for phrase in phrases:
            count = known.get(phrase, 0)
            new = words + config.reduce_token * len(phrase) + self._noise(*frame, *map(ord, phrase))
            if len(frame) == 1 and self.lexical.get(frame[0]) == phrase:
                new = config.lexical
            cost = -math.log((count + weight * math.exp(-new)) / (total + weight))
            cost += config.reduce_conflict if total and count < most else 0.0
            costs.append(math.inf if pinned and self.pins.rule_out_reduce(frame, phrase) else cost)
        return costs

    def concat_costs(
        self,
        operator: int,
        top: CodedView,
        memory: int,
        arguments: Sequence[CodedParts],
        second: CodedView | None = None,
    ) -> list[float]:
        """Costs of arguments; the second frame counts where it is given and may tell which is right."""
        config = self.config
        by_category = self.categorise(top)
        exact = self.arguments_above((operator, top, memory), second)
        category = self.concat_by_category.get((operator, by_category, memory), {})
        alike = self.concat_by_shape.get((operator, shape(top), memory), {})
        n_exact, n_category, n_alike = sum(exact.values()), sum(category.values()), sum(alike.values())
        most = max(exact.values()) if exact else 0
        weight = config.argument_weight
        pinned = not self.pins.empty
        costs = []
        for argument in arguments:
            positions = [part for part in argument if part < LITERAL]
            literals = len(argument) - len(positions)
            new = config.concat * (0.7 + 0.3 * len(positions)) + self._noise(operator, *by_category, memory, *argument)
            new += config.concat_wide * max(0, len(set(positions)) - 2)
            if literals:
                new += config.template + config.literal * literals
            elif operator == CONCAT_S and len(argument) == 1:
                new += config.concat_single
            p = (alike.get(argument, 0) + config.shape_weight * math.exp(-new)) / (n_alike + config.shape_weight)
            p = (category.get(argument, 0) + weight * p) / (n_category + weight)
            count = exact.get(argument, 0)
            cost = -math.log((count + weight * p) / (n_exact + weight))
            cost += config.concat_conflict if n_exact and count < most else 0.0
            costs.append(math.inf if pinned and self.pins.rule_out_concat((operator, top, memory), argument) else cost)
        return costs

    def _noise_factors(self, top: CodedView, memory: int) -> list[float]:
        """What the operators in a frame are multiplied by."""
        found = self._factors.get((top, memory))
        if found is None:
            found = [math.exp(-self._noise(*top, memory, operator)) for operator in range(len(CODES))]
            self._factors[top, memory] = found
        return found

    def _noise(self, *key: int) -> float:
        """A fixed draw from [0, noise) for this key; tuples of integers hash the same everywhere."""
        return self.noise * ((hash((self.seed, *key)) & 0xFFFF) / 0x10000) if self.noise else 0.0
