"""Engines for noisy data: decisions by interpolated counts, and unknown words passed through. No torch here."""

from collections.abc import Container, Iterable, Sequence

from ness.answer.engine import DecisionCache, Engine
from ness.answer.rule_engine import RuleEngine, known_words
from ness.machine import EOS, Instruction, Operator, Reduce, Shift, Status, Word
from ness.machine.boundaries import BEGIN, END, reads_boundaries
from ness.rules.probabilistic import ProbabilisticTable
from ness.rules.table import Decision, RuleTable


class ProbabilisticEngine:
    """Follows the likeliest rule; an unknown word is an error that names it."""

    def __init__(self, table: ProbabilisticTable, seen: Iterable[Word] = ()) -> None:
        """Take the rules, and the words of all training examples."""
        self.table = table
        self.cache = DecisionCache()
        self.words = known_words(table.table)
        self.unlearned = frozenset(seen) - self.words

    def decide(self, statuses: Sequence[Status]) -> list[Decision | None]:
        """Decide in each status; None where no rule covers it."""
        return [self.table.decide(status) for status in statuses]

    def support(self, status: Status, instruction: Instruction) -> int:
        """Count the training traces that used a status, by category; 0 where none of them did this there."""
        decision = self.table.decide(status)
        known = decision and any(instruction == each for each, _ in self.table.options(status))
        return decision.support if decision and known else 0

    def why_undecided(self, status: Status) -> str:
        """Weighed rules leave nothing open: what they do not decide, they do not cover."""
        return ""

    def options(self, status: Status) -> list[tuple[Instruction, float]]:
        """All instructions with their probabilities, for a beam."""
        return self.table.options(status)


class AnyWord:
    """Any word is known; whether the boundaries are read is as in the engine that is asked."""

    def __init__(self, words: Container[Word]) -> None:
        self._boundaries = reads_boundaries(words)

    def __contains__(self, word: object) -> bool:
        return self._boundaries or word not in (BEGIN, END)


class CopyAlone:
    """Asks another engine, but reads an unknown word alone and writes it as it is."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.cache = DecisionCache()
        self.words: Container[Word] = AnyWord(engine.words)
        self.unlearned: Container[Word] = frozenset()

    def decide(self, statuses: Sequence[Status]) -> list[Decision | None]:
        """Decide in each status; what touches no unknown word is the other engine's decision."""
        decisions = [self._around_unknown(status) for status in statuses]
        places = [place for place, decision in enumerate(decisions) if decision is None]
        asked = self.engine.decide([statuses[place] for place in places])
        for place, decision in zip(places, asked, strict=True):
            decisions[place] = self._without_joining(statuses[place], decision)
        return decisions

    def support(self, status: Status, instruction: Instruction) -> int:
        """Count the training traces behind a step; what touches an unknown word has none."""
        touched = (status.next, *status.top)
        return 0 if any(map(self._is_unknown, touched)) else self.engine.support(status, instruction)

    def why_undecided(self, status: Status) -> str:
        """Say what leaves a decision open to the other engine."""
        return self.engine.why_undecided(status)

    def _is_unknown(self, word: object) -> bool:
        return isinstance(word, str) and word not in self.engine.words

    def _around_unknown(self, status: Status) -> Decision | None:
        """Read an unknown word onto an empty frame; then reduce it to itself."""
        if status.top and self._is_unknown(status.top[-1]):
            return Decision(Reduce((str(status.top[-1]),)), 0, 1.0, "copied")
        if not status.top and status.next is not EOS and self._is_unknown(status.next):
            return Decision(Shift(), 0, 1.0, "copied")
        return None

    def _without_joining(self, status: Status, decision: Decision | None) -> Decision | None:
        """Take the next best decision where an unknown word would join a frame with other words."""
        if decision is None or not self._is_unknown(status.next):
            return decision
        options = ((decision.instruction, decision.probability), *decision.alternatives)
        for instruction, probability in options:
            if instruction.operator is not Operator.SHIFT:
                return Decision(instruction, 0, probability, decision.level)
        return None


def engine_of_rules(table: RuleTable, weighed: bool, seen: Iterable[Word] = ()) -> Engine:
    """Make the engine that fits how the rules were learned: exact rules, or weighed ones of phrase-level traces."""
    return ProbabilisticEngine(ProbabilisticTable(table), seen) if weighed else RuleEngine(table, seen)
