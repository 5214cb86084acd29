"""The paper's sampled search: its traces replay, it keeps to its steps, falls back, follows rules, repeats by seed."""

import itertools
import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ness.config import SearchConfig
from ness.learn.coding import NO_FRAME, Codec, CodedParts, CodedStatus, CodedTrace, CodedView, Sample, degenerate_trace
from ness.machine import is_degenerate, run, status_of
from ness.machine.opcodes import CONCAT_M, CONCAT_S, REDUCE, SHIFT
from ness.paper.exploring import ExploringAnswers
from ness.paper.known_rules import ExtractedRules
from ness.paper.moments import Moment, concat_arguments, substrings
from ness.paper.prospects import Prospects
from ness.paper.questions import OperatorQuestion, SearchQuestion, ask, shares
from ness.paper.sampling import SampledTrace, sampled_search, search_together
from ness.paper.search_workers import SearchHere, SearchWorkers

EXAMPLES = [
    (("walk",), ("WALK",)),
    (("walk", "twice"), ("WALK", "WALK")),
    (("run", "and", "walk"), ("RUN", "WALK")),
    (("walk", "after", "run", "twice"), ("RUN", "RUN", "WALK")),
]
CODEC = Codec(EXAMPLES)
SAMPLES = [CODEC.encode(*example) for example in EXAMPLES]


class Uniform:
    """Every operator and argument costs the same; also tells what it was asked."""

    def __init__(self) -> None:
        self.rounds: list[int] = []

    def operator_costs(self, status: CodedStatus, operators: Sequence[int]) -> list[float]:
        return [0.0] * len(operators)

    def reduce_costs(self, frame: CodedView, phrases: Sequence[str]) -> list[float]:
        return [0.0] * len(phrases)

    def concat_costs(self, operator: int, top: CodedView, memory: int, arguments: Sequence[CodedParts]) -> list[float]:
        return [0.0] * len(arguments)

    def answer(self, questions: Sequence[SearchQuestion]) -> list[list[float]]:
        self.rounds.append(len(questions))
        return [ask(self, question) for question in questions]


class Reader(Uniform):
    """Will not do anything but SHIFT and REDUCE if there is a way round it."""

    def operator_costs(self, status: CodedStatus, operators: Sequence[int]) -> list[float]:
        return [0.0 if operator in (SHIFT, REDUCE) else 200.0 for operator in operators]


class Opinionated(Uniform):
    """Prefers some operators and arguments, differently in each status."""

    def operator_costs(self, status: CodedStatus, operators: Sequence[int]) -> list[float]:
        return [random.Random(f"{status} {operator}").uniform(0, 3) for operator in operators]

    def reduce_costs(self, frame: CodedView, phrases: Sequence[str]) -> list[float]:
        return [random.Random(f"{frame} {phrase}").uniform(0, 3) for phrase in phrases]


def find(
    sample: Sample, seed: int = 0, steps: int = 256, rules: ExtractedRules | None = None, policy: Uniform | None = None
) -> SampledTrace:
    config = SearchConfig(strategy="sampled", sampled_steps=steps)
    stages = [Prospects(each, config) for each in (rules, ExtractedRules()) if each]
    search = sampled_search(Moment(sample), stages, random.Random(seed))
    return search_together(policy or Uniform(), [search])[0]


def output(sample: Sample, trace: CodedTrace) -> str:
    source = tuple(map(CODEC.word, sample[0]))
    phrase, _ = run(source, CODEC.program(trace))
    return CODEC.encode((), phrase)[1]


@given(st.sampled_from(SAMPLES), st.integers(0, 10_000), st.integers(1, 400))
def test_traces_replay_within_the_steps(sample: Sample, seed: int, steps: int) -> None:
    found = find(sample, seed, steps)
    assert found.steps <= steps
    assert output(sample, found.trace) == sample[1]
    assert found.degenerate == is_degenerate(CODEC.program(found.trace))


def test_short_samples_are_solved_without_the_fallback() -> None:
    solved = sum(not find(SAMPLES[1], seed).degenerate for seed in range(20))
    assert solved >= 15


def test_statuses_in_the_trace_are_those_of_the_machine() -> None:
    sample = SAMPLES[2]
    found = find(sample, seed=1)
    assert not found.degenerate
    source = tuple(map(CODEC.word, sample[0]))
    _, steps = run(source, CODEC.program(found.trace))
    assert [CODEC.status(status) for status, _, _ in found.trace] == [status_of(step.state) for step in steps]


