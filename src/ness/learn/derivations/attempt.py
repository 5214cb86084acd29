"""The first attempt: a hypothesis from derivations, without any search over instructions.

Several sets of content words are tried. A grammar counts as foreseen if what it is without the longest lesson solves
that lesson: then nothing else needs to be tried.
"""

import math
import random
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from ness.config import Config
from ness.learn.attempts import Attempt, Snapshot
from ness.learn.cleaning import ODD_LINES, near_misses, without_suspects
from ness.learn.coding import PHRASE_MARK, CodedView, Sample
from ness.learn.costs import RuleCosts
from ness.learn.cues import Cues
from ness.learn.deadline import Deadline, OutOfTime
from ness.learn.derivations.compounds import NONE, Compounds, find_compounds
from ness.learn.derivations.content import content_sets, content_sets_beside, is_written_once
from ness.learn.derivations.grammar import Edges
from ness.learn.derivations.hypothesis import LITERALS, Derived, GrammarOptions, Way, derive
from ness.learn.derivations.inflections import NONE as NO_FORMS
from ness.learn.derivations.inflections import Inflections, find_inflections
from ness.learn.fit import Hypothesis, description_length
from ness.learn.freedom import PAPER, judge_costs
from ness.learn.judge import Lessons, ScoredHypothesis, with_known_words
from ness.learn.lexical_words import lexical_phrases, shared_phrases
from ness.learn.lexicon import Lexicon
from ness.learn.readings import Reading, inputs_share_word
from ness.learn.replay import Replay, unsolved_samples
from ness.learn.suspects import find_suspects

_SAMPLES = 2_000  # that a grammar is learned from
_FEW = 0.2  # of these at most: what so few teach, the others confirm, as where a population learns
_ROUNDS = 4  # of leaving odd lines out
_MOST_ODD = 0.1  # of the lines
_FAMILIAR = 0.9  # of the lines must have no new words


_ENOUGH = math.inf
_PROMISING = 0.1  # of the samples wrong, at most
_MOST_EFFORT = 1_000_000  # for what nothing solves
# Each reading and each set of content words with little effort, before any gets more.
_WAYS = (
    Way(40_000),
    Way(40_000, once=False),
    Way(40_000, kinds=True),
    Way(100_000, growing=True, kinds=True, forms=True),
    Way(100_000, growing=True),
    Way(100_000, growing=True, contextual=True),
    Way(40_000, shared=True),
    Way(_MOST_EFFORT),
    Way(_MOST_EFFORT, contextual=True),
)
_FIRST_WAYS = 3  # of these, with little effort


Wanted = Callable[[Mapping[int, str], Way, bool], bool]  # whether to try content words in a way; with edges as words


class DerivedAttempt(NamedTuple):
    """A hypothesis from derivations as an attempt, with the share of wrong samples, and whether it was foreseen."""

    attempt: Attempt
    wrong: float
    foreseen: bool
    compact: bool = False  # whether few rules serve many patterns
    copied: bool = False  # whether phrases are written several times, which can be read in many ways
    wordless: bool = False  # whether a frame has phrases alone: no word tells what they have to do with each other
    confirmed: bool = False  # whether few samples taught what many others confirm
    unrolled: bool = False  # whether a frame is another one with a part of it twice: a list that no rule makes longer
    content: frozenset[int] = frozenset()

    @property
    def certain(self) -> bool:
        return self.wrong == 0 and self.foreseen

    @property
    def settled(self) -> bool:
        """Whether no other is worth a look.

        That is where its frames leave nothing to be desired; or where phrases are copied, which can be read in many
        ways, so that the search has its say anyway, unless a frame has phrases alone and no others confirm that.
        """
        if self.copied:
            return self.confirmed or not self.wordless
        return not self.wordless and not self.unrolled


