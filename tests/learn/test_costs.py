"""What steps cost: known rules little, new rules more, contradictions much; counts can be taken back."""

import math
from copy import deepcopy
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ness.config import CostConfig
from ness.learn.bans import contradicted_decisions, frame_decisions, odd_decisions
from ness.learn.coding import END_MARK, NO_FRAME, PHRASE_MARK, CodedStatus, CodedTrace, Step, legal_opcodes
from ness.learn.costs import RuleCosts
from ness.learn.cues import Cues
from ness.machine.opcodes import CONCAT_M, CONCAT_S, FINAL, POP, PUSH, REDUCE, SHIFT
from search_samples import price_of

ROWS = (
    "by_status",
    "by_category",
    "by_outline",
    "by_next",
    "by_frame",
    "by_shape",
    "reduce",
    "concat",
    "concat_by_category",
    "concat_by_shape",
)
CONFIG = CostConfig()
A, B, AND = range(3)

# a: SHIFT, REDUCE X, FINAL
TRACE: CodedTrace = (
    ((A, (), NO_FRAME, 0), SHIFT, None),
    ((END_MARK, (A,), NO_FRAME, 0), REDUCE, "X"),
    ((END_MARK, (PHRASE_MARK,), NO_FRAME, 0), FINAL, None),
)


def table(*traces: CodedTrace, classes: dict[int, int] | None = None, noise: float = 0.0, seed: int = 0) -> RuleCosts:
    rules = RuleCosts(CONFIG, Cues(), seed, noise)
    rules.classes = classes or {}
    for trace in traces:
        rules.add(trace)
    return rules


def rows(rules: RuleCosts) -> dict[str, Any]:
    return {name: deepcopy(getattr(rules, name)) for name in ROWS}


@st.composite
def steps(draw: st.DrawFn) -> Step:
    """A step of any trace; not all of them can occur together, which counting does not mind."""
    words = st.sampled_from((A, B, AND))
    view = st.lists(st.one_of(st.just(PHRASE_MARK), words), max_size=3).map(tuple)
    status = draw(
        st.tuples(
            st.one_of(st.just(END_MARK), words), view, st.one_of(st.just(NO_FRAME), view), st.integers(0, 1)
        ).filter(lambda s: bool(legal_opcodes(s)))
    )
    operator = draw(st.sampled_from(legal_opcodes(status)))
    if operator == REDUCE:
        return status, operator, draw(st.sampled_from(("X", "Y", "XY")))
    if operator in (CONCAT_M, CONCAT_S):
        return status, operator, draw(st.sampled_from(((0,), (0, 1), (1, 0))))
    return status, operator, None


traces = st.lists(steps(), max_size=6).map(tuple)
some_classes = st.sampled_from(({}, {A: A, B: A}, {A: A, B: A, AND: A}))


@settings(max_examples=40)
@given(st.lists(traces, max_size=4), traces, some_classes)
def test_a_trace_taken_back_leaves_no_mark(
    before: list[CodedTrace], trace: CodedTrace, classes: dict[int, int]
) -> None:
    rules = table(*before, classes=classes)
    there = rows(rules)
    rules.add(trace)
    if trace:
        assert rows(rules) != there
    rules.add(trace, -1)
    assert rows(rules) == there


@settings(max_examples=40)
@given(st.lists(traces, max_size=4), some_classes)
def test_counting_anew_gives_the_same(traces: list[CodedTrace], classes: dict[int, int]) -> None:
    counted, rebuilt = table(*traces, classes=classes), table(classes=classes)
    rebuilt.rebuild(traces)
    assert rows(counted) == rows(rebuilt)


@settings(max_examples=40)
@given(st.lists(traces, max_size=4), steps(), some_classes)
def test_every_cost_is_positive_and_probabilities_do_not_exceed_one(
    before: list[CodedTrace], step: Step, classes: dict[int, int]
) -> None:
    rules = table(*before, classes=classes)
    costs = rules.operator_costs(step[0], range(7))
    assert all(cost >= CONFIG.step - 1e-9 for cost in costs)
    assert sum(math.exp(CONFIG.step - cost) for cost in costs) <= 1 + 1e-9


