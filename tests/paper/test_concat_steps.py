"""A gradient step that shares beginnings and takes CONCATs in steps is the same as one over rows one by one."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
import torch

from ness.config import ControllerConfig, SearchConfig
from ness.learn.coding import Codec
from ness.machine import EOS, Program, Word
from ness.network.batches import Batch
from ness.network.controller import Controller, make_controller
from ness.network.losses import Losses, batch_losses
from ness.network.trace_batches import compile_traces, word_pairs
from ness.network.vocabularies import Vocabularies
from ness.paper.known_rules import ExtractedRules
from ness.paper.moments import Moment
from ness.paper.prospects import Prospects
from ness.paper.questions import SearchQuestion
from ness.paper.sampling import sampled_search, search_together

EXAMPLES = [
    (("walk",), ("WALK",)),
    (("walk", "twice"), ("WALK", "WALK")),
    (("run", "and", "walk"), ("RUN", "WALK")),
    (("walk", "twice", "after", "run", "twice"), ("RUN", "RUN", "WALK", "WALK")),
]
CODEC = Codec(EXAMPLES)
VOCABULARIES = Vocabularies.of((source for source, _ in EXAMPLES), (target for _, target in EXAMPLES))
PAPER = {"embedding_size": 6, "hidden_size": 5, "input_encoder": "queue", "categories": "soft", "frame_words": "raw"}
Trace = tuple[tuple[Word, ...], Program]


class Even:
    """Every operator and argument costs the same."""

    def answer(self, questions: Sequence[SearchQuestion]) -> list[list[float]]:
        return [[0.0] * len(question[-1]) for question in questions]


@pytest.fixture(autouse=True)
def _double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)  # so that nothing but the last digits may differ
    yield
    torch.set_default_dtype(torch.float32)


def traces(count: int, seed: int) -> list[Trace]:
    stages = [Prospects(ExtractedRules(), SearchConfig(strategy="sampled", sampled_steps=2000))]
    rng = random.Random(seed)
    chosen = [rng.choice(EXAMPLES) for _ in range(count)]
    searches = [sampled_search(Moment(CODEC.encode(*each)), stages, random.Random(rng.random())) for each in chosen]
    found = search_together(Even(), searches)
    return [(source, CODEC.program(each.trace)) for (source, _), each in zip(chosen, found, strict=True)]


def compiled(chosen: Sequence[Trace], config: ControllerConfig, share: bool) -> Batch:
    labels = {EOS: 0} | dict.fromkeys(VOCABULARIES.source, 0)
    pairs = word_pairs(chosen, dict.fromkeys(VOCABULARIES.source, 0))
    return compile_traces(VOCABULARIES, config, chosen, labels, 0.5, pairs, share)


def step(controller: Controller, batch: Batch) -> tuple[Losses, dict[str, torch.Tensor]]:
    controller.zero_grad()
    losses = batch_losses(controller, batch, torch.Generator().manual_seed(0))
    losses.total().backward()  # type: ignore[no-untyped-call]
    found = controller.named_parameters()
    return losses, {name: torch.zeros_like(p) if p.grad is None else p.grad for name, p in found}


@pytest.mark.parametrize("second_frame", [False, True])
@pytest.mark.parametrize(("count", "seed"), [(1, 3), (3, 1), (40, 2)])
def test_losses_and_gradients_are_the_same(count: int, seed: int, second_frame: bool) -> None:
    config = ControllerConfig(**PAPER, pointer_second_frame=second_frame)  # type: ignore[arg-type]
    controller = make_controller(VOCABULARIES, config, seed, "cpu").double()
    chosen = traces(count, seed)
    together = compiled(chosen, config, share=True)
    assert together.concats is not None or count == 1
    shared, by_shared = step(controller, together)
    alone, by_alone = step(controller, compiled(chosen, config, share=False))
    for one, other in (
        (shared.sums, alone.sums),
        (shared.floors, alone.floors),
        (shared.weights, alone.weights),
        (shared.right, alone.right),
        (shared.asked, alone.asked),
    ):
        assert one.keys() == other.keys()
        for name, value in other.items():
            torch.testing.assert_close(one[name], value)
    assert by_shared.keys() == by_alone.keys()
    for name, gradient in by_alone.items():
        torch.testing.assert_close(by_shared[name], gradient, msg=name)


def test_many_levels_are_read() -> None:
    batch = compiled(traces(40, 2), ControllerConfig(**PAPER), share=True)  # type: ignore[arg-type]
    assert batch.concats is not None
    assert len(batch.concats.levels) > 3
    assert all(part is not None for part in batch.concats.pointing)
    assert sum(sum(level.counts) for level in batch.concats.levels) == len(batch.concats.made)


def test_a_step_looks_at_no_values_on_the_way() -> None:
    """Without values, every look at one fails, which on a GPU would be a wait; so does a part left behind."""
    config = ControllerConfig(**PAPER)  # type: ignore[arg-type]
    batch = replace(compiled(traces(40, 2), config, share=True), pairs=None)  # labels of pairs are drawn, on a CPU
    device = torch.device("meta")
    controller = make_controller(VOCABULARIES, config, 0, "cpu").to(device)
    _, gradients = step(controller, batch.to(device))
    assert {gradient.device for gradient in gradients.values()} == {device}
