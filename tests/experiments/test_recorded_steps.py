"""Recorded training steps: what needs no GPU, and what does."""

import pytest
import torch
from torch import nn

from ness.data.example import Example
from ness.experiments.systems.coding import RaggedRows
from ness.experiments.systems.interface import Training
from ness.experiments.systems.networks import run_masked, run_packed
from ness.experiments.systems.neural import NeuralSystem
from ness.experiments.systems.recorded_steps import Rates, RecordedSteps
from ness.experiments.systems.registry import make

EXAMPLES = [Example(tuple("ab" * n)[: n + 1], tuple("xy" * n)[: n + 1]) for n in range(1, 6)]


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_a_masked_run_is_a_packed_run(layers: int, bidirectional: bool) -> None:
    torch.manual_seed(0)
    lstm = nn.LSTM(3, 4, layers, batch_first=True, bidirectional=bidirectional)
    words = torch.randn(3, 5, 3)
    padding = torch.arange(5) >= torch.tensor([[5], [2], [3]])
    for masked, packed in zip(run_masked(lstm, words, padding), run_packed(lstm, words, padding), strict=True):
        assert torch.allclose(masked, packed, atol=1e-6)


def test_steps_of_a_batch_share_few_shapes() -> None:
    rows = RaggedRows([[1] * length for length in (3, 9, 17)], "cpu")
    steps = RecordedSteps(lambda *_: None, rows, rows)
    assert steps.shape([0], own=False) == (1, 3, 4, False)
    assert steps.shape([0, 1], own=True) == steps.shape([1, 1], own=True) == (2, 17, 16, True)


def test_rates_shrink_from_what_they_were() -> None:
    optimiser = torch.optim.Adam([nn.Parameter(torch.zeros(1))], lr=0.5)
    rates = Rates(optimiser, None)
    for share in (0.5, 0.1):
        rates.multiply(share)
        assert optimiser.param_groups[0]["lr"] == pytest.approx(0.5 * share)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="steps are recorded on a GPU")
@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("syntactic", ("batch_size=1", "dropout=0.0", "held_out=0.0", "restarts=0")),
        ("stack", ("batch_size=2",)),
        ("deque", ("batch_size=2",)),
        ("lstm", ("batch_size=2", "stop_loss=0.0")),
        ("transformer", ("batch_size=2", "stop_loss=0.0")),
        ("geca", ("batch_size=2", "dropout=0.0")),
        ("seq2seq", ("batch_size=2", "dropout=0.0", "own_outputs=0.5")),
        ("primitive", ("batch_size=2", "noise=0.0")),
        ("equivariant", ("batch_size=2", "held_out=0.0", "orbits=a b / x y")),
    ],
)
def test_recorded_steps_learn_what_others_learn(
    monkeypatch: pytest.MonkeyPatch, name: str, changes: tuple[str, ...]
) -> None:
    def last_loss() -> float:
        system = make(name, "scan/jump", (*changes, "steps=60", "evaluate_every=10"))
        return system.fit(Training(EXAMPLES, device="cuda")).curve[-1].loss

    recorded = last_loss()
    monkeypatch.setattr(NeuralSystem, "_is_recorded", lambda *_: False)
    assert recorded == pytest.approx(last_loss(), rel=0.02)
