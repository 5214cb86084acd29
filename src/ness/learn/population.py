"""A population of hypotheses over the lessons: refit, judge by training data only, keep the best.

Short lessons leave several conventions open, and single samples cannot flip a convention that all others share.
So each survivor is refitted several times with noise on the cost of new rules, and judged by its code length,
its errors, and its errors on the next lesson, which it has not seen. All of it is a function of the seed; jobs
run on any number of processes.
"""

import math
import random
import time
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ness.config import Config
from ness.learn.attempts import Attempt, Journal, JournalEntry, LessonReport, Snapshot
from ness.learn.bans import odd_decisions
from ness.learn.cleaning import errors_of_rules
from ness.learn.coded_rules import Ban, CodedRules
from ness.learn.coding import Sample, by_size
from ness.learn.costs import Policy
from ness.learn.cues import Cues
from ness.learn.fit import Hypothesis
from ness.learn.freedom import FREEDOMS, FULL, PAPER, Effort
from ness.learn.judge import Readings, Refit, ScoredHypothesis, mostly_single, with_known_words
from ness.learn.pins import NO_PINS, CodedPins
from ness.learn.readings import Reading
from ness.learn.suspects import find_suspects

_MANY_WORDS = 100  # content words: beyond, structure is learned with part of them, the others later
_ODD_LINES = 2  # samples that stay wrong do not end an attempt: they may be wrong themselves
_FAMILIAR = 0.8  # of the samples that tell whether to go on must have no new word
_UNSEEN = 0.8  # of these samples must not have been learned from, to be believed at once


