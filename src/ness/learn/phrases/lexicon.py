"""The soft lexicon: how often a source phrase and a target phrase occur in the same pair.

Phrases are numbered, so that the rest of the phrase search works on arrays. A block is a part of the
corpus whose pairs are searched together; counts are always by distinct pair.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Tokens = tuple[str, ...]
Pair = tuple[Tokens, Tokens]  # a source and its target


@lru_cache(maxsize=4096)
def spans(length: int, limit: int) -> Ints:
    """All (start, end) up to `limit` tokens and, however long, all that begin at 0; each after its own prefixes."""
    ends = [(i, k) for i in range(length) for k in range(i + 1, (length if i == 0 else min(length, i + limit)) + 1)]
    return np.array(ends, dtype=np.int64).reshape(-1, 2)


class Numbering:
    """Numbers for token sequences, in the order of their first appearance."""

    def __init__(self) -> None:
        self._numbers: dict[Tokens, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def rows(self, sequences: Sequence[Tokens], pieces: Ints) -> Ints:
        """Number the pieces of sequences of one length, shape [sequences, pieces]."""
        numbers = self._numbers
        bounds = [(int(start), int(end)) for start, end in pieces]
        found = [numbers.setdefault(s[i:k], len(numbers)) for s in sequences for i, k in bounds]
        return np.array(found, dtype=np.int64).reshape(len(sequences), len(bounds))


@dataclass(frozen=True, slots=True)
class ShapeGroup:
    """Pairs with equally long sources and equally long targets, and the numbers of all their phrases."""

    members: Ints  # [pairs] places in the block
    length: int
    target_length: int
    sources: Ints  # [pairs, source spans]
    targets: Ints  # [pairs, target spans]
    words: Ints  # [pairs, length + 1] numbers of the one-word phrases; -1 ends the input


@dataclass(frozen=True, slots=True)
class NumberedCorpus:
    """The corpus as numbers: blocks of shape groups."""

    blocks: tuple[tuple[ShapeGroup, ...], ...]
    source_count: int
    target_count: int
    limit: int


def number_corpus(blocks: Iterable[Sequence[Pair]], limit: int) -> NumberedCorpus:
    """Number every phrase of the blocks' pairs."""
    sources, targets = Numbering(), Numbering()
    numbered = tuple(_groups(block, limit, sources, targets) for block in blocks)
    return NumberedCorpus(numbered, len(sources), len(targets), limit)


def _groups(block: Sequence[Pair], limit: int, sources: Numbering, targets: Numbering) -> tuple[ShapeGroup, ...]:
    shapes: dict[tuple[int, int], list[int]] = defaultdict(list)
    for place, (source, target) in enumerate(block):
        shapes[len(source), len(target)].append(place)
    groups = []
    for (length, target_length), places in sorted(shapes.items()):
        pieces = spans(length, limit)
        source_rows = sources.rows([block[place][0] for place in places], pieces)
        target_rows = targets.rows([block[place][1] for place in places], spans(target_length, limit))
        single = source_rows[:, pieces[:, 1] - pieces[:, 0] == 1]
        words = np.concatenate([single, np.full((len(places), 1), -1)], axis=1)
        groups.append(ShapeGroup(np.array(places), length, target_length, source_rows, target_rows, words))
    return tuple(groups)


@dataclass(frozen=True, slots=True)
class PhraseLexicon:
    """Pairs of phrases by number, and in how many training pairs they occur, alone and together."""

    keys: Ints  # sorted; source number * target_count + target number
    together: Floats
    source_totals: Floats
    target_totals: Floats

    @classmethod
    def count(cls, corpus: NumberedCorpus) -> "PhraseLexicon":
        """Count over all blocks, each phrase pair once a training pair."""
        source_totals, target_totals = np.zeros(corpus.source_count), np.zeros(corpus.target_count)
        keys = []
        for group in (group for block in corpus.blocks for group in block):
            source_totals += _count_rows(group.sources, corpus.source_count)
            target_totals += _count_rows(group.targets, corpus.target_count)
            keys.append(_distinct_values(phrase_pairs(group, corpus).reshape(len(group.members), -1)))
        found, together = np.unique(np.concatenate(keys), return_counts=True)
        return cls(found, together.astype(np.float64), source_totals, target_totals)

    def find(self, keys: Ints) -> Ints:
        """The places of phrase pairs that the corpus holds."""
        return np.searchsorted(self.keys, keys)


def phrase_pairs(group: ShapeGroup, corpus: NumberedCorpus) -> Ints:
    """Keys of all phrase pairs within the length limit, and of the whole pair: [pairs, source spans * target spans].

    A pair that is out of bounds repeats the key of the first, so that counting by distinct key leaves it out.
    """
    source_spans, target_spans = spans(group.length, corpus.limit), spans(group.target_length, corpus.limit)
    short = _is_short(source_spans, corpus.limit)[:, None] & _is_short(target_spans, corpus.limit)[None, :]
    whole = (source_spans[:, 1] - source_spans[:, 0] == group.length)[:, None] & (
        target_spans[:, 1] - target_spans[:, 0] == group.target_length
    )[None, :]
    keys = group.sources[:, :, None] * corpus.target_count + group.targets[:, None, :]
    return np.where(short | whole, keys, keys[:, :1, :1])


def _is_short(pieces: Ints, limit: int) -> NDArray[np.bool_]:
    return pieces[:, 1] - pieces[:, 0] <= limit


def _distinct_values(rows: Ints) -> Ints:
    """The distinct values of each row, one row after the other."""
    ordered = np.sort(rows, axis=1)
    first = np.ones(ordered.shape, dtype=bool)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    return ordered[first]


def _count_rows(rows: Ints, size: int) -> Ints:
    return np.bincount(_distinct_values(rows), minlength=size)
