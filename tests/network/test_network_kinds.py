"""Kinds of phrases as the network has them: words of its vocabularies, seen by pointers and said by arguments."""

from pathlib import Path

import pytest

from ness import Transducer
from ness.answer.evaluation import evaluate
from ness.data.invented import invented
from ness.machine import PHRASE, ConcatS, Reduce, Status, phrase_mark
from ness.network.rows import PHRASE_ITEM, StatusItems, part_ids, parts_of
from ness.network.vocabularies import Vocabularies, kind_name, reduction, spoken, tokens_of

WORDS = Vocabularies.of([("the", "house")], [("la", "casa")], kinds=(1, 2))


def test_kinds_are_numbered_with_words_and_tokens() -> None:
    parts = ("la", 1, -2)
    assert parts_of(part_ids(parts, WORDS), WORDS) == parts
    assert all(number < 0 for number in part_ids((-1,), WORDS))
    assert Vocabularies.from_json(WORDS.to_json()) == WORDS


@pytest.mark.parametrize("instruction", [Reduce(("casa",), 1), Reduce(("la", "casa"), 2), Reduce(("casa",))])
def test_the_kind_of_a_reduction_is_said_last(instruction: Reduce) -> None:
    assert reduction(spoken(instruction)) == instruction


def test_a_kind_alone_is_a_token_like_any_other() -> None:
    assert reduction((kind_name(1),)) == Reduce((kind_name(1),))


def test_templates_without_tokens_may_say_a_kind() -> None:
    assert tokens_of(ConcatS((0, 2, -1))) == (kind_name(1),)


def test_pointers_see_kinds_and_operators_do_not() -> None:
    items = StatusItems(WORDS, second_frame=True)
    plain, first, second = (Status("the", ("the", mark), None, ()) for mark in (PHRASE, phrase_mark(1), phrase_mark(2)))
    assert items.operator(plain) == items.operator(first) == items.operator(second)
    assert len({items.pointer(status).top for status in (plain, first, second)}) == 3
    assert items.pointer(plain).top[1] == PHRASE_ITEM


@pytest.mark.slow
def test_a_network_learns_which_forms_agree_and_is_saved_with_that(tmp_path: Path) -> None:
    train, tests = invented("nearby")
    model = Transducer().fit([list(e.source) for e in train], [list(e.target) for e in train])
    model.save(tmp_path / "run")
    loaded = Transducer.load(tmp_path / "run").model_
    assert loaded.table.kinds
    assert loaded.default_engine.name == "controller"
    assert evaluate(loaded.engine(), tests).exact == 1.0
