"""Why an answer came about: each step with the rule behind it, and the first step that nothing supports. No torch."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from ness.answer.answers import Answer
from ness.answer.engine import AnyEngine, SourceEngine
from ness.errors import NoRule
from ness.machine import State, TraceStep, status_of, steps_of

Reason = dict[str, Any]
EXTRAPOLATED = "no training example shows this, the answer would be extrapolated"
_CERTAIN = 0.995


def explain(engine: AnyEngine, answer: Answer, limit: int | None = None) -> tuple[list[TraceStep], list[Reason]]:
    """Return the steps of an answer, at most `limit` of them, each with its reason."""
    steps, reasons = [], []
    for number, (trace_step, probability) in enumerate(_steps(answer)):
        if number == limit:
            break
        steps.append(trace_step)
        reasons.append(_reason(engine, trace_step, probability))
    return steps, reasons


def brief(reason: Reason) -> Reason:
    """Keep what is worth a line in a terminal: decisions that were not simply seen in training, or are uncertain."""
    kept: Reason = {}
    if reason["rule"] in ("category", "imagined", "outline", "nearest", "height", "next", "frame"):
        kept["rule"] = reason["rule"]
    if kept or not reason["support"]:
        kept["support"] = reason["support"]
    if reason["probability"] < _CERTAIN:
        kept["probability"] = reason["probability"]
    return kept


def refuse_unsupported(engine: AnyEngine, answer: Answer) -> Answer:
    """Turn an answer without support into an error that names the word and the step."""
    if answer.error is not None or answer.support > 0:
        return answer
    number, status = 1, status_of(State(answer.source))
    for number, (trace_step, _) in enumerate(_steps(answer), 1):  # noqa: B007
        status = trace_step.status
        if engine.support(status, trace_step.instruction) == 0:
            break
    return replace(answer, output=None, error=str(NoRule(status, number, EXTRAPOLATED)))


def _steps(answer: Answer) -> Iterator[tuple[TraceStep, float]]:
    decided = answer.decided()
    steps = steps_of(answer.source, [instruction for instruction, _ in decided])
    return zip(steps, [probability for _, probability in decided], strict=True)


def _reason(engine: AnyEngine, done: TraceStep, probability: float) -> Reason:
    status = done.status
    support = engine.support(status, done.instruction)
    decision = None if isinstance(engine, SourceEngine) else engine.cache.decisions.get(status)
    if decision is None or decision.instruction != done.instruction:  # not decided greedily by status
        reason: Reason = {"rule": "network", "support": support, "probability": probability}
        return {**reason, "status": str(status), "alternatives": []}
    others = [{"instruction": str(each), "probability": share} for each, share in islice(decision.alternatives, 3)]
    return {
        "rule": decision.level,
        "support": support,
        "probability": probability,
        "status": str(status),
        "alternatives": others,
    }
