"""Lessons with coherent traces: sets of traces grow, the best go on to the next lesson, the network learns the best.

Sets are ranked by the examples of the working set that their rules do not solve; then by how much their traces disagree
and by the examples of later lessons, which is training data not searched yet, that they do not foresee. What the best
set gets wrong joins the working set.
"""

import random
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from ness.learn.coding import CodedSource, Sample
from ness.learn.events import Stage
from ness.machine import Word
from ness.network.imitation import train_controller
from ness.paper.agreement import DecisionKey, TraceAgreement
from ness.paper.growth import UNSOLVED, Growth
from ness.paper.lesson_clock import LessonClock
from ness.paper.moments import Moment
from ness.paper.progress import Loop
from ness.paper.recombination import exchanged, recombined
from ness.paper.swaps import Counterparts, Swap, SwapAnalogies, swaps_of
from ness.paper.trace_set import RuleDecisions, TraceSet, follow, solved_traces
from ness.rules.table import Categories, RuleTable

_UNFORESEEN = 10.0  # nats: a later example that rules do not solve, at least
_ENOUGH = 30  # examples before which no lesson settles


class RankedSet(NamedTuple):
    """A set of traces with its rank, less is better: what its rules do not solve, and how much it disagrees."""

    failures: int  # examples of the working set that are not solved, or otherwise than their counterparts
    price: float  # disagreement, and what cost later examples and imagined inputs that are not foreseen
    number: int  # the first of equals is the better
    unforeseen: int  # examples of later lessons that its rules do not solve
    untold: int  # inputs, not shown in training, that meet a status which no trace decides
    doubts: int  # those of them with an exchanged word; recombined ones may be no inputs at all
    unlike: int  # examples of the working set that are solved otherwise than their counterparts
    found: TraceSet