def test_the_degenerate_trace_is_the_fallback() -> None:
    found = find(SAMPLES[3], steps=3)
    assert found == SampledTrace(degenerate_trace(SAMPLES[3]), 3, degenerate=True)
    assert output(SAMPLES[3], found.trace) == SAMPLES[3][1]


def test_a_short_output_is_not_reduced_at_one_go() -> None:
    found = find(SAMPLES[1], policy=Reader())
    assert not found.degenerate
    assert any(operator in (CONCAT_M, CONCAT_S) for _, operator, _ in found.trace)


def test_reduce_keeps_to_its_length() -> None:
    found = [find(SAMPLES[3], seed, steps=2000) for seed in range(30)]
    reduced = [a for one in found if not one.degenerate for _, o, a in one.trace if o == REDUCE and isinstance(a, str)]
    assert len(reduced) > 30
    assert all(len(phrase) <= 2 for phrase in reduced)


def test_the_seed_decides() -> None:
    once = [find(sample, seed) for sample in SAMPLES for seed in range(5)]
    assert once == [find(sample, seed) for sample in SAMPLES for seed in range(5)]
    assert len({find(SAMPLES[2], seed).trace for seed in range(10)}) > 1


def test_rules_of_earlier_lessons_come_first() -> None:
    """A known frame is reduced as its rule says, where the policy alone would often do otherwise."""
    known = find(SAMPLES[0])
    rules = ExtractedRules.of([known.trace])
    walk = SAMPLES[0][0]
    assert rules.reduce[walk] == SAMPLES[0][1]
    for seed in range(20):
        found = find(SAMPLES[2], seed, steps=4000, rules=rules)
        assert not found.degenerate
        for status, operator, argument in found.trace:
            if operator == REDUCE and status[1] == walk:
                assert argument == SAMPLES[0][1]


def test_wrong_rules_are_left_when_nothing_follows_them() -> None:
    source, target = SAMPLES[0]
    wrong = ExtractedRules(operators={(source[0], (), NO_FRAME, 0): SHIFT}, reduce={source: SAMPLES[2][1][0]})
    found = find(SAMPLES[0], rules=wrong)
    assert (REDUCE, target) in [(operator, argument) for _, operator, argument in found.trace]


def test_many_searches_ask_together_and_find_the_same() -> None:
    config = SearchConfig(strategy="sampled")
    policy = Uniform()
    stages = [Prospects(ExtractedRules(), config)]
    searches = [
        sampled_search(moment, stages, random.Random(seed)) for moment in map(Moment, SAMPLES) for seed in range(3)
    ]
    assert search_together(policy, searches) == [find(sample, seed) for sample in SAMPLES for seed in range(3)]
    assert max(policy.rounds) > len(SAMPLES)


def test_asking_ahead_saves_rounds_and_finds_the_same() -> None:
    def run_with(ahead: int) -> tuple[list[SampledTrace], int]:
        policy = Opinionated()
        rules = ExtractedRules.of([find(SAMPLES[2], seed=1).trace])
        stages = [Prospects(each, SearchConfig(strategy="sampled")) for each in (rules, ExtractedRules())]
        searches = [
            sampled_search(moment, stages, random.Random(seed)) for moment in map(Moment, SAMPLES) for seed in range(3)
        ]
        return search_together(policy, searches, ahead), len(policy.rounds)

    at_once, rounds = run_with(0)
    ahead, fewer = run_with(100)
    assert ahead == at_once
    assert fewer < rounds / 2


def test_workers_find_the_same_as_one_process() -> None:
    rules = [ExtractedRules.of([find(SAMPLES[2], seed=1).trace]), ExtractedRules()]
    tasks = [(sample, seed) for sample in SAMPLES for seed in range(3)]
    here, workers = SearchHere(SearchConfig(strategy="sampled"), rules), SearchWorkers(2, Opinionated)
    try:
        workers.follow(here)
        found = [workers.search(tasks, ahead=8) for _ in range(2)]  # they can be asked again
        assert found == [here.search(Opinionated(), tasks, ahead=8)] * 2
    finally:
        workers.close()


def test_a_status_is_asked_once() -> None:
    policy = Uniform()
    asked: list[SearchQuestion] = []
    answer = policy.answer
    policy.answer = lambda questions: asked.extend(questions) or answer(questions)  # type: ignore[method-assign,func-returns-value]
    stages = [Prospects(ExtractedRules(), SearchConfig(strategy="sampled"))]
    searches = [sampled_search(Moment(sample), stages, random.Random(s)) for sample in SAMPLES for s in range(5)]
    search_together(policy, searches, ahead=20)
    assert len(asked) == len(set(asked)) > 20


