"""The edges of a block: steps, which translate one phrase, and swaps, which translate two in reverse."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np

from ness.learn.phrases.lexicon import Floats, Ints, NumberedCorpus, PhraseLexicon, ShapeGroup, phrase_pairs, spans
from ness.learn.phrases.model import PhraseConfig, prior_costs


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
class PairPrices:
    """All phrase pairs of a shape group: [pairs, source spans, target spans]."""

    place: Ints
    cost: Floats


def price_pairs(group: ShapeGroup, corpus: NumberedCorpus, lexicon: PhraseLexicon, config: PhraseConfig) -> PairPrices:
    place = lexicon.find(phrase_pairs(group, corpus))
    sizes = [np.diff(spans(n, corpus.limit), axis=1)[:, 0] - 1 for n in (group.length, group.target_length)]
    lengths = sizes[0][:, None] + sizes[1][None, :]
    totals = lexicon.source_totals[group.sources][:, :, None], lexicon.target_totals[group.targets][:, None, :]
    cost = prior_costs(lengths[None], lexicon.together[place], *totals, config)
    whole = (sizes[0] + 1 == group.length)[:, None] & (sizes[1] + 1 == group.target_length)[None, :]
    return PairPrices(place, np.where(whole, config.memorise_price * lengths, cost))


def records_of(group: ShapeGroup, limit: int) -> Records:
    pieces = spans(group.length, limit)
    start, end = (np.tile(column, len(group.members)) for column in pieces.T)
    return Records(group.sources.ravel(), start, end, group.words[:, pieces[:, 1]].ravel())


def _rules(
    group: ShapeGroup, limit: int, priced: PairPrices, record: int, row: Ints, source: Ints, target: Ints
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


def steps_of_group(group: ShapeGroup, limit: int, priced: PairPrices, node: int, record: int) -> Edges:
    source, target = _step_shape(group.length, group.target_length, limit)
    count = len(group.members)
    row = np.repeat(np.arange(count), len(source))
    source, target = np.tile(source, count), np.tile(target, count)
    rules = _rules(group, limit, priced, record, row, source, target)
    pieces, bounds = spans(group.length, limit)[source], spans(group.target_length, limit)[target]
    return _edges(group, node, row, pieces[:, 0], bounds[:, 0], pieces[:, 1], bounds[:, 1], (rules,))


def swaps_of_group(
    group: ShapeGroup, limit: int, priced: PairPrices, node: int, record: int, config: PhraseConfig
) -> Edges:
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


def join_records(parts: Sequence[Records]) -> Records:
    """Put the records of groups one behind the other."""
    return Records(**_join_columns(parts))


def join_edges(parts: Sequence[Edges], rules: int) -> Edges:
    """Put the edges of groups, each with so many rules, one behind the other."""
    joined = [PhraseRules(**_join_columns([part.rules[number] for part in parts])) for number in range(rules)]
    return Edges(rules=tuple(joined), **_join_columns(parts))


def _join_columns(parts: Sequence[PhraseRules | Edges | Records]) -> dict[str, Any]:
    names = [column.name for column in fields(parts[0]) if column.name != "rules"]
    return {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
