"""Sets of traces, and what their rules do with an example without any search."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from ness.config import LoopConfig
from ness.learn.coding import Argument, CodedStatus, CodedTrace, Sample, Step
from ness.machine.opcodes import FINAL
from ness.paper.agreement import TraceAgreement
from ness.paper.moments import Moment

Traces = dict[Sample, CodedTrace]
Decision = tuple[int, Argument]
Decide = Callable[[CodedStatus], Decision | None]
_STEPS_PER_WORD = 8  # of an execution without search


@dataclass(frozen=True)
class TraceSet:
    """Traces of a working set, the categories that they show, and how much they disagree."""

    traces: Traces = field(default_factory=dict)
    classes: dict[int, int] = field(default_factory=dict)
    disagreement: float = 0.0


class RuleDecisions:
    """What rules decide, asked once for each status."""

    __slots__ = ("_decide", "known")

    def __init__(self, decide: Decide) -> None:
        self._decide = decide
        self.known: dict[int, Decision | None] = {}  # by the number of the status

    def ask(self, moment: Moment) -> Decision | None:
        """Return the decision in a moment, if there is one."""
        number = moment.number
        if number not in self.known:
            self.known[number] = self._decide(moment.status)
        return self.known[number]


class FollowResult:
    """How far rules lead: to a trace that yields the target, to a moment that they do not know, or to neither."""

    __slots__ = ("_decisions", "_way", "solved", "stuck")

    def __init__(self, decisions: RuleDecisions, way: list[Moment], solved: bool, stuck: Moment | None = None) -> None:
        self._decisions, self._way = decisions, way
        self.solved, self.stuck = solved, stuck

    @property
    def steps(self) -> list[Step]:
        """The steps that were taken."""
        return [(each.status, *decision) for each in self._way if (decision := self._decisions.ask(each))]

    @property
    def operators(self) -> list[int]:
        """The operators of these steps."""
        return [decision[0] for each in self._way if (decision := self._decisions.ask(each))]

    @property
    def trace(self) -> CodedTrace | None:
        """The steps, if they yield the target."""
        return tuple(self.steps) if self.solved else None

    def alike(self, other: "FollowResult") -> bool:
        """Whether both are solved, by the same operators."""
        return self.solved and other.solved and self.operators == other.operators


def follow(decisions: RuleDecisions, moment: Moment) -> FollowResult:
    """Execute rules without any search."""
    known = decisions.known
    way: list[Moment] = []
    for _ in range(_STEPS_PER_WORD * len(moment.sample[0]) + 6):
        decision = known.get(moment.number) or decisions.ask(moment)
        if decision is None:
            return FollowResult(decisions, way, solved=False, stuck=moment)
        way.append(moment)
        if decision[0] == FINAL:
            return FollowResult(decisions, way, moment.right)
        following = moment.following.get(decision) or moment.after(*decision)
        if following is None:
            break
        moment = following
    return FollowResult(decisions, way, solved=False)


def solved_traces(rules: TraceAgreement, samples: Iterable[Sample]) -> Traces:
    """Return the traces of the samples that the rules solve without search."""
    decisions = RuleDecisions(rules.decide)
    traces = {sample: follow(decisions, Moment(sample)).trace for sample in samples}
    return {sample: trace for sample, trace in traces.items() if trace is not None}


def count_unlike(rules: TraceAgreement, pairs: Iterable[tuple[Sample, Sample]]) -> int:
    """Count the pairs of which rules solve the first without search, but not the second by the same operators."""
    decisions = RuleDecisions(rules.decide)
    followed = [(follow(decisions, Moment(one)), follow(decisions, Moment(other))) for one, other in pairs]
    return sum(one.solved and not one.alike(other) for one, other in followed)


def operational_classes(traces: Iterable[CodedTrace], words: Collection[int]) -> dict[int, int]:
    """Put words into one category if exchanging them keeps every operator that the traces show."""
    agreement = TraceAgreement({}, LoopConfig())
    for trace in traces:
        agreement.add(trace)
    return agreement.categories(words)
