"""What two models do differently: answers to the same inputs, and rules. No torch here."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ness.answer.engine import translate
from ness.answer.extraction import Difference, differences
from ness.data.example import Example
from ness.machine import Word
from ness.model.model import Model
from ness.rules.table import RuleTable

_LONGEST = 10_000  # tokens of an answer


class DifferentAnswer(NamedTuple):
    """An input that two models answer differently; None: refused."""

    source: str
    first: str | None
    second: str | None

    def __str__(self) -> str:
        said = ["refused" if output is None else output for output in self[1:]]
        return f"{self.source:.80}: {said[0]:.80} | {said[1]:.80}"


def examples_of_run(model: Model) -> list[Example]:
    """The examples that a model was trained on."""
    suspicious = [suspect.example for suspect in model.summary.suspicious]
    return list(dict.fromkeys([*model.examples(), *model.summary.unsolved, *model.summary.contradictory, *suspicious]))


def different_answers(
    first: Model, second: Model, texts: Sequence[str], engine: str | None = None
) -> list[DifferentAnswer]:
    """Ask both models, each as it reads and by an engine, else by the one that answers for it."""
    outputs = []
    for model in (first, second):
        answers = translate(model.engine(engine), [model.spelling.split(text) for text in texts], _LONGEST)
        outputs.append([None if each.output is None else model.spelling.join(each.output) for each in answers])
    pairs = zip(texts, *outputs, strict=True)
    return [DifferentAnswer(text, one, other) for text, one, other in pairs if one != other]


def different_rules(first: RuleTable, second: RuleTable) -> list[Difference]:
    """Word rules and CONCAT rules that differ; operators, where both models know a status."""
    found = differences(first, second)
    return [each for each in found if each.kind != "operator" or (each.first and each.second)]


def different_categories(first: RuleTable, second: RuleTable) -> tuple[list[str], list[str]]:
    """The categories that only one of two tables has."""
    groups = [{members for members in table.categories.classes if len(members) > 1} for table in (first, second)]
    return _shown(groups[0] - groups[1]), _shown(groups[1] - groups[0])


def _shown(groups: Iterable[tuple[Word, ...]]) -> list[str]:
    return [f"{{{' '.join(members)}}}" for members in sorted(groups)]
