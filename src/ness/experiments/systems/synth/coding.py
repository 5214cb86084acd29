"""Episodes as tensors. Symbols are renamed at random each time an episode is used: all names are equally likely."""

import random
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain, repeat
from multiprocessing import get_context

import torch
from torch import Tensor

from ness.experiments.systems.synth.episodes import Episode, Kind, draw_episode
from ness.experiments.systems.synth.grammar import ARROW, BREAK, VARIABLES, InterpretationGrammar, Tokens, read_grammar
from ness.experiments.systems.synth.network import END, PAD, SupportExamples

_FIXED = (ARROW, BREAK, *VARIABLES)
_FIRST = END + 1  # the number of the arrow
_CHUNK = 500  # episodes that one process draws at a time
Pair = tuple[Tokens, Tokens]


class EpisodeCoder:
    """Numbers the words and output symbols of a kind of grammar, and the tokens that grammars are written in."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.words = {f"w{number}": number + 1 for number in range(kind.words)}
        self.symbols = {f"o{number}": number + 1 for number in range(kind.outputs)}
        names = (*_FIXED, *self.words, *self.symbols)
        self.tokens = {name: number for number, name in enumerate(names, start=_FIRST)}
        self._names = dict(zip(self.tokens.values(), self.tokens, strict=True))

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Return how many numbers words, output symbols and tokens of grammars have."""
        return len(self.words) + 1, len(self.symbols) + 1, len(self.tokens) + _FIRST

    def examples(self, pairs: Sequence[Sequence[Pair]]) -> SupportExamples:
        """Put the examples of several grammars into tensors."""
        most = max(map(len, pairs))
        sources = [[[self.words[word] for word in source] for source, _ in one] for one in pairs]
        targets = [[[self.symbols[symbol] for symbol in target] for _, target in one] for one in pairs]
        return SupportExamples(_pad(sources, most), _pad(targets, most))

    def grammars(self, grammars: Sequence[InterpretationGrammar]) -> Tensor:
        """Put the tokens of grammars into a tensor, each with an end."""
        rows = [[*(self.tokens[token] for token in grammar.tokens()), END] for grammar in grammars]
        longest = max(map(len, rows))
        return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])

    def read(self, numbers: Sequence[int]) -> InterpretationGrammar | None:
        """Read a grammar; None where the numbers are none."""
        if any(number not in self._names for number in numbers):
            return None
        return read_grammar([self._names[number] for number in numbers])


def _pad(rows: list[list[list[int]]], most: int) -> Tensor:
    longest = max(len(row) for one in rows for row in one)
    empty = [PAD] * longest
    padded = [[row + [PAD] * (longest - len(row)) for row in one] + [empty] * (most - len(one)) for one in rows]
    return torch.tensor(padded)


class Pool:
    """Episodes in memory, on a device."""

    def __init__(self, episodes: Sequence[Episode], coder: EpisodeCoder, device: str) -> None:
        self._coder, self._device = coder, device
        examples = coder.examples([episode.pairs for episode in episodes])
        self._sources = examples.sources.to(torch.uint8).to(device)
        self._targets = examples.targets.to(torch.uint8).to(device)
        self._grammars = coder.grammars([episode.grammar for episode in episodes]).to(torch.uint8).to(device)

    def draw(self, size: int) -> tuple[SupportExamples, Tensor]:
        """Draw episodes with replacement and rename their words and output symbols."""
        chosen = torch.randint(len(self._sources), (size,), device=self._device)
        words, symbols = (
            torch.rand(size, count, device=self._device).argsort(dim=1)
            for count in (self._coder.kind.words, self._coder.kind.outputs)
        )
        nothing = words.new_zeros(size, 1)
        first = _FIRST + len(_FIXED)
        fixed = torch.arange(first, device=self._device).expand(size, -1)
        names = torch.cat([fixed, words + first, symbols + first + words.shape[1]], dim=1)
        return (
            SupportExamples(
                _rename(self._sources[chosen], torch.cat([nothing, words + 1], dim=1)),
                _rename(self._targets[chosen], torch.cat([nothing, symbols + 1], dim=1)),
            ),
            _rename(self._grammars[chosen], names),
        )


def _rename(numbers: Tensor, names: Tensor) -> Tensor:
    """Replace numbers by a table of each row's own, [batch, numbers]."""
    return names.gather(1, numbers.flatten(1).long()).view(numbers.shape)


def draw_episodes(kind: Kind, count: int, seed: int, workers: int) -> list[Episode]:
    """Draw episodes in several processes; what comes out does not depend on how many there are."""
    chunks = range(-(-count // _CHUNK))
    if workers == 1:
        drawn = map(_draw_chunk, repeat(kind), repeat(seed), chunks)
        return list(chain.from_iterable(drawn))[:count]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as processes:
        return list(chain.from_iterable(processes.map(_draw_chunk, repeat(kind), repeat(seed), chunks)))[:count]


def _draw_chunk(kind: Kind, seed: int, chunk: int) -> list[Episode]:
    rng = random.Random(f"synth {seed} {chunk}")
    return [draw_episode(kind, rng) for _ in range(_CHUNK)]
