"""Codes stand for words and tokens, back and forth, however many there are."""

from hypothesis import given
from hypothesis import strategies as st

from ness.learn.coding import (
    END_MARK,
    LITERAL,
    NO_FRAME,
    PHRASE_MARK,
    Codec,
    join_coded,
    legal_opcodes,
    words_named,
)
from ness.machine import ConcatS, Final, Operator, Phrase, Reduce, Shift, State, Word, legal_operators, status_of
from ness.machine.opcodes import CONCAT_S, FINAL, REDUCE, SHIFT
from search_samples import code_status
from strategies import WORDS, odd_tokens, states

texts = st.lists(odd_tokens, min_size=1, max_size=6).map(tuple)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=5))
def test_examples_come_back(examples: list[tuple[tuple[Word, ...], Phrase]]) -> None:
    codec = Codec(examples)
    for source, target in examples:
        coded_source, coded_target = codec.encode(source, target)
        assert tuple(map(codec.word, coded_source)) == source
        assert codec.phrase(coded_target) == target
        assert len(coded_target) == len(target)


def test_more_tokens_than_a_plane_of_unicode_has() -> None:
    target = tuple(f"token {number}" for number in range(70_000))
    codec = Codec([(("word",), target)])
    _, coded = codec.encode(("word",), target)
    assert codec.phrase(coded) == target
    assert len(set(coded)) == len(target)
    assert coded.encode()  # no surrogates, so that it can be written and sent to other processes


def test_names_leave_no_mark() -> None:
    plain, renamed = Codec([(("a", "b", "a"), ("X",))]), Codec([(("z", "●", "z"), ("END",))])
    assert plain.encode(("a", "b", "a"), ("X",)) == renamed.encode(("z", "●", "z"), ("END",))


def test_a_trace_becomes_a_program() -> None:
    codec = Codec([(("a", "b"), ("X", "Y"))])
    _, target = codec.encode((), ("X", "Y"))
    trace = (
        ((0, (), NO_FRAME, 0), SHIFT, None),
        ((1, (0,), NO_FRAME, 0), REDUCE, target),
        ((1, (PHRASE_MARK, 1), (0,), 1), CONCAT_S, (2, 0)),
        ((END_MARK, (PHRASE_MARK,), NO_FRAME, 0), FINAL, None),
    )
    assert codec.program(trace) == (Shift(), Reduce(("X", "Y")), ConcatS((2, 0)), Final())
    assert str(codec.status(trace[2][0])) == "next 'b', top [● b], second [a], memory [●]"
    assert str(codec.status(trace[3][0])) == "next end of input, top [●], second none, memory []"


@given(states())
def test_legality_is_the_machines(state: State) -> None:
    status = status_of(state)
    codec = Codec([(WORDS, ())])
    coded = code_status(codec, status)
    assert codec.status(coded) == status
    assert {list(Operator)[code] for code in legal_opcodes(coded)} == set(legal_operators(status))


def test_a_kind_is_neither_joined_nor_a_word() -> None:
    assert join_coded(("X", "Y"), (0, LITERAL + ord("a"), -1)) == "Xa"
    assert words_named((3, 4), (0, -1)) == [3]
