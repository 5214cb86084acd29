"""The search agrees with exhaustive enumeration, keeps to its budget, and lets a policy steer it."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clock import ticking
from ness.config import CostConfig, SearchConfig
from ness.learn.best_first import SearchResult, search
from ness.learn.coding import Argument, Codec, CodedView, Sample
from ness.learn.costs import Policy, RuleCosts
from ness.learn.cues import Cues
from ness.learn.lexicon import Lexicon
from ness.machine import Reduce, is_degenerate, run
from ness.machine.opcodes import CONCAT_M, CONCAT_S, PUSH, REDUCE
from search_samples import Scripted, cheapest, coded, price_of

# Nothing but the policy has a say: no evidence, no bound, no pull.
BARE = replace(CostConfig(), evidence=0.0, accounted=0.0, explained=0.0, least_share=1e-9)
PLAIN = SearchConfig(nodes=100_000, novelty=0.0, pull=0.0)
SHORT = replace(PLAIN, max_reduce_length=1)  # no word stands for the whole of two tokens

sources = st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map(tuple)
targets = st.lists(st.sampled_from("XY"), min_size=1, max_size=3).map(tuple)


def find(
    sample: Sample, policy: Policy | None = None, config: SearchConfig = PLAIN, costs: CostConfig = BARE
) -> SearchResult:
    rules = RuleCosts(costs, Cues())
    return search(policy or rules, rules, Lexicon([sample]), sample, config)


@settings(max_examples=40)
@given(sources, targets)
def test_it_is_as_good_as_exhaustive_enumeration(source: tuple[str, ...], target: tuple[str, ...]) -> None:
    depth = 8
    codec = Codec([(source, target)])
    policy = Scripted()
    found = find(codec.encode(source, target), policy)
    known = cheapest(source, target, depth)
    if known is None:
        assert found.trace is None or len(found.trace) > depth
    else:
        assert found.trace is not None
        cost = policy.total(found.trace)
        assert cost <= known
        assert cost == known or len(found.trace) > depth


@settings(max_examples=50)
@given(sources, st.lists(st.sampled_from("XYZ"), min_size=1, max_size=5).map(tuple), st.integers(1, 5))
def test_a_trace_replays_to_its_target_and_is_not_degenerate(
    source: tuple[str, ...], target: tuple[str, ...], max_reduce_length: int
) -> None:
    codec = Codec([(source, target)])
    config = SearchConfig(max_reduce_length=max_reduce_length)
    found = find(codec.encode(source, target), config=config, costs=CostConfig())
    assert found.nodes <= config.nodes
    if found.trace is not None:
        program = codec.program(found.trace)
        output, steps = run(source, program)
        assert output == target
        assert len(steps) == len(found.trace)
        if len(source) > 1:
            assert not is_degenerate(program)
        assert all(len(i.phrase) <= max_reduce_length for i in program if isinstance(i, Reduce))


@settings(max_examples=50)
@given(sources, targets)
def test_the_bound_for_novel_tokens_never_costs_the_best_trace(
    source: tuple[str, ...], target: tuple[str, ...]
) -> None:
    sample = Codec([(source, target)]).encode(source, target)
    costs = [_price(find(sample, config=replace(PLAIN, novelty=novelty))) for novelty in (0.0, 1.0)]
    assert costs[0] == pytest.approx(costs[1])


def _price(found: SearchResult) -> float:
    return math.inf if found.trace is None else price_of(RuleCosts(BARE, Cues()), found.trace)


def test_the_bound_saves_nodes() -> None:
    _, sample = coded("a b c", "X Y Z")
    without, with_bound = (find(sample, config=replace(PLAIN, novelty=novelty)).nodes for novelty in (0.0, 1.0))
    assert with_bound < without


def test_finding_no_trace_is_a_result() -> None:
    _, sample = coded("a", "X Y Z")  # one word, and REDUCE makes two tokens at most
    found = find(sample)
    assert found.trace is None
    assert 0 < found.nodes < PLAIN.nodes


@pytest.mark.parametrize("nodes", [1, 7, 50])
def test_the_budget_is_kept(nodes: int) -> None:
    _, sample = coded("a b a b a b", "X Y Z X Y Z")
    policy = Scripted()
    found = find(sample, policy, replace(PLAIN, nodes=nodes))
    assert found == SearchResult(None, nodes)
    assert len(set(policy.asked)) == len(policy.asked) <= nodes


def test_an_escalated_search_has_a_budget_of_its_own() -> None:
    _, sample = coded("a b", "X Y")
    rules = RuleCosts(BARE, Cues())
    config = SearchConfig(nodes=3, escalated_nodes=10_000)
    assert search(rules, rules, Lexicon([sample]), sample, config).trace is None
    assert search(rules, rules, Lexicon([sample]), sample, config, escalated=True).trace is not None


def test_a_deadline_in_the_past_ends_it() -> None:
    _, sample = coded("a b a b a b", "X Y Z X Y Z")
    rules = RuleCosts(BARE, Cues())
    found = search(Scripted(), rules, Lexicon([sample]), sample, PLAIN, deadline=-math.inf)
    assert found.trace is None
    assert found.nodes < PLAIN.nodes


def test_evidence_against_a_rule_keeps_it_out() -> None:
    _, sample = coded("a b", "X Y")
    elsewhere: list[Sample] = [((0,), "?")] * 9  # the first word mostly stands for something else
    rules = RuleCosts(CostConfig(), Cues())
    assert search(rules, rules, Lexicon([sample]), sample, SHORT).trace is not None
    assert search(rules, rules, Lexicon([sample, *elsewhere]), sample, SHORT).trace is None


@pytest.mark.parametrize(("dear", "other"), [(CONCAT_M, PUSH), (PUSH, CONCAT_M)])
def test_a_policy_steers_by_operators(dear: int, other: int) -> None:
    _, sample = coded("a b", "X Y")
    trace = find(sample, Scripted(operators={dear: 9.0}), SHORT).trace
    used = {operator for _, operator, _ in trace or ()}
    assert dear not in used
    assert other in used


@pytest.mark.parametrize("wanted", ["X", "Y"])
def test_a_policy_steers_by_reduce_arguments(wanted: str) -> None:
    codec, sample = coded("a b", "X Y")
    phrase = codec.tokens[wanted]

    def cost(operator: int, top: CodedView, argument: Argument) -> float:
        return 9.0 if operator == REDUCE and top == (codec.words["a"],) and argument != phrase else 0.0

    trace = find(sample, Scripted(cost, {CONCAT_M: 9.0}), SHORT).trace
    made = {status[1]: argument for status, operator, argument in trace or () if operator == REDUCE}
    assert made[codec.words["a"],] == phrase


@pytest.mark.parametrize("wanted", [(0, 1), (1, 0)])
def test_a_policy_steers_by_concat_arguments(wanted: tuple[int, int]) -> None:
    _, sample = coded("a b", "X Y")

    def cost(operator: int, top: CodedView, argument: Argument) -> float:
        return 9.0 if operator == CONCAT_S and argument != wanted else 0.0

    trace = find(sample, Scripted(cost)).trace
    assert [argument for _, operator, argument in trace or () if operator == CONCAT_S] == [wanted]


def test_a_part_of_the_input_may_stand_for_the_whole_output() -> None:
    codec, sample = coded("please a", "X Y")
    trace = find(sample, Scripted()).trace
    assert trace is not None
    made = [argument for _, operator, argument in trace if operator == REDUCE]
    assert codec.encode((), ("X", "Y"))[1] in made
    assert not is_degenerate(codec.program(trace))


def test_a_deadline_ends_it_among_the_phrases_of_a_long_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long output has thousands of phrases, and the evidence for each takes a look at the whole of it."""
    looked: list[str] = []
    _, sample = coded("a b c", " ".join(str(number) for number in range(500)))
    share = Lexicon.share

    def counted(self: Lexicon, words: CodedView, phrase: str) -> float:
        looked.append(phrase)
        return share(self, words, phrase)

    monkeypatch.setattr(Lexicon, "share", counted)
    rules = RuleCosts(BARE, Cues())
    ticking(monkeypatch, tick=1.0)
    found = search(rules, rules, Lexicon([sample]), sample, PLAIN, deadline=5.0)
    assert found.trace is None
    assert 0 < len(looked) < 200
