"""Training by imitation: convergence, determinism, noise, mini-batches, and resuming after a kill."""

import math
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from controller_task import (
    CATEGORIES,
    FAST,
    Trace,
    fresh,
    held_out_commands,
    table,
    traces,
    trained,
    training_commands,
    vocabularies,
)
from ness.answer.evaluation import evaluate
from ness.answer.network_engine import ControllerEngine, controller_engine
from ness.config import ControllerConfig, TrainingConfig
from ness.errors import CheckpointError, DataError
from ness.machine import EOS, Reduce, Status
from ness.network.controller import Controller
from ness.network.decisions import ControllerDecisions
from ness.network.imitation import Trainer, train_controller
from ness.network.losses import Losses, batch_losses
from ness.network.trainer_state import FILE
from ness.network.training_set import LocalExamples, count_decisions, make_examples

ROOT = Path(__file__).parents[2]
BRIEF = TrainingConfig(learning_rate=5e-3, max_steps=14, evaluate_every=6, checkpoint_every=3)


def weights(controller: Controller) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in controller.parameters()])


@pytest.mark.slow
def test_trained_on_short_commands_it_translates_all_longer_ones() -> None:
    controller, result = trained()
    assert result.converged
    assert result.progress.accuracy == 1.0
    examples = held_out_commands()
    assert max(len(example.source) for example in examples) == 5
    assert evaluate(ControllerEngine(controller, table()), examples).exact == 1.0


def test_the_same_seed_gives_the_same_weights() -> None:
    runs = []
    for seed in (1, 1, 2):
        controller = fresh(seed=seed)
        train_controller(controller, traces(), CATEGORIES, BRIEF, seed=seed)
        runs.append(weights(controller))
    assert torch.equal(runs[0], runs[1])
    assert not torch.equal(runs[0], runs[2])


def test_mini_batches_hold_every_row_once_and_learn() -> None:
    config = replace(BRIEF, batch_size=8)
    controller = fresh()
    examples = make_examples(vocabularies(), controller.config, traces(), CATEGORIES, config, 0)
    assert isinstance(examples, LocalExamples)
    assert examples.batches_per_epoch > 1
    parts, whole = Losses(), Losses()
    full = make_examples(vocabularies(), controller.config, traces(), CATEGORIES, FAST, 0).batch(0)
    with torch.no_grad():
        for part in examples.all():
            parts.merge(batch_losses(controller, part))
        whole.merge(batch_losses(controller, full))
    assert parts.excess() == pytest.approx(whole.excess(), abs=1e-4)
    assert {name: int(value) for name, value in parts.asked.items()} == {k: int(v) for k, v in whole.asked.items()}
    before = float(whole.total())
    trainer = Trainer(controller, examples, config, 0)
    for _ in range(40):
        trainer.train_step()
    assert float(trainer.evaluate().total()) < before / 2


@pytest.mark.slow
def test_noisy_traces_train_towards_their_shares_and_do_not_block_the_stop() -> None:
    noisy: list[Trace] = []
    for source, program in traces():
        noisy += [(source, program)] * 3
        if source == ("walk",):
            other = tuple(Reduce(("I_RUN",)) if isinstance(each, Reduce) else each for each in program)
            noisy += [(source, other)] * 100
    controller = fresh()
    result = train_controller(controller, noisy, CATEGORIES, replace(FAST, loss_threshold=0.05))
    assert result.converged
    counts: Counter[Reduce] = Counter()
    for (status, instruction), count in count_decisions(noisy).items():
        if isinstance(instruction, Reduce) and status.top == ("walk",):
            counts[instruction] += count
    expected = [count / counts.total() for count in counts.values()]
    assert min(expected) > 0.2
    costs = ControllerDecisions(controller).costs([(Status(EOS, ("walk",), None, ()), each) for each in counts])
    assert [math.exp(-cost) for cost in costs] == pytest.approx(expected, abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes", [{"categories": "soft"}, {"categories": "off"}, {"input_encoder": "queue"}], ids=str
)
def test_networks_that_look_beyond_the_status_train_and_translate(changes: dict[str, str]) -> None:
    controller = fresh(replace(ControllerConfig(embedding_size=24, hidden_size=24), **changes))  # type: ignore[arg-type]
    result = train_controller(controller, traces(), CATEGORIES, replace(FAST, max_steps=100, loss_threshold=0.3))
    assert result.progress.accuracy > 0.9
    assert evaluate(controller_engine(controller, table()), training_commands()).exact > 0.8


@pytest.mark.slow
def test_pairing_words_by_equal_operator_traces_gives_them_a_common_category() -> None:
    config = ControllerConfig(embedding_size=24, hidden_size=24, categories="soft")
    controller = fresh(config)
    settings = replace(FAST, category_targets="paired", max_steps=60)
    losses = train_controller(controller, traces(), CATEGORIES, settings).progress.losses
    assert "source_category" in losses
    ids = controller.vocabularies.source_ids
    with torch.no_grad():
        words = torch.tensor([ids[word] for word in ("walk", "run", "and")])
        walk, run, conjunction = controller.category_logits(controller.encode_words(words)).softmax(-1)
    assert (walk - run).abs().sum() < 0.5 * (walk - conjunction).abs().sum()


@pytest.mark.slow
def test_a_killed_training_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    whole = fresh()
    expected = train_controller(whole, traces(), CATEGORIES, BRIEF)
    script = """
import os, signal, sys
from pathlib import Path
from controller_task import CATEGORIES, fresh, traces
from test_imitation import BRIEF
from ness.network.imitation import train_controller

def die(progress):
    if progress.step == 12:
        os.kill(os.getpid(), signal.SIGKILL)

train_controller(fresh(), traces(), CATEGORIES, BRIEF, on_progress=die, state_folder=Path(sys.argv[1]))
"""
    paths = [str(ROOT / part) for part in ("src", "tests", "tests/network")]
    code = f"import sys; sys.path[:0] = {paths!r}\n{script}"
    ended = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, check=False)
    assert ended.returncode == -9, ended.stderr.decode()
    assert (tmp_path / FILE).exists()
    resumed = fresh(seed=5)
    steps: list[int] = []
    result = train_controller(
        resumed, traces(), CATEGORIES, BRIEF, state_folder=tmp_path, on_progress=lambda p: steps.append(p.step)
    )
    assert steps[0] == 12
    assert torch.equal(weights(resumed), weights(whole))
    assert result.progress.losses == expected.progress.losses


def test_a_state_of_other_traces_is_not_continued(tmp_path: Path) -> None:
    train_controller(fresh(), traces(), CATEGORIES, BRIEF, state_folder=tmp_path)
    steps: list[int] = []
    train_controller(
        fresh(), traces()[1:], CATEGORIES, BRIEF, state_folder=tmp_path, on_progress=lambda p: steps.append(p.step)
    )
    assert steps[0] == 0


def test_a_damaged_state_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"\x10\x00\x00\x00\x00\x00\x00\x00 not a header")
    with pytest.raises(CheckpointError, match="delete it"):
        train_controller(fresh(), traces(), CATEGORIES, BRIEF, state_folder=tmp_path)


def test_traces_with_unknown_words_are_refused() -> None:
    with pytest.raises(DataError, match="'hop'"):
        train_controller(fresh(), [(("hop",), traces()[0][1])], CATEGORIES, BRIEF)
    with pytest.raises(DataError, match="no traces"):
        train_controller(fresh(), [], CATEGORIES, BRIEF)