def test_costs_fall_with_counts() -> None:
    costs = [price_of(table(*[TRACE] * times), TRACE) for times in (0, 1, 2, 10, 1000)]
    assert all(later < earlier for earlier, later in pairwise(costs))
    assert costs[-1] == pytest.approx(3 * CONFIG.step, abs=0.01)  # nearly nothing but the steps


def test_a_new_rule_costs_what_it_takes_to_write_it() -> None:
    rules = table()
    one, two = rules.reduce_costs((A,), ("X", "XY"))
    assert two - one == pytest.approx(CONFIG.reduce_token)
    assert rules.reduce_costs((A, B), ("X",))[0] - one == pytest.approx(CONFIG.reduce_word)
    assert rules.reduce_costs((), ("X",))[0] > one
    short, long, wide = rules.concat_costs(CONCAT_S, (PHRASE_MARK, PHRASE_MARK), 1, ((0, 1), (0, 1, 0), (0, 1, 2)))
    assert short < long < wide
    assert rules.concat_costs(CONCAT_S, (PHRASE_MARK, A), 0, ((0,),)) > rules.concat_costs(
        CONCAT_M, (PHRASE_MARK, A), 0, ((0,),)
    )


def test_contradicting_a_rule_costs_much() -> None:
    rules = table(*[TRACE] * 3)
    status = TRACE[1][0]
    followed, contradicted = rules.operator_costs(status, (REDUCE, CONCAT_S))
    assert contradicted > followed + CONFIG.operator_conflict
    same, other = rules.reduce_costs((A,), ("X", "Y"))
    assert other > same + CONFIG.reduce_conflict
    rules.add((((END_MARK, (PHRASE_MARK, AND), NO_FRAME, 0), CONCAT_S, (0, 0)),))
    same, other = rules.concat_costs(CONCAT_S, (PHRASE_MARK, AND), 0, ((0, 0), (0,)))
    assert other > same + CONFIG.concat_conflict


def test_a_banned_decision_costs_as_much_as_a_contradiction() -> None:
    rules = table(TRACE)
    status = TRACE[1][0]
    free = rules.operator_costs(status, (REDUCE, CONCAT_S))
    rules.bans = frozenset([(status, REDUCE)])
    banned = rules.operator_costs(status, (REDUCE, CONCAT_S))
    assert banned[0] == pytest.approx(free[0] + CONFIG.operator_conflict)
    assert banned[1] == free[1]


def test_costs_back_off_from_status_to_category_to_frame_to_shape() -> None:
    """The less a status has in common with what was seen, the more the operator costs."""
    seen: Step = ((AND, (PHRASE_MARK, A), (PHRASE_MARK,), 0), CONCAT_S, (0, 0))
    rules = table(*[(seen,)] * 5, classes={A: A, B: A})
    statuses: list[CodedStatus] = [
        (AND, (PHRASE_MARK, A), (PHRASE_MARK,), 0),  # the status itself
        (AND, (PHRASE_MARK, B), (PHRASE_MARK,), 0),  # the same by category
        (A, (PHRASE_MARK, B), NO_FRAME, 0),  # the same top frame by category, and memory
        (A, (PHRASE_MARK, AND), NO_FRAME, 0),  # the same shape of the top frame
        (A, (PHRASE_MARK, PHRASE_MARK), NO_FRAME, 0),  # nothing in common
    ]
    costs = [rules.operator_costs(status, (CONCAT_S,))[0] for status in statuses]
    assert all(nearer < farther for nearer, farther in pairwise(costs))


def test_shapes_count_frames_not_uses() -> None:
    often = table(*[((((AND, (PHRASE_MARK, A), NO_FRAME, 0), SHIFT, None)),)] * 50)
    once = table((((AND, (PHRASE_MARK, A), NO_FRAME, 0), SHIFT, None),))
    assert often.by_shape == once.by_shape


@pytest.mark.parametrize(
    ("unclear", "clear", "operator"),
    [
        pytest.param((A, (B,), NO_FRAME, 1), (A, (B,), NO_FRAME, 0), SHIFT, id="reading on with the memory full"),
        pytest.param(
            (A, (PHRASE_MARK,), NO_FRAME, 0), (A, (PHRASE_MARK, AND), NO_FRAME, 0), PUSH, id="PUSH after a phrase"
        ),
    ],
)
def test_unclear_programs_cost_more(unclear: CodedStatus, clear: CodedStatus, operator: int) -> None:
    rules = table()
    assert rules.operator_costs(unclear, (operator,)) > rules.operator_costs(clear, (operator,))


