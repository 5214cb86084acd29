"""The paper's own search: instructions sampled from a policy, with backtracking, in at most so many executed steps.

A step after which nothing is left to do (no argument makes a substring of the output, or all was tried) is taken back
and another one is sampled.
Arguments are drawn among those that make a substring: what the paper draws and rejects is not drawn, nor counted.
Rules of earlier lessons are followed first; only if that finds nothing, other instructions are tried in their place.

A search is a generator of questions, so that many searches can ask a network together; what is known is not asked.
The fewer searches wait, the less a network has to do at once: so it may also be asked what they will ask next.
"""

import random
from collections.abc import Generator, Sequence
from typing import NamedTuple

from ness.learn.coding import OPERATORS, Argument, CodedTrace, degenerate_trace
from ness.learn.garbage import no_garbage_collection
from ness.machine.opcodes import FINAL
from ness.paper.moments import Moment
from ness.paper.prospects import Lot, Prospects
from ness.paper.questions import Answers, SearchQuestion


class SampledTrace(NamedTuple):
    """A trace, perhaps the degenerate one for want of a better, and the steps executed to find it."""

    trace: CodedTrace
    steps: int
    degenerate: bool


class Asking(NamedTuple):
    """Options that an answer has to price, and where a search has come to them."""

    lot: Lot[int] | Lot[Argument]
    moment: Moment
    prospects: Prospects


Search = Generator[Asking, None, SampledTrace]
_Drawn = tuple[Lot[Argument], int]  # the arguments that were left, and the place of the one that was drawn
# A state on the way, the operators that are left, what was drawn with each operator, and the step that was taken.
_Visit = tuple[Moment, Lot[int], list[_Drawn | None], int, Argument]
_UNDRAWN: list[_Drawn | None] = [None] * len(OPERATORS)


def sampled_search(first: Moment, stages: Sequence[Prospects], rng: random.Random) -> Search:
    """Look for a non-degenerate trace of an example, by one set of rules after the other; else the degenerate one.

    All but the last take at most half of the steps, so that there are some left for doing otherwise.
    """
    steps = 0
    for prospects in stages:
        limit = prospects.config.sampled_steps // (1 if prospects is stages[-1] else 2)
        trace, steps = yield from _descend(first, prospects, rng, steps, limit)
        if trace is not None:
            return SampledTrace(trace, steps, degenerate=False)
    return SampledTrace(degenerate_trace(first.sample), steps, degenerate=len(first.sample[1]) > 1)


def search_together(policy: Answers, searches: Sequence[Search], ahead: int = 0) -> list[SampledTrace]:
    """Run searches side by side: each goes on until it has to ask, then all ask together.

    Where these are fewer than `ahead` questions, some that may come next are asked with them.
    """
    found: dict[int, SampledTrace] = {}
    going = list(range(len(searches)))
    with no_garbage_collection():
        while going:
            waiting: dict[int, Asking] = {}
            for number in going:
                try:
                    waiting[number] = next(searches[number])
                except StopIteration as end:
                    found[number] = end.value
            _ask(policy, list(waiting.values()), ahead)
            going = list(waiting)
    return [found[number] for number in range(len(searches))]


def _ask(policy: Answers, askings: Sequence[Asking], ahead: int) -> None:
    """Put all questions to the policy, each once, and price the options."""
    wanted: dict[SearchQuestion, list[Lot[int] | Lot[Argument]]] = {}
    for asking in askings:
        if asking.lot.question is not None:
            wanted.setdefault(asking.lot.question, []).append(asking.lot)
    reached = list(askings)
    for asking in reached:  # grows while it is read
        if len(wanted) >= ahead:
            break
        for follower in _followers(asking):
            question = follower.lot.question
            if question is not None:
                if question not in wanted:
                    reached.append(follower)
                wanted.setdefault(question, []).append(follower.lot)
    if wanted:
        for lots, costs in zip(wanted.values(), policy.answer(list(wanted)), strict=True):
            for lot in lots:
                lot.price(costs)


def _followers(asking: Asking) -> list[Asking]:
    """What may be asked after an answer: about arguments here, and where each operator leads."""
    _, moment, prospects = asking
    found = []
    for operator in prospects[moment.status].all:
        arguments = prospects.arguments(moment, operator)
        if arguments.question is not None:
            found.append(Asking(arguments, moment, prospects))
        possible = moment.arguments(operator, prospects.config)
        if possible and operator != FINAL:
            following = moment.execute(operator, possible[0])
            beyond = prospects[following.status].lot
            if beyond.question is not None:
                found.append(Asking(beyond, following, prospects))
    return found


def _descend(
    first: Moment, prospects: Prospects, rng: random.Random, steps: int, limit: int
) -> Generator[Asking, None, tuple[CodedTrace | None, int]]:
    """Sample instruction after instruction; where none is left, take the last step back.

    An operator's arguments are looked for when it is drawn; one that has none is put aside and drawn anew. What was
    drawn in a state is not drawn there again.
    """
    draw = rng.random
    path: list[_Visit] = []  # where to go back to
    entered = {first}  # what follows from the same frames is tried once
    moment, operators, drawn = first, prospects[first.status].lot, _UNDRAWN.copy()
    if operators.question is not None and steps < limit:
        yield Asking(operators, moment, prospects)
    while steps < limit:
        if not operators.options:
            if not path:
                break
            moment, operators, drawn, _, _ = path.pop()
            continue
        place = operators.draw(draw)
        operator = operators.options[place]
        before = drawn[operator]
        if before is not None:
            arguments = before[0].without(before[1])
        else:
            arguments = prospects.arguments(moment, operator)
            if arguments.question is not None:
                yield Asking(arguments, moment, prospects)
        if not arguments.options:
            operators = operators.without(place)
            continue
        place = arguments.draw(draw)
        argument = arguments.options[place]
        drawn[operator] = arguments, place
        steps += 1
        if operator == FINAL:
            way = [*path, (moment, operators, drawn, operator, argument)]
            return tuple([(each.status, chosen, with_it) for each, _, _, chosen, with_it in way]), steps
        following = moment.execute(operator, argument)
        if following not in entered:
            entered.add(following)
            path.append((moment, operators, drawn, operator, argument))
            moment, operators, drawn = following, prospects[following.status].lot, _UNDRAWN.copy()
            if operators.question is not None and steps < limit:
                yield Asking(operators, moment, prospects)
    return None, steps
