"""The state of training in one safetensors file, replaced atomically: weights, Adam's moments, step and rounds.

Batches and samples depend on the seed and these two only, so there is no other random state to keep.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from ness.config import TrainingConfig
from ness.errors import CheckpointError
from ness.files import write_atomically
from ness.machine import Program, Word, format_program
from ness.network.controller import Controller
from ness.rules.table import Categories

if TYPE_CHECKING:
    from ness.network.imitation import Trainer

FILE = "controller-training.safetensors"
VERSION = "2"
_MOMENTS = ("step", "exp_avg", "exp_avg_sq")


def traces_digest(
    traces: Sequence[tuple[tuple[Word, ...], Program]],
    categories: Categories,
    controller: Controller,
    config: TrainingConfig,
    seed: int,
    lesson: int,
) -> str:
    """Tell apart trainings that must not be continued from each other's states."""
    vocabularies = controller.vocabularies
    settings = {**asdict(controller.config), **asdict(config), "seed": seed, "lesson": lesson}
    digest = hashlib.sha256(json.dumps([settings, vocabularies.to_json(), categories.classes]).encode())
    for source, program in traces:
        digest.update(json.dumps([source, format_program(program)]).encode())
    return digest.hexdigest()


def save_state(folder: Path, trainer: "Trainer", digest: str, seconds: float) -> None:
    """Write the trainer's state; a reader sees the old file or the new one, never a part."""
    tensors = {f"weights.{name}": value for name, value in trainer.controller.state_dict().items()}
    for name, parameter in trainer.controller.named_parameters():
        moments = trainer.optimizer.state.get(parameter, {})
        tensors |= {f"{kind}.{name}": moments[kind] for kind in _MOMENTS if kind in moments}
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    counts = {"step": str(trainer.step), "rounds": str(trainer.rounds), "seconds": str(seconds)}
    facts = {"version": VERSION, "digest": digest} | counts
    write_atomically(folder / FILE, save(tensors, metadata=facts))


def load_state(folder: Path, trainer: "Trainer", digest: str) -> float:
    """Go on from a saved state of the same training, if there is one; return the seconds already spent."""
    path = folder / FILE
    if not path.exists():
        return 0.0
    try:
        with safe_open(path, framework="pt") as file:
            facts = file.metadata() or {}
            if facts.get("version") != VERSION:
                raise CheckpointError(f"{path} has another format version; delete it to train from the start")
            if facts.get("digest") != digest:
                return 0.0
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        weights = {name.removeprefix("weights."): t for name, t in tensors.items() if name.startswith("weights.")}
        trainer.controller.load_state_dict(weights)
        trainer.step, trainer.rounds = int(facts["step"]), int(facts["rounds"])
        seconds = float(facts["seconds"])
    except (SafetensorError, RuntimeError, KeyError, ValueError, OSError) as error:
        raise CheckpointError(f"{path} is damaged; delete it to train from the start ({error})") from error
    for name, parameter in trainer.controller.named_parameters():
        moments = {kind: tensors[f"{kind}.{name}"] for kind in _MOMENTS if f"{kind}.{name}" in tensors}
        if moments:
            device = parameter.device
            placed = {kind: value if kind == "step" else value.to(device) for kind, value in moments.items()}
            trainer.optimizer.state[parameter] = placed
    return seconds
