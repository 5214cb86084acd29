"""Traces that agree: counts of decisions, sets that grow by what is worth most, execution without search."""

import random

import pytest

from ness.config import LoopConfig, SearchConfig
from ness.data.example import Example, example_of
from ness.errors import ConfigError
from ness.learn.coding import Codec, Sample
from ness.machine.opcodes import REDUCE, SHIFT
from ness.paper.agreement import TraceAgreement
from ness.paper.diagnosis import coherence
from ness.paper.growth import Growth
from ness.paper.known_rules import ExtractedRules
from ness.paper.moments import Moment
from ness.paper.questions import OperatorQuestion, ReduceQuestion
from ness.paper.trace_set import RuleDecisions, TraceSet, follow, operational_classes, solved_traces

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


UNSEEN = CODEC.encode(*Example(("look", "twice"), ("LOOK", "LOOK")))


def growth(seed: int = 0) -> Growth:
    return Growth(SearchConfig(), LoopConfig(samples=16, keep="worth"), None, random.Random(seed), WORDS)


def found(judges: tuple[Sample, ...] = ()) -> TraceSet:
    return growth().grow(growth().grow(TraceSet(), SAMPLES[:3], judges), SAMPLES, judges)


def test_traces_agree_and_their_rules_solve_a_new_example() -> None:
    traces = found()
    assert set(traces.traces) == set(SAMPLES)
    assert coherence(traces.traces.values())[1] == 0
    rules = growth().rules(traces)
    assert solved_traces(rules, SAMPLES) == traces.traces
    assert follow(RuleDecisions(rules.decide), Moment(UNSEEN)).trace is not None


def test_a_trace_is_worth_the_examples_that_it_solves() -> None:
    """`walk twice` as one REDUCE serves nobody else; by CONCAT it serves the others."""
    traces = growth().grow(growth().grow(TraceSet(), SAMPLES[:3], ()), SAMPLES[:4], SAMPLES[4:])
    assert growth().foreseen(growth().rules(traces), SAMPLES) == len(SAMPLES)


def test_a_forbidden_decision_is_in_no_trace_of_a_grown_set() -> None:
    traces = found()
    rules = growth().rules(traces)
    (step, *_) = traces.traces[SAMPLES[3]][-2:]
    banned = next(iter(rules.decisions(step)))
    left = {sample: trace for sample, trace in traces.traces.items() if not rules.makes(trace, banned)}
    assert 0 < len(left) < len(SAMPLES)
    regrown = growth(1).grow(TraceSet(left, traces.classes), SAMPLES, (), banned)
    assert not any(rules.makes(trace, banned) for trace in regrown.traces.values())


def test_a_changed_set_has_traces_of_the_same_examples() -> None:
    traces = found()
    changed = [growth(seed).change(traces, SAMPLES, (), set()) for seed in range(4)]
    assert all(each is not None and set(each.traces) <= set(SAMPLES) for each in changed)
    assert any(each is not None and each.traces != traces.traces for each in changed)


def test_no_decision_is_given_up_twice() -> None:
    traces = found()
    rules = growth().rules(traces)
    tried = {each for trace in traces.traces.values() for step in trace for each in rules.decisions(step)}
    assert growth().change(traces, SAMPLES, (), tried) is None


def test_rules_stop_where_they_know_nothing() -> None:
    followed = follow(RuleDecisions(growth().rules(TraceSet()).decide), Moment(SAMPLES[0]))
    assert followed.trace is None
    assert followed.stuck is not None
    assert followed.steps == []


def test_words_that_every_operator_treats_alike_are_one_category() -> None:
    classes = operational_classes(found().traces.values(), WORDS)
    assert classes[CODEC.words["walk"]] == classes[CODEC.words["run"]] != classes[CODEC.words["twice"]]


def test_a_trace_that_leaves_is_forgotten() -> None:
    status = (0, (), (-3,), 0)
    agreement = TraceAgreement({}, LoopConfig())
    before = agreement.answer([OperatorQuestion(status, (SHIFT, REDUCE))])
    agreement.add(((status, SHIFT, None),))
    assert agreement.decide(status) == (SHIFT, None)
    agreement.add(((status, SHIFT, None),), -1)
    assert agreement.decide(status) is None
    assert agreement.answer([OperatorQuestion(status, (SHIFT, REDUCE))]) == before


def test_a_banned_decision_is_the_last_choice() -> None:
    agreement = TraceAgreement({}, LoopConfig())
    frame = (0,)
    step = ((-1, frame, (-3,), 0), REDUCE, "a")
    agreement.add((step,) * 5)
    assert agreement.answer([ReduceQuestion(frame, ("a", "b"))])[0][0] < 1
    *_, agreement.banned = agreement.decisions(step)
    first, second = agreement.answer([ReduceQuestion(frame, ("a", "b"))])[0]
    assert first > second


def test_other_traces_count_against_a_contradiction() -> None:
    agreement = TraceAgreement({}, LoopConfig())
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


@pytest.mark.parametrize(
    "settings", [{"keep": "all"}, {"exploration": 1.5}, {"samples": 0}, {"replay": -1}, {"changes": -1}]
)
def test_settings_are_checked(settings: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        LoopConfig(**settings)  # type: ignore[arg-type]
