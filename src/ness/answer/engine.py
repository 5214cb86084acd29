"""Greedy inference without search. No torch here.

An engine is asked about statuses. Each status is asked once and remembered; what many inputs are missing is
asked together. Time is linear in the length of input plus output.
"""

from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Protocol, cast, runtime_checkable

from ness.answer.answers import Answer, Decided
from ness.errors import NoRule, StepLimitReached
from ness.machine import (
    MAX_FRAME,
    Decisions,
    Execution,
    Instruction,
    Status,
    StatusTable,
    Word,
    entry,
    reads_boundaries,
    with_boundaries,
)
from ness.machine.boundaries import BEGIN, END, is_wrapped
from ness.machine.step import MAX_OUTPUT
from ness.rules.table import Decision

MAX_REMEMBERED = 1_000_000  # statuses


@dataclass
class DecisionCache:
    """Decisions by status: as the machine executes them, as they were made, and why there is none."""

    table: Decisions = field(default_factory=Decisions)
    decisions: dict[Status, Decision] = field(default_factory=dict)
    failures: dict[Status, str] = field(default_factory=dict)  # "": nothing learned covers it

    def forget(self) -> None:
        """Start anew; answers given before keep what they refer to."""
        self.table, self.decisions, self.failures = Decisions(), {}, {}


class Engine(Protocol):
    """Decides by local status."""

    @property
    def words(self) -> Container[Word]:
        """The source words that are known."""

    @property
    def unlearned(self) -> Container[Word]:
        """Words of training examples that were not solved."""

    @property
    def cache(self) -> DecisionCache:
        """What was asked before."""

    def decide(self, statuses: Sequence[Status]) -> list[Decision | None]:
        """Decide in each status; None where nothing learned says what to do."""

    def support(self, status: Status, instruction: Instruction) -> int:
        """Count the training traces behind doing this in a status; 0: it would be extrapolated."""

    def why_undecided(self, status: Status) -> str:
        """Say what leaves a decision open; nothing where nothing learned covers the status."""


@runtime_checkable
class SourceEngine(Protocol):
    """Translates whole sources: for networks whose decisions depend on more than the local status."""

    @property
    def words(self) -> Container[Word]:
        """The source words that are known."""

    def answer(self, sources: Sequence[tuple[Word, ...]]) -> list[Answer]: ...

    def support(self, status: Status, instruction: Instruction) -> int: ...


AnyEngine = Engine | SourceEngine


def translate(engine: AnyEngine, sources: Sequence[Sequence[Word]], max_output: int = MAX_OUTPUT) -> list[Answer]:
    """Translate each source greedily; an error in the answer where no output can be derived, or it is too long."""
    tuples = [tuple(source) for source in sources]
    if isinstance(engine, SourceEngine):
        return engine.answer([as_read(source, engine.words) for source in tuples])
    if len(engine.cache.table) + len(engine.cache.failures) > MAX_REMEMBERED:
        engine.cache.forget()
    answers: list[Answer | None] = [None] * len(tuples)
    running: list[tuple[int, Execution]] = []
    for number, source in enumerate(tuples):
        if problem := why_unreadable(source, engine.words, engine.unlearned):
            answers[number] = Answer(source, None, problem, 0, 0, tuple)
        else:
            running.append((number, Execution(as_read(source, engine.words))))
    while running:
        running = _advance(engine, running, answers, max_output)
    return [answer for answer in answers if answer is not None]


def as_read(source: tuple[Word, ...], words: Container[Word]) -> tuple[Word, ...]:
    """Return a source as a model reads it that knows these words: with the boundaries, if it learned with them."""
    return with_boundaries(source) if source and reads_boundaries(words) else source


