"""Rules by hand and the examples: which of them say something else. No torch here."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ness.answer.engine import translate
from ness.answer.noisy_engine import engine_of_rules
from ness.data.example import Example
from ness.errors import CheckpointError, DataError
from ness.learn.result import LearningResult
from ness.machine import ConcatM, ConcatS, Instruction, Operator, Phrase, Reduce
from ness.model.model import Model
from ness.rules.hand import HandRules, obeying
from ness.rules.parse import parse_hand
from ness.rules.table import words_of
from ness.rules.text import format_step

_LONGEST = 1_000  # tokens of an answer


class Contradiction(NamedTuple):
    """An example that a rule by hand stands against."""

    example: Example
    rule: str  # the first pinned rule that its answer follows
    output: Phrase | None  # what the rules give; None: they refuse

    def __str__(self) -> str:
        given = "gives no answer" if self.output is None else f"gives {' '.join(self.output):.60}"
        source, target = (" ".join(part) for part in self.example)
        return f"{source:.60}: {self.rule} {given}, the example says {target:.60}"


def read_hand(path: Path) -> HandRules:
    """Read a file of rules by hand; every problem is one DataError that names the file."""
    try:
        return parse_hand(path.read_text(encoding="utf-8-sig"))
    except (UnicodeDecodeError, CheckpointError) as error:
        raise DataError(f"{path} cannot be read as rules: {error}") from None


def overlay_hand_rules(plain: LearningResult, hand: HandRules) -> LearningResult:
    """Put rules by hand over what was learned without them; examples that say otherwise are unsolved then."""
    table = obeying(plain.table, hand)
    examples = list(plain.traces)
    answers = translate(engine_of_rules(table, weighed=False), [example.source for example in examples], _LONGEST)
    wrong = [each for each, answer in zip(examples, answers, strict=True) if answer.output != each.target]
    kept = {example: program for example, program in plain.traces.items() if example not in wrong}
    memorised = [example for example in plain.memorised if example not in wrong]
    return replace(plain, table=table, traces=kept, unsolved=[*plain.unsolved, *wrong], memorised=memorised)


def better_result(guided: LearningResult, over: LearningResult) -> LearningResult:
    """What was learned with rules by hand, or without and with these put over it: what solves more examples."""
    missed = len(guided.unsolved) + len(guided.memorised) + len(guided.suspicious)
    return guided if missed < len(over.unsolved) + len(over.suspicious) or not missed else over


def contradictions(model: Model) -> list[Contradiction]:
    """Name the examples that were not learned since rules by hand give something else."""
    if model.hand.empty:
        return []
    unsolved = [*model.summary.unsolved, *(suspect.example for suspect in model.summary.suspicious)]
    answers = translate(model.engine("rules"), [example.source for example in unsolved], _LONGEST)
    found = []
    for example, answer in zip(unsolved, answers, strict=True):
        steps = [(step.status, step.instruction) for step in answer.trace()]
        pinned = [(status, done) for status, done in steps if model.hand.pins(status, done)]
        if pinned and answer.output != example.target:
            status, done = max(pinned, key=lambda step: _guilt(step[1], example.target))
            found.append(Contradiction(example, format_step(status.top, status.memory, done), answer.output))
        elif rule := _needed(model.hand, example):
            found.append(Contradiction(example, rule, answer.output))
    return found


def _guilt(instruction: Instruction, target: Phrase) -> int:
    """How much a step speaks against an output: tokens that it does not have, before any argument at all."""
    parts = getattr(instruction, "phrase", getattr(instruction, "parts", None))
    if parts is None:
        return 0
    return 1 + sum(isinstance(part, str) and part not in target for part in parts)


def _needed(hand: HandRules, example: Example) -> str:
    """A rule by hand for words of an example that the answer did not come to: pinned, or forbidden."""
    words = set(example.source)
    for (operator, top, memory), arguments in hand.pinned.concat.items():
        if words_of(top) and words.issuperset(words_of(top)):
            make = ConcatM if operator is Operator.CONCAT_M else ConcatS
            return format_step(top, memory, make(next(iter(arguments))))
    for frame, phrases in hand.pinned.reduce.items():
        if frame and words.issuperset(frame):
            return format_step(frame, (), Reduce(next(iter(phrases))))
    for frame, phrases in hand.forbidden.reduce.items():
        if frame and words.issuperset(frame):
            return f"without {format_step(frame, (), Reduce(next(iter(phrases))))} it"
    return ""
