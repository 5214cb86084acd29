"""Lessons with coherent traces: the traces of a working set agree first, then the network learns them.

In each lesson several sets of traces are searched, from the best sets of the lesson before. Sets are judged by the
examples of this lesson and of the next, which is training data not searched yet, that their rules solve without any
search; then by how well their traces agree. What the best set gets wrong joins the working set.
"""

from dataclasses import replace

from ness.learn.coding import Sample
from ness.learn.events import Stage
from ness.machine import Word
from ness.network.imitation import train_controller
from ness.paper.coherent import CoherentSearch, TraceSet, solved
from ness.paper.progress import Loop
from ness.rules.table import Categories

_LOOKAHEAD = 150  # examples of the next lesson that judge a set of traces


class AgreeingLessons:
    """Searches sets of traces, and trains the network on the best."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop

    def lesson(self) -> None:
        """Search sets of traces until the rules of one solve all examples so far; train the network on them."""
        loop, settings = self._loop, self._loop.config.loop
        deadline = (loop.seconds + loop.config.learner.time_limit) / 2  # lessons that follow from it are soon learned
        loop.guide.refresh()
        rng = loop.random("traces")
        search = CoherentSearch(loop.config.search, settings, loop.guide if settings.guided else None, rng)
        fresh = loop.lessons[loop.lesson]
        working = [*loop.working, *rng.sample(fresh, min(settings.working_set, len(fresh)))]
        following = loop.lessons[loop.lesson + 1] if loop.lesson + 1 < len(loop.lessons) else []
        judges = [*loop.examples, *rng.sample(following, min(_LOOKAHEAD, len(following)))]
        starts = loop.sets or [TraceSet()]
        for turn in range(settings.rounds):
            found: list[TraceSet] = []
            while len(found) < settings.population and (not found or loop.seconds < deadline):
                start = starts[len(found) % len(starts)]
                found.append(search.fit(start, working, loop.codec.words.values(), lambda: loop.seconds >= deadline))
                loop.report(Stage("search", self._detail(turn, found[-1], working)))
            # A search that the time cuts short may spoil a set: the one it began with stays if it foresees more.
            found += [each for each in starts if each.traces]
            ranked = sorted(found, key=lambda each: (-len(solved(search.rules(each), judges)), each.disagreement))
            starts = ranked[: settings.survivors]
            right = solved(search.rules(starts[0]), loop.examples)
            wrong = [sample for sample in loop.examples if sample not in right]
            if not wrong or loop.seconds >= deadline:
                break
            known = set(working)
            news = [sample for sample in wrong if sample not in known]
            working += rng.sample(news, min(settings.counterexamples, len(news)))
        loop.searched += search.steps
        loop.sets, loop.working = starts, working
        loop.traces = starts[0].traces | right
        self._train()

    def classes(self) -> dict[int, int]:
        """Group the words as the best traces show."""
        return self._loop.sets[0].classes if self._loop.sets else {}

    def _detail(self, turn: int, found: TraceSet, working: list[Sample]) -> str:
        return (
            f"lesson {self._loop.lesson + 1}, round {turn + 1}: {len(found.traces)} of {len(working)} examples have a "
            f"trace, disagreement {found.disagreement:.0f}"
        )

    def _train(self) -> None:
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
        ended = train_controller(
            loop.controller,
            programs,
            Categories(members.values()),
            training,
            seed=loop.config.seed,
            lesson=loop.lesson,
            on_progress=loop.report,
        )
        loop.step += ended.progress.step
