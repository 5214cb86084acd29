"""What every system to compare has: settings, `fit`, `predict`, and what it is told beyond the training set."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ness.data.example import Example
from ness.errors import ConfigError

if TYPE_CHECKING:
    from ness.experiments.systems.registry import SystemEntry

Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Training:
    """What a system learns from, and with what."""

    examples: Sequence[Example]
    task: str = ""  # as in `ness tasks`; a file's name, or nothing, for data of one's own
    seed: int = 0
    device: str = "cpu"
    seconds: float = math.inf  # training that is not through by then ends with what it has


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a learning curve."""

    step: int
    loss: float  # mean since the last point
    accuracy: float | None  # share of the checked training examples that are reproduced exactly, where it was measured
    seconds: float


Report = Callable[[Point], None]


@dataclass(frozen=True, slots=True)
class Fit:
    """How a training went."""

    steps: int
    accuracy: float  # share of the training examples (or of a sample of them) that are reproduced exactly
    seconds: float
    parameters: int  # trained numbers
    ended: str  # in words: "converged", "steps used up", "out of time"
    restarts: int = 0  # fresh starts after a failure on the training data
    curve: tuple[Point, ...] = ()
    notes: dict[str, Any] = field(default_factory=dict)  # plain values that a reader should see


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What all systems share; each adds its own fields."""

    steps: int = 4000  # updates at most

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, int | float) and value < 0:
                raise ConfigError(f"'{one.name}' must not be negative, not {value}")
        if self.steps < 1:
            raise ConfigError(f"'steps' must be at least 1, not {self.steps}")

    def changed(self, changes: Sequence[str]) -> Self:
        """Apply changes such as "steps=100"; an unknown name or a value of another type is told."""
        found: dict[str, Any] = {}
        known = {one.name: getattr(self, one.name) for one in fields(self)}
        for change in changes:
            name, equals, text = change.partition("=")
            if not equals or name not in known:
                raise ConfigError(f"there is no setting '{change}'; settings: {', '.join(known)} (as name=value)")
            kind = type(known[name])
            try:
                found[name] = _FLAGS[text] if kind is bool else kind(text)
            except (KeyError, ValueError):
                raise ConfigError(f"'{name}' wants a value like {known[name]}, not '{text}'") from None
        return replace(self, **found)


_FLAGS = {"true": True, "false": False}


class System(ABC):
    """Learns from examples, then answers sources.

    A subclass has a `name` (its line in the registry holds title and `knows_more`), settings of its own, and may
    choose other ones for a task.
    """

    name: ClassVar[str]
    settings: Settings

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @classmethod
    @abstractmethod
    def settings_for(cls, task: str) -> Settings:
        """Return the settings for a task, fixed before any test was looked at."""

    @abstractmethod
    def fit(self, training: Training, report: Report = lambda _: None) -> Fit:
        """Learn; the outcome depends on the data, the seed, the settings and the device only."""

    @abstractmethod
    def predict(self, sources: Sequence[Tokens]) -> list[Tokens | None]:
        """Answer greedily; None where there is no answer."""

    def correct(self, examples: Sequence[Example]) -> list[bool]:
        """Say of each example whether it is answered exactly; a faster way than to decode may replace this."""
        answers = self.predict([example.source for example in examples])
        return [answer == example.target for answer, example in zip(answers, examples, strict=True)]

    @property
    def title(self) -> str:
        """Return the name for people."""
        return self._entry.title

    @property
    def knows_more(self) -> str:
        """Return what the system is told beyond the training set."""
        return self._entry.knows_more

    @property
    def _entry(self) -> "SystemEntry":
        from ness.experiments.systems.registry import entry

        return entry(self.name)
