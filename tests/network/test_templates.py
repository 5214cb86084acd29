"""CONCAT arguments that mix positions with target tokens, as the network has them."""

import pytest
import torch

from controller_task import fresh, vocabularies
from ness.network.controller import make_controller
from ness.network.layers import MASKED, PointerNetwork, columns
from ness.network.rows import part_ids, parts_of
from ness.network.vocabularies import Vocabularies

WORDS = Vocabularies(("a",), ("(", "0", "AND"))


def test_parts_are_numbers_and_numbers_parts() -> None:
    parts = ("(", "AND", 0, 2, "0")
    assert part_ids(parts, WORDS) == (-1, -3, 0, 2, -2)
    assert parts_of((-1, -3, 0, 2, -2), WORDS) == parts


def test_choices_become_columns_behind_the_elements_and_back() -> None:
    choices = torch.tensor([[0, 3, -1, -5]])
    assert columns(choices, 4).tolist() == [[0, 3, 4, 8]]
    assert torch.equal(columns(columns(choices, 4), 4), choices)


@torch.no_grad()
def test_what_was_chosen_is_read_as_an_element_or_as_a_token() -> None:
    pointer = PointerNetwork(6, 5, tokens=3)
    elements = torch.randn(1, 4, 10)
    read = pointer.read(torch.tensor([[2, -3]]), elements)
    assert torch.equal(read[0, 0], elements[0, 2])
    assert torch.equal(read[0, 1], pointer.generated.weight[2])


@pytest.mark.parametrize("tokens", [0, 3])
@torch.no_grad()
def test_words_cannot_be_chosen_and_tokens_only_where_there_are_any(tokens: int) -> None:
    pointer = PointerNetwork(6, 5, tokens)
    elements, candidates = torch.randn(1, 4, 10), torch.tensor([[True, False, True, True]])
    logits, _, _ = pointer(pointer.start(torch.randn(1, 10)), torch.randn(1, 2, 10), elements, candidates)
    assert logits.shape == (1, 2, 4 + tokens)
    assert (logits[..., 1] == MASKED).all()
    assert (logits[..., [0, 2, 3]] > MASKED).all()


def test_networks_without_templates_are_what_they_were() -> None:
    plain = fresh().state_dict()
    assert not any("generate" in name for name in plain)
    more = make_controller(vocabularies(), fresh().config, templates=True).state_dict()
    assert {name for name in more if name not in plain} == {
        f"concat_{kind}.{name}" for kind in "ms" for name in ("generate.weight", "generate.bias", "generated.weight")
    }
