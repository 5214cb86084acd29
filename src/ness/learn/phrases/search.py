"""Traces for parallel corpora: cut each pair into phrases, so that the whole corpus shares few rules.

A general accelerator of the trace search, for data where one source may have several targets. The start prices
every rule by a soft lexicon alone; then the pairs are searched again, block by block, against the table of all
other blocks' traces. What does not decompose keeps its degenerate trace.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ness.learn.phrases.lattice import Lattice, Noise, number_statuses
from ness.learn.phrases.lexicon import Ints, NumberedCorpus, Pair, PhraseLexicon, number_corpus
from ness.learn.phrases.model import PhraseConfig, PhraseModel
from ness.machine import ConcatM, ConcatS, Final, Instruction, Phrase, Pop, Program, Push, Reduce, Shift, Word


class Segment(NamedTuple):
    """Some source words and their translation."""

    words: tuple[Word, ...]
    phrase: Phrase
    swapped: bool = False  # its translation comes after that of the next segment


class PhrasePass(NamedTuple):
    """How far the search is: for progress reports."""

    turn: int  # 0: the start with static costs
    changed: int  # pairs whose trace is another one than before
    rules: int  # distinct REDUCE rules in use


def phrase_traces(
    pairs: Iterable[tuple[Sequence[Word], Sequence[str]]], config: PhraseConfig | None = None, seed: int = 0
) -> dict[Pair, Program]:
    """Find a program for every distinct pair of a source and a target; each replays to its target."""
    pairs = list(pairs)
    if not pairs:
        return {}
    search = PhraseSearch(pairs, config or PhraseConfig(), seed)
    for _ in search.passes():
        pass
    return search.programs()


class PhraseSearch:
    """The search, pass by pass."""

    def __init__(
        self, pairs: Iterable[tuple[Sequence[Word], Sequence[str]]], config: PhraseConfig, seed: int = 0
    ) -> None:
        distinct = sorted({(tuple(source), tuple(target)) for source, target in pairs})
        random.Random(seed).shuffle(distinct)
        step = max(1, min(config.block_size, len(distinct) // config.least_blocks))
        self.config = config
        self.blocks = [distinct[place : place + step] for place in range(0, len(distinct), step)]
        corpus = number_corpus(self.blocks, config.max_reduce_length)
        lexicon = PhraseLexicon.count(corpus)
        self._lattices = [Lattice(groups, corpus, lexicon, config) for groups in corpus.blocks]
        self._model = self._new_model(corpus, lexicon)
        self._paths: list[Ints] = []
        self._generator = np.random.default_rng(seed)

    def _new_model(self, corpus: NumberedCorpus, lexicon: PhraseLexicon) -> PhraseModel:
        statuses = number_statuses(self._lattices, corpus.source_count)
        return PhraseModel(statuses, len(lexicon.keys), corpus.source_count, self.config)

    def passes(self) -> Iterator[PhrasePass]:
        """Search every pair again and again; end when few traces change."""
        self._paths = [lattice.best(self._model) for lattice in self._lattices]
        for lattice, paths in zip(self._lattices, self._paths, strict=True):
            lattice.count(self._model, paths, 1)
        total = sum(map(len, self.blocks))
        yield self._report(0, total)
        for turn in range(1, self.config.passes + 1):
            noise = self._noise(turn)
            changed = sum(self._search_again(place, noise) for place in range(len(self.blocks)))
            yield self._report(turn, changed)
            if noise is None and changed <= self.config.settled_share * total:
                break

    def _noise(self, turn: int) -> Noise | None:
        """Cool down over the first passes."""
        warm = self.config.warm_passes
        if turn > warm:
            return None
        return Noise(self._generator, self.config.temperature * (1 - (turn - 1) / warm))

    def _search_again(self, place: int, noise: Noise | None) -> int:
        """Search one block against the table of all others; return how many traces are new."""
        lattice, old = self._lattices[place], self._paths[place]
        lattice.count(self._model, old, -1)
        new = lattice.best(self._model, noise)
        lattice.count(self._model, new, 1)
        self._paths[place] = new
        return _differences(old, new)

    def _report(self, turn: int, changed: int) -> PhrasePass:
        return PhrasePass(turn, changed, int(np.count_nonzero(self._model.rules > 0.5)))

    def programs(self) -> dict[Pair, Program]:
        """The program of each distinct pair, in the order of the pairs."""
        return dict(sorted((pair, compile_program(segments)) for pair, segments in self.segmentations()))

    def segmentations(self) -> Iterator[tuple[Pair, list[Segment]]]:
        """How each pair is cut into phrases."""
        for block, lattice, paths in zip(self.blocks, self._lattices, self._paths, strict=True):
            for (source, target), bounds in zip(block, lattice.segments(paths), strict=True):
                yield (source, target), [Segment(source[i:k], target[j:e], swap) for i, k, j, e, swap in bounds]


def compile_program(segments: Sequence[Segment]) -> Program:
    """Write segments as a program: what is translated so far waits in the memory.

    A swap opens a frame while its own words are still words: the decision to swap sees them.
    """
    program: list[Instruction] = []
    pending: Segment | None = None
    for place, segment in enumerate(segments):
        started = any(isinstance(instruction, ConcatM) for instruction in program)
        program.extend(Shift() for _ in segment.words)
        if segment.swapped:
            pending = segment
            program.append(Push())
            continue
        program.append(Reduce(segment.phrase))
        if pending is not None:
            aside = len(pending.words)
            program += [Pop(), ConcatM((aside + 1, aside) if started else (aside,)), Reduce(pending.phrase)]
            pending, started = None, True
        if place == len(segments) - 1:
            program += [ConcatS((1, 0))] if started else []
        else:
            program.append(ConcatM((1, 0) if started else (0,)))
    return (*program, Final())


def _differences(old: Ints, new: Ints) -> int:
    """Count the columns in which two tables of paths differ."""
    rows = max(len(old), len(new))
    padded = [np.pad(paths, ((0, rows - len(paths)), (0, 0)), constant_values=-1) for paths in (old, new)]
    return int(np.count_nonzero((padded[0] != padded[1]).any(axis=0)))
