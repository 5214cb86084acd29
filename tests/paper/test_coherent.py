"""Traces that agree: counts of decisions, block moves, execution without search."""

import random

import pytest

from ness.config import LoopConfig, SearchConfig
from ness.data.example import Example, example_of
from ness.errors import ConfigError
from ness.learn.coding import Codec
from ness.machine.opcodes import REDUCE, SHIFT
from ness.paper.agreement import ByCategory, TraceAgreement
from ness.paper.coherent import CoherentSearch, TraceSet, follow, joined, operational_classes, solved
from ness.paper.diagnosis import coherence
from ness.paper.sampled import ExtractedRules, OperatorQuestion, ReduceQuestion

EXAMPLES = [
    example_of("walk", "WALK"),
    example_of("run", "RUN"),
    example_of("look", "LOOK"),
    example_of("walk twice", "WALK WALK"),
    example_of("run twice", "RUN RUN"),
]
CODEC = Codec(EXAMPLES)
SAMPLES = [CODEC.encode(*example) for example in EXAMPLES]
WORDS = CODEC.words.values()


def found(seed: int = 0, **settings: int) -> TraceSet:
    loop = LoopConfig(samples=4, moves=settings.get("moves", 30))
    search = CoherentSearch(SearchConfig(), loop, None, random.Random(seed))
    first = search.fit(TraceSet(), SAMPLES[:3], WORDS)
    return search.fit(first, SAMPLES, WORDS)


def test_traces_agree_and_their_rules_solve_a_new_example() -> None:
    traces = found()
    assert set(traces.traces) == set(SAMPLES)
    assert coherence(traces.traces.values())[1] == 0
    rules = TraceAgreement(ByCategory(traces.classes), LoopConfig())
    for trace in traces.traces.values():
        rules.add(trace)
    assert solved(rules, SAMPLES) == traces.traces
    unseen = CODEC.encode(*Example(("look", "twice"), ("LOOK", "LOOK")))
    assert follow(rules.decide, unseen) is not None


def test_moves_never_make_traces_disagree_more() -> None:
    assert found(moves=40).disagreement <= found(moves=0).disagreement


def test_words_that_every_operator_treats_alike_are_one_category() -> None:
    classes = operational_classes(found().traces.values(), WORDS)
    assert classes[CODEC.words["walk"]] == classes[CODEC.words["run"]] != classes[CODEC.words["twice"]]


def test_a_trace_that_leaves_is_forgotten() -> None:
    status = (0, (), (-3,), 0)
    agreement = TraceAgreement(ByCategory({}), LoopConfig())
    before = agreement.answer([OperatorQuestion(status, (SHIFT, REDUCE))])
    agreement.add(((status, SHIFT, None),))
    assert agreement.decide(status) == (SHIFT, None)
    agreement.add(((status, SHIFT, None),), -1)
    assert agreement.decide(status) is None
    assert agreement.answer([OperatorQuestion(status, (SHIFT, REDUCE))]) == before


def test_a_banned_decision_is_the_last_choice() -> None:
    agreement = TraceAgreement(ByCategory({}), LoopConfig())
    frame = (0,)
    step = ((-1, frame, (-3,), 0), REDUCE, "a")
    agreement.add((step,) * 5)
    assert agreement.answer([ReduceQuestion(frame, ("a", "b"))])[0][0] < 1
    *_, agreement.banned = agreement.decisions(step)
    first, second = agreement.answer([ReduceQuestion(frame, ("a", "b"))])[0]
    assert first > second


def test_other_traces_count_against_a_contradiction() -> None:
    agreement = TraceAgreement(ByCategory({}), LoopConfig())
    frame = (0,)
    status = (-1, frame, (-3,), 0)
    agreement.add(((status, REDUCE, "a"),) * 5)
    conforming, contradicting = (agreement.disagreement(((status, REDUCE, phrase),)) for phrase in "ab")
    assert conforming < contradicting


def test_conflicting_rules_follow_the_latest_or_the_most_traces() -> None:
    frame = (0,)
    traces = [((((-1, frame, (-3,), 0), REDUCE, phrase)),) for phrase in "aab"]
    assert ExtractedRules.of(traces, "count").reduce == {frame: "a"}
    assert ExtractedRules.of(traces, "latest").reduce == {frame: "b"}


def test_coherence_counts_statuses_and_steps() -> None:
    one, other = (-1, (0,), (-3,), 0), (-1, (1,), (-3,), 0)
    traces = [((one, REDUCE, "a"), (other, REDUCE, "c")), ((one, REDUCE, "a"),), ((one, REDUCE, "b"),)]
    assert coherence(traces) == (2, 1, 0.75, 0.25)


@pytest.mark.parametrize("settings", [{"keep": "all"}, {"exploration": 1.5}, {"samples": 0}, {"replay": -1}])
def test_settings_are_checked(settings: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        LoopConfig(**settings)  # type: ignore[arg-type]


def test_words_of_one_category_stay_together() -> None:
    assert joined({1: 1, 2: 1, 3: 3}, {1: 1, 2: 2, 3: 2, 4: 4}) == {1: 1, 2: 1, 3: 1, 4: 4}
    assert joined({}, {1: 1, 2: 1}) == {1: 1, 2: 1}
