"""The baselines: shapes, a copy task, determinism, and the short cut of scoring."""

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch

from ness.errors import ConfigError, DataError
from ness.experiments.systems import BaselineConfig, LstmSeq2Seq, Seq2Seq, TransformerSeq2Seq
from ness.experiments.systems.coding import PAD, bounded_batches, pad, random_batches, shifted
from ness.experiments.systems.networks import LstmNetwork, Network, TransformerNetwork

TINY = BaselineConfig(embedding_size=16, hidden_size=32, dropout=0.0, learning_rate=5e-3, warmup=20, evaluate_every=25)
MODELS = pytest.mark.parametrize("model", [LstmSeq2Seq, TransformerSeq2Seq])
NETWORKS = pytest.mark.parametrize("network", [LstmNetwork, TransformerNetwork])


def copies(count: int, seed: int = 0) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(rng.choices("abc", k=rng.randint(1, 4))) for _ in range(count)]


@NETWORKS
def test_a_network_scores_every_target_after_every_prefix(network: type[LstmNetwork | TransformerNetwork]) -> None:
    built: Network = network(7, 9, TINY)
    logits = built(pad([[4, 5, 2], [6, 2]]), pad([[1, 5], [1, 6]]))
    assert logits.shape == (2, 2, 9)
    assert torch.isinf(logits[..., [0, 1, 3]]).all()


@NETWORKS
def test_padding_and_later_tokens_change_nothing(network: type[LstmNetwork | TransformerNetwork]) -> None:
    built: Network = network(7, 9, TINY).eval()
    alone = built(pad([[6, 2]]), pad([[1, 5]]))
    together = built(pad([[4, 5, 4, 2], [6, 2]]), pad([[1, 7, 8], [1, 5, 6]]))[1:, :2]
    assert torch.allclose(alone, together, atol=1e-5)


@MODELS
def test_a_model_learns_to_copy(model: type[Seq2Seq]) -> None:
    train, test = copies(200), copies(50, seed=1)
    learned = model(replace(TINY, max_steps=600)).fit(train, train)
    assert learned.score(train, train) == 1.0
    assert learned.score(test, test) >= 0.9
    assert learned.converged
    assert learned.curve[-1].step < 600
    assert learned.curve[-1].loss < learned.curve[0].loss


@MODELS
def test_scoring_agrees_with_decoding(model: type[Seq2Seq]) -> None:
    train, test = copies(60), copies(60, seed=2)
    half_learned = model(replace(TINY, max_steps=75)).fit(train, train)
    decoded = [answer == target for answer, target in zip(half_learned.predict(test), test, strict=True)]
    assert half_learned.correct(test, test) == decoded
    assert any(decoded)
    assert not all(decoded)


@MODELS
def test_a_seed_gives_the_same_curve_again(model: type[Seq2Seq]) -> None:
    def losses(seed: int) -> list[float]:
        config = replace(TINY, max_steps=4, evaluate_every=1, seed=seed)
        return [point.loss for point in model(config).fit(copies(20), copies(20)).curve]

    torch.manual_seed(1)
    first = losses(0)
    drawn = torch.rand(1).item()
    torch.manual_seed(1)
    assert drawn == torch.rand(1).item(), "training must not disturb the random numbers of others"
    assert losses(0) == first != losses(1)


def test_answers_have_the_form_of_the_question() -> None:
    model = LstmSeq2Seq(replace(TINY, max_steps=1)).fit(["a"], ["x"])
    text, tokens = model.predict(["a", ("a", "never seen")])
    assert isinstance(text, str)
    assert isinstance(tokens, tuple)


def test_a_token_that_training_never_showed_is_never_right() -> None:
    model = LstmSeq2Seq(replace(TINY, max_steps=200)).fit(["a"], ["x"])
    assert model.correct(["a", "a"], ["x", "y"]) == [True, False]


def test_misuse_is_told() -> None:
    with pytest.raises(ConfigError, match="call fit first"):
        LstmSeq2Seq().predict(["a"])
    with pytest.raises(DataError, match="1 sources and 0 targets"):
        LstmSeq2Seq().fit(["a"], [])
    with pytest.raises(ConfigError, match="'hidden_size' must be a multiple of 8"):
        BaselineConfig(hidden_size=100, heads=4)
    with pytest.raises(ConfigError, match="'max_steps' must be at least 1"):
        BaselineConfig(max_steps=0)


def test_an_epoch_shows_every_example_once() -> None:
    lengths = [3, 1, 2, 5, 4, 9, 7]
    batches = random_batches(lengths, 2, random.Random(0))
    epoch = [number for _ in range(4) for number in next(batches)]
    assert sorted(epoch) == list(range(7))


@pytest.mark.parametrize("lengths", [[1, 2, 3, 4, 5, 50, 1], [100], [7] * 9])
def test_batches_hold_every_example_and_are_bounded(lengths: Sequence[int]) -> None:
    batches = list(bounded_batches(lengths, 20))
    assert sorted(number for batch in batches for number in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[number] for number in batch) <= 20


def test_the_decoder_sees_the_target_one_late() -> None:
    assert shifted(pad([[4, 5, 2], [6, 2]])).tolist() == [[1, 4, 5], [1, 6, 2]]
    assert pad([[4], [5, 2]]).tolist() == [[4, PAD], [5, 2]]
