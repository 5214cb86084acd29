"""How the paper's loop fares: what the traces of each lesson look like, and whether they agree."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from ness.learn.coding import Argument, Codec, CodedStatus, CodedTrace
from ness.rules.table import RuleTable


@dataclass(frozen=True, slots=True)
class LessonDiagnosis:
    """The traces of all examples so far, at the end of a lesson."""

    lesson: int  # from 1
    examples: int
    traced: int  # examples with a non-degenerate trace
    statuses: int  # distinct
    contradictory: int  # statuses decided in more than one way
    contradictory_steps: float  # the share of all steps that are taken in such statuses
    minority_steps: float  # the share of steps that decide otherwise than most do in their status
    reference_steps: float | None  # the share of steps that a reference table decides alike
    category_pairs: float | None  # the share of pairs of words that are put together or apart as in the reference
    gradient_steps: int
    searched_steps: int  # executed by all searches
    seconds: float
    skipped_steps: int = 0  # gradient steps not taken, because the gradient was not finite

    @property
    def detail(self) -> str:
        return (
            f"lesson {self.lesson}: {self.traced} of {self.examples} examples have a non-degenerate trace, "
            f"{self.contradictory} of {self.statuses} statuses are decided in more than one way "
            f"({self.contradictory_steps:.1%} of the steps); {self.gradient_steps} gradient steps so far"
            f"{f', {self.skipped_steps} of them without a finite gradient' if self.skipped_steps else ''}"
        )


def coherence(traces: Iterable[CodedTrace]) -> tuple[int, int, float, float]:
    """Return statuses, contradictory ones, the share of steps in these, and the share of minority steps."""
    decisions: defaultdict[CodedStatus, Counter[tuple[int, Argument]]] = defaultdict(Counter)
    for trace in traces:
        for status, operator, argument in trace:
            decisions[status][operator, argument] += 1
    steps = sum(sum(counts.values()) for counts in decisions.values())
    several = [counts for counts in decisions.values() if len(counts) > 1]
    inside = sum(sum(counts.values()) for counts in several)
    minority = sum(sum(counts.values()) - max(counts.values()) for counts in several)
    return len(decisions), len(several), inside / max(steps, 1), minority / max(steps, 1)


def agreement_with(reference: RuleTable, codec: Codec, traces: Iterable[CodedTrace]) -> float:
    """The share of steps that the reference decides alike, argument included."""
    counts = Counter(step for trace in traces for step in trace)
    alike = 0
    for (status, operator, argument), count in counts.items():
        decision = reference.decide(codec.status(status))
        alike += count * (decision is not None and decision.instruction == codec.instruction(operator, argument))
    return alike / max(sum(counts.values()), 1)


def category_agreement(reference: RuleTable, codec: Codec, classes: Mapping[int, int]) -> float:
    """The share of pairs of words that are together, or apart, in both."""
    pairs = list(combinations(codec.words, 2))
    alike = 0
    for one, other in pairs:
        together = classes.get(codec.words[one], one) == classes.get(codec.words[other], other)
        alike += together == (reference.categories.of(one) == reference.categories.of(other))
    return alike / max(len(pairs), 1)
