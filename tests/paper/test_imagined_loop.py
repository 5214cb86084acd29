"""The last network of the loop learns what its rules decide on imagined inputs, and says how far it agrees."""

from pathlib import Path

import pytest
import torch

from ness.config import Config
from ness.data.example import example_of
from ness.errors import ConfigError
from ness.model.teacher import rules_as_teacher
from ness.network.imitation import Agreement
from ness.paper.loop import PaperRun, learn_as_in_the_paper
from ness.settings import resolve

torch.set_num_threads(1)

TURNS = {"left": "L", "right": "R"}
STEPS = {"walk": "WALK", "run": "RUN", "look": "LOOK"}
EXAMPLES = [
    *(example_of(word, token) for word, token in (STEPS | TURNS).items()),
    *(example_of(f"{step} twice", f"{token} {token}") for step, token in STEPS.items()),
    *(example_of(f"{turn} twice", f"{token} {token}") for turn, token in TURNS.items()),
    *(example_of(f"{step} and {turn}", f"{STEPS[step]} {TURNS[turn]}") for step in STEPS for turn in TURNS),
]
SMALL = (
    "controller.embedding_size=32",
    "controller.hidden_size=32",
    "loop.population=2",
    "loop.changes=2",
    "loop.samples=8",
)


def settings(*more: str) -> Config:
    return resolve("paper-loop", [*SMALL, *more])


def learned(config: Config, folder: Path | None = None) -> PaperRun:
    teacher = rules_as_teacher(config)
    return learn_as_in_the_paper(EXAMPLES, config, device="cpu", state_folder=folder, teacher=teacher)


@pytest.mark.slow
def test_the_network_agrees_with_the_rules_in_the_end(tmp_path: Path) -> None:
    run = learned(settings(), tmp_path)
    assert run.agreement is not None
    assert run.agreement.inputs > 0
    assert run.agreement.share == 1.0
    assert run.note.endswith(f"; the network {run.agreement}")
    assert learned(settings(), tmp_path).agreement == run.agreement  # a run that had ended keeps it


def test_without_the_switch_nobody_asks() -> None:
    assert learned(settings("loop.imagined=false", "training.max_steps=60")).agreement is None


def test_a_note_names_what_differs() -> None:
    run = learned(settings("training.max_steps=6"))
    assert isinstance(run.agreement, Agreement)
    assert "imagined inputs" in run.note


def test_contradictory_rules_are_no_teachers() -> None:
    with pytest.raises(ConfigError, match=r"loop\.coherent"):
        resolve("paper", ["loop.imagined=true"])
