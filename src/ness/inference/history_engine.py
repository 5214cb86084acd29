"""Inference for networks that look beyond the status: many sources in lockstep, phrases as they were made."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from ness.controller.decoding import Option, decide
from ness.controller.derivations import Items, see, see_elements
from ness.controller.network import Bank, Controller
from ness.controller.rows import PHRASE_ITEM, Ids, OperatorInput, PointerInput
from ness.controller.shadow import Shadow
from ness.errors import NoRule
from ness.inference.answers import Answer
from ness.inference.engine import why_unreadable
from ness.machine import (
    ConcatM,
    ConcatS,
    Final,
    Instruction,
    Operator,
    Phrase,
    Reduce,
    State,
    Status,
    Word,
    status_of,
    step,
    step_limit,
    why_illegal,
)  # fmt: skip
from ness.rules.table import RuleTable

SOURCES = 256  # in lockstep


@dataclass
class _Run:
    """One execution: the machine's state, and the same with item numbers for contents."""

    number: int
    state: State
    queue: list[int]
    shadow: Shadow[int] = field(default_factory=Shadow)
    decided: list[tuple[Instruction, float]] = field(default_factory=list)
    support: int | None = None
    error: str | None = None


@dataclass(frozen=True)
class _Choice:
    option: Option
    made: int  # the item that the instruction makes


class HistoryEngine:
    """Asks a controller whose decisions depend on how phrases were made or on the rest of the input."""

    def __init__(self, controller: Controller, table: RuleTable) -> None:
        self.controller = controller.eval()
        self.table = table
        self.words = frozenset(controller.vocabularies.source)

    def answer(self, sources: Sequence[tuple[Word, ...]]) -> list[Answer]:
        """Translate each source greedily."""
        answers: list[Answer] = []
        for start in range(0, len(sources), SOURCES):
            answers += self._lockstep(sources[start : start + SOURCES])
        return answers

    @torch.no_grad()
    def _lockstep(self, sources: Sequence[tuple[Word, ...]]) -> list[Answer]:
        problems = [why_unreadable(source, self.words) for source in sources]
        readable = [source for source, problem in zip(sources, problems, strict=True) if problem is None]
        done = iter(self._execute(readable) if readable else [])
        return [
            next(done) if problem is None else Answer(source, None, problem, 0, 0, tuple)
            for source, problem in zip(sources, problems, strict=True)
        ]

    def _execute(self, sources: Sequence[tuple[Word, ...]]) -> list[Answer]:
        chooser = _Chooser(self.controller, sources)
        runs = [_Run(number, State(source), chooser.queues[number]) for number, source in enumerate(sources)]
        active = runs
        while active:
            statuses = [status_of(run.state) for run in active]
            seen = [see(status, run.shadow, run.queue) for status, run in zip(statuses, active, strict=True)]
            chooser.ask(seen, statuses)
            for run, status, row in zip(active, statuses, seen, strict=True):
                self._step(run, status, chooser.choices[row])
            active = [run for run in active if run.error is None and not _ended(run)]
        return [_answer(run) for run in runs]

    def _step(self, run: _Run, status: Status, choice: _Choice) -> None:
        """Execute a choice, or note why that cannot be done."""
        number, instruction = len(run.decided) + 1, choice.option.instruction
        if instruction is None:
            run.error = str(NoRule(status, number, "the argument does not end"))
        elif reason := why_illegal(run.state, instruction):
            run.error = str(NoRule(status, number, f"{instruction} was decided, which is illegal: {reason}"))
        elif number > step_limit(len(run.state.source)):
            run.error = f"step {number}: no FINAL so far; {status}"
        else:
            decision = self.table.decide(status)
            support = 0 if decision is None else decision.support
            run.support = support if run.support is None else min(run.support, support)
            run.decided.append((instruction, choice.option.probability))
            run.shadow.apply(instruction, run.queue[run.shadow.position], choice.made)
            run.state = step(run.state, instruction)


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
        for row, options in zip(rows, decide(self._controller, self._bank, rows, list(pointers.values())), strict=True):
            self.choices[row] = _Choice(options[0], self._made(row, pointers[row], options[0]))

    def _made(self, row: OperatorInput, pointer: PointerInput, option: Option) -> int:
        """Return the item that an option makes; a new phrase joins the bank."""
        instruction = option.instruction
        argument: Ids
        if isinstance(instruction, Reduce):
            numbers = self._controller.vocabularies.target_ids
            key: Ids | PointerInput = row.top
            argument = tuple(numbers[token] for token in instruction.phrase)
        elif isinstance(instruction, ConcatM | ConcatS):
            key, argument = pointer, instruction.indices
        else:
            return PHRASE_ITEM
        size = self._items.size
        item = self._items.phrase(Operator(instruction.operator), key, argument, 0)
        if item == size:
            assert option.state is not None
            vector = self._controller.phrase_vectors(option.state[None])
            bank = self._bank
            following = torch.cat([bank.next, torch.zeros_like(bank.next[:1])])
            self._bank = Bank(torch.cat([bank.frame, vector]), torch.cat([bank.operator, vector]), following)
        return item


def _ended(run: _Run) -> bool:
    return bool(run.decided) and isinstance(run.decided[-1][0], Final)


def _answer(run: _Run) -> Answer:
    decided = tuple(run.decided)
    output: Phrase | None = None
    if run.error is None:
        phrase = run.state.stack[-1][0]
        assert isinstance(phrase, tuple)
        output = phrase
    support = run.support or 0 if run.error is None else 0
    return Answer(run.state.source, output, run.error, support, len(decided), lambda: decided)