def _advance(
    engine: Engine, running: list[tuple[int, Execution]], answers: list[Answer | None], max_output: int
) -> list[tuple[int, Execution]]:
    """Run each execution until it ends or meets an unknown status; ask for these; return what goes on."""
    cache = engine.cache
    waiting: list[tuple[int, Execution, Status]] = []
    for number, execution in running:
        error = None
        try:
            status = execution.advance(cache.table, max_output)
        except StepLimitReached as limit:
            status, error = None, f"step {execution.steps}: {limit}"
        if status is None:
            answers[number] = _answer(execution, error, cache)
        else:
            waiting.append((number, execution, status))
    _ask(engine, [status for _, _, status in waiting])
    going_on = []
    for number, execution, status in waiting:
        if status in cache.table:
            going_on.append((number, execution))
        else:
            problem = cache.failures.get(status, f"more than {MAX_FRAME} items are waiting on the stack")
            answers[number] = _answer(execution, str(NoRule(status, execution.steps + 1, problem)), cache)
    return going_on


def _ask(engine: Engine, statuses: Sequence[Status]) -> None:
    """Ask for the decisions not yet remembered, and remember them."""
    cache = engine.cache
    missing = list(dict.fromkeys(s for s in statuses if s not in cache.failures and len(s.top) <= MAX_FRAME))
    if not missing:
        return
    for status, decision in zip(missing, engine.decide(missing), strict=True):
        if decision is None:
            cache.failures[status] = engine.why_undecided(status)
        elif compiled := entry(status, decision.instruction, decision.support):
            cache.table[status] = compiled
            cache.decisions[status] = decision
        else:
            cache.failures[status] = f"{decision.instruction} was decided, which is illegal there"


def _answer(execution: Execution, error: str | None, cache: DecisionCache) -> Answer:
    source, output = execution.source, execution.output
    support = execution.support or 0
    return Answer(source, output, error, support if error is None else 0, execution.steps, _recall(execution, cache))


def _recall(execution: Execution, cache: DecisionCache) -> Callable[[], Decided]:
    """Return a function that executes again and tells what was decided."""
    source, steps = execution.source, execution.steps
    table, known = cache.table, cache.decisions

    def decided() -> Decided:
        recorder = _Recorder(table)
        with suppress(StepLimitReached):
            Execution(source).advance(cast(StatusTable, recorder))
        decisions = [known[status] for status in recorder.seen[:steps]]
        return tuple((decision.instruction, decision.probability) for decision in decisions)

    return decided


def visited_statuses(engine: Engine, source: Sequence[Word]) -> list[Status]:
    """List the statuses that a translated source went through; the last one where its error was, if it had one."""
    recorder = _Recorder(engine.cache.table)
    with suppress(StepLimitReached):
        Execution(as_read(tuple(source), engine.words)).advance(cast(StatusTable, recorder))
    return recorder.seen


class _Recorder:
    """A table that notes what is looked up."""

    def __init__(self, table: StatusTable) -> None:
        self._table = table
        self.seen: list[Status] = []

    def get(self, status: Status) -> Any:
        self.seen.append(status)
        return self._table.get(status)


def why_unreadable(
    source: Sequence[Word], words: Container[Word], unlearned: Container[Word] = frozenset()
) -> str | None:
    """Say why a source cannot be translated at all; None means it can be tried."""
    if not source:
        return "step 1: the input is empty; give at least one word"
    if is_wrapped(source):  # as models read it that learned with the boundaries
        source = source[1:-1]
    if isinstance(words, frozenset) and words.issuperset(source) and BEGIN not in source and END not in source:
        return None
    for position, word in enumerate(source, 1):
        where = f"'{word}' (word {position} of the input)"
        if word in unlearned:
            return f"nothing was learned about {where}: it occurs only in training examples that were not solved"
        if word not in words or word in (BEGIN, END):
            near = get_close_matches(word, words, n=1) if isinstance(words, frozenset) else []
            hint = f"; did you mean '{near[0]}'?" if near else ""
            return f"unknown word {where}: nothing learned has it{hint}"
    return None
