"""Advice names examples only where one more of their kind would settle something."""

from ness.machine import parse_program
from ness.rules.advice import Advice, advise
from ness.rules.table import Categories, RuleTable

VERBS = Categories([("jump", "run", "walk")])
TWICE = "SHIFT; REDUCE {0}; SHIFT; CONCAT_S 0,0; FINAL"


def advice(*pairs: tuple[str, str], categories: Categories = VERBS) -> list[Advice]:
    known = [(tuple(source.split()), parse_program(program)) for source, program in pairs]
    return advise(RuleTable.from_traces(known, categories), known)


def test_what_several_examples_show_needs_no_more() -> None:
    assert advice(("walk twice", TWICE.format("WALK")), ("run twice", TWICE.format("RUN"))) == []


def test_a_word_that_one_example_has_is_named_with_it_once() -> None:
    (found,) = advice(
        ("walk", "SHIFT; REDUCE WALK; FINAL"),
        ("run", "SHIFT; REDUCE RUN; FINAL"),
        ("walk twice", TWICE.format("WALK")),
    )
    assert found.sources == [("walk", "twice")]
    assert found.problem == (
        "seen once: no other example shows what to do before the word 'twice', "
        "with a translated part on top of the stack"
    )


def test_what_the_other_examples_lead_to_as_well_is_not_asked_for() -> None:
    """`walk` before `thrice` was seen once, but a verb is reduced before anything: there is nothing to settle."""
    reduced = "SHIFT; REDUCE WALK; SHIFT; CONCAT_S {0}; FINAL"
    pairs = [("walk twice", "0,0"), ("run twice", "0,0"), ("walk thrice", "0,0,0"), ("run thrice", "0,0,0")]
    known = [(source, reduced.format(parts).replace("WALK", source.split()[0].upper())) for source, parts in pairs]
    assert advice(*known, ("jump", "SHIFT; REDUCE JUMP; FINAL"), ("run", "SHIFT; REDUCE RUN; FINAL")) == []


def test_an_example_of_several_weak_points_is_named_once() -> None:
    found = advice(("walk around", TWICE.format("WALK")), ("run below", TWICE.format("RUN")))
    assert [each.sources for each in found] == [[("walk", "around")], [("run", "below")]]


def test_examples_that_differ_are_named_with_what_each_does() -> None:
    (found,) = advice(
        ("walk twice", TWICE.format("WALK")),
        ("run twice", "SHIFT; SHIFT; REDUCE RUN; FINAL"),
    )
    assert found.problem == (
        "ambiguous: examples differ before the word 'twice', with 'jump' on top of the stack: REDUCE in 1, SHIFT in 1"
    )
    assert found.sources == [("walk", "twice"), ("run", "twice")]


def test_clear_majorities_are_left_alone() -> None:
    known = [("walk twice", TWICE.format("WALK"))] * 5 + [("run twice", "SHIFT; SHIFT; REDUCE RUN; FINAL")] * 2
    assert not [each for each in advice(*known) if each.problem.startswith("ambiguous")]
