"""The trace learner: examples in, coherent traces, categories and rules out. Nobody supplies traces."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from ness.config import Config
from ness.data.example import Example
from ness.execute.jobs import Executor
from ness.learn.analogies import Analogies, compare_by_analogy
from ness.learn.attempts import Journal, LessonReport
from ness.learn.code_length import code_length, shorter
from ness.learn.coding import Codec, Sample
from ness.learn.constituents.learning import FREEDOM
from ness.learn.costs import Policy
from ness.learn.deadline import Deadline
from ness.learn.decoding import decode_rules, decode_suspects, text_of
from ness.learn.extend import extend_rules
from ness.learn.fit import Hypothesis
from ness.learn.from_scratch import Setup, learn_from_scratch
from ness.learn.garbage import rare_collections
from ness.learn.pins import coded_pins
from ness.learn.readings import enclosed_alike
from ness.learn.result import LearningResult
from ness.learn.suspects import contradicted_by_table
from ness.rules import RuleTable
from ness.rules.hand import NO_RULES, HandRules, obeying

_FEW = 100  # examples: rules that so few teach are learned again where new ones are beyond them
_MORE = 3.0  # times as long as the first rules took, all lines may take where some seem wrong
_SURE = 0.5  # of the examples must be confirmed by others, to learn from these alone first


@rare_collections()
def learn(
    examples: Sequence[Example],
    config: Config,
    lessons: Sequence[Sequence[Example]] | None = None,
    report: Callable[[LessonReport], None] = lambda _: None,
    journal: Callable[[list[Sample]], Journal] | None = None,
    guides: Callable[[Codec], Callable[[Hypothesis], Policy | None]] | None = None,
    known: RuleTable | None = None,
    executor: Executor | None = None,
    hand: HandRules = NO_RULES,
) -> LearningResult:
    """Find traces for the examples that together follow one small deterministic program.

    With a journal, made for the samples given to it, learning goes on after the last lesson kept there. Ctrl-C
    ends learning with what there is, if there is anything. `guides` makes what trains a policy on a hypothesis: it
    has a say in the search of the next lesson. `known` are rules of an earlier run: where they and a search of what
    they do not solve are enough, nothing else is searched. But where they need one and examples are few, all is
    learned afresh, too, and the shorter rules count. `hand` are rules to obey. `executor` is where hypotheses are
    fitted: by default in processes of this machine.

    Where some lines seem to be wrong, rules are learned from others, and tell what is wrong.
    """
    setup = Setup(config, report, journal, guides, executor, hand, time.monotonic())
    consistent, contradictory = majority(examples)
    compared = cache(lambda: compare_by_analogy(consistent, Deadline(setup.deadline)))
    if known is not None:
        further = _go_on(known, consistent, setup, lambda: compared().contradicted)
        if further is not None and further.nodes and len(consistent) <= _FEW:
            fresh = _learn_all(consistent, lessons, setup, compared)
            further = shorter(further, fresh, consistent, config)
        if further is not None:
            return replace(further, contradictory=contradictory)
    return replace(_learn_all(consistent, lessons, setup, compared), contradictory=contradictory)


def _learn_all(
    consistent: Sequence[Example],
    lessons: Sequence[Sequence[Example]] | None,
    setup: Setup,
    compared: Callable[[], Analogies],
) -> LearningResult:
    """Learn from examples of different sources, from those first that others confirm where some seem to be wrong."""
    doubted = compared().contradicted
    sure = compared().confirmed if compared().disputed else enclosed_alike(consistent)
    if len(sure) > _SURE * len(consistent):
        first, is_enough = learn_from_scratch(consistent, lessons, setup, doubted, sure)
        if is_enough and not doubted:
            return _learn_from_all(first, consistent, lessons, setup)
        if is_enough or first.interrupted or time.monotonic() > setup.deadline:
            return first
        by_patterns = first.freedom == FREEDOM
        doubted = (contradicted_by_table(first.table, consistent) if by_patterns else first.suspicious) | doubted
    return learn_from_scratch(consistent, lessons, setup, doubted).learned


def _learn_from_all(
    first: LearningResult,
    examples: Sequence[Example],
    lessons: Sequence[Sequence[Example]] | None,
    setup: Setup,
) -> LearningResult:
    """Learn from all lines: those left aside at first may tell what the others leave open.

    Lines that seem wrong may be the only ones that tell: so it is if rules of all lines solve them, and are no longer
    than the first ones with these lines as exceptions. If they are wrong, no time limit would be enough to find such.
    """
    now = time.monotonic()
    if first.interrupted or first.seconds > (setup.deadline - now) / 2:
        return first
    if first.suspicious:
        until = min(setup.config.learner.time_limit, now - setup.started + _MORE * first.seconds)
        limited = replace(setup.config.learner, time_limit=until)
        setup = replace(setup, config=replace(setup.config, learner=limited))
    again = learn_from_scratch(examples, lessons, setup, {}).learned
    if again.unsolved or again.memorised or again.suspicious:
        return first
    if first.suspicious and (FREEDOM in (first.freedom, again.freedom) or _is_longer(again, first, examples, setup)):
        return first
    return again


def _is_longer(one: LearningResult, other: LearningResult, examples: Sequence[Example], setup: Setup) -> bool:
    return code_length(one, examples, setup.config) > code_length(other, examples, setup.config)


def majority(examples: Sequence[Example]) -> tuple[list[Example], list[Example]]:
    """Keep the most frequent target of each source (the first of several); return the rest apart."""
    counts = Counter(examples)
    best: dict[tuple[str, ...], Example] = {}
    for example in counts:
        rival = best.get(example.source)
        if rival is None or counts[example] > counts[rival]:
            best[example.source] = example
    kept = [example for example in counts if best[example.source] is example]
    return kept, [example for example in counts if best[example.source] is not example]


def _go_on(
    known: RuleTable, examples: list[Example], setup: Setup, doubted: Callable[[], dict[Example, tuple[str, ...]]]
) -> LearningResult | None:
    """Learn what known rules do not solve; None where everything must be learned anew."""
    codec = Codec([*examples, setup.hand.vocabulary()])
    more = extend_rules(
        codec,
        known,
        [codec.encode(*example) for example in examples],
        setup.config,
        setup.deadline,
        coded_pins(codec, setup.hand),
        lambda: {codec.encode(*line): codec.encode((), output)[1] for line, output in doubted().items()},
    )
    if more is None or not more.finished.is_enough:
        return None
    finished = more.finished
    table, programs = decode_rules(codec, finished.rules, finished.traces)
    return LearningResult(
        obeying(table, setup.hand),
        programs,
        [Example(*text_of(codec, sample)) for sample in finished.unsolved],
        memorised=[],
        contradictory=[],
        seconds=time.monotonic() - setup.started,
        nodes=finished.nodes,
        attempts=1,
        freedom=more.freedom,
        suspicious=decode_suspects(codec, finished.suspicious),
    )
