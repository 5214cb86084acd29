"""A controller that imitates a hypothesis guides the next lesson's search."""

import torch

from ness.config import Config, resolve
from ness.data.example import example_of
from ness.learn.coding import Codec, degenerate_trace
from ness.learn.learner import learn
from ness.machine.opcodes import REDUCE
from ness.paper.guidance import train_guide

torch.set_num_threads(1)

EXAMPLES = [
    example_of(source, target)
    for source, target in (
        ("walk", "WALK"),
        ("run", "RUN"),
        ("walk twice", "WALK WALK"),
        ("run twice", "RUN RUN"),
        ("walk thrice", "WALK WALK WALK"),
    )
]
SMALL = ("controller.embedding_size=16", "controller.hidden_size=16", "learner.guide_steps=40")


def settings(*more: str) -> Config:
    return resolve(None, [*SMALL, *more])


def test_a_guide_prefers_what_its_traces_do() -> None:
    codec = Codec(EXAMPLES)
    samples = [codec.encode(*example) for example in EXAMPLES[:2]]
    guide = train_guide(codec, {sample: degenerate_trace(sample) for sample in samples}, {}, settings())
    assert guide is not None
    for source, target in samples:
        made = dict(zip("ab", guide.reduce_costs(source, [target, samples[0][1] + samples[1][1]]), strict=True))
        assert made["a"] < made["b"]
        costs = guide.operator_costs((-1, source, (-3,), 0), [REDUCE])
        assert costs[0] < 0.7


def test_no_traces_no_guide() -> None:
    assert train_guide(Codec(EXAMPLES), {}, {}, settings()) is None


def test_guided_learning_solves_the_examples_and_repeats() -> None:
    config = settings("learner.controller_guides=true", "learner.guide_weight=0.5")
    first, again = learn(EXAMPLES, config), learn(EXAMPLES, config)
    assert not first.unsolved
    assert first.traces == again.traces
