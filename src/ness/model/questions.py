"""What to ask about a model: the inputs whose outputs would teach it most. No torch here."""

from collections.abc import Iterable

from ness.answer.suggest import Source, Suggestion
from ness.answer.suggest import suggest as suggest_inputs
from ness.errors import ConfigError
from ness.model.model import Model


def suggest(
    model: Model, pool: Iterable[Source] | None = None, n: int = 10, skip: Iterable[Source] = ()
) -> list[Suggestion]:
    """Return up to n inputs to label next; without a pool, they are made of parts of the training examples."""
    if model.weighed:
        raise ConfigError("these rules are weighed, learned from ambiguous data; questions are found for exact rules")
    summary = model.summary
    suspicious = [suspect.example for suspect in summary.suspicious]
    failed = [example.source for example in (*summary.unsolved, *summary.contradictory, *suspicious)]
    return suggest_inputs(model.table, model.survivors(), model.traces(), pool, n, [*failed, *skip])
