"""Which inputs to label next, and why: those that rest on a guess, and those on which the surviving rules disagree.

Each input of the pool has open points: words that no example has, steps that no example shows or that have rivals,
survivors that answer otherwise. A question is worth the share of the pool that its open points concern, for the
trouble of its words; what an earlier question of the list settles is not asked again. No torch here.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ness.answer.answers import Answer
from ness.answer.engine import translate, visited_statuses
from ness.answer.readings import LONGEST_OUTPUT, readings
from ness.answer.rule_engine import RuleEngine
from ness.machine import Phrase, Program, State, Status, Word, step, without_boundaries
from ness.network.imagination import Imagination
from ness.rules.table import RuleTable

Source = tuple[Word, ...]
Traces = Sequence[tuple[Source, Program]]
_SHORT, _OTHERS = 2_000, 2_000  # inputs of a pool that are looked at: the shortest, and some of all the others
_IMAGINED, _DEPTHS, _LONGER = 2_000, (1, 1, 2), 3  # inputs made of parts of the examples; words more than the longest
_CANDIDATES = 4
_SURE = 0.99
_EFFORT = 2  # words: what a question takes beside reading it

NEW, REFUSED, DISAGREE, RIVALS = "new", "refused", "disagree", "rivals"
EXTRAPOLATED, ANALOGOUS = "extrapolated", "analogous"
# How likely the rules are wrong there.
_OPEN = {NEW: 1.0, REFUSED: 1.0, DISAGREE: 0.5, RIVALS: 0.5, EXTRAPOLATED: 0.2, ANALOGOUS: 0.02}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An input to label next, the outputs that it may have, the rules' own first, and why it is asked."""

    input: Source
    candidates: tuple[Phrase, ...]
    why: str


class _Point(NamedTuple):
    """Something that an example would settle."""

    kind: str
    what: Status | Word | int  # a status (by category unless analogous), a new word, the number of a survivor


class _Question(NamedTuple):
    """An input that could be asked, and what it would settle."""

    source: Source
    points: tuple[_Point, ...]


def suggest(
    table: RuleTable,
    survivors: Sequence[RuleTable],
    traces: Traces,
    pool: Iterable[Source] | None = None,
    n: int = 10,
    skip: Iterable[Source] = (),
) -> list[Suggestion]:
    """Return up to n inputs of the pool to label next; without a pool, inputs are made of parts of the examples.

    `table` answers, `survivors` are other rules that fit the examples, `traces` those of the examples; what is in
    `skip` is not asked. Inputs with new words come first, those with the fewest and the shortest first.
    """
    engine, rivals = RuleEngine(table), [RuleEngine(each) for each in survivors]
    seen = {without_boundaries(source) for source, _ in traces} | set(skip)
    inputs = [source for source in _inputs(table, traces, pool) if source not in seen]
    questions = [one for one in _open(engine, rivals, inputs) if one.points]
    mass = Counter(point for one in questions for point in one.points)
    known = {word for source in seen for word in source} | set(engine.words)
    chosen: list[Suggestion] = []
    settled: set[_Point] = set()
    while len(chosen) < n and (best := _best(questions, settled, mass, known)) is not None:
        chosen.append(_suggestion(engine, rivals, best, mass))
        settled.update(best.points)
        known.update(best.source)
    return chosen


