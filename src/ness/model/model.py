"""A trained model: settings, words and rules; how learning went, traces and network are read when asked for.

Importing this does not import torch; asking for the network does.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ness.answer.engine import AnyEngine
from ness.answer.noisy_engine import engine_of_rules
from ness.config import Config
from ness.data.example import Example
from ness.data.spelling import PLAIN, Spelling
from ness.errors import ConfigError
from ness.machine import Program, Word, run, without_boundaries
from ness.model.summary import Summary
from ness.network.requirements import require_network
from ness.network.vocabularies import Vocabularies
from ness.rules.hand import NO_RULES, HandRules
from ness.rules.table import RuleTable

if TYPE_CHECKING:
    from ness.network.controller import Controller

CONTROLLER, RULES = ENGINES = ("controller", "rules")
Traces = list[tuple[tuple[Word, ...], Program]]


class StoredParts(Protocol):
    """Where the parts of a model are that have not been read yet."""

    path: Path

    @property
    def has_controller(self) -> bool: ...

    def summary(self) -> Summary: ...

    def traces(self) -> Traces: ...

    def examples(self) -> list[Example]: ...

    def survivors(self) -> list[RuleTable]: ...

    def controller(self, config: Config, vocabularies: Vocabularies, device: str) -> "Controller": ...


def example_of_trace(source: tuple[Word, ...], program: Program) -> Example:
    """Run a trace: what it translates, without the boundaries, and to what."""
    return Example(without_boundaries(source), run(source, program)[0])


class EngineChoice(NamedTuple):
    """An engine, and why it answers."""

    name: str
    reason: str


def seeing_enough(config: Config, table: RuleTable) -> Config:
    """Show networks the second frame where rules need it to tell the argument of a CONCAT."""
    if not table.contexts:
        return config
    return replace(config, controller=replace(config.controller, pointer_second_frame=True))


class Model:
    """Settings, words, rules and, unless only rules were learned, a network."""

    def __init__(
        self,
        config: Config,
        vocabularies: Vocabularies,
        table: RuleTable,
        summary: Summary | None = None,
        traces: Iterable[tuple[tuple[Word, ...], Program]] | None = None,
        survivors: Iterable[RuleTable] | None = None,
        *,
        examples: Iterable[Example] | None = None,
        weighed: bool = False,
        spelling: Spelling = PLAIN,
        hand: HandRules = NO_RULES,
        network: "Controller | None" = None,
        stored: StoredParts | None = None,
    ) -> None:
        """Keep what is given; the rest is read from where it is stored."""
        self.config = seeing_enough(config, table)
        self.vocabularies = vocabularies
        self.table = table
        self.weighed = weighed  # likeliest rules, learned from phrases of ambiguous data; else exact ones
        self.spelling = spelling  # how texts become words, and tokens texts
        self.hand = hand  # rules by hand, which the table obeys
        self.network_note = ""  # how training the network ended
        self.network = network  # None: there is none, or it was not asked for yet
        self._stored = stored
        if summary is not None:
            self.summary = summary
        self._traces = None if traces is None else list(traces)
        self._examples = None if examples is None else list(examples)
        self._survivors = None if survivors is None else list(survivors)

    @property
    def path(self) -> Path | None:
        """The folder that the model was read from."""
        return self._stored.path if self._stored else None

    @cached_property
    def summary(self) -> Summary:
        """How learning went."""
        assert self._stored, "a model that is not stored has its summary"
        return self._stored.summary()

    def traces(self) -> Traces:
        """Return the training traces."""
        if self._traces is None:
            self._traces = self._stored.traces() if self._stored else []
        return self._traces

    def examples(self) -> list[Example]:
        """Return the examples of the training traces, in the same order."""
        if self._examples is None and self._stored is not None and self._traces is None:
            self._examples = self._stored.examples()
        elif self._examples is None:
            self._examples = [example_of_trace(source, program) for source, program in self.traces()]
        return self._examples

    def survivors(self) -> list[RuleTable]:
        """Return other rules that fit the examples as well: where they answer otherwise, it pays to ask."""
        if self._survivors is None:
            self._survivors = self._stored.survivors() if self._stored else []
        return self._survivors

    @property
    def has_controller(self) -> bool:
        return self.network is not None or (self._stored is not None and self._stored.has_controller)

    def controller(self, device: str = "auto") -> "Controller":
        """Return the network; one that was just trained stays on the device that it was trained on."""
        if self.network is None:
            if self._stored is None or not self._stored.has_controller:
                raise ConfigError("This model has rules only; use the engine 'rules', or train the network")
            require_network("This model's network")
            self.network = self._stored.controller(self.config, self.vocabularies, device)
        return self.network

    @property
    def default_engine(self) -> EngineChoice:
        """Say which engine answers unless another one is asked for, and why: one rule for all ways to ask."""
        if not self.has_controller:
            return EngineChoice(RULES, "no network was trained")
        if not self.summary.trained:
            return EngineChoice(RULES, "the training of the network was cut off")
        if self.weighed and not self.config.controller.lexical_size:  # docs/translation.md
            return EngineChoice(RULES, "without lexical vectors a network does not learn a large vocabulary in time")
        agreement = self.summary.agreement
        if self.config.search.strategy == "sampled" and agreement is None:
            return EngineChoice(CONTROLLER, "the network of the paper's loop, which was not compared with the rules")
        if agreement is not None and agreement < 1.0:
            return EngineChoice(RULES, f"the network agrees with the rules on {agreement:.2%} of fresh inputs only")
        return EngineChoice(CONTROLLER, "it was trained to its end and agrees with the rules")

    def engine(self, name: str | None = None, device: str = "auto") -> AnyEngine:
        """Make an engine, "controller" or "rules"; by default the one that answers."""
        name = name or self.default_engine.name
        if name == RULES:
            return engine_of_rules(self.table, self.weighed, self.vocabularies.source)
        if name != CONTROLLER:
            raise ConfigError(f"Unknown engine '{name}'; use {' or '.join(ENGINES)}")
        controller = self.controller(device)
        from ness.answer.network_engine import controller_engine

        return controller_engine(controller, self.table, self.config.training.threads, bounded=not self.weighed)
