"""How learning went: what was solved and what was not. Kept as summary.json in the run folder. No torch here."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ness.data.example import Example
from ness.errors import CheckpointError


@dataclass
class Summary:
    """What learning the traces came to."""

    task: str  # a built-in task, or the file that the examples came from
    digest: str  # of examples and settings: tells whether training can be resumed
    examples: int  # distinct ones
    solved: int
    unsolved: list[Example] = field(default_factory=list)  # no trace follows the final rules
    memorised: list[Example] = field(default_factory=list)  # solved, but as a whole: they teach nothing about others
    contradictory: list[Example] = field(default_factory=list)  # left out: their source has a more frequent target
    seconds: float = 0.0
    nodes: int = 0
    attempts: int = 0
    complete: bool = True  # False: the search was stopped, by Ctrl-C or by the time limit
    trained: bool = True  # False: the time limit ended the network's training
    agreement: float | None = None  # share of fresh imagined inputs that network and rules answer alike; None: unknown

    def to_json(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        values = {name: getattr(self, name) for name in _SIMPLE}
        return values | {name: _pairs(getattr(self, name)) for name in _LISTS}

    @classmethod
    def from_json(cls, values: Any) -> "Summary":
        """Read what `to_json` returned."""
        if not isinstance(values, Mapping):
            raise CheckpointError("summary.json is not an object; train again")
        try:
            values = {"trained": True, "agreement": None} | dict(values)  # which the first runs did not note
            simple = {name: kind(values[name]) for name, kind in _SIMPLE.items()}
            lists = {name: [_example(pair) for pair in values[name]] for name in _LISTS}
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"summary.json cannot be read ({error}); train again") from error
        fields: dict[str, Any] = simple | lists
        return cls(**fields)


def _share(value: Any) -> float | None:
    return None if value is None else float(value)


_SIMPLE: dict[str, Any] = {
    "task": str,
    "digest": str,
    "examples": int,
    "solved": int,
    "seconds": float,
    "nodes": int,
    "attempts": int,
    "complete": bool,
    "trained": bool,
    "agreement": _share,
}
_LISTS = ("unsolved", "memorised", "contradictory")


def _pairs(examples: Iterable[Example]) -> list[list[list[str]]]:
    return [[list(example.source), list(example.target)] for example in examples]


def _example(pair: Any) -> Example:
    source, target = pair
    if not all(isinstance(token, str) for token in (*source, *target)):
        raise ValueError("a token is not text")
    return Example(tuple(source), tuple(target))