def test_a_certain_policy_is_followed() -> None:
    """A policy that knows a trace leads straight to it."""
    wanted = find(SAMPLES[3], seed=next(s for s in range(100) if not find(SAMPLES[3], s, 4000).degenerate), steps=4000)
    decisions = {status: (operator, argument) for status, operator, argument in wanted.trace}

    class Certain(Uniform):
        def answer_one(self, question: SearchQuestion) -> list[float]:
            if isinstance(question, OperatorQuestion):
                operator = decisions[question.status][0] if question.status in decisions else -1
                return [0.0 if each == operator else 99.0 for each in question.operators]
            return ask(self, question)

        def operator_costs(self, status: CodedStatus, operators: Sequence[int]) -> list[float]:
            return self.answer_one(OperatorQuestion(status, tuple(operators)))

    steps = [find(SAMPLES[3], seed, 4000, policy=Certain()).steps for seed in range(10)]
    uniform = [find(SAMPLES[3], seed, 4000).steps for seed in range(10)]
    assert sum(steps) < sum(uniform)


def test_equal_statuses_have_one_number() -> None:
    """Of whatever example, and whether or not others were asked before."""
    one, other = Moment(SAMPLES[0]), Moment(SAMPLES[1])
    ahead = one.next(SHIFT, None)
    assert ahead.number != one.number == other.number
    assert ahead.number == Moment(SAMPLES[0]).next(SHIFT, None).number
    assert not hasattr(one, "unknown")


def test_arguments_make_substrings() -> None:
    assert list(substrings("abab", 2)) == ["a", "b", "ab", "ba"]
    assert concat_arguments(("a", 7, "b"), "", "ab", 9)[CONCAT_S] == ((0,), (2,), (0, 2))
    assert concat_arguments(("a",), "b", "ba", 9) == {CONCAT_M: ((0,), (1, 0)), CONCAT_S: ((0,), (1,), (1, 0))}
    assert concat_arguments(("a",), "", "aab", 9) == {CONCAT_M: ((0,), (0, 0)), CONCAT_S: ((0, 0),)}


@given(st.lists(st.sampled_from(["a", "b", "aa", 7]), max_size=4), st.sampled_from(["", "a", "ab"]), st.integers(1, 9))
def test_concat_arguments_are_the_first_of_all(top: list[int | str], memory: str, longest: int) -> None:
    """Of the sequences of positions, by length and then by order, the first 60 that an operator allows."""
    target = "aaaabaaa"
    items = [*top, memory] if memory else top
    places = [place for place, item in enumerate(items) if isinstance(item, str)]
    sequences = [s for n in range(1, min(longest, 4) + 1) for s in itertools.product(places, repeat=n)]
    fitting = [s for s in sequences if "".join(str(items[place]) for place in s) in target]
    moved = [s for s in fitting if any(place < len(top) for place in s)]
    joined = [s for s in fitting if s != (0,) or len(items) > 1]
    found = concat_arguments(tuple(top), memory, target, min(longest, 4))
    assert found == {CONCAT_M: tuple(moved[:60]), CONCAT_S: tuple(joined[:60])}


class Extreme(Uniform):
    """What a network of large weights says: one operator for sure, the others hundreds of nats apart or impossible."""

    def operator_costs(self, status: CodedStatus, operators: Sequence[int]) -> list[float]:
        return [900.0 * operator for operator in operators]

    def reduce_costs(self, frame: CodedView, phrases: Sequence[str]) -> list[float]:
        return [math.inf] * len(phrases)

    def concat_costs(self, operator: int, top: CodedView, memory: int, arguments: Sequence[CodedParts]) -> list[float]:
        return [1e9 if number else math.inf for number, _ in enumerate(arguments)]


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_search_with_extreme_costs_ends(sample: Sample) -> None:
    found = find(sample, policy=Extreme())
    assert output(sample, found.trace) == sample[1]


def test_shares_follow_the_costs_however_large() -> None:
    assert shares([1e6, 1e6 + math.log(2), math.inf]) == pytest.approx([1.0, 0.5, 0.0])
    assert shares([0.0, 2000.0]) == [1.0, 0.0]
    assert shares([math.inf, math.inf]) == [1.0, 1.0]


def test_exploration_leaves_extreme_costs_a_share() -> None:
    question = OperatorQuestion((0, (), NO_FRAME, 0), (0, 1))
    ((likely, unlikely),) = ExploringAnswers(Extreme(), 0.5).answer([question])
    assert [math.exp(-likely), math.exp(-unlikely)] == pytest.approx([0.75, 0.25])