class AgreeingLessons:
    """Grows sets of traces, and trains the network on the best."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._exchanged: set[CodedSource] = set()
        self._clock: LessonClock

    @cached_property
    def _swaps(self) -> list[Swap]:
        """What can be swapped, by all examples of training."""
        if not self._loop.config.loop.swapped:
            return []
        return swaps_of(self._loop.lessons, self._loop.config.loop.introduced)

    def lesson(self) -> None:
        """Grow sets of traces until the rules of one solve all examples so far; train the network on it."""
        loop, settings = self._loop, self._loop.config.loop
        self._clock = LessonClock(loop)
        loop.guide.refresh()
        rng = loop.random("traces")
        counterparts = Counterparts(self._swaps, loop.random("swapped"))
        growth = Growth(
            loop.config.search,
            settings,
            loop.guide if settings.guided and loop.step else None,
            rng,
            loop.codec.words.values(),
            self._clock.over,
            self._unshown(rng),
            counterparts,
            self._analogies(),
        )
        fresh = loop.lessons[loop.lesson]
        working = [*loop.working, *rng.sample(fresh, min(settings.working_set, len(fresh)))]
        judges = [*self._judges(rng), *self._swapped(counterparts, working)]
        best = [RankedSet(0, 0.0, 0, 0, 0, 0, 0, each) for each in loop.sets or [TraceSet()]]
        population, patience, few = settings.population, settings.changes, settings.changes // 3
        for turn in range(settings.rounds):
            before = growth.steps
            starts = [each.found for each in best]
            best = self._population(growth, starts, population, working, judges, f"round {turn + 1}")
            doubtful = loop.last and settings.settle and best[0].untold
            if growth.steps > before or doubtful:  # else the rules solved all
                best = self._changed(growth, best, few if self._settled(best[0]) else patience, working, judges)
            wrong = self._wrong(growth.rules(best[0].found), set(working), rng)
            if not wrong or growth.over():
                break
            working += wrong
            population, patience = len(best), few  # most is settled: a few new examples at a time
        loop.searched += growth.steps
        loop.cut_off = loop.cut_off or growth.over()
        loop.sets, loop.working = [each.found for each in best], working
        loop.traces = loop.sets[0].traces | solved_traces(growth.rules(loop.sets[0]), loop.examples)

    def _analogies(self) -> SwapAnalogies | None:
        """What later lessons will show about words that can be swapped."""
        loop = self._loop
        if not (loop.config.loop.analogies and self._swaps):
            return None
        later = [source for part in loop.lessons[loop.lesson + 1 :] for source, _ in part]
        return SwapAnalogies(self._swaps, [source for source, _ in loop.examples], later)

    def _unshown(self, rng: random.Random) -> list[CodedSource]:
        """Make inputs that training does not show: exchanged ones, in the last lesson recombined ones, too."""
        loop, settings = self._loop, self._loop.config.loop
        sources = [source for source, _ in loop.examples]
        known = [source for part in loop.lessons for source, _ in part]
        made = recombined(sources, settings.recombined if loop.last else 0, rng)
        # Draws of their own, so that the search is the same as without if there is nothing to exchange.
        more = exchanged(sources, known, self.classes(), settings.exchanged, loop.random("exchanged"))
        self._exchanged = set(more)
        return [*made, *more]

    def _judges(self, rng: random.Random) -> list[Sample]:
        """Examples of later lessons, which were not searched yet: half as many of each as of the one before."""
        loop, count = self._loop, self._loop.config.loop.lookahead
        judges: list[Sample] = []
        for following in loop.lessons[loop.lesson + 1 :]:
            judges += rng.sample(following, min(count, len(following)))
            count //= 2
        return judges

    def _swapped(self, counterparts: Counterparts, working: list[Sample]) -> list[Sample]:
        """Take counterparts of the working set that are no examples: they judge as later lessons do."""
        known = {sample for part in self._loop.lessons for sample in part}
        made = dict.fromkeys(other for sample in working if (other := counterparts[sample]) is not None)
        return [sample for sample in made if sample not in known][: self._loop.config.loop.lookahead]

    def _wrong(self, rules: TraceAgreement, known: set[Sample], rng: random.Random) -> list[Sample]:
        """Look for some examples that the rules do not solve, and that are not in the working set."""
        decisions = RuleDecisions(rules.decide)
        wrong: list[Sample] = []
        for sample in rng.sample(self._loop.examples, len(self._loop.examples)):
            if sample not in known and not follow(decisions, Moment(sample)).solved:
                wrong.append(sample)
                if len(wrong) == self._loop.config.loop.counterexamples:
                    break
        return wrong

    def _population(
        self,
        growth: Growth,
        starts: list[TraceSet],
        count: int,
        working: list[Sample],
        judges: list[Sample],
        where: str,
    ) -> list[RankedSet]:
        """Grow each set, several times if searches are needed; the best survive."""
        found: list[RankedSet] = []
        for number in range(max(count, len(starts))):
            before = growth.steps
            grown = growth.grow(starts[number % len(starts)], working, judges)
            found.append(self._ranked(growth, grown, working, judges, number))
            self._tell(f"{where}, set {number + 1}", min(found), working, judges, len(growth.imagined))
            enough = growth.steps == before or growth.over() or self._clock.sets_over()
            if self._settled(min(found)) or (number + 1 >= len(starts) and enough):
                break
        return _survivors(found, self._loop.config.loop.survivors)

    def _changed(
        self, growth: Growth, best: list[RankedSet], most: int, working: list[Sample], judges: list[Sample]
    ) -> list[RankedSet]:
        """Give up decisions of the best set, one at a time, as long as this brings a better one now and then."""
        number, patience = max(each.number for each in best), most
        tried: set[DecisionKey] = set()
        self._clock.unsolved = best[0].failures > 0
        while patience and not growth.over() and (best[0].untold or not self._settled(best[0])):
            number += 1
            if not (best[0].failures and self._loop.config.loop.persist):
                patience -= 1
            changed = growth.change(best[0].found, working, judges, tried)
            if changed is None:
                break
            ranked = self._ranked(growth, changed, working, judges, number)
            if ranked < best[0]:
                patience = most
                tried.clear()
            best = _survivors([*best, ranked], self._loop.config.loop.survivors)
            self._clock.unsolved = best[0].failures > 0
            self._tell(f"change {number}", best[0], working, judges, len(growth.imagined))
        return best

    def _ranked(
        self, growth: Growth, found: TraceSet, working: list[Sample], judges: list[Sample], number: int
    ) -> RankedSet:
        rules = growth.rules(found)
        unforeseen = len(judges) - growth.foreseen(rules, judges)
        untold = growth.untold(rules)
        doubts = len(self._exchanged & untold.keys())
        weight = max(_UNFORESEEN, self._loop.config.loop.foresight / max(len(judges), 1))
        price = found.disagreement + weight * unforeseen + UNSOLVED * len(untold)
        unlike = growth.count_unlike(rules, working)
        failures = len(working) - growth.foreseen(rules, working) + unlike
        return RankedSet(failures, price, number, unforeseen, len(untold), doubts, unlike, found)

    def _settled(self, best: RankedSet) -> bool:
        """Whether nothing speaks against a set that was asked about exchanged words, with examples enough."""
        enough = len(self._loop.examples) >= _ENOUGH and bool(self._exchanged)
        return self._loop.config.loop.settle and enough and not (best.failures or best.unforeseen or best.doubts)

    def classes(self) -> dict[int, int]:
        """Group the words as the best traces show."""
        return self._loop.sets[0].classes if self._loop.sets else {}

    def _tell(self, where: str, best: RankedSet, working: list[Sample], judges: list[Sample], asked: int) -> None:
        solved, foreseen = len(working) - best.failures + best.unlike, len(judges) - best.unforeseen
        judging = f"later lessons{' or with words swapped' * bool(self._swaps)}"
        text = (
            f"lesson {self._loop.lesson + 1}, {where}: without search the best rules solve {solved} of {len(working)} "
            f"examples, and {foreseen} of {len(judges)} of {judging}; disagreement {best.found.disagreement:.0f}"
        )
        if best.unlike:
            text += f", {best.unlike} examples solved otherwise than with words swapped"
        if asked:
            text += f", {best.untold} of {asked} inputs that training does not show undecided"
        self._loop.report(Stage("search", text))

    def train(self) -> None:
        """Teach the network all traces, from what it knew before; in the last lesson with all steps that are left."""
        loop, codec = self._loop, self._loop.codec
        members: dict[int, list[Word]] = {}
        for word, representative in self.classes().items():
            members.setdefault(representative, []).append(codec.word(word))
        programs = [
            (tuple(map(codec.word, source)), codec.program(trace)) for (source, _), trace in loop.traces.items()
        ]
        if not programs:
            return
        training = replace(loop.config.training, max_steps=loop.last_step() - loop.step)
        categories = Categories(members.values())
        teacher = None
        if loop.teacher and loop.config.loop.imagined and loop.last:
            teacher = loop.teacher(programs, RuleTable.from_traces(programs, categories))
        ended = train_controller(
            loop.controller,
            programs,
            categories,
            training,
            seed=loop.config.seed,
            lesson=loop.lesson,
            on_progress=loop.report,
            teacher=teacher,
        )
        loop.step += ended.progress.step
        loop.agreement = ended.agreement


def _survivors(found: list[RankedSet], count: int) -> list[RankedSet]:
    """The best sets, each of another disagreement: those of the same are as a rule the same."""
    distinct = {round(each.found.disagreement, 3): each for each in sorted(found, reverse=True)}
    return sorted(distinct.values())[:count]
