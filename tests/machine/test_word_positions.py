"""A position of a CONCAT_S that holds a word stands for the word's own phrase."""

import pytest

from ness.errors import DataError, IllegalInstruction
from ness.machine import (
    EOS,
    PHRASE,
    ConcatS,
    Final,
    Operator,
    Pop,
    Push,
    Shift,
    State,
    Status,
    format_program,
    legal_operators,
    parse_program,
    run,
    step,
)

SOURCE = ("The", "girl", "painted", "a", "cup")
PROGRAM = (
    Shift(),
    Shift(),
    ConcatS(("*", 1), (("girl",),)),
    Shift(),
    Push(),
    Shift(),
    Shift(),
    ConcatS((1,), (("cup",),)),
    Pop(),
    ConcatS((1, "(", "agent", "=", 0, ",", "theme", "=", 2, ")"), (("paint",),)),
    Final(),
)


def test_a_word_stands_for_its_own_phrase() -> None:
    output, _ = run(SOURCE, PROGRAM)
    assert " ".join(output) == "paint ( agent = * girl , theme = cup )"
    text = format_program(PROGRAM)
    assert 'CONCAT_S 1 ( agent = 0 "," theme = 2 ) own: paint; FINAL' in text
    assert parse_program(text) == PROGRAM


def test_a_word_that_is_named_twice_needs_its_phrase_once() -> None:
    state = State(("see",), 1, (("see",),))
    assert step(state, ConcatS((0, "and", 0), (("SEE", "!"),))).top == (("SEE", "!", "and", "SEE", "!"),)


@pytest.mark.parametrize("own", [(), (("A",), ("B",)), ((),)])
def test_own_phrases_must_fit_the_words(own: tuple[tuple[str, ...], ...]) -> None:
    with pytest.raises(IllegalInstruction, match="word"):
        step(State(("see",), 1, (("see",),)), ConcatS((0,), own))


def test_a_frame_of_words_is_enough_only_where_words_may_be_named() -> None:
    status = Status(EOS, ("see",), None, ())
    assert Operator.CONCAT_S not in legal_operators(status)
    assert Operator.CONCAT_S in legal_operators(status, own=True)
    assert Operator.CONCAT_S in legal_operators(Status(EOS, (PHRASE,), None, ()))


def test_only_concat_s_names_words() -> None:
    with pytest.raises(DataError, match="only CONCAT_S"):
        parse_program("CONCAT_M 0 own: X")