def test_words_are_content_or_label_rarely_both() -> None:
    status: CodedStatus = (END_MARK, (A,), NO_FRAME, 1)
    other_role, no_role = table(TRACE), table(tuple(((END_MARK, (B,), NO_FRAME, 0), o, a) for _, o, a in TRACE[1:2]))
    assert other_role.operator_costs(status, (REDUCE,)) > no_role.operator_costs(status, (REDUCE,))


def test_paired_words_are_kept_together() -> None:
    opening, closing = 5, 6
    cues = Cues([((opening, word, closing), "X") for word in (A, B, AND, A, B)], CONFIG.pair)
    with_cues, without = RuleCosts(CONFIG, cues), RuleCosts(CONFIG, Cues())
    torn: CodedStatus = (closing, (A,), (opening,), 0)
    assert with_cues.operator_costs(torn, (SHIFT,)) > without.operator_costs(torn, (SHIFT,))
    unfinished: CodedStatus = (closing, (opening, PHRASE_MARK), NO_FRAME, 0)
    assert with_cues.operator_costs(unfinished, (CONCAT_S,)) > without.operator_costs(unfinished, (CONCAT_S,))
    assert with_cues.operator_costs(unfinished, (SHIFT,)) < without.operator_costs(unfinished, (SHIFT,))


def test_noise_depends_on_the_seed_alone() -> None:
    phrases = ("X", "Y", "XY")
    first, again = table(noise=1.5, seed=1), table(noise=1.5, seed=1)
    assert first.reduce_costs((A,), phrases) == again.reduce_costs((A,), phrases)
    assert first.reduce_costs((A,), phrases) != table(noise=1.5, seed=2).reduce_costs((A,), phrases)
    free = table().reduce_costs((A,), phrases)
    assert all(0 <= noisy - plain < 1.5 for noisy, plain in zip(first.reduce_costs((A,), phrases), free, strict=True))


class TestSettled:
    """A trace is settled if the others alone dictate every step of it."""

    def test_one_trace_needs_itself(self) -> None:
        assert not table(TRACE).is_settled(TRACE)

    def test_two_equal_traces_do_not_need_each_other(self) -> None:
        assert table(TRACE, TRACE).is_settled(TRACE)

    def test_a_conflict_unsettles(self) -> None:
        shift = (((END_MARK, (A,), NO_FRAME, 0), CONCAT_S, (0,)),)
        assert not table(TRACE, TRACE, shift).is_settled(TRACE)

    def test_another_phrase_for_the_same_words_unsettles(self) -> None:
        elsewhere = (((B, (A,), (PHRASE_MARK,), 0), REDUCE, "Y"),)
        assert not table(TRACE, TRACE, elsewhere).is_settled(TRACE)

    def test_another_concat_of_the_same_frame_unsettles(self) -> None:
        join: CodedTrace = (((END_MARK, (PHRASE_MARK, PHRASE_MARK), NO_FRAME, 0), CONCAT_S, (0, 1)),)
        swap: CodedTrace = (((A, (PHRASE_MARK, PHRASE_MARK), NO_FRAME, 0), CONCAT_S, (1, 0)),)
        assert table(join, join).is_settled(join)
        assert not table(join, join, swap).is_settled(join)


class TestDecide:
    def test_an_empty_table_decides_nothing(self) -> None:
        assert table().decide((A, (), NO_FRAME, 0)) is None

    def test_the_most_used_operator_wins(self) -> None:
        status: CodedStatus = (A, (PHRASE_MARK,), (PHRASE_MARK,), 0)
        rules = table(((status, SHIFT, None),), *[((status, POP, None),)] * 2)
        assert rules.decide(status) == (POP, None)

    def test_categories_then_frames_stand_in(self) -> None:
        seen: Step = ((AND, (PHRASE_MARK,), (PHRASE_MARK,), 0), POP, None)
        joined: Step = ((END_MARK, (AND, PHRASE_MARK), NO_FRAME, 0), CONCAT_S, (1,))  # POP leads on
        rules = table((seen, joined), classes={A: A, AND: A})
        assert rules.decide((A, (PHRASE_MARK,), (PHRASE_MARK,), 0)) == (POP, None)
        assert rules.decide((B, (PHRASE_MARK,), (AND,), 0)) == (POP, None)
        assert rules.decide((B, (PHRASE_MARK,), NO_FRAME, 0)) is None  # POP is illegal there

    def test_reduce_needs_a_rule_for_its_words(self) -> None:
        rules = table(TRACE, classes={A: A, B: A})
        assert rules.decide((END_MARK, (A,), NO_FRAME, 0)) == (REDUCE, "X")
        assert rules.decide((END_MARK, (B,), NO_FRAME, 0)) is None  # what b becomes, nobody said

    def test_concat_arguments_are_shared_by_category(self) -> None:
        rules = table((((END_MARK, (PHRASE_MARK, A), NO_FRAME, 0), CONCAT_S, (0, 0)),), classes={A: A, B: A})
        assert rules.decide((END_MARK, (PHRASE_MARK, B), NO_FRAME, 0)) == (CONCAT_S, (0, 0))


