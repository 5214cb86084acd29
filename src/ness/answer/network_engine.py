"""Decisions from the network, with their support from the rule table."""

from collections.abc import Sequence

from ness.answer.engine import AnyEngine, DecisionCache
from ness.answer.history_engine import HistoryEngine
from ness.answer.rule_engine import known_words
from ness.errors import ConfigError
from ness.machine import Instruction, Status
from ness.network.controller import Controller
from ness.network.decisions import ControllerDecisions, knows
from ness.network.imitation import fixed_threads
from ness.rules.table import Decision, RuleTable

PHRASES = 10  # REDUCE arguments that a beam may choose from


class ControllerEngine:
    """Asks a local controller: the most probable legal operator, then its arguments, with nothing filled in."""

    def __init__(self, controller: Controller, table: RuleTable, threads: int = 1, bounded: bool = False) -> None:
        if not controller.config.local:
            raise ConfigError("This controller does not decide by status alone; use controller_engine() for it")
        self.controller = controller.eval()
        self.table = table
        self.cache = DecisionCache()
        self.words = known_words(table) & set(controller.vocabularies.source)
        self.unlearned = frozenset(controller.vocabularies.source) - self.words
        self.threads = threads
        self.bounded = bounded  # refuse what the rules refuse: there the network would guess
        self._policy = ControllerDecisions(controller)

    def decide(self, statuses: Sequence[Status]) -> list[Decision | None]:
        """Ask the network about all statuses at once; None where a word is unknown or an argument does not end."""
        known = [row for row, status in enumerate(statuses) if knows(self.controller, status)]
        decisions: list[Decision | None] = [None] * len(statuses)
        with fixed_threads(self.threads):  # small networks only wait for more
            found = self._policy.options([statuses[row] for row in known])
        for row, options in zip(known, found, strict=True):
            best, *others = options
            if best.instruction is None or (self.bounded and self.table.decide(statuses[row]) is None):
                continue
            alternatives = [(each.instruction, each.probability) for each in others if each.instruction is not None]
            support = self.table.support(statuses[row], best.instruction)
            decisions[row] = Decision(best.instruction, support, best.probability, "network", tuple(alternatives[:3]))
        return decisions

    def support(self, status: Status, instruction: Instruction) -> int:
        """Count the training traces behind a step."""
        return self.table.support(status, instruction)

    def why_undecided(self, status: Status) -> str:
        """Say which words leave a decision open, to the rules."""
        return self.table.why_undecided(status)

    def options(self, status: Status) -> list[tuple[Instruction, float]]:
        """Instructions with their probabilities, for a beam; none where a word is unknown."""
        with fixed_threads(self.threads):
            return self._policy.weighed(status, PHRASES) if knows(self.controller, status) else []


def controller_engine(controller: Controller, table: RuleTable, threads: int = 1, bounded: bool = False) -> AnyEngine:
    """Make the engine that fits a controller; it computes with so many threads.

    A `bounded` one refuses what the rules refuse, if the controller decides by status.
    """
    if controller.config.local:
        return ControllerEngine(controller, table, threads, bounded)
    return HistoryEngine(controller, table, threads)
