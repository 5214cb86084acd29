"""Several whole loops, each from another seed: the one to keep is chosen by training inputs alone.

Traces can solve all of training and be wrong beyond, each loop's in another way. Inputs that training does not show
tell them apart without outputs: by statuses that no trace decides, and by answers that the other loops do not give.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

from ness.learn.coding import CodedSource
from ness.paper.agreement import TraceAgreement
from ness.paper.progress import Loop
from ness.paper.recombination import exchanged, outcome, recombined, untold

_APART = 10_000  # seeds of the loops of one run


class LoopRank(NamedTuple):
    """How good a loop is, less is better."""

    unsolved: int  # training examples
    doubts: int  # undecided and contradicted inputs together
    number: int  # the first of equals is kept
    undecided: int  # inputs, not shown in training, that meet a status which no trace decides
    contradicted: int  # answers to such inputs that differ from another loop's, of each other loop

    @property
    def sure(self) -> bool:
        """Whether nothing speaks for another loop."""
        return not self.unsolved and not self.doubts

    def __str__(self) -> str:
        return (
            f"loop {self.number + 1}: {self.unsolved} training examples unsolved; of the inputs that training does not "
            f"show {self.undecided} undecided, {self.contradicted} answered otherwise by other loops"
        )


def seed_of(seed: int, number: int) -> int:
    """Return the seed of a loop of a run; that of the first is the run's own."""
    return seed + _APART * number


def ranked_loops(loops: Sequence[Loop]) -> list[LoopRank]:
    """Rank loops over the same examples, in their order."""
    inputs = _unshown(loops)
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


def _unshown(loops: Sequence[Loop]) -> list[CodedSource]:
    """Make inputs that training does not show; words are exchanged by the categories of each loop."""
    settings, seed = loops[0].config.loop, loops[0].config.seed
    sources = [source for source, _ in loops[0].examples]
    made = recombined(sources, settings.recombined, random.Random(seed))
    for loop in loops:
        made += exchanged(sources, sources, _classes(loop), settings.exchanged, random.Random(seed))
    return list(dict.fromkeys(made))


def _classes(loop: Loop) -> dict[int, int]:
    return loop.sets[0].classes if loop.sets else {}


def _rules(loop: Loop) -> TraceAgreement:
    rules = TraceAgreement(_classes(loop), loop.config.loop)
    for trace in loop.traces.values():
        rules.add(trace)
    return rules