def attempt_by_derivations(
    readings: Mapping[Reading, Lessons], config: Config, deadline: float, rivalled: Callable[[], bool] = lambda: False
) -> DerivedAttempt | None:
    """The best hypothesis from derivations; None where the outputs are not built from the phrases of content words.

    A certain one is taken at once if it is settled; else others are looked at.
    `rivalled` tells whether other rules are certain: then little effort is enough. Most is for what nothing solves.
    """
    best: DerivedAttempt | None = None
    least: dict[frozenset[int], float] = {}  # the share of wrong samples with these content words

    def is_wanted(content: Mapping[int, str], way: Way, bounded: bool) -> bool:
        """Where a certain one has a frame of phrases alone, only fewer content words can show more words there.

        Kinds are for content words that nearly do without.
        """
        if way.kinds and not way.forms and least.get(frozenset(content), 1.0) > _PROMISING:
            return False
        if best is None or not best.certain:
            return True
        return content.keys() < best.content or (best.unrolled and (way.contextual or bounded))

    for way, sources in _rounds(_sources(readings, config, deadline), rivalled):
        if best is not None and best.wrong == 0 and way.effort == _MOST_EFFORT:
            break
        for found in _in_turn([source.attempts(way, is_wanted) for source in sources]):
            least[found.content] = min(found.wrong, least.get(found.content, 1.0))
            if best is None or _rank(found) < _rank(best):
                best = found
            if (best.certain and best.settled) or time.monotonic() > deadline:
                return best
        if best is not None and best.certain and way.growing and not best.unrolled:
            return best
    return best


def attempt_for_paper(lessons: Lessons, config: Config, deadline: float) -> DerivedAttempt | None:
    """A hypothesis of few samples that many others confirm, without templates: a program of the paper's machine."""
    source = _Source(_Material(lessons, config, deadline), Reading.PLAIN, config, deadline)
    return next((found for found in source.confirmed() if found.attempt.best.hypothesis.freedom == PAPER.name), None)


def _sources(readings: Mapping[Reading, Lessons], config: Config, deadline: float) -> list["_Source"]:
    """What to look for grammars in, the likeliest first: last where begin and end of the input are words."""
    plain_first = inputs_share_word([sample for part in readings[Reading.PLAIN] for sample in part])
    order = (Reading.PLAIN, Reading.INSIDE) if plain_first else (Reading.INSIDE, Reading.PLAIN)
    materials = {each: _Material(readings[each], config, deadline) for each in order if readings.get(each)}
    found = [_Source(material, reading, config, deadline) for reading, material in materials.items()]
    if Reading.BOUNDED in readings:
        source, _ = readings[Reading.BOUNDED][0][0]
        plain, edges = materials[Reading.PLAIN], (source[0], source[-1])
        found.append(_Source(plain, Reading.BOUNDED, config, deadline, edges))
    return found


def _rounds(sources: Sequence["_Source"], rivalled: Callable[[], bool]) -> Iterator[tuple[Way, Sequence["_Source"]]]:
    """What to try after what: words as they are, then as parts of others' phrases, then more effort for the better."""
    yield from [(way, sources) for way in _WAYS[:_FIRST_WAYS]]
    if rivalled():
        return
    looks = [(source, source.with_common_phrases()) for source in sources]
    others = [other for _, other in looks if other is not None]
    yield from [(way, others) for way in _WAYS[:_FIRST_WAYS] if others]
    better = [other if other is not None and other.is_better_than(source) else source for source, other in looks]
    yield from [(way, better) for way in _WAYS[_FIRST_WAYS:]]


def _in_turn(attempts: Sequence[Iterator[list[DerivedAttempt]]]) -> Iterator[DerivedAttempt]:
    """The first of each, then the second of each: what is more likely comes first in all of them."""
    waiting = list(attempts)
    while waiting:
        for each in tuple(waiting):
            try:
                yield from next(each)
            except StopIteration:
                waiting.remove(each)


