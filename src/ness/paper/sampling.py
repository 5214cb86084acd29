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

from ness.learn.coding import Argument, CodedTrace, Step, degenerate_trace
from ness.learn.garbage import no_garbage_collection
from ness.machine.opcodes import FINAL
from ness.paper.moments import Moment
from ness.paper.prospects import Choices, Lot, Prospects
from ness.paper.questions import Answers, SearchQuestion


class SampledTrace(NamedTuple):
    """A trace, perhaps the degenerate one for want of a better, and the steps executed to find it."""

    trace: CodedTrace
    steps: int
    degenerate: bool


class Asking(NamedTuple):
    """A question, where a search has come to it, and the options that the answer prices."""

    question: SearchQuestion
    moment: Moment
    prospects: Prospects

    @property
    def options(self) -> Choices:
        return self.prospects[self.moment.status]


Search = Generator[Asking, None, SampledTrace]


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
    wanted: dict[SearchQuestion, list[Choices]] = {}
    for asking in askings:
        wanted.setdefault(asking.question, []).append(asking.options)
    reached = list(askings)
    for asking in reached:  # grows while it is read
        if len(wanted) >= ahead:
            break
        for follower in _followers(asking):
            if follower.question not in wanted:
                reached.append(follower)
            wanted.setdefault(follower.question, []).append(follower.options)
    if wanted:
        for (question, priced), costs in zip(wanted.items(), policy.answer(list(wanted)), strict=True):
            for options in priced:
                options.price(question, costs)


def _followers(asking: Asking) -> list[Asking]:
    """What may be asked after an answer: about arguments here, and where each operator leads."""
    moment, prospects, options = asking.moment, asking.prospects, asking.options
    found = []
    for operator in options.question.operators:
        possible = moment.arguments(operator, prospects.config)
        arguments = options.arguments(operator, possible)
        if not isinstance(arguments, Lot):
            found.append(Asking(arguments, moment, prospects))
        if possible and operator != FINAL:
            following = moment.next(operator, possible[0])
            beyond = prospects[following.status]
            if beyond.operators is None:
                found.append(Asking(beyond.question, following, prospects))
    return found


class _Visit:
    """A state on the way, and what is left to try there; what was drawn is not drawn again."""

    __slots__ = ("arguments", "moment", "operators", "options")

    def __init__(self, moment: Moment, options: Choices) -> None:
        self.moment, self.options, self.operators = moment, options, options.operators
        self.arguments: dict[int, Lot[Argument]] = {}


def _descend(
    first: Moment, prospects: Prospects, rng: random.Random, steps: int, limit: int
) -> Generator[Asking, None, tuple[CodedTrace | None, int]]:
    """Sample instruction after instruction; where none is left, take the last step back.

    An operator's arguments are looked for when it is drawn; one that has none is put aside and drawn anew.
    """
    config = prospects.config
    path = [_Visit(first, prospects[first.status])]
    trace: list[Step] = []
    entered = {first}  # what follows from the same frames is tried once
    while path and steps < limit:
        visit = path[-1]
        options, operators = visit.options, visit.operators
        if operators is None:
            if options.operators is None:
                yield Asking(options.question, visit.moment, prospects)
            operators = visit.operators = options.operators
            assert operators is not None
        if not operators.options:
            path.pop()
            if trace:
                trace.pop()
            continue
        operator = operators.draw(rng)
        arguments = visit.arguments.get(operator)
        if arguments is None:
            possible = visit.moment.arguments(operator, config)
            found = options.arguments(operator, possible)
            if not isinstance(found, Lot):
                yield Asking(found, visit.moment, prospects)
                found = options.arguments(operator, possible)
                assert isinstance(found, Lot)
            arguments = found
        if not arguments.options:
            visit.operators = operators.without(operator)
            continue
        argument = arguments.draw(rng)
        visit.arguments[operator] = arguments.without(argument)
        steps += 1
        if operator == FINAL:
            return (*trace, (options.status, operator, argument)), steps
        following = visit.moment.next(operator, argument)
        if following not in entered:
            entered.add(following)
            trace.append((options.status, operator, argument))
            path.append(_Visit(following, prospects[following.status]))
    return None, steps
