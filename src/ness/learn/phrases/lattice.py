"""All ways to cut the pairs of a block into phrases, and the cheapest of them.

A node is (source position, target position). A step reads one phrase and writes its translation; a swap reads
two and writes them in reverse. Steps and swaps are edges; all pairs of a block are searched at once, one source
position after the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ness.learn.phrases.edges import (
    Records,
    join_edges,
    join_records,
    price_pairs,
    records_of,
    steps_of_group,
    swaps_of_group,
)
from ness.learn.phrases.lexicon import Floats, Ints, NumberedCorpus, PhraseLexicon, ShapeGroup
from ness.learn.phrases.model import PUSH, REDUCE, SHIFT, PhraseConfig, PhraseModel, StatusKeys


@dataclass(frozen=True, slots=True)
class Noise:
    """Random changes of the edges' costs: the cheapest path becomes a draw among the good ones."""

    generator: np.random.Generator
    temperature: float


class Lattice:
    """The edges of one block, ready to be priced."""

    def __init__(
        self, groups: Sequence[ShapeGroup], corpus: NumberedCorpus, lexicon: PhraseLexicon, config: PhraseConfig
    ) -> None:
        records, steps, swaps = [], [], []
        self.size = sum(len(group.members) for group in groups)
        self._ends = np.zeros(self.size, dtype=np.int64)
        node = record = 0
        self._first_nodes = []
        for group in groups:
            priced = price_pairs(group, corpus, lexicon, config)
            records.append(records_of(group, corpus.limit))
            steps.append(steps_of_group(group, corpus.limit, priced, node, record))
            swaps.append(swaps_of_group(group, corpus.limit, priced, node, record, config))
            grid = (group.length + 1) * (group.target_length + 1)
            starts = node + np.arange(len(group.members)) * grid
            self._first_nodes.append(starts)
            self._ends[group.members] = starts + grid - 1
            node += len(group.members) * grid
            record += group.sources.size
        self.nodes = node
        self.records = join_records(records)
        self.steps, self.swaps = join_edges(steps, 1), join_edges(swaps, 2)
        self._sort()

    def _sort(self) -> None:
        """Order the edges by level and goal, so that one sweep over the levels finds all cheapest paths."""
        self._origin = np.concatenate([self.steps.origin, self.swaps.origin])
        goal = np.concatenate([self.steps.goal, self.swaps.goal])
        level = np.concatenate([self.steps.level, self.swaps.level])
        self._order = np.lexsort((goal, level))
        goal, level = goal[self._order], level[self._order]
        new = np.flatnonzero(np.diff(goal, prepend=-1))
        self._goals, self._first_edges = goal[new], new
        self._levels = np.searchsorted(level[new], np.arange(1, (level.max() if len(level) else 0) + 2))

    def status_columns(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Memory, source phrase, number of words and next word of all statuses that the edges pass."""
        records, swaps = self.records, self.swaps
        first, second = swaps.rules
        size = records.end - records.start
        return (
            np.concatenate([np.zeros_like(size), np.ones_like(size), np.ones_like(first.record)]),
            np.concatenate([records.source, records.source, records.source[first.record]]),
            np.concatenate([size, size, size[first.record]]),
            np.concatenate([records.following, records.following, records.following[second.record]]),
        )

    def set_statuses(self, numbers: Ints) -> None:
        """Take the numbers of the statuses, in the order of `status_columns`."""
        count = len(self.records.source)
        self._statuses = numbers[: 2 * count].reshape(2, count)  # with empty memory, with a phrase in it
        self._after_swap = numbers[2 * count :]

    def best(self, model: PhraseModel, noise: Noise | None = None) -> Ints:
        """Find the cheapest path of every pair, [edges, pairs]: from the end to the start, filled up with -1."""
        costs = np.concatenate(self._costs(model))[self._order]
        if noise is not None:
            costs -= noise.temperature * noise.generator.gumbel(size=len(costs))
        value = np.full(self.nodes, np.inf)
        value[np.concatenate(self._first_nodes)] = 0.0
        back = np.full(self.nodes, -1)
        bounds = [*self._first_edges.tolist(), len(costs)]
        for low, high in zip(self._levels[:-1].tolist(), self._levels[1:].tolist(), strict=True):
            if low == high:
                continue
            edges = slice(bounds[low], bounds[high])
            starts = self._first_edges[low:high] - bounds[low]
            reached = value[self._origin[self._order[edges]]] + costs[edges]
            cheapest = np.minimum.reduceat(reached, starts)
            owner = np.repeat(np.arange(high - low), np.diff(np.append(starts, len(reached))))
            winners = np.flatnonzero(reached == cheapest[owner])
            winners = winners[np.searchsorted(owner[winners], np.arange(high - low))]
            value[self._goals[low:high]] = cheapest
            back[self._goals[low:high]] = self._order[bounds[low] + winners]
        return self._walk_back(back)

    def _walk_back(self, back: Ints) -> Ints:
        node = self._ends
        found: list[Ints] = []
        while True:
            edge = back[node]
            going = edge >= 0
            if not going.any():
                return np.array(found, dtype=np.int64).reshape(-1, self.size)
            found.append(np.where(going, edge, -1))
            node = np.where(going, self._origin[edge], node)

    def _costs(self, model: PhraseModel) -> tuple[Floats, Floats]:
        """Price all steps and all swaps."""
        price = model.config.phrase_price
        decisions = [model.decision_costs(statuses) for statuses in self._statuses]
        reach = [_shift_costs(self.records, costs) for costs in decisions]
        (rule,) = self.steps.rules
        memory = (self.records.start > 0).astype(np.int64)
        read = np.choose(memory, [shift + costs[:, REDUCE] for shift, costs in zip(reach, decisions, strict=True)])
        steps = price + read[rule.record] + model.rule_costs(rule.pair, rule.source, rule.prior)
        first, second = self.swaps.rules
        memory = memory[first.record]
        opened = np.stack([shift + costs[:, PUSH] for shift, costs in zip(reach, decisions, strict=True)])
        inner = np.stack([shift + costs[:, REDUCE] for shift, costs in zip(reach, decisions, strict=True)])
        swaps = (
            2 * price
            + opened[memory, first.record]
            + inner[memory, second.record]
            + model.decision_costs(self._after_swap)[:, REDUCE]
            + model.rule_costs(first.pair, first.source, first.prior)
            + model.rule_costs(second.pair, second.source, second.prior)
        )
        return steps, swaps

    def count(self, model: PhraseModel, paths: Ints, weight: float) -> None:
        """Add the rules and decisions of paths to a model; weight -1 takes them back."""
        edges = paths[paths >= 0]
        taken = edges[edges < len(self.steps.origin)]
        (rule,) = self.steps.rules
        model.add_rules(rule.pair[taken], rule.source[taken], weight)
        record = rule.record[taken]
        memory = (self.records.start[record] > 0).astype(np.int64)
        self._count_reading(model, record, memory, REDUCE, weight)
        taken = edges[edges >= len(self.steps.origin)] - len(self.steps.origin)
        first, second = self.swaps.rules
        memory = (self.records.start[first.record[taken]] > 0).astype(np.int64)
        for rule, last in ((first, PUSH), (second, REDUCE)):
            model.add_rules(rule.pair[taken], rule.source[taken], weight)
            self._count_reading(model, rule.record[taken], memory, last, weight)
        model.add_decisions(self._after_swap[taken], REDUCE, weight)

    def _count_reading(self, model: PhraseModel, record: Ints, memory: Ints, last: int, weight: float) -> None:
        """Count the SHIFTs that read a phrase and the decision that ends it."""
        model.add_decisions(self._statuses[memory, record], last, weight)
        words = self.records.end[record] - self.records.start[record]
        for back in range(1, int(words.max(initial=0))):
            longer = words > back
            model.add_decisions(self._statuses[memory[longer], record[longer] - back], SHIFT, weight)

    def segments(self, paths: Ints) -> list[list[tuple[int, int, int, int, bool]]]:
        """Each pair's phrases in order: start and end, target start and end, whether swapped with the next."""
        result = []
        for path in paths.T.tolist():
            phrases = []
            for edge in reversed([edge for edge in path if edge >= 0]):
                place = edge - len(self.steps.origin)
                rules, place = (self.steps.rules, edge) if place < 0 else (self.swaps.rules, place)
                for number, rule in enumerate(rules):
                    record, (low, high) = rule.record[place], divmod(int(rule.target[place]), 2**16)
                    bounds = int(self.records.start[record]), int(self.records.end[record])
                    phrases.append((*bounds, low, high, number + 1 < len(rules)))
            result.append(phrases)
        return result


def _shift_costs(records: Records, decisions: Floats) -> Floats:
    """The cost of the SHIFTs that read each source phrase, its first word apart."""
    summed = np.concatenate([[0.0], np.cumsum(decisions[:, SHIFT])])
    place = np.arange(len(records.start))
    costs: Floats = summed[place] - summed[place - (records.end - records.start - 1)]
    return costs


def number_statuses(lattices: Sequence[Lattice], source_count: int) -> StatusKeys:
    """Number the statuses of all blocks together and hand each block its own."""
    columns = [lattice.status_columns() for lattice in lattices]
    memory, source, size, following = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    keys, numbers = StatusKeys.of(memory, source, size, following, source_count)
    place = 0
    for lattice, (own, *_) in zip(lattices, columns, strict=True):
        lattice.set_statuses(numbers[place : place + len(own)])
        place += len(own)
    return keys