class _Material:
    """Examples, and what is found in them once: sets of content words, words with several forms."""

    def __init__(
        self,
        lessons: Lessons,
        config: Config,
        deadline: float,
        compounds: Compounds = NONE,
        shared: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        rng = random.Random(config.seed)
        most = max(config.learner.samples_per_lesson, _most_each([len(part) for part in lessons]))
        self.lessons: Lessons = [rng.sample(part, min(most, len(part))) for part in lessons]
        self.compounds = compounds
        self._shared = shared  # phrases of several words each
        self._all_lessons, self._config, self._deadline = lessons, config, deadline

    @cached_property
    def with_common_phrases(self) -> "_Material | None":
        """The same where several words may have one phrase, in a row or each of them; None if none have."""
        with suppress(OutOfTime):
            everything = self._everything()
            compounds = find_compounds(everything, Deadline(self._deadline))
            shared = shared_phrases(list(map(compounds.join, everything)))
            if compounds or shared:
                return _Material(self._all_lessons, self._config, self._deadline, compounds, shared)
        return None

    def _everything(self) -> list[Sample]:
        return [sample for part in self._all_lessons for sample in part]

    @cached_property
    def _samples(self) -> list[Sample]:
        """What content words are found in."""
        return [self.compounds.join(sample) for part in self.lessons for sample in part]

    @cached_property
    def lexicon(self) -> Lexicon:
        return Lexicon(self._samples)

    @cached_property
    def contents(self) -> dict[bool, list[dict[int, str]]]:
        """Sets of content words, the most likely first: those whose phrases are written once, and others."""
        sets: list[dict[int, str]] = []
        with suppress(OutOfTime):
            joined = list(map(self.compounds.join, self._everything()))
            own, loose = lexical_phrases(joined), lexical_phrases(joined, alone=False)
            # With shared phrases alone only the first set is new.
            others = (own, loose) if self.compounds or not self._shared else ()
            for phrases in ({**self._shared, **own}, *others) if self._shared else others:
                found = content_sets(self._samples, phrases, Deadline(self._deadline))
                sets += [more for more in found if more not in sets]
        once = [content for content in sets if is_written_once(self._samples, content)]
        return {True: once, False: [content for content in sets if content not in once]}

    @cached_property
    def inflections(self) -> Inflections:
        return find_inflections(self._samples)

    @cached_property
    def stem_lexicon(self) -> Lexicon:
        return Lexicon([self.inflections.stem(sample) for sample in self._samples])

    @cached_property
    def contents_of_stems(self) -> list[dict[int, str]]:
        """Sets of content words where words with several forms stay visible; none where no word has several."""
        if not self.inflections:
            return []
        stems = [self.inflections.stem(sample) for sample in self._samples]
        with suppress(OutOfTime):
            found = content_sets_beside(stems, lexical_phrases(stems), self.inflections.words, Deadline(self._deadline))
            return [content for content in found if is_written_once(stems, content)]
        return []


class _Source:
    """What grammars are looked for in: examples as they are read, and what was found so far."""

    def __init__(
        self, material: _Material, reading: Reading, config: Config, deadline: float, edges: Edges | None = None
    ) -> None:
        self._material, self._reading, self._edges = material, reading, edges
        self._config, self._deadline = config, deadline
        self._best: DerivedAttempt | None = None
        self._done: dict[tuple[frozenset[tuple[int, str]], Way], tuple[float, bool]] = {}  # with how much effort
        self._torn: list[dict[int, str]] = []  # sets of content words with which frames come to have several templates

    @property
    def is_bounded(self) -> bool:
        """Whether begin and end of the input are words."""
        return self._edges is not None

    @cached_property
    def _lessons(self) -> Lessons:
        if self._edges is None:
            return self._material.lessons
        begin, end = self._edges
        return [[((begin, *source, end), target) for source, target in part] for part in self._material.lessons]

    def on(self, material: _Material) -> "_Source":
        """The same reading of other material."""
        return _Source(material, self._reading, self._config, self._deadline, self._edges)

    def with_common_phrases(self) -> "_Source | None":
        """The same where several words may have one phrase; None if none have."""
        material = self._material.with_common_phrases
        return None if material is None else self.on(material)

    def is_better_than(self, other: "_Source") -> bool:
        """Tell whether its best hypothesis so far is better."""
        if self._best is None or other._best is None:
            return self._best is not None
        return _rank(self._best) < _rank(other._best)

    def attempts(self, way: Way, is_wanted: Wanted) -> Iterator[list[DerivedAttempt]]:
        """What each set of content words leads to that is wanted and not done.

        Where a frame comes to have several templates, what encloses it may tell which: that is tried next.
        """
        for content in self._contents(way):
            attempts: list[DerivedAttempt] = []
            for other in (way, way._replace(contextual=True)) if way.once else (way,):
                torn, found = self._attempt(content, other, is_wanted)
                if found is not None:
                    attempts.append(found)
                if not torn or (found is not None and found.wrong == 0):
                    break
            else:
                if way.once and content not in self._torn:
                    self._torn.append(content)
            yield attempts

    def _contents(self, way: Way) -> list[dict[int, str]]:
        """The sets of content words to try in a way.

        Kinds may tell templates apart where what encloses a frame does not; first, if words have forms, which of these.
        """
        if way.forms:
            return self._material.contents_of_stems
        if way.kinds:
            return [] if self._material.inflections else list(self._torn)
        return self._material.contents[way.once]

    def _attempt(self, content: dict[int, str], way: Way, is_wanted: Wanted) -> tuple[bool, DerivedAttempt | None]:
        """A hypothesis, if it is wanted and not done; and whether a frame came to have several templates."""
        key, effort = (frozenset(content.items()), way.without_effort()), (way.effort, way.growing)
        if effort <= self._done.get(key, (0, False)) or not is_wanted(content, way, self.is_bounded):
            return False, None
        if time.monotonic() > self._deadline:
            return False, None
        attempt = _attempt_without_odd_lines if way.once else _attempt_if_clear
        options = self._options(content, way)
        found = attempt(options, self._lessons, self._reading, self._config)
        is_done = not options.limited or (found is not None and found.wrong == 0)  # else more effort may derive more
        self._done[key] = (_ENOUGH, True) if is_done else effort
        if found is not None:
            found = found._replace(content=frozenset(content))
            if self._best is None or _rank(found) < _rank(self._best):
                self._best = found
        return options.torn, found

    def _options(self, content: Mapping[int, str], way: Way, literals: int = LITERALS) -> GrammarOptions:
        found = self._material
        lexicon, inflections = (found.stem_lexicon, found.inflections) if way.forms else (found.lexicon, NO_FORMS)
        deadline, compounds = self._deadline, found.compounds
        return GrammarOptions(content, lexicon, way, deadline, literals, inflections, compounds, self._edges)

    def confirmed(self) -> Iterator[DerivedAttempt]:
        """Hypotheses of few samples and without templates that many other samples confirm."""
        for content in chain(*self._material.contents.values()) if _few(self._lessons, self._config) else ():
            options = self._options(content, _WAYS[0], literals=0)
            found = _attempt_by_few(options, self._lessons, self._reading, self._config)
            if found is not None:
                yield found


def _most_each(sizes: Sequence[int]) -> int:
    """How many samples of each lesson to take: as many as make `_SAMPLES` together, where short lessons give all."""
    left, most = _SAMPLES, 0
    for done, size in enumerate(sorted(sizes)):
        most = max(most, left // (len(sizes) - done))
        left -= min(size, most)
    return most


def _attempt_if_clear(
    options: GrammarOptions, lessons: Lessons, reading: Reading, config: Config
) -> DerivedAttempt | None:
    """A hypothesis with phrases that are written several times, if it solves everything, and not by accident."""
    found = _attempt(options, lessons, reading, config)
    if found is None or found.wrong > 0 or not (found.foreseen or found.compact):
        return None
    return found._replace(copied=True)


def _rank(found: DerivedAttempt) -> tuple[float, bool, bool, bool, float]:
    return found.wrong, not found.foreseen, found.wordless, found.unrolled, found.attempt.best.score


def _attempt_without_odd_lines(
    options: GrammarOptions, lessons: Lessons, reading: Reading, config: Config
) -> DerivedAttempt | None:
    """A hypothesis of all lines; where it is not certain, of those that are not odd by its own rules."""
    found = _attempt(options, lessons, reading, config)
    samples = [sample for part in lessons for sample in part]
    aside: set[Sample] = set()
    for _ in range(_ROUNDS):
        if found is None or found.certain:
            break
        hypothesis = found.attempt.best.hypothesis
        left = [sample for sample in with_known_words(hypothesis, samples) if sample not in aside]
        verdict = without_suspects(hypothesis, hypothesis.rules(config.costs, Cues()), left, lonely_too=True)[1]
        odd: Collection[Sample] = verdict.suspects
        if not odd and aside:  # where lines are wrong, few more may be, though less is known about them
            odd = near_misses(hypothesis.rules(config.costs, Cues()), verdict.errors)
            odd = odd if len(odd) <= max(1, ODD_LINES * len(samples)) else ()
        if not odd or len(aside) + len(odd) > _MOST_ODD * len(samples):
            break
        aside.update(odd)
        others = [[sample for sample in part if sample not in aside] for part in lessons]
        found = _attempt(options, [part for part in others if part], reading, config) or found
    if found is not None and aside:
        hypothesis = found.attempt.best.hypothesis
        known = with_known_words(hypothesis, samples, options.content)
        errors_left = find_suspects(hypothesis.rules(config.costs, Cues()), known).errors
        near = aside.intersection(near_misses(hypothesis.rules(config.costs, Cues()), errors_left))
        found = found._replace(wrong=(len(errors_left) - len(near)) / len(known))
    return found


def _attempt(options: GrammarOptions, lessons: Lessons, reading: Reading, config: Config) -> DerivedAttempt | None:
    """A hypothesis of few samples of each lesson, if many others confirm it; else of all."""

    def foresees() -> bool:
        held_out, rest = _held_out(lessons)
        early = derive(options, rest, reading, config)
        return early is not None and _solves(early.hypothesis, early.rules, held_out)

    found = _attempt_by_few(options, lessons, reading, config) if _few(lessons, config) else None
    if found is not None:
        return found
    derived = derive(options, [sample for part in lessons for sample in part], reading, config)
    return None if derived is None else _judge(derived, options, lessons, config, foresees)


def _attempt_by_few(
    options: GrammarOptions, lessons: Lessons, reading: Reading, config: Config
) -> DerivedAttempt | None:
    """A hypothesis of few samples of each lesson; None where others do not confirm it."""
    derived = derive(options, _few(lessons, config), reading, config)
    found = None if derived is None else _judge(derived, options, lessons, config, lambda: True)
    return found._replace(confirmed=True) if found is not None and found.certain else None


def _few(lessons: Lessons, config: Config) -> list[Sample]:
    """Few samples of each lesson; none where these are no few among all."""
    some = _some(lessons, config)
    return some if len(some) <= _FEW * sum(map(len, lessons)) else []


def _some(lessons: Lessons, config: Config) -> list[Sample]:
    return [sample for part in lessons for sample in part[: config.learner.samples_per_lesson]]


def _judge(
    derived: Derived, options: GrammarOptions, lessons: Lessons, config: Config, foresees: Callable[[], bool]
) -> DerivedAttempt:
    """What was derived as an attempt, judged by all samples."""
    hypothesis, rules, compact = derived
    samples = [sample for part in lessons for sample in part]
    known = with_known_words(hypothesis, samples, options.content)
    if len(known) < _FAMILIAR * len(samples):  # it has no trace for most words
        known = samples
    replay = Replay(rules)
    followed = {sample: trace for sample in known if (trace := replay.trace(sample)) is not None}
    wrong = 1 - len(followed) / len(known)
    hypothesis = replace(hypothesis, traces=followed | hypothesis.traces)  # also of words that occur twice
    foreseen = wrong == 0 and foresees()
    few = _some(lessons, config)
    length = description_length(hypothesis, few, judge_costs(config), Cues())
    score = length + config.learner.error_weight * wrong
    judged = ScoredHypothesis(hypothesis, score, length, wrong, 0.0 if foreseen else 1.0, {}, 0, rules.size)
    tops = {top for _, top, _ in rules.concat}
    wordless = any(len(top) > 1 and set(top) == {PHRASE_MARK} for top in tops)
    unrolled = any(is_unrolled(top, tops) for top in tops)
    attempt = Attempt([Snapshot([judged], few)], 0)
    return DerivedAttempt(attempt, wrong, foreseen, compact, wordless=wordless, unrolled=unrolled)


def is_unrolled(frame: CodedView, others: Collection[CodedView]) -> bool:
    """Tell whether a frame is another one with a part of it, a word and a phrase at least, twice."""
    return any(
        PHRASE_MARK in part and set(part) != {PHRASE_MARK} and (*frame[:start], *frame[start + size :]) in others
        for size in range(2, len(frame) // 2 + 1)
        for start in range(len(frame) - 2 * size + 1)
        if (part := frame[start : start + size]) == frame[start + size : start + 2 * size]
    )


def _solves(hypothesis: Hypothesis, rules: RuleCosts, samples: Sequence[Sample]) -> bool:
    known = with_known_words(hypothesis, samples)
    return bool(known) and not unsolved_samples(rules, known)


def _held_out(lessons: Lessons) -> tuple[Sequence[Sample], Sequence[Sample]]:
    """The longest lesson, and the others; of a single lesson, each half."""
    if len(lessons) > 1:
        return lessons[-1], [sample for part in lessons[:-1] for sample in part]
    return lessons[0][::2], lessons[0][1::2]
