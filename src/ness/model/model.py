"""A trained model in memory. A `Run` is the same, read from its folder. No torch here."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ness.answer.engine import AnyEngine
from ness.answer.noisy_engine import engine_of_rules
from ness.config import Config
from ness.errors import ConfigError
from ness.machine import Program, Word
from ness.model.run_folder import ENGINES, Run, save_run
from ness.model.summary import Summary
from ness.network.vocabularies import Vocabularies
from ness.rules.table import RuleTable

if TYPE_CHECKING:
    from ness.network.controller import Controller


@dataclass
class Model:
    """Settings, words, rules and, unless only rules were learned, a network."""

    config: Config
    vocabularies: Vocabularies
    table: RuleTable
    summary: Summary
    network: "Controller | None" = None
    programs: list[tuple[tuple[Word, ...], Program]] = field(default_factory=list, repr=False)
    network_note: str = ""  # how training the network ended

    @property
    def has_controller(self) -> bool:
        return self.network is not None

    def engine(self, name: str = "controller", device: str = "auto") -> AnyEngine:
        """Make an engine: "controller" or "rules"; the network stays on the device it was trained on."""
        if name == "rules":
            return engine_of_rules(self.table, self.config)
        if name != "controller":
            raise ConfigError(f"Unknown engine '{name}'; use {' or '.join(ENGINES)}")
        if self.network is None:
            raise ConfigError("This model has rules only; use the engine 'rules', or train the controller")
        from ness.answer.network_engine import controller_engine

        return controller_engine(self.network, self.table)

    def traces(self) -> Iterator[tuple[tuple[Word, ...], Program]]:
        """Return the training traces."""
        return iter(self.programs)

    def save(self, path: Path) -> None:
        """Write the run folder."""
        save_run(path, self.config, self.vocabularies, self.table, self.network, self.programs, self.summary)


AnyModel = Model | Run


def default_engine(model: AnyModel) -> str:
    """Name the engine that answers unless another one is asked for.

    On large noisy corpora a network learns the words in time only with lexical vectors (docs/translation.md); without
    them, where its training was cut off, or where it does not say what the rules say, the rules answer.
    """
    fits = model.config.search.phrases != "on" or model.config.controller.lexical_size > 0
    summary = model.summary
    sound = summary is None or (summary.trained and summary.agreement in (None, 1.0))
    return "controller" if model.has_controller and fits and sound else "rules"
