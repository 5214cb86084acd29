"""From traces to batches: once for local networks, batch by batch for those that look beyond the status."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

import torch

from ness.config import ControllerConfig, TrainingConfig
from ness.errors import DataError
from ness.machine import EOS, ConcatM, ConcatS, Instruction, Next, Phrase, Program, Reduce, Status, View, Word
from ness.network.batches import Batch, BatchLevel, LevelBuilder
from ness.network.rows import FIRST_WORD, Ids, StatusItems, part_ids
from ness.network.shadow import replay
from ness.network.trace_batches import compile_traces, word_pairs
from ness.network.vocabularies import END, Vocabularies, spoken, tokens_of
from ness.rules.table import Categories

Traces = Sequence[tuple[tuple[Word, ...], Program]]
_TEMPLATE_LOGITS = 8_000_000  # parts of CONCAT arguments times target tokens in a batch, about 1 GB
LARGE = 500  # source words: with fewer, each is seen often enough to be known by itself


class Examples(Protocol):
    """Batches for training, and all batches for a check. A batch depends on the seed, the step and the rows alone."""

    def batch(self, step: int) -> Batch: ...

    def all(self) -> Iterator[Batch]: ...


def source_labels(vocabularies: Vocabularies, categories: Categories, rare: Sequence[Word] = ()) -> dict[Next, int]:
    """Number the source categories: 0 for the end of input, then by first word.

    Rare words are one category; words of no class are their own.
    """
    classes: dict[Word, Next] = {word: categories.of(word) for word in vocabularies.source}
    classes |= dict.fromkeys(rare, rare[0]) if rare else {}
    numbers: dict[Next, int] = {}
    for word in vocabularies.source:
        numbers.setdefault(classes[word], len(numbers) + 1)
    return {EOS: END} | {word: numbers[classes[word]] for word in vocabularies.source}


def rare_words(vocabularies: Vocabularies, categories: Categories, traces: Traces, least: int) -> list[Word]:
    """List the words of fewer than `least` traces; none in a small vocabulary or where categories were learned."""
    if categories.classes or len(vocabularies.source) < LARGE:
        return []
    counts = Counter(word for source, _ in traces for word in set(source))
    return [word for word in vocabularies.source if counts[word] < least]


def count_decisions(traces: Iterable[tuple[tuple[Word, ...], Program]]) -> Counter[tuple[Status, Instruction]]:
    """Count the unique (status, instruction) pairs of all traces."""
    return Counter(pair for source, program in traces for pair in replay(source, program))


def uses_templates(traces: Traces) -> bool:
    """Tell whether a CONCAT of the traces has tokens of its own, so that its predictor must generate them."""
    return any(
        tokens_of(instruction)
        for _, program in traces
        for instruction in program
        if isinstance(instruction, ConcatM | ConcatS)
    )


def names_words(traces: Traces) -> bool:
    """Tell whether a CONCAT_S of the traces names words, so that its predictor must point at them."""
    return any(isinstance(each, ConcatS) and each.own for _, program in traces for each in program)


class LocalExamples:
    """Each predictor's distinct inputs, compiled once; batches are slices of a shuffled order, anew each epoch."""

    def __init__(
        self,
        vocabularies: Vocabularies,
        controller: ControllerConfig,
        traces: Traces,
        categories: Categories,
        training: TrainingConfig,
        seed: int,
    ) -> None:
        _check_words(vocabularies, traces)
        rare = rare_words(vocabularies, categories, traces, training.rare_traces)
        self._numbers = source_labels(vocabularies, categories, rare)
        self._vocabularies, self._controller, self._training, self._seed = vocabularies, controller, training, seed
        self._decisions = count_decisions(traces)
        self._statuses = {status for status, _ in self._decisions}
        self._words = torch.arange(len(vocabularies.source) + 1)
        self._labels = torch.tensor([self._numbers[EOS], *(self._numbers[word] for word in vocabularies.source)])
        self._arrange()

    def extend(self, decisions: Mapping[Status, Instruction]) -> int:
        """Train on decisions in statuses that have none so far as well, counted once; return how many there are."""
        new = {status: each for status, each in decisions.items() if status not in self._statuses}
        self._decisions.update(new.items())
        self._statuses |= new.keys()
        if new:
            self._arrange()
        return len(new)

    def _arrange(self) -> None:
        """Compile the rows and divide them into batches."""
        training, vocabularies = self._training, self._vocabularies
        power = training.count_power
        self._level = _compile(vocabularies, self._controller, self._decisions, self._numbers, power)
        largest = max(*self._level.sizes(), len(self._words))
        tokens = len(vocabularies.target) + 1
        logits = self._level.sizes()[1] * tokens
        parts = [part[1].tokens.numel() for part in (self._level.concat_m, self._level.concat_s) if part]
        concats = [each for _, each in self._decisions if isinstance(each, ConcatM | ConcatS)]
        written = sum(parts) * tokens if any(map(tokens_of, concats)) else 0
        self.batches_per_epoch = max(
            -(-largest // training.batch_size), -(-logits // training.batch_logits), -(-written // _TEMPLATE_LOGITS)
        )
        self._epoch: tuple[int, list[Batch]] | None = None

    def batch(self, step: int) -> Batch:
        """Return the batch of a step."""
        epoch = 0 if self.batches_per_epoch == 1 else step // self.batches_per_epoch
        if self._epoch is None or self._epoch[0] != epoch:
            generator = torch.Generator().manual_seed(self._seed * 1_000_003 + epoch)
            self._epoch = epoch, list(self._slices(generator))
        return self._epoch[1][step % self.batches_per_epoch]

    def all(self) -> Iterator[Batch]:
        """Return batches that together hold every input once."""
        return self._slices(None)

    def _slices(self, generator: torch.Generator | None) -> Iterator[Batch]:
        """Split every predictor's rows; in training, one that has few shows all of them in every batch."""
        count = self.batches_per_epoch
        sizes = [*self._level.sizes(), len(self._words)]
        if count == 1:
            yield self._whole()
            return
        orders = [torch.randperm(size, generator=generator) if generator else torch.arange(size) for size in sizes]
        pieces = [
            (order,) * count if generator and len(order) < count else torch.tensor_split(order, count)
            for order in orders
        ]
        for number in range(count):
            *rows, words = [piece[number] for piece in pieces]
            yield self._part(self._level.select(rows), words)

    def _whole(self) -> Batch:
        items = self._words + FIRST_WORD
        return Batch((self._level,), self._words, items, len(items) + FIRST_WORD, self._labels, self._words)

    def _part(self, level: BatchLevel, asked: torch.Tensor) -> Batch:
        """Keep the words that a level looks at, and those whose categories are asked for."""
        seen = level.items()
        words = torch.unique(torch.cat([seen[seen >= FIRST_WORD] - FIRST_WORD, asked]))
        size = len(self._words) + FIRST_WORD
        rows = torch.searchsorted(words, asked)
        return Batch((level,), words, words + FIRST_WORD, size, self._labels[words], rows)


class TraceExamples:
    """Whole traces, sampled for each step: the phrases of a status are derived within the batch."""

    def __init__(
        self,
        vocabularies: Vocabularies,
        controller: ControllerConfig,
        traces: Traces,
        categories: Categories,
        training: TrainingConfig,
        seed: int,
    ) -> None:
        _check_words(vocabularies, traces)
        self._vocabularies, self._controller, self._training = vocabularies, controller, training
        self._traces, self._seed = traces, seed
        rare = rare_words(vocabularies, categories, traces, training.rare_traces)
        self._labels = source_labels(vocabularies, categories, rare)
        self._first_length: dict[Word, int] = {}
        for source, _ in traces:
            for word in source:
                self._first_length[word] = min(len(source), self._first_length.get(word, len(source)))

    def batch(self, step: int) -> Batch:
        """Return the batch of a step."""
        size = min(self._training.trace_batch_size, len(self._traces))
        chosen = random.Random(self._seed * 1_000_003 + step).sample(range(len(self._traces)), size)
        return self._compile([self._traces[index] for index in chosen])

    def all(self) -> Iterator[Batch]:
        """Return batches that together hold every trace once."""
        size = self._training.trace_batch_size
        for start in range(0, len(self._traces), size):
            yield self._compile(self._traces[start : start + size])

    def extend(self, decisions: Mapping[Status, Instruction]) -> int:
        """Add nothing: these networks learn from whole traces, not from statuses."""
        return 0

    def _compile(self, traces: Traces) -> Batch:
        pairs = None
        if self._training.category_targets == "paired":
            pairs = word_pairs(traces, self._first_length)
        power = self._training.count_power
        return compile_traces(self._vocabularies, self._controller, traces, self._labels, power, pairs)


def make_examples(
    vocabularies: Vocabularies,
    controller: ControllerConfig,
    traces: Traces,
    categories: Categories,
    training: TrainingConfig,
    seed: int,
) -> LocalExamples | TraceExamples:
    """Prepare traces for a network; the paper's pairing of words needs whole traces, too."""
    if not traces:
        raise DataError("There are no traces to train the controller on; run the trace search first")
    local = controller.local and training.category_targets == "given"
    make = LocalExamples if local else TraceExamples
    return make(vocabularies, controller, traces, categories, training, seed)


def _check_words(vocabularies: Vocabularies, traces: Traces) -> None:
    for source, program in traces:
        for word in source:
            if word not in vocabularies.source_ids:
                raise DataError(f"The word '{word}' of a trace is not in the vocabulary; build it from all examples")
        for instruction in program:
            if not all(token in vocabularies.target_ids for token in tokens_of(instruction)):
                raise DataError(f"A token of '{instruction}' is not in the vocabulary; build it from all examples")


def _compile(
    vocabularies: Vocabularies,
    controller: ControllerConfig,
    decisions: Mapping[tuple[Status, Instruction], int],
    labels: Mapping[Next, int],
    power: float,
) -> BatchLevel:
    """Compile what a local network sees; words that the operator predictor cannot tell apart become one."""
    alike: dict[int, Next] = {}
    for word, label in labels.items():
        alike.setdefault(label, word)
    own = any(isinstance(instruction, ConcatS) and instruction.own for _, instruction in decisions)
    items = StatusItems(vocabularies, controller.pointer_second_frame, own)
    level = LevelBuilder()
    for (status, instruction), count in decisions.items():
        shown = status._replace(next=alike[labels[status.next]])
        if controller.frame_words == "category":
            second = None if status.second is None else _alike(status.second, alike, labels)
            shown = shown._replace(top=_alike(status.top, alike, labels), second=second)
        level.operator(items.operator(shown), instruction.operator, count)
        if isinstance(instruction, Reduce):
            level.reduce(items.reduce(status), _numbered(spoken(instruction), vocabularies), count)
        elif isinstance(instruction, ConcatM | ConcatS):
            if isinstance(instruction, ConcatS):
                for frame, phrase in items.words_named(status, instruction) if instruction.own else ():
                    level.reduce(frame, _numbered(phrase, vocabularies), count)
            level.concat(instruction.operator, items.pointer(status), part_ids(instruction.parts, vocabularies), count)
    return level.build(power)


def _numbered(phrase: Phrase, vocabularies: Vocabularies) -> Ids:
    return tuple([vocabularies.target_ids[token] for token in phrase])


def _alike(view: View, alike: Mapping[int, Next], labels: Mapping[Next, int]) -> View:
    """Show words that cannot be told apart as one."""
    return tuple([str(alike[labels[item]]) if isinstance(item, str) else item for item in view])
