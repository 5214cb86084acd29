"""Several whole loops, each from another seed: the one to keep is chosen by training inputs alone.

Traces can solve all of training and be wrong beyond, each loop's in another way. Inputs that training does not show
tell them apart without outputs: by statuses that no trace decides, and by answers that the other loops do not give.
Before that, examples with swapped words do, which must be solved by the same operators.
"""

import random
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ness.config import Config
from ness.learn.coding import CodedSource, Sample
from ness.paper.agreement import TraceAgreement
from ness.paper.progress import Loop
from ness.paper.recombination import exchanged, outcome, recombined, untold
from ness.paper.swaps import Counterparts, swaps_of
from ness.paper.trace_set import count_unlike

_APART = 10_000  # seeds of the loops of one run
_SWAPPED = 500  # examples that loops are asked about with swapped words


class LoopRank(NamedTuple):
    """How good a loop is, less is better."""

    unsolved: int  # training examples
    unlike: int  # of some training examples, those that are solved otherwise than with words swapped
    doubts: int  # undecided and contradicted inputs together
    number: int  # the first of equals is kept
    undecided: int  # inputs, not shown in training, that meet a status which no trace decides
    contradicted: int  # answers to such inputs that differ from another loop's, of each other loop

    @property
    def sure(self) -> bool:
        """Whether nothing speaks for another loop."""
        return not (self.unsolved or self.unlike or self.doubts)

    def __str__(self) -> str:
        return (
            f"loop {self.number + 1}: {self.unsolved} training examples unsolved"
            f"{f', {self.unlike} solved otherwise than with words swapped' * bool(self.unlike)}; of the inputs that "
            f"training does not show {self.undecided} undecided, {self.contradicted} answered otherwise by other loops"
        )


def seed_of(seed: int, number: int) -> int:
    """Return the seed of a loop of a run; that of the first is the run's own."""
    return seed + _APART * number


def wants_another(ranks: Sequence[LoopRank], ended: Sequence[float], config: Config) -> bool:
    """Whether another loop is wanted, and there is time for it.

    Half as long as the longest may do if the best loop leaves examples unsolved or used up its share of the time: as a
    rule no more than that share is left then, and a little less.
    """
    if not ended:
        return True
    if len(ended) >= config.loop.loops or min(ranks).sure:
        return False
    best, limit = min(ranks), config.learner.time_limit
    lengths = [now - before for before, now in pairwise([0.0, *ended])]
    hurried = best.unsolved or lengths[best.number] >= limit * config.loop.share
    return ended[-1] + max(lengths) / (2 if hurried else 1) <= limit


def limit_of_next(ended: Sequence[float], config: Config) -> float:
    """Return when the next loop must end, in seconds of the run: what went astray early is not mended by more time."""
    whole = config.learner.time_limit
    share = config.loop.share if config.loop.loops > 1 else 1.0
    return min(whole, (ended[-1] if ended else 0.0) + whole * share)


def ranked_loops(loops: Sequence[Loop]) -> list[LoopRank]:
    """Rank loops over the same examples, in their order."""
    inputs = _unshown(loops)
    rules = [_rules(loop) for loop in loops]
    swapped = _swapped(loops[0])
    answers = [[outcome(each, source) for source in inputs] for each in rules]
    ranks = []
    for number, (loop, mine) in enumerate(zip(loops, answers, strict=True)):
        undecided = sum(untold(rules[number], source) is not None for source in inputs)
        others = [theirs for other, theirs in enumerate(answers) if other != number]
        contradicted = sum(x != y for theirs in others for x, y in zip(mine, theirs, strict=True))
        unsolved = len(loop.examples) - len(loop.traces)
        unlike = count_unlike(rules[number], swapped)
        ranks.append(LoopRank(unsolved, unlike, undecided + contradicted, number, undecided, contradicted))
    return ranks


def _unshown(loops: Sequence[Loop]) -> list[CodedSource]:
    """Make inputs that training does not show; words are exchanged by the categories of each loop."""
    settings, seed = loops[0].config.loop, loops[0].config.seed
    sources = [source for source, _ in loops[0].examples]
    made = recombined(sources, settings.recombined, random.Random(seed))
    for loop in loops:
        made += exchanged(sources, sources, _classes(loop), settings.exchanged, random.Random(seed))
    return list(dict.fromkeys(made))


def _swapped(loop: Loop) -> list[tuple[Sample, Sample]]:
    """Draw examples, each with a counterpart."""
    if not loop.config.loop.swapped:
        return []
    rng = random.Random(loop.config.seed)
    counterparts = Counterparts(swaps_of(loop.lessons, loop.config.loop.introduced), rng)
    drawn = rng.sample(loop.examples, min(_SWAPPED, len(loop.examples)))
    return [(sample, other) for sample in drawn if (other := counterparts[sample]) is not None]


def _classes(loop: Loop) -> dict[int, int]:
    return loop.sets[0].classes if loop.sets else {}


def _rules(loop: Loop) -> TraceAgreement:
    rules = TraceAgreement(_classes(loop), loop.config.loop)
    for trace in loop.traces.values():
        rules.add(trace)
    return rules
