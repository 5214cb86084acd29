"""Sets of traces, and what their rules do with an example without any search."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from ness.config import LoopConfig
from ness.learn.coding import Argument, CodedStatus, CodedTrace, Sample, Step
from ness.machine.opcodes import FINAL
from ness.paper.agreement import TraceAgreement
from ness.paper.moments import Moment

Traces = dict[Sample, CodedTrace]
Decide = Callable[[CodedStatus], tuple[int, Argument] | None]
_STEPS_PER_WORD = 8  # of an execution without search


@dataclass(frozen=True)
class TraceSet:
    """Traces of a working set, the categories that they show, and how much they disagree."""

    traces: Traces = field(default_factory=dict)
    classes: dict[int, int] = field(default_factory=dict)
    disagreement: float = 0.0


class FollowResult(NamedTuple):
    """How far rules lead: to a trace that yields the target, to a moment that they do not know, or to neither."""

    trace: CodedTrace | None
    stuck: Moment | None
    steps: list[Step]


def follow(decide: Decide, moment: Moment) -> FollowResult:
    """Execute rules without any search."""
    steps: list[Step] = []
    for _ in range(_STEPS_PER_WORD * len(moment.sample[0]) + 6):
        decision = decide(moment.status)
        if decision is None:
            return FollowResult(None, moment, steps)
        operator, argument = decision
        steps.append((moment.status, operator, argument))
        if operator == FINAL:
            return FollowResult(tuple(steps) if moment.right else None, None, steps)
        following = moment.after(operator, argument)
        if following is None:
            break
        moment = following
    return FollowResult(None, None, steps)


def solved_traces(rules: TraceAgreement, samples: Iterable[Sample]) -> Traces:
    """Return the traces of the samples that the rules solve without search."""
    decide = cache(rules.decide)
    traces = {sample: follow(decide, Moment(sample)).trace for sample in samples}
    return {sample: trace for sample, trace in traces.items() if trace is not None}


def operational_classes(traces: Iterable[CodedTrace], words: Collection[int]) -> dict[int, int]:
    """Put words into one category if exchanging them keeps every operator that the traces show."""
    agreement = TraceAgreement({}, LoopConfig())
    for trace in traces:
        agreement.add(trace)
    return agreement.categories(words)