def test_conflicts_name_the_decisions_that_contradict_each_other() -> None:
    one, other, alone = (
        (A, (PHRASE_MARK,), (PHRASE_MARK,), 0),
        (B, (PHRASE_MARK,), (PHRASE_MARK,), 0),
        (AND, (PHRASE_MARK,), (PHRASE_MARK,), 0),
    )
    rules = table(((one, POP, None), (other, SHIFT, None), (alone, SHIFT, None)), classes={A: A, B: A})
    assert contradicted_decisions(rules) == [frozenset({(other, SHIFT)}), frozenset({(one, POP)})]
    assert frozenset({(other, SHIFT), (alone, SHIFT)}) in frame_decisions(rules)


class TestForgetting:
    """What a status has in common with known ones, from the second frame's outline to the top frame alone."""

    def test_places_that_look_alike_count_before_others(self) -> None:
        known: CodedTrace = (
            ((AND, (PHRASE_MARK,), NO_FRAME, 0), SHIFT, None),
            ((AND, (PHRASE_MARK,), (PHRASE_MARK, A), 0), SHIFT, None),
            ((AND, (PHRASE_MARK,), (A,), 0), POP, None),
            ((END_MARK, (B, PHRASE_MARK), NO_FRAME, 0), CONCAT_S, (1,)),
        )
        rules = table(known)
        assert rules.decide((AND, (PHRASE_MARK,), (B,), 0)) == (POP, None)
        shift, pop = rules.operator_costs((AND, (PHRASE_MARK,), (B,), 0), (SHIFT, POP))
        assert pop < shift

    def test_the_next_word_counts_before_the_frame(self) -> None:
        known: CodedTrace = (
            ((B, (PHRASE_MARK,), (A,), 0), POP, None),
            ((B, (PHRASE_MARK,), (PHRASE_MARK, A), 0), POP, None),
            ((AND, (PHRASE_MARK,), (A,), 0), SHIFT, None),
            ((A, (PHRASE_MARK, AND), NO_FRAME, 0), PUSH, None),
            ((END_MARK, (PHRASE_MARK, A, PHRASE_MARK, PHRASE_MARK), NO_FRAME, 0), CONCAT_S, (0, 2, 3)),
        )
        assert table(known).decide((AND, (PHRASE_MARK,), (PHRASE_MARK, A, PHRASE_MARK), 0)) == (SHIFT, None)
        assert table(known).decide((END_MARK, (PHRASE_MARK,), (PHRASE_MARK, A, PHRASE_MARK), 0)) == (POP, None)

    def test_a_word_that_is_a_phrase_gets_a_frame_of_its_own(self) -> None:
        status = (A, (AND,), NO_FRAME, 0)
        before, after = (rules.operator_costs(status, (SHIFT, PUSH)) for rules in (table(), table(TRACE)))
        assert before[0] == before[1]
        assert after[0] > after[1]

    def test_odd_decisions_differ_from_places_that_look_alike(self) -> None:
        strange = ((AND, (PHRASE_MARK,), (A,), 0), POP)
        known: CodedTrace = (
            (*strange, None),
            ((AND, (PHRASE_MARK,), (B,), 0), SHIFT, None),
            ((AND, (PHRASE_MARK,), (PHRASE_MARK, B), 0), SHIFT, None),
        )
        assert frozenset([strange]) in odd_decisions(table(known))
        assert all(status[2] != (PHRASE_MARK, B) for group in odd_decisions(table(known)) for status, _ in group)
