"""Exact match over examples, and where two engines disagree. No torch here."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from ness.answer.answers import Answer
from ness.answer.engine import AnyEngine, translate
from ness.data.example import Example
from ness.machine import Phrase, Word


@dataclass(frozen=True)
class Mistake:
    """An example that was not answered right."""

    target: Phrase
    answer: Answer

    def __str__(self) -> str:
        said = self.answer.error or " ".join(self.answer.output or ())
        return f"{self.answer.text} -> {said} (expected {' '.join(self.target)})"


@dataclass(frozen=True)
class Evaluation:
    """The outcome on one set of examples."""

    n: int
    exact: float  # share of outputs that are equal to the target
    errors: list[Mistake]  # all that is not exact, wrong outputs and answers without an output alike
    seconds: float


@dataclass(frozen=True)
class Disagreement:
    """A source that two engines answer differently."""

    source: tuple[Word, ...]
    first: Answer
    second: Answer

    def __str__(self) -> str:
        said = [answer.error or " ".join(answer.output or ()) for answer in (self.first, self.second)]
        return f"{' '.join(self.source)}: {said[0]} | {said[1]}"


def evaluate(engine: AnyEngine, examples: Sequence[Example]) -> Evaluation:
    """Translate the sources and compare with the targets."""
    started = time.perf_counter()
    answers = translate(engine, [example.source for example in examples])
    seconds = time.perf_counter() - started
    mistakes = [
        Mistake(example.target, answer)
        for example, answer in zip(examples, answers, strict=True)
        if answer.output != example.target
    ]
    exact = 1 - len(mistakes) / len(examples) if examples else 1.0
    return Evaluation(len(examples), exact, mistakes, seconds)


def compare(first: AnyEngine, second: AnyEngine, sources: Sequence[Sequence[Word]]) -> list[Disagreement]:
    """List the sources that two engines answer differently; that both fail is no disagreement."""
    pairs = zip(translate(first, sources), translate(second, sources), strict=True)
    return [Disagreement(one.source, one, other) for one, other in pairs if one.output != other.output]
