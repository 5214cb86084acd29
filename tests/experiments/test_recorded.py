"""Recorded training steps; they need a GPU."""

import pytest
import torch

from ness.data.example import Example
from ness.experiments.systems.interface import Training
from ness.experiments.systems.neural import NeuralSystem
from ness.experiments.systems.registry import make

EXAMPLES = [Example(tuple("ab" * n)[: n + 1], tuple("xy" * n)[: n + 1]) for n in range(1, 6)]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="steps are recorded on a GPU")
def test_recorded_steps_learn_what_others_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    def last_loss() -> float:
        changes = ("batch_size=1", "steps=60", "dropout=0.0", "held_out=0.0", "restarts=0", "evaluate_every=10")
        system = make("syntactic", "scan/jump", changes)
        return system.fit(Training(EXAMPLES, device="cuda")).curve[-1].loss

    recorded = last_loss()
    monkeypatch.setattr(NeuralSystem, "_is_recorded", lambda *_: False)
    assert recorded == pytest.approx(last_loss(), rel=0.02)
