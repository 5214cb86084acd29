"""Inference for networks that look beyond the status: many sources in lockstep, phrases as they were made."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from ness.answer.answers import Answer
from ness.answer.engine import why_unreadable
from ness.answer.rule_engine import known_words
from ness.errors import NoRule, StepLimitReached
from ness.machine import (
    PHRASE,
    ConcatM,
    ConcatS,
    Final,
    Instruction,
    Operator,
    Phrase,
    Reduce,
    Seen,
    Status,
    Word,
    entry,
    flatten,
    kind_made,
    no_end,
    phrase_mark,
    step_limit,
    without_kind,
)
from ness.network.controller import Bank, Controller
from ness.network.decoding import Option, decide
from ness.network.derivations import Items, see, see_elements
from ness.network.imitation import fixed_threads
from ness.network.rows import PHRASE_ITEM, OperatorInput, PointerInput, part_ids
from ness.network.shadow import Shadow, status_at
from ness.network.vocabularies import spoken
from ness.rules.table import RuleTable

MAX_OUTPUT = 1_000_000  # tokens; an untrained network can ask for exponentially many
SOURCES = 256  # in lockstep


@dataclass
class _Run:
    """One execution, three times over: what a status shows, the numbers of the items, and the phrases as ropes."""

    source: tuple[Word, ...]
    queue: list[int]
    views: Shadow[Seen] = field(default_factory=Shadow)
    items: Shadow[int] = field(default_factory=Shadow)
    ropes: Shadow[Any] = field(default_factory=Shadow)
    decided: list[tuple[Instruction, float]] = field(default_factory=list)
    support: int | None = None
    output: Phrase | None = None
    error: str | None = None

    def apply(self, instruction: Instruction, made: int) -> None:
        """Execute on all three; `made` numbers the new phrase."""
        rope: Any = None
        if isinstance(instruction, Reduce):
            rope = instruction.phrase
        elif isinstance(instruction, ConcatM | ConcatS):
            candidates = self.ropes.stack[-1] + self.ropes.memory
            parts = without_kind(instruction.parts)
            rope = [candidates[part] if isinstance(part, int) else (part,) for part in parts]
        elif isinstance(instruction, Final):
            self.output = flatten(self.ropes.stack[-1][0], MAX_OUTPUT)
        position = self.views.position
        word: Seen = self.source[position] if position < len(self.source) else PHRASE
        self.views.apply(instruction, word, phrase_mark(kind_made(instruction)))
        self.items.apply(instruction, self.queue[position], made)
        self.ropes.apply(instruction, word, rope)


@dataclass(frozen=True)
class _Choice:
    option: Option
    made: int  # the item that the instruction makes


class HistoryEngine:
    """Asks a controller whose decisions depend on how phrases were made or on the rest of the input."""

    def __init__(self, controller: Controller, table: RuleTable, threads: int = 1) -> None:
        self.controller = controller.eval()
        self.table = table
        self.words = known_words(table) & set(controller.vocabularies.source)
        self.unlearned = frozenset(controller.vocabularies.source) - self.words
        self.threads = threads

    def answer(self, sources: Sequence[tuple[Word, ...]]) -> list[Answer]:
        """Translate each source greedily."""
        answers: list[Answer] = []
        with fixed_threads(self.threads):  # small networks only wait for more
            for start in range(0, len(sources), SOURCES):
                answers += self._lockstep(sources[start : start + SOURCES])
        return answers

    def support(self, status: Status, instruction: Instruction) -> int:
        """Count the training traces behind a step."""
        return self.table.support(status, instruction)

    @torch.no_grad()
    def _lockstep(self, sources: Sequence[tuple[Word, ...]]) -> list[Answer]:
        problems = [why_unreadable(source, self.words, self.unlearned) for source in sources]
        readable = [source for source, problem in zip(sources, problems, strict=True) if problem is None]
        done = iter(self._execute(readable) if readable else [])
        return [
            next(done) if problem is None else Answer(source, None, problem, 0, 0, tuple)
            for source, problem in zip(sources, problems, strict=True)
        ]

    def _execute(self, sources: Sequence[tuple[Word, ...]]) -> list[Answer]:
        chooser = _Chooser(self.controller, sources)
        runs = [_Run(source, queue) for source, queue in zip(sources, chooser.queues, strict=True)]
        active = runs
        while active:
            statuses = [status_at(run.views, run.source) for run in active]
            seen = [see(status, run.items, run.queue) for status, run in zip(statuses, active, strict=True)]
            chooser.ask(seen, statuses)
            for run, status, row in zip(active, statuses, seen, strict=True):
                self._step(run, status, chooser.choices[row])
            active = [run for run in active if run.error is None and run.output is None]
        return [_answer(run) for run in runs]

    def _step(self, run: _Run, status: Status, choice: _Choice) -> None:
        """Execute a choice, or note why that cannot be done."""
        number, instruction = len(run.decided) + 1, choice.option.instruction
        if instruction is None:
            run.error = str(NoRule(status, number, "the argument does not end"))
        elif entry(status, instruction) is None:
            run.error = str(NoRule(status, number, f"{instruction} was decided, which is illegal there"))
        elif number > step_limit(len(run.source)):
            run.error = f"step {number}: {no_end(number - 1, len(run.source), status)}"
        else:
            support = self.table.support(status, instruction)
            run.support = support if run.support is None else min(run.support, support)
            run.decided.append((instruction, choice.option.probability))
            try:
                run.apply(instruction, choice.made)
            except StepLimitReached as limit:
                run.error = f"step {number}: {limit}"


class _Chooser:
    """Decisions for what was seen, each asked once; holds the vectors of all items of the sources."""

    def __init__(self, controller: Controller, sources: Sequence[tuple[Word, ...]]) -> None:
        self._controller = controller
        self._items = Items(controller.vocabularies, controller.config)
        self.queues = [self._items.queue(number, source) for number, source in enumerate(sources)]
        self.choices: dict[OperatorInput, _Choice] = {}
        device = controller.device
        contexts = self._items.contexts(sources)
        words = torch.tensor(self._items.words, device=device)
        encoded = controller.encode_items(words, None if contexts is None else contexts.to(device))
        items = torch.tensor(self._items.word_items, device=device)
        self._bank = controller.bank(encoded, items, self._items.size)

    def ask(self, seen: Sequence[OperatorInput], statuses: Sequence[Status]) -> None:
        """Decide for rows not seen before."""
        second_frame = self._controller.config.pointer_second_frame
        pointers: dict[OperatorInput, PointerInput] = {}
        for row, status in zip(seen, statuses, strict=True):
            if row not in self.choices:
                pointers[row] = see_elements(status, row, second_frame)
        rows = list(pointers)
        new: list[Tensor] = []
        for row, options in zip(rows, decide(self._controller, self._bank, rows, list(pointers.values())), strict=True):
            size = self._items.size
            made = self._number(row, pointers[row], options[0])
            self.choices[row] = _Choice(options[0], made)
            if made == size:
                assert options[0].state is not None
                new.append(options[0].state)
        if new:
            self._extend(self._controller.phrase_vectors(torch.stack(new)))

    def _number(self, row: OperatorInput, pointer: PointerInput, option: Option) -> int:
        """Number the phrase that an option makes."""
        instruction = option.instruction
        if isinstance(instruction, Reduce):
            numbers = self._controller.vocabularies.target_ids
            tokens = tuple(numbers[token] for token in spoken(instruction))
            return self._items.phrase(Operator.REDUCE, row.top, tokens, 0)
        if isinstance(instruction, ConcatM | ConcatS):
            parts = part_ids(instruction.parts, self._controller.vocabularies)
            return self._items.phrase(instruction.operator, pointer, parts, 0)
        return PHRASE_ITEM

    def _extend(self, vectors: Tensor) -> None:
        """Put the vectors [n, d] of new phrases at the end of the bank."""
        bank = self._bank
        following = torch.cat([bank.next, bank.next.new_zeros(len(vectors), bank.next.shape[1])])
        self._bank = Bank(torch.cat([bank.frame, vectors]), torch.cat([bank.operator, vectors]), following)


def _answer(run: _Run) -> Answer:
    decided = tuple(run.decided)
    support = run.support or 0 if run.error is None else 0
    return Answer(run.source, run.output, run.error, support, len(decided), lambda: decided)
