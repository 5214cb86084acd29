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


class RaggedRows:
    """Rows of different lengths in one flat tensor; any of them are padded in one step, without a loop."""

    def __init__(self, rows: Sequence[Sequence[int]], device: str) -> None:
        self.lengths = [len(row) for row in rows]
        self._flat = torch.tensor([number for row in rows for number in row], device=device)
        self._lengths = torch.tensor(self.lengths, device=device)
        self._starts = self._lengths.cumsum(0) - self._lengths
        self.device = device

    def take(self, numbers: Sequence[int]) -> Tensor:
        """Return rows by their numbers, [batch, longest]."""
        longest = max(self.lengths[number] for number in numbers)
        return self.rows(torch.tensor(numbers, device=self.device), longest)

    def rows(self, chosen: Tensor, longest: int) -> Tensor:
        """Return rows by a tensor of their numbers, padded to a length, [batch, longest]."""
        places = torch.arange(longest, device=self.device)
        inside = places < self._lengths[chosen].unsqueeze(1)
        found = self._flat[(self._starts[chosen].unsqueeze(1) + places).clamp(max=len(self._flat) - 1)]
        return found.masked_fill(~inside, PAD)


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


def drawn_batches(count: int, size: int, rng: random.Random) -> Iterator[list[int]]:
    """Draw batches of example numbers without end, each number by itself, with replacement."""
    numbers = range(count)
    while True:
        yield rng.choices(numbers, k=size)


def bounded_batches(lengths: Sequence[int], tokens: int, numbers: Sequence[int] | None = None) -> Iterator[list[int]]:
    """Cut example numbers (all, if none are given) into batches of at most that many tokens with padding.

    Long examples come alone.
    """
    batch: list[int] = []
    longest = 0
    for number in sorted(range(len(lengths)) if numbers is None else numbers, key=lambda number: lengths[number]):
        longest = max(longest, lengths[number])
        if batch and longest * (len(batch) + 1) > tokens:
            yield batch
            batch, longest = [], lengths[number]
        batch.append(number)
    if batch:
        yield batch
