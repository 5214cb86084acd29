"""Imagined inputs: what is recombined, that it is repeatable, and that it holds what traces lack."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller_task import CATEGORIES, commands, table, traces
from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.machine import parse_program
from ness.network.imagination import Imagination, Stretch, phrase_spans

AROUND = "SHIFT; REDUCE JUMP; SHIFT; PUSH; SHIFT; REDUCE RTURN; POP; CONCAT_M 2,0; CONCAT_S 1,1,1,1; FINAL"


def test_every_stretch_that_became_a_phrase_is_a_span() -> None:
    # jump | around | right: the verb in its place, the side in a frame of its own, the whole
    assert list(phrase_spans(parse_program(AROUND))) == [(0, 1), (2, 3), (0, 3)]


def test_spans_move_with_what_is_put_in() -> None:
    whole = Stretch(("a", "and", "b", "now"), ((0, 1), (2, 3), (0, 3)))
    filler = Stretch(("c", "or", "d"), ((0, 1), (2, 3), (0, 3)))
    grown = whole.replaced((0, 1), filler)
    assert grown.words == ("c", "or", "d", "and", "b", "now")
    assert set(grown.spans) == {(0, 1), (2, 3), (0, 3), (4, 5), (0, 5)}
    assert {grown.words[a:b] for a, b in grown.spans} >= {("c", "or", "d"), ("b",)}


@given(st.data())
def test_spans_stay_inside_however_often_parts_are_exchanged(data: st.DataObject) -> None:
    filler = Stretch(("x", "y", "z"), ((0, 3), (1, 2)))
    stretch = Stretch(("a", "b", "c"), ((0, 1), (0, 2), (1, 3), (0, 3)))
    for _ in range(data.draw(st.integers(1, 4))):
        stretch = stretch.replaced(data.draw(st.sampled_from(stretch.spans)), filler)
        assert all(0 <= a < b <= len(stretch.words) for a, b in stretch.spans)


def test_inputs_are_longer_than_the_traces_and_depend_on_the_seed_alone() -> None:
    imagination = Imagination(traces(), CATEGORIES)
    drawn = imagination.draw(100, 1, (2, 3), 12)
    assert drawn == Imagination(traces(), CATEGORIES).draw(100, 1, (2, 3), 12)
    assert drawn != imagination.draw(100, 2, (2, 3), 12)
    assert len(set(drawn)) == len(drawn) == 100
    assert imagination.longest < max(map(len, drawn)) <= 12


def test_a_word_stands_where_others_of_its_category_stood() -> None:
    assert all("jump" not in source for source, _ in traces() if len(source) > 2)
    assert any("jump" in source for source in Imagination(traces(), CATEGORIES).draw(50, 0, (1,), 8) if len(source) > 2)


def test_a_small_language_runs_out_of_inputs() -> None:
    assert Imagination([(("a",), parse_program("SHIFT; REDUCE x; FINAL"))], CATEGORIES).draw(9, 0, (1,), 5) == [("a",)]
    assert Imagination([], CATEGORIES).draw(9, 0, (1,), 5) == []


@pytest.mark.parametrize("seed", [0, 1])
def test_imagined_inputs_meet_the_statuses_that_the_traces_lack(seed: int) -> None:
    wanted, shown, known = RuleEngine(table()), RuleEngine(table()), RuleEngine(table())
    translate(wanted, [example.source for example in commands()])
    translate(known, [source for source, _ in traces()])
    translate(shown, Imagination(traces(), CATEGORIES).draw(500, seed, (1, 1, 2, 3), 8))
    lacking = wanted.cache.decisions.keys() - known.cache.decisions.keys()
    assert len(lacking) > 10
    assert lacking <= shown.cache.decisions.keys()
