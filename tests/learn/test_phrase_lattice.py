"""The sweep over the lattice finds what an exhaustive search finds."""

import math
from collections import defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ness.learn.phrases.lattice import Lattice, number_statuses
from ness.learn.phrases.lexicon import Pair, PhraseLexicon, number_corpus
from ness.learn.phrases.model import PhraseConfig, PhraseModel

tokens = st.lists(st.sampled_from("ab"), min_size=1, max_size=5).map(tuple)
corpora = st.lists(st.tuples(tokens, tokens), min_size=1, max_size=6, unique=True)


def build(pairs: list[Pair], config: PhraseConfig) -> tuple[Lattice, PhraseModel]:
    corpus = number_corpus([pairs], config.max_reduce_length)
    lexicon = PhraseLexicon.count(corpus)
    lattice = Lattice(corpus.blocks[0], corpus, lexicon, config)
    statuses = number_statuses([lattice], corpus.source_count)
    return lattice, PhraseModel(statuses, len(lexicon.keys), corpus.source_count, config)


def cheapest(lattice: Lattice, model: PhraseModel) -> list[float]:
    """The cost of each pair's best path, by following every path back to where no edge ends."""
    steps, swaps = lattice._costs(model)
    incoming: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for edges, costs in ((lattice.steps, steps), (lattice.swaps, swaps)):
        for origin, goal, cost in zip(edges.origin.tolist(), edges.goal.tolist(), costs.tolist(), strict=True):
            incoming[goal].append((origin, cost))
    starts = set(np.concatenate(lattice._first_nodes).tolist())

    def best(node: int) -> float:
        if node in starts:
            return 0.0
        return min((best(origin) + cost for origin, cost in incoming[node]), default=math.inf)

    return [best(int(end)) for end in lattice._ends]


def path_costs(lattice: Lattice, model: PhraseModel) -> list[float]:
    costs = np.append(np.concatenate(lattice._costs(model)), 0.0)  # -1 fills up shorter paths
    return [float(cost) for cost in costs[lattice.best(model)].sum(axis=0)]


@settings(max_examples=40, deadline=None)
@given(pairs=corpora, limit=st.integers(1, 3))
def test_the_cheapest_path_is_found(pairs: list[Pair], limit: int) -> None:
    lattice, model = build(pairs, PhraseConfig(max_reduce_length=limit))
    assert np.allclose(path_costs(lattice, model), cheapest(lattice, model))
    lattice.count(model, lattice.best(model), 1)
    assert np.allclose(path_costs(lattice, model), cheapest(lattice, model))


@settings(max_examples=40, deadline=None)
@given(pairs=corpora)
def test_what_is_counted_can_be_taken_back(pairs: list[Pair]) -> None:
    lattice, model = build(pairs, PhraseConfig())
    paths = lattice.best(model)
    lattice.count(model, paths, 1)
    assert model.rules.sum() == model.by_status[:, 1].sum() >= len(pairs)
    assert model.by_status[:, :2].sum() == sum(len(source) for source, _ in pairs)
    lattice.count(model, paths, -1)
    for counts in (model.rules, model.sources, model.by_status, model.by_frame, model.by_size):
        assert not counts.any()


@given(pairs=corpora)
def test_the_lexicon_counts_pairs_of_phrases_once_a_pair(pairs: list[Pair]) -> None:
    corpus = number_corpus([pairs[:2], pairs[2:]], 2)
    lexicon = PhraseLexicon.count(corpus)

    def pieces(sequence: tuple[str, ...]) -> set[tuple[str, ...]]:
        return {sequence[i:k] for i in range(len(sequence)) for k in range(i + 1, min(i + 2, len(sequence)) + 1)}

    expected: dict[tuple[tuple[str, ...], tuple[str, ...]], int] = defaultdict(int)
    for source, target in pairs:
        together = {(p, q) for p in pieces(source) for q in pieces(target)} | {(source, target)}
        for phrases in together:
            expected[phrases] += 1
    assert sorted(lexicon.together.tolist()) == sorted(expected.values())
