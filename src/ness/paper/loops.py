"""Several whole loops, each from another seed: the one to keep is chosen by training inputs alone.

Traces can solve all of training and be wrong beyond, each loop's in another way. Inputs that training does not show
tell them apart without outputs: by statuses that no trace decides, and by answers that the other loops do not give.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

from ness.paper.agreement import TraceAgreement
from ness.paper.progress import Loop
from ness.paper.recombination import outcome, recombined, untold

_APART = 10_000  # seeds of the loops of one run


class LoopRank(NamedTuple):
    """How good a loop is, less is better."""

    unsolved: int  # training examples
    doubts: int  # undecided and contradicted inputs together
    number: int  # the first of equals is kept
    undecided: int  # recombined inputs that meet a status which no trace decides
    contradicted: int  # answers to recombined inputs that differ from another loop's, of each other loop

    @property
    def sure(self) -> bool:
        """Whether nothing speaks for another loop."""
        return not self.unsolved and not self.doubts

    def __str__(self) -> str:
        return (
            f"loop {self.number + 1}: {self.unsolved} training examples unsolved, {self.undecided} recombined inputs "
            f"undecided, {self.contradicted} answered otherwise by other loops"
        )


def seed_of(seed: int, number: int) -> int:
    """Return the seed of a loop of a run; that of the first is the run's own."""
    return seed + _APART * number


def ranked_loops(loops: Sequence[Loop]) -> list[LoopRank]:
    """Rank loops over the same examples, in their order."""
    settings, seed = loops[0].config.loop, loops[0].config.seed
    inputs = recombined([source for source, _ in loops[0].examples], settings.recombined, random.Random(seed))
    rules = [_rules(loop) for loop in loops]
    answers = [[outcome(each, source) for source in inputs] for each in rules]
    ranks = []
    for number, (loop, mine) in enumerate(zip(loops, answers, strict=True)):
        undecided = sum(untold(rules[number], source) is not None for source in inputs)
        others = [theirs for other, theirs in enumerate(answers) if other != number]
        contradicted = sum(x != y for theirs in others for x, y in zip(mine, theirs, strict=True))
        unsolved = len(loop.examples) - len(loop.traces)
        ranks.append(LoopRank(unsolved, undecided + contradicted, number, undecided, contradicted))
    return ranks


def _rules(loop: Loop) -> TraceAgreement:
    rules = TraceAgreement(loop.sets[0].classes if loop.sets else {}, loop.config.loop)
    for trace in loop.traces.values():
        rules.add(trace)
    return rules
