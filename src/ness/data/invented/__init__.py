"""Seeded tasks of our own, to check that the learner is general: no part of it may know them."""

from ness.data.example import Example
from ness.data.invented import agreement, distance, everyday, formulas, meanings, sentences, structures
from ness.data.invented.invention import Invention, make

INVENTIONS: dict[str, Invention] = {
    invention.name: invention
    for module in (formulas, structures, sentences, everyday, agreement, distance, meanings)
    for invention in module.INVENTIONS
}


def invented(name: str, seed: int = 0) -> tuple[list[Example], list[Example]]:
    """Return the training and the test examples of an invented task."""
    return make(INVENTIONS[name], seed)


__all__ = ["INVENTIONS", "Invention", "invented"]
