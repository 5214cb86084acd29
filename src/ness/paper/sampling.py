"""The paper's own search: instructions sampled from a policy, with backtracking, in at most so many executed steps.

A step after which nothing is left to do (no argument makes a substring of the output, or all was tried) is taken back
and another one is sampled.
Arguments are drawn among those that make a substring: what the paper draws and rejects is not drawn, nor counted.
Rules of earlier lessons are followed first; only if that finds nothing, other instructions are tried in their place.

A search is a generator of questions, so that many searches can ask a network together; what is known is not asked.
"""

import random
from collections.abc import Generator, Sequence
from typing import NamedTuple

from ness.learn.coding import Argument, CodedTrace, Step, degenerate_trace
from ness.machine.opcodes import FINAL
from ness.paper.moments import Moment
from ness.paper.prospects import Choices, Lot, Prospects
from ness.paper.questions import Answers, SearchQuestion


class SampledTrace(NamedTuple):
    """A trace, perhaps the degenerate one for want of a better, and the steps executed to find it."""

    trace: CodedTrace
    steps: int
    degenerate: bool


Search = Generator[SearchQuestion, list[float], SampledTrace]


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


def search_together(policy: Answers, searches: Sequence[Search]) -> list[SampledTrace]:
    """Run searches in lockstep: each round, all that go on ask together."""
    found: dict[int, SampledTrace] = {}
    waiting: list[tuple[int, SearchQuestion]] = []

    def go_on(number: int, costs: list[float] | None) -> None:
        search = searches[number]
        try:
            question = next(search) if costs is None else search.send(costs)
        except StopIteration as end:
            found[number] = end.value
        else:
            waiting.append((number, question))

    for number in range(len(searches)):
        go_on(number, None)
    while waiting:
        asked, waiting = waiting, []
        for (number, _), costs in zip(asked, policy.answer([question for _, question in asked]), strict=True):
            go_on(number, costs)
    return [found[number] for number in range(len(searches))]


class _Visit:
    """A state on the way, and what is left to try there; what was drawn is not drawn again."""

    __slots__ = ("arguments", "operators", "options")

    def __init__(self, options: Choices) -> None:
        self.options, self.operators = options, options.operators
        self.arguments: dict[int, Lot[Argument]] = {}


def _descend(
    first: Moment, prospects: Prospects, rng: random.Random, steps: int, limit: int
) -> Generator[SearchQuestion, list[float], tuple[CodedTrace | None, int]]:
    """Sample instruction after instruction; where none is left, take the last step back.

    An operator's arguments are looked for when it is drawn; one that has none is put aside and drawn anew.
    """
    path = [_Visit(prospects[first])]
    trace: list[Step] = []
    entered = {first}  # what follows from the same frames is tried once
    while path and steps < limit:
        visit = path[-1]
        options, operators = visit.options, visit.operators
        if operators is None:
            costs = yield options.question
            operators = visit.operators = options.operators = Lot(options.question.operators, costs)
        if not operators.options:
            path.pop()
            if trace:
                trace.pop()
            continue
        operator = operators.draw(rng)
        arguments = visit.arguments.get(operator) or options.arguments.get(operator)
        if arguments is None:
            possible = options.possible(operator)
            prices = (yield options.about(operator, possible)) if len(possible) > 1 else None
            arguments = options.arguments[operator] = Lot(possible, prices)
        if not arguments.options:
            visit.operators = operators.without(operator)
            continue
        argument = arguments.draw(rng)
        visit.arguments[operator] = arguments.without(argument)
        steps += 1
        if operator == FINAL:
            return (*trace, (options.status, operator, argument)), steps
        following = options.moment.after(operator, argument)
        if following is not None and following not in entered:
            entered.add(following)
            trace.append((options.status, operator, argument))
            path.append(_Visit(prospects[following]))
    return None, steps