def _inputs(table: RuleTable, traces: Traces, pool: Iterable[Source] | None) -> list[Source]:
    """The inputs to look at: the shortest of a pool and every so many of the others; or imagined ones."""
    if pool is None:
        imagination = Imagination(traces, table.categories)
        drawn = imagination.draw(_IMAGINED, 0, _DEPTHS, imagination.longest + _LONGER)
        return sorted(dict.fromkeys(map(without_boundaries, drawn)), key=len)
    inputs = sorted(dict.fromkeys(pool), key=len)
    rest = inputs[_SHORT:]
    return inputs[:_SHORT] + rest[:: max(1, len(rest) // _OTHERS)]


def _open(engine: RuleEngine, rivals: Sequence[RuleEngine], inputs: Sequence[Source]) -> Iterable[_Question]:
    """Find the open points of each input."""
    others = [translate(rival, inputs, LONGEST_OUTPUT) for rival in rivals]
    for number, answer in enumerate(translate(engine, inputs, LONGEST_OUTPUT)):
        source = inputs[number]
        new = [_Point(NEW, word) for word in dict.fromkeys(source) if word not in engine.words]
        unsure = [] if new else [point for point, _ in _unsure(engine, answer)]
        split = [_Point(DISAGREE, k) for k, found in enumerate(others) if _differs(found[number], answer)]
        yield _Question(source, tuple(dict.fromkeys([*new, *unsure, *split])))


def _differs(other: Answer, answer: Answer) -> bool:
    return other.output is not None and answer.output is not None and other.output != answer.output


def _unsure(engine: RuleEngine, answer: Answer) -> Iterable[tuple[_Point, int]]:
    """The steps of an answer that no example shows, that have rivals, or that no rule knows, each with its number."""
    for number, status in enumerate(visited_statuses(engine, answer.source)):
        decision = engine.cache.decisions.get(status)
        by_category = engine.table.categories.status(status)
        if decision is None:
            yield _Point(REFUSED, by_category), number
        elif decision.support == 0:
            yield _Point(EXTRAPOLATED, by_category), number
        elif decision.probability <= _SURE:
            yield _Point(RIVALS, by_category), number
        elif decision.level == "category":
            yield _Point(ANALOGOUS, status), number


def _best(
    questions: Iterable[_Question], settled: set[_Point], mass: Mapping[_Point, int], known: set[Word]
) -> _Question | None:
    """The input whose open points concern most of the pool, for its length; new words first, one at a time."""

    def rank(one: _Question) -> tuple[bool, int, float]:
        new = len(set(one.source) - known)
        worth = sum(_OPEN[point.kind] * mass[point] for point in one.points if point not in settled)
        return new > 0, -new, worth / (len(one.source) + _EFFORT) if not new else -len(one.source)

    best = max(questions, key=rank, default=None)
    left = [point for point in best.points if point not in settled] if best is not None else []
    return best._replace(points=tuple(left)) if best is not None and left else None


def _suggestion(
    engine: RuleEngine, rivals: Sequence[RuleEngine], question: _Question, mass: Mapping[_Point, int]
) -> Suggestion:
    """Say why an input is asked, and which outputs the rules, the survivors and other readings give."""
    (answer,) = translate(engine, [question.source], LONGEST_OUTPUT)
    answers = [answer, *[translate(rival, [question.source], LONGEST_OUTPUT)[0] for rival in rivals]]
    found = dict.fromkeys(each.output for each in answers if each.output is not None)
    main = max(question.points, key=lambda point: _OPEN[point.kind] * mass[point])
    if main.kind != NEW:
        _add_readings(found, engine, answer)
    others = mass[main] - 1
    more = f"; {others} more inputs depend on it" if others > 1 else ""
    return Suggestion(question.source, tuple(found)[:_CANDIDATES], _why(main, engine, answer) + more)


def _add_readings(found: dict[Phrase, None], engine: RuleEngine, answer: Answer) -> None:
    """Add what follows if an unsure step is taken in another way."""
    states = [State(answer.source)]
    for instruction in answer.program():
        states.append(step(states[-1], instruction))
    unsure = [states[number] for _, number in _unsure(engine, answer)]
    for output in readings(engine, engine.table, unsure):
        if len(found) >= _CANDIDATES:
            break
        found.setdefault(output)


def _why(point: _Point, engine: RuleEngine, answer: Answer) -> str:
    if point.kind == NEW:
        return f"no example has the word '{point.what}'"
    if point.kind == DISAGREE:
        return "other rules fit the examples as well and answer otherwise"
    places = dict(reversed(list(_unsure(engine, answer))))  # the first place of each
    place = visited_statuses(engine, answer.source)[places[point]].in_words()
    return {
        REFUSED: f"no rule says what to do {place}",
        RIVALS: f"the examples leave two readings open {place}",
        EXTRAPOLATED: f"no example shows this; the rules extrapolate {place}",
        ANALOGOUS: f"no example shows it with these very words; they are taken to behave like others {place}",
    }[point.kind]
