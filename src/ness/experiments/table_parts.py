"""What the tables share."""

from collections.abc import Iterable, Sequence

from ness.experiments.spec import NESS, SYSTEMS
from ness.experiments.summary import Measurement, Results
from ness.experiments.table import BASELINE, OURS, PAPER

BY_TITLE = {title: name for name, title in SYSTEMS.items()}


def with_published(tasks: Sequence[str], published: Iterable[str], results: Results) -> list[str]:
    """Name the systems of a table: NeSS, ours, then those of the paper in its order, then what only we have."""
    here = [SYSTEMS[system] for system in results.systems(*tasks)]
    first = [name for name in here if name == SYSTEMS[NESS] or name not in published]
    return list(dict.fromkeys([*first, *published]))


def answering(ours: Iterable[Measurement]) -> tuple[str, ...]:
    """Say who answers for NeSS."""
    engines = {one.engine for one in ours if one.system == NESS and one.shares}
    notes = {
        "controller": "NeSS answers by its network alone, greedily, without search.",
        "rules": "NeSS answers by its weighed rules here; no network was trained on them.",
    }
    return tuple(notes[engine] for engine in sorted(engines & notes.keys()))


def kind_of(one: Measurement) -> str:
    """Say whose figures these are."""
    return OURS if one.system == NESS else BASELINE if one.system in SYSTEMS else PAPER


def figure_of(value: float | None) -> str:
    """Show a figure as the paper prints it."""
    return "—" if value is None else f"{value:g}"
