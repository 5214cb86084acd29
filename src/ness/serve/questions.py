"""What to ask a person: natural inputs on which rival rules disagree, or that the rules extrapolate or refuse.

`ness suggest` asks what settles most, however odd it looks; here a person is asked what could have been an example.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from ness.answer.answers import Answer
from ness.answer.engine import Engine, translate
from ness.answer.readings import LONGEST_OUTPUT, readings
from ness.answer.rule_engine import RuleEngine
from ness.machine import (
    Phrase,
    Pop,
    Program,
    Push,
    State,
    Status,
    Word,
    is_one_phrase,
    status_of,
    step,
    steps_of,
    without_boundaries,
)
from ness.rules.table import RuleTable

Source = tuple[Word, ...]
Traces = Sequence[tuple[Source, Program]]
_POOL = 3_000  # inputs that are tried
_STRETCHES = 60  # that are put into others' places, the shortest
_LONGER = 3  # words that a question may be longer than the longest example
_CANDIDATES = 4
_CONSIDERED = 40  # questions, of which the best are asked
_SURE = 0.99


@dataclass(frozen=True, slots=True)
class Question:
    """An input to ask about: why, and the outputs to choose from."""

    source: Source
    reason: str
    candidates: tuple[Phrase, ...]


class _Doubt(NamedTuple):
    """Where an answer is not sure: the kind of the first such step, and the states of all."""

    kind: str  # "rivals", "two readings", "extrapolated" or "refused"
    states: list[State]

    @property
    def status(self) -> Status:
        return status_of(self.states[0])


def suggest(
    engine: Engine,
    table: RuleTable,
    traces: Traces,
    n: int = 5,
    skip: Iterable[Source] = (),
    rivals: Sequence[RuleTable] = (),
) -> list[Question]:
    """Return up to n questions: natural ones first, then those with several readings, then short ones.

    Rivals are other rules that solve the same examples; where they answer differently, both answers are candidates.

    Natural: words stand beside each other as in the examples. Inputs whose first unsure step is the same by category
    are one question: its answer settles all of them.
    """
    known = [without_boundaries(source) for source, _ in traces]
    seen = {*known, *skip}
    inputs = [source for source in recombined(table, traces) if source not in seen]
    others = _other_answers(inputs, rivals)
    unsure: dict[tuple[str, Status], list[tuple[Source, _Doubt]]] = defaultdict(list)
    for source, answer in zip(inputs, translate(engine, inputs, LONGEST_OUTPUT), strict=True):
        others[source] = [output for output in others[source] if output != answer.output]
        doubt = _doubt(engine, answer)
        if doubt is None and others[source]:
            doubt = _Doubt("rivals", [State(answer.source)])
        if doubt:
            unsure[doubt.kind, table.categories.status(doubt.status)].append((source, doubt))
    natural = _Neighbours(table, known)

    def rank(item: tuple[Source, _Doubt]) -> tuple[int, int, int, Source]:
        source, _ = item
        # Of different words: what comes out then shows which part is where.
        return natural.unseen(source), len(source), len(source) - len(set(source)), source

    firsts = [(min(group, key=rank), len(group)) for group in unsure.values()]
    ranked = sorted(firsts, key=lambda first: (*rank(first[0])[:2], -first[1], first[0][0]))
    questions = [_question(engine, table, *first, size - 1, others[first[0]]) for first, size in ranked[:_CONSIDERED]]
    # Among equally natural ones, several readings first: there an answer decides something.
    questions.sort(key=lambda question: (natural.unseen(question.source), len(question.candidates) < 2))
    return [question for question in questions if question.candidates][:n]


def _other_answers(inputs: Sequence[Source], rivals: Sequence[RuleTable]) -> dict[Source, list[Phrase]]:
    """What rival rules answer."""
    found: dict[Source, list[Phrase]] = {source: [] for source in inputs}
    for rival in rivals:
        for source, answer in zip(inputs, translate(RuleEngine(rival), inputs, LONGEST_OUTPUT), strict=True):
            if answer.output is not None and answer.output not in found[source]:
                found[source].append(answer.output)
    return found


class _Neighbours:
    """Which words stand beside each other in the examples, by category; also which begin and end them."""

    def __init__(self, table: RuleTable, sources: Iterable[Source]) -> None:
        self._categories = table.categories
        self._known = {pair for source in sources for pair in self._pairs(source)}

    def _pairs(self, source: Source) -> Iterator[tuple[Word, Word]]:
        return pairwise(("", *map(self._categories.of, source), ""))

    def unseen(self, source: Source) -> int:
        """Count the neighbours that no example has."""
        return sum(pair not in self._known for pair in self._pairs(source))


def recombined(table: RuleTable, traces: Traces) -> list[Source]:
    """Make inputs from parts of the examples: stretches that became phrases, words of the same category."""
    cut = [(source, _stretches(source, program)) for source, program in traces]
    known = {source[start:end] for source, stretches in cut for start, end in stretches}
    parts = sorted(known, key=lambda part: (len(part), part))[:_STRETCHES]
    longest = max((len(without_boundaries(source)) for source, _ in traces), default=0) + _LONGER
    made: dict[Source, None] = {}
    for new in _substituted(table, sorted(cut, key=lambda item: (len(item[0]), item[0])), parts):
        words = without_boundaries(new)  # as a person types it
        if 0 < len(words) <= longest:
            made[words] = None
        if len(made) >= _POOL:
            break
    return list(made)


def _substituted(
    table: RuleTable, cut: Sequence[tuple[Source, Sequence[tuple[int, int]]]], parts: Sequence[Source]
) -> Iterator[Source]:
    for source, stretches in cut:
        for start, end in stretches:
            if (start, end) != (0, len(source)):
                yield from (source[:start] + part + source[end:] for part in parts)
        for place, word in enumerate(source):
            yield from ((*source[:place], other, *source[place + 1 :]) for other in table.categories.members(word))


def _stretches(source: Source, program: Program) -> list[tuple[int, int]]:
    """List the stretches of a source that became one phrase: from where a frame began to where it was one phrase."""
    starts = [0]
    found: dict[tuple[int, int], None] = {}
    for state, instruction in steps_of(source, program):
        if is_one_phrase(status_of(state).top) and not state.memory:
            found[starts[-1], state.position] = None
        if isinstance(instruction, Push):
            starts.append(state.position)
        elif isinstance(instruction, Pop):
            starts.pop()
    return list(found)


def _doubt(engine: Engine, answer: Answer) -> _Doubt | None:
    """Find the steps of an answer that no example shows, or that have rivals."""
    if answer.error is None and answer.support > 0 and answer.probability > _SURE:
        return None
    kinds, states = [], []
    state = State(answer.source)
    for instruction in answer.program():
        decision = engine.cache.decisions.get(status_of(state))
        if decision is None or decision.support == 0 or decision.probability <= _SURE:
            kinds.append("two readings" if decision is not None and decision.support else "extrapolated")
            states.append(state)
        state = step(state, instruction)
    if answer.error is not None and all(word in engine.words for word in answer.source):
        kinds.append("refused")
        states.append(state)
    return _Doubt(kinds[0], states) if states else None


def _question(
    engine: Engine, table: RuleTable, source: Source, doubt: _Doubt, others: int, rival: Sequence[Phrase]
) -> Question:
    place = doubt.status.in_words()
    reasons = {
        "extrapolated": f"no example shows this; the rules extrapolate {place}",
        "refused": f"no rule says what to do {place}",
        "two readings": f"the examples leave two readings open {place}",
        "rivals": "other rules, which fit the examples as well, answer differently",
    }
    more = f"; {others} more inputs depend on it" if others > 1 else ""
    found: dict[Phrase, None] = {}
    (answer,) = translate(engine, [source], LONGEST_OUTPUT)
    for output in (*([answer.output] if answer.output else []), *rival, *readings(engine, table, doubt.states)):
        if len(output) <= LONGEST_OUTPUT:
            found[output] = None
        if len(found) == _CANDIDATES:
            break
    return Question(source, reasons[doubt.kind] + more, tuple(found))