@dataclass
class Population:
    """Runs attempts over the lessons."""

    readings: Readings
    config: Config
    judge: Callable[[list[Refit]], list[ScoredHypothesis]]  # does jobs, here or in other processes
    deadline: float
    report: Callable[[LessonReport], None]
    journal: Journal | None = None
    # By reading: an attempt that solves them all lesson after lesson needs no further ones.
    checked: Mapping[Reading, Sequence[Sample]] = field(default_factory=dict)
    lexical: Mapping[int, str] = field(default_factory=dict)  # words with a token of their own
    set_phrases: frozenset[Sample] = frozenset()  # samples that one REDUCE may solve
    content: Container[int] | None = None  # words that rules need not have met; None: any word
    guide_of: Callable[[Hypothesis], Policy | None] | None = None  # trains a guide on the best hypothesis so far
    pins: CodedPins = NO_PINS  # rules by hand
    wrong_lines: int = 0  # known to be wrong, and left out
    show: Callable[[Sample], str] = repr  # writes a sample for people
    so_far: Attempt = field(default_factory=lambda: Attempt([], 0))  # of the attempt that is running

    def attempt(
        self,
        number: int,
        rng: random.Random,
        node_budget: int,
        start: Sequence[Snapshot] = (),
        bans: Sequence[frozenset[Ban]] = (),
        last: bool = False,
        freedom: str = PAPER.name,
        effort: Effort = FULL,
    ) -> Attempt:
        """Go over the lessons, from the beginning or from snapshots of an earlier attempt.

        `bans` are decisions of a failed attempt; each refit of the first lesson does without one of them, and
        every trace that uses it is searched anew. A lesson with too many errors ends an attempt, except the `last`.
        """
        config = self.config.learner
        lessons = self.readings[FREEDOMS[freedom].reading]
        snapshots = list(start)
        nodes = flawless = 0
        self.so_far = Attempt([], 0)
        for lesson in range(len(snapshots), len(lessons)):
            entry = self.journal.get(number, lesson, rng) if self.journal else None
            if entry is None:
                snapshot, spent = self._lesson(snapshots, lesson, rng, bans, freedom, effort)
                entry = JournalEntry(snapshot, nodes + spent)
                if self.journal:
                    self.journal.add(number, lesson, entry, rng)
            for one in entry.snapshot.population:  # what a journal does not keep
                one.hypothesis.pins = self.pins
                one.hypothesis.own = self._own(freedom)
                one.hypothesis.set_phrases = self.set_phrases
            nodes = entry.nodes
            snapshots.append(entry.snapshot)
            self.so_far = Attempt(snapshots, nodes)
            best = entry.snapshot.population[0]
            self.report(
                LessonReport(
                    number,
                    lesson + 1,
                    len(lessons),
                    len(entry.snapshot.samples),
                    best.errors,
                    best.next_errors,
                    best.rules,
                    best.length,
                    nodes,
                    self._shortest_unsolved(entry.snapshot),
                )
            )
            if nodes > node_budget or time.monotonic() > self.deadline:
                break
            if best.errors > max(config.give_up, _ODD_LINES / max(1, len(entry.snapshot.samples))) and not last:
                break
            flawless = flawless + 1 if self._is_flawless(snapshots) else 0
            if 0 < self.flawless_lessons(freedom, entry.snapshot) <= flawless:
                break
            bans = ()
        return Attempt(snapshots, nodes)

    def _own(self, freedom: str) -> Mapping[int, str]:
        """The phrases of words that a freedom may name."""
        return self.lexical if FREEDOMS[freedom].names_words else {}

    def flawless_lessons(self, freedom: str, snapshot: Snapshot) -> int:
        """The lessons in a row without any error after which nothing is left to learn.

        One is enough where few samples taught and many others, of all lessons, are right.
        """
        checked, taught = self.checked.get(FREEDOMS[freedom].reading, ()), set(snapshot.samples)
        unseen = sum(sample not in taught for sample in checked)
        usual = self.config.learner.flawless_lessons
        return min(1, usual) if checked and unseen >= _UNSEEN * len(checked) else usual

    def set_aside(self, rules: CodedRules, reading: Reading) -> None:
        """Learn no more from the lines that are suspicious by the rules of an attempt that explains all others."""
        aside = set(find_suspects(rules, self.checked[reading]).suspects)
        if not aside:
            return
        chosen = self.checked[reading]
        places = [place for place, sample in enumerate(chosen) if sample in aside]
        wrong = {each: {self.checked[each][place] for place in places} for each in self.checked}
        self.checked = {each: [s for s in samples if s not in wrong[each]] for each, samples in self.checked.items()}
        self.readings = {
            each: [kept for part in lessons if (kept := [s for s in part if s not in wrong[each]])]
            for each, lessons in self.readings.items()
        }

    def _shortest_unsolved(self, snapshot: Snapshot) -> str:
        traces = snapshot.population[0].hypothesis.traces
        left = [sample for sample in snapshot.samples if sample not in traces]
        return self.show(min(left, key=by_size)) if left else ""

    def _is_flawless(self, snapshots: Sequence[Snapshot]) -> bool:
        """Tell whether the best hypothesis solves everything, and no flip was better."""
        best = snapshots[-1].population[0]
        if best.errors or best.next_errors or not self.checked:
            return False
        if len(snapshots) > 1 and best.hypothesis.bans != snapshots[-2].population[0].hypothesis.bans:
            return False
        checked = self.checked[FREEDOMS[best.hypothesis.freedom].reading]
        known = with_known_words(best.hypothesis, checked, self.content)
        if len(known) < _FAMILIAR * len(checked):  # of the rest nobody knows
            return False
        return not errors_of_rules(best.hypothesis.rules(self.config.costs, Cues()), known, self.wrong_lines)

    def _lesson(
        self,
        snapshots: Sequence[Snapshot],
        lesson: int,
        rng: random.Random,
        bans: Sequence[frozenset[Ban]],
        freedom: str,
        effort: Effort,
    ) -> tuple[Snapshot, int]:
        """Refit the population to one more lesson and select; also the nodes spent."""
        config = self.config.learner
        lessons = self.readings[FREEDOMS[freedom].reading]
        first_one = _empty_hypothesis(freedom, self.pins, self._own(freedom), self.set_phrases)
        population = snapshots[-1].population if snapshots else [first_one]
        learned = snapshots[-1].samples if snapshots else []
        fresh = self._choose(lessons[lesson], learned, config.samples_per_lesson, rng)
        samples = learned + fresh
        upcoming = lessons[lesson + 1] if lesson + 1 < len(lessons) else lessons[lesson]
        upcoming = self._choose(upcoming, samples, config.lookahead, rng)
        if suspects := self._suspects(population[0].hypothesis, samples):
            fresh, samples = ([s for s in part if s not in suspects] for part in (fresh, samples))
            population = [replace(one, hypothesis=one.hypothesis.forgetting(suspects)) for one in population]
        guide = self.guide_of(population[0].hypothesis) if self.guide_of and snapshots else None

        def jobs() -> tuple[list[Refit], list[Refit]]:
            return self._jobs(population, lesson, samples, fresh, upcoming, rng, bans, effort, guide)

        first, others = jobs()
        judged = self.judge(first)
        if effort.hopeless and all(one.errors > effort.hopeless for one in judged):
            others = []  # what hardly begins with this freedom is left to another
        pool = {sample: trace for one in judged for sample, trace in one.hard.items()}
        # Half of the refits search anew what was hard: sharing every hard trace would leave one convention.
        judged += self.judge([replace(job, pool=pool if n % 2 else {}) for n, job in enumerate(others)])
        most = config.survivors * self._refits(effort)
        while others and len(judged) < most and mostly_single(judged):
            others = jobs()[1][: most - len(judged)]  # few survived, so few were tried, and much is left to be found
            judged += self.judge(others)
        return Snapshot(self._select(judged), samples), sum(one.nodes for one in judged)

    def _suspects(self, hypothesis: Hypothesis, samples: Sequence[Sample]) -> Collection[Sample]:
        """The samples to learn from that are probably wrong, judged by what was learned before this lesson."""
        return find_suspects(hypothesis.rules(self.config.costs, Cues()), samples).suspects if hypothesis.traces else ()

    def _choose(
        self, lesson: Sequence[Sample], learned: Sequence[Sample], count: int, rng: random.Random
    ) -> list[Sample]:
        """Choose samples of a lesson at random; of a large vocabulary, those with the fewest new content words."""
        if len(self.lexical) <= _MANY_WORDS:
            return rng.sample(lesson, min(count, len(lesson)))
        seen = {word for source, _ in learned for word in source}
        shuffled = rng.sample(lesson, len(lesson))
        shuffled.sort(key=lambda sample: sum(word in self.lexical and word not in seen for word in set(sample[0])))
        return shuffled[:count]

    def _jobs(
        self,
        population: list[ScoredHypothesis],
        lesson: int,
        samples: list[Sample],
        fresh: list[Sample],
        upcoming: list[Sample],
        rng: random.Random,
        bans: Sequence[frozenset[Ban]],
        effort: Effort,
        guide: Policy | None,
    ) -> tuple[list[Refit], list[Refit]]:
        """Jobs of a lesson: each survivor as it is, refits with noise, another taste, or a ban, and flips."""
        config = self.config.learner
        first: list[Refit] = []
        others: list[Refit] = []
        for member in population:
            rules = member.hypothesis.rules(self.config.costs, Cues())
            easy = lesson > 0 and not set(fresh).intersection(find_suspects(rules, samples).errors)
            for number in range(1 if easy and not bans else self._refits(effort)):
                hypothesis = member.hypothesis
                if bans:
                    hypothesis = without_banned(hypothesis, rng.choice(bans))
                job = Refit(
                    hypothesis,
                    lesson,
                    tuple(samples),
                    tuple(upcoming),
                    order=rng.randrange(2**30),
                    seed=rng.randrange(2**30),
                    noise=config.noise if number else 0.0,
                    explained_factor=config.explained_factor if number and rng.random() < 0.5 else 1.0,
                    pool={},
                    deadline=self.deadline,
                    guide=guide,
                    effort=effort,
                )
                (others if number else first).append(job)
            odd = [] if bans else odd_decisions(rules)
            for _ in range(config.flips if odd else 0):
                flipped = without_banned(member.hypothesis, rng.choice(odd))
                others.append(
                    replace(job, hypothesis=flipped, seed=rng.randrange(2**30), noise=0.0, explained_factor=1.0)
                )
        return first, others

    def _refits(self, effort: Effort) -> int:
        """How many refits a survivor gets."""
        return math.ceil(self.config.learner.refits * effort.refits)

    def _select(self, judged: list[ScoredHypothesis]) -> list[ScoredHypothesis]:
        """Keep the best few; no twins, none far behind."""
        config = self.config.learner
        seen = set()
        kept = []
        for one in sorted(judged, key=lambda j: j.score):
            if one.twin_key not in seen:
                seen.add(one.twin_key)
                kept.append(one)
        return [one for one in kept[: config.survivors] if one.score < kept[0].score + config.score_gap]


def without_banned(hypothesis: Hypothesis, ban: frozenset[Ban]) -> Hypothesis:
    """Drop every trace that uses a banned decision."""
    traces = {
        sample: trace
        for sample, trace in hypothesis.traces.items()
        if not any((status, operator) in ban for status, operator, _ in trace)
    }
    return replace(hypothesis, traces=traces, bans=hypothesis.bans | ban)


def _empty_hypothesis(
    freedom: str, pins: CodedPins, own: Mapping[int, str], set_phrases: frozenset[Sample]
) -> ScoredHypothesis:
    hypothesis = Hypothesis(freedom=freedom, pins=pins, own=own, set_phrases=set_phrases)
    return ScoredHypothesis(hypothesis, 0.0, 0.0, 0.0, 0.0, {}, 0, 0)
