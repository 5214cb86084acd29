"""Token sequences as padded tensors of numbers."""

import random
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from ness.data.vocabulary import Vocabulary

PAD, BEGIN, END, UNKNOWN = range(4)
SPECIALS = 4
_POOL = 16  # batches that are sorted by length together, so that little is padded


class Coder:
    """Numbers the tokens of one side; those that training never showed share a number."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.size = SPECIALS + len(vocabulary)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """Return the numbers of the tokens and of the end."""
        known = self.vocabulary
        return [SPECIALS + known.number(token) if token in known else UNKNOWN for token in tokens] + [END]

    def decode(self, numbers: Sequence[int]) -> tuple[str, ...]:
        """Return the tokens before the first end."""
        stop = numbers.index(END) if END in numbers else len(numbers)
        return self.vocabulary.decode(number - SPECIALS for number in numbers[:stop])


def pad(rows: Sequence[Sequence[int]]) -> Tensor:
    """Stack rows of numbers, [batch, longest]."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows])


def shifted(target: Tensor) -> Tensor:
    """Return what the decoder has seen before each token of the target, [batch, length]."""
    begin = torch.full_like(target[:, :1], BEGIN)
    return torch.cat([begin, target[:, :-1]], dim=1)


def random_batches(lengths: Sequence[int], size: int, rng: random.Random) -> Iterator[list[int]]:
    """Draw batches of example numbers without end, epoch by epoch, examples of similar length together."""
    order = list(range(len(lengths)))
    while True:
        rng.shuffle(order)
        batches = []
        for start in range(0, len(order), size * _POOL):
            pool = sorted(order[start : start + size * _POOL], key=lambda number: lengths[number])
            batches += [pool[at : at + size] for at in range(0, len(pool), size)]
        rng.shuffle(batches)
        yield from batches


def bounded_batches(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Cut all example numbers into batches of at most that many tokens with padding, long examples alone."""
    batch: list[int] = []
    longest = 0
    for number in sorted(range(len(lengths)), key=lambda number: lengths[number]):
        longest = max(longest, lengths[number])
        if batch and longest * (len(batch) + 1) > tokens:
            yield batch
            batch, longest = [], lengths[number]
        batch.append(number)
    if batch:
        yield batch
