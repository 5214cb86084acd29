"""What the rules decide in statuses that no trace shows, for the network to imitate, and whether it does.

Imagined inputs are run through the rules; those that the rules refuse are left out. Round 0 is made to train on, each
later round, of deeper inputs, to examine the network first and to train on if it fails. No test data comes near.
"""

from collections.abc import Callable
from typing import NamedTuple

from ness.answer.engine import SourceEngine, translate
from ness.answer.network_engine import controller_engine
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.machine import Instruction, Phrase, Status, Word
from ness.network.controller import Controller
from ness.network.imagination import Imagination
from ness.network.imitation import Agreement
from ness.network.training_set import Traces
from ness.rules.table import RuleTable

EXAMINED = 500  # inputs of an examination
DEPTHS, FRESH_DEPTHS = (1, 1, 2, 3), (2, 3, 4, 6)  # how many parts an input exchanges, in training and examination
LONGEST = 200  # words of an imagined input, unless those of the traces are longer
MAX_OUTPUT = 10_000  # tokens; nested repetition can ask for exponentially many


def rules_as_teacher(config: Config) -> Callable[[Traces, RuleTable], "RuleTeacher"]:
    """Say how the rules of given traces teach with these settings; a network that is not local is only examined."""
    inputs = config.training.imagined if config.controller.local else 0
    return lambda traces, table: RuleTeacher(traces, table, inputs, config.seed)


class _Round(NamedTuple):
    """Imagined inputs that the rules answer."""

    outputs: dict[tuple[Word, ...], Phrase]
    decisions: dict[Status, Instruction]  # in all statuses that these inputs meet


class RuleTeacher:
    """Teaches what the rules of given traces decide on imagined inputs; at first on `inputs` of them, 0: on none."""

    def __init__(self, traces: Traces, table: RuleTable, inputs: int, seed: int) -> None:
        self._table, self._inputs, self._seed = table, inputs, seed
        self._imagination = Imagination(traces, table.categories)
        self._rounds: dict[int, _Round] = {}

    def decisions(self, rounds: int) -> dict[Status, Instruction]:
        """Return the decisions of the rules on all inputs up to a round."""
        found: dict[Status, Instruction] = {}
        for number in range(rounds + 1) if self._inputs else ():
            found |= self._round(number).decisions
        return found

    def examine(self, controller: Controller, rounds: int) -> Agreement:
        """Compare network and rules on the inputs of the round after the last one that was trained on."""
        fresh = self._round(rounds + 1)
        network = controller_engine(controller, self._table)
        answers = translate(network, list(fresh.outputs), MAX_OUTPUT)
        same = sum(answer.output == fresh.outputs[answer.source] for answer in answers)
        if isinstance(network, SourceEngine):
            return Agreement(len(answers), same, 0, 0)
        decided = zip(fresh.decisions.values(), network.decide(list(fresh.decisions)), strict=True)
        right = sum(theirs is not None and theirs.instruction == ours for ours, theirs in decided)
        return Agreement(len(answers), same, len(fresh.decisions), right)

    def _round(self, number: int) -> _Round:
        """Draw the inputs of a round and let the rules answer them."""
        if number not in self._rounds:
            fits = self._imagination.longest
            count, depths, longest = (EXAMINED, FRESH_DEPTHS, 4 * fits) if number else (self._inputs, DEPTHS, 2 * fits)
            seed = self._seed * 1_000_003 + number
            drawn = self._imagination.draw(count, seed, depths, max(fits, min(longest, LONGEST)))
            answers = translate(RuleEngine(self._table), drawn, MAX_OUTPUT)
            outputs = {answer.source: answer.output for answer in answers if answer.output is not None}
            engine = RuleEngine(self._table)  # which remembers what the answered inputs met, and nothing else
            translate(engine, list(outputs), MAX_OUTPUT)
            decisions = {status: decision.instruction for status, decision in engine.cache.decisions.items()}
            self._rounds[number] = _Round(outputs, decisions)
        return self._rounds[number]
