"""All ways to cut the pairs of a block into phrases, and the cheapest of them.

A node is (source position, target position). A step reads one phrase and writes its translation; a swap reads
two and writes them in reverse. Steps and swaps are edges; all pairs of a block are searched at once, one source
position after the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ness.learn.phrases.lexicon import Floats, Ints, NumberedCorpus, PhraseLexicon, ShapeGroup, phrase_pairs, spans
from ness.learn.phrases.model import PUSH, REDUCE, SHIFT, PhraseConfig, PhraseModel, StatusKeys, prior_costs


@dataclass(frozen=True, slots=True)
class PhraseRules:
    """REDUCE rules that edges use."""

    record: Ints  # the source phrase, as one occurrence in one pair
    target: Ints  # where its translation lies: start * 2**16 + end
    pair: Ints
    source: Ints
    prior: Floats


@dataclass(frozen=True, slots=True)
class Edges:
    """Edges between nodes, all of them steps or all of them swaps."""

    origin: Ints
    goal: Ints
    level: Ints  # source position of the goal
    rules: tuple[PhraseRules, ...]  # one for a step; two for a swap, in the order of the source


@dataclass(frozen=True, slots=True)
class Records:
    """Occurrences of source phrases, each after its own prefixes."""

    source: Ints
    start: Ints
    end: Ints
    following: Ints  # the word after it; -1 at the end of the input


@lru_cache(maxsize=4096)
def _step_shape(length: int, target_length: int, limit: int) -> tuple[Ints, Ints]:
    """Places of the (source span, target span) that one step can take."""
    source_spans, target_spans = spans(length, limit), spans(target_length, limit)
    found = [
        (a, b)
        for a, (i, k) in enumerate(source_spans.tolist())
        for b, (j, e) in enumerate(target_spans.tolist())
        if (i == 0) == (j == 0)
        and (k == length) == (e == target_length)
        and (max(k - i, e - j) <= limit or (k - i == length and e - j == target_length))
    ]
    places = np.array(found, dtype=np.int64).reshape(-1, 2)
    return places[:, 0], places[:, 1]


@lru_cache(maxsize=4096)
def _swap_shape(length: int, target_length: int, limit: int, words: int) -> Ints:
    """Places of the four spans of a swap, [swaps, 4]: first source, its target, second source, its target."""
    source_spans, target_spans = spans(length, limit).tolist(), spans(target_length, limit).tolist()
    source_pairs = _neighbours(source_spans, words)
    target_pairs = _neighbours(target_spans, words)
    found = [
        (first, after, second, before)
        for first, second in source_pairs
        for before, after in target_pairs
        if (source_spans[first][0] == 0) == (target_spans[before][0] == 0)
        and (source_spans[second][1] == length) == (target_spans[after][1] == target_length)
    ]
    return np.array(found, dtype=np.int64).reshape(-1, 4)


def _neighbours(pieces: list[list[int]], words: int) -> list[tuple[int, int]]:
    return [
        (a, b)
        for a, (i, k) in enumerate(pieces)
        if k - i <= words
        for b, (j, e) in enumerate(pieces)
        if j == k and e - j <= words
    ]


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
            priced = _price_pairs(group, corpus, lexicon, config)
            records.append(_records(group, corpus.limit))
            steps.append(_steps(group, corpus.limit, priced, node, record))
            swaps.append(_swaps(group, corpus.limit, priced, node, record, config))
            grid = (group.length + 1) * (group.target_length + 1)
            starts = node + np.arange(len(group.members)) * grid
            self._first_nodes.append(starts)
            self._ends[group.members] = starts + grid - 1
            node += len(group.members) * grid
            record += group.sources.size
        self.nodes = node
        self.records = Records(*(np.concatenate(parts) for parts in zip(*map(_fields, records), strict=True)))
        self.steps, self.swaps = _join(steps, 1), _join(swaps, 2)
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


@dataclass(frozen=True, slots=True)
class _PairPrices:
    """All phrase pairs of a shape group: [pairs, source spans, target spans]."""

    place: Ints
    cost: Floats


def _price_pairs(
    group: ShapeGroup, corpus: NumberedCorpus, lexicon: PhraseLexicon, config: PhraseConfig
) -> _PairPrices:
    place = lexicon.find(phrase_pairs(group, corpus))
    sizes = [np.diff(spans(n, corpus.limit), axis=1)[:, 0] - 1 for n in (group.length, group.target_length)]
    lengths = sizes[0][:, None] + sizes[1][None, :]
    totals = lexicon.source_totals[group.sources][:, :, None], lexicon.target_totals[group.targets][:, None, :]
    cost = prior_costs(lengths[None], lexicon.together[place], *totals, config)
    whole = (sizes[0] + 1 == group.length)[:, None] & (sizes[1] + 1 == group.target_length)[None, :]
    return _PairPrices(place, np.where(whole, config.memorise_price * lengths, cost))


def _records(group: ShapeGroup, limit: int) -> Records:
    pieces = spans(group.length, limit)
    start, end = (np.tile(column, len(group.members)) for column in pieces.T)
    return Records(group.sources.ravel(), start, end, group.words[:, pieces[:, 1]].ravel())


def _rules(
    group: ShapeGroup, limit: int, priced: _PairPrices, record: int, row: Ints, source: Ints, target: Ints
) -> PhraseRules:
    """The rules (source span, target span) of the pairs `row` of a group."""
    bounds = spans(group.target_length, limit)
    return PhraseRules(
        record=record + row * group.sources.shape[1] + source,
        target=bounds[target, 0] * 2**16 + bounds[target, 1],
        pair=priced.place[row, source, target],
        source=group.sources[row, source],
        prior=np.exp(-priced.cost[row, source, target]),
    )


def _steps(group: ShapeGroup, limit: int, priced: _PairPrices, node: int, record: int) -> Edges:
    source, target = _step_shape(group.length, group.target_length, limit)
    count = len(group.members)
    row = np.repeat(np.arange(count), len(source))
    source, target = np.tile(source, count), np.tile(target, count)
    rules = _rules(group, limit, priced, record, row, source, target)
    pieces, bounds = spans(group.length, limit)[source], spans(group.target_length, limit)[target]
    return _edges(group, node, row, pieces[:, 0], bounds[:, 0], pieces[:, 1], bounds[:, 1], (rules,))


def _swaps(group: ShapeGroup, limit: int, priced: _PairPrices, node: int, record: int, config: PhraseConfig) -> Edges:
    shape = _swap_shape(group.length, group.target_length, limit, config.swap_words)
    likely = priced.cost <= config.swap_limit
    row, place = np.nonzero(likely[:, shape[:, 0], shape[:, 1]] & likely[:, shape[:, 2], shape[:, 3]])
    first, after, second, before = shape[place].T
    rules = (
        _rules(group, limit, priced, record, row, first, after),
        _rules(group, limit, priced, record, row, second, before),
    )
    pieces, bounds = spans(group.length, limit), spans(group.target_length, limit)
    corners = pieces[first, 0], bounds[before, 0], pieces[second, 1], bounds[after, 1]
    return _edges(group, node, row, *corners, rules)


def _edges(
    group: ShapeGroup,
    node: int,
    row: Ints,
    start: Ints,
    low: Ints,
    end: Ints,
    high: Ints,
    rules: tuple[PhraseRules, ...],
) -> Edges:
    width = group.target_length + 1
    base = node + row * (group.length + 1) * width
    return Edges(base + start * width + low, base + end * width + high, end, rules)


def _shift_costs(records: Records, decisions: Floats) -> Floats:
    """The cost of the SHIFTs that read each source phrase, its first word apart."""
    summed = np.concatenate([[0.0], np.cumsum(decisions[:, SHIFT])])
    place = np.arange(len(records.start))
    costs: Floats = summed[place] - summed[place - (records.end - records.start - 1)]
    return costs


def _fields(records: Records) -> tuple[Ints, ...]:
    return records.source, records.start, records.end, records.following


def _join(parts: Sequence[Edges], rules: int) -> Edges:
    def joined(number: int) -> PhraseRules:
        own = [part.rules[number] for part in parts]
        return PhraseRules(
            record=np.concatenate([rule.record for rule in own]),
            target=np.concatenate([rule.target for rule in own]),
            pair=np.concatenate([rule.pair for rule in own]),
            source=np.concatenate([rule.source for rule in own]),
            prior=np.concatenate([rule.prior for rule in own]),
        )

    return Edges(
        origin=np.concatenate([part.origin for part in parts]),
        goal=np.concatenate([part.goal for part in parts]),
        level=np.concatenate([part.level for part in parts]),
        rules=tuple(joined(number) for number in range(rules)),
    )


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
