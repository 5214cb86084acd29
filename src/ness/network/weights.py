"""A controller's weights as safetensors bytes, checked against the network they are for."""

from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load, save

from ness.config import ControllerConfig
from ness.errors import CheckpointError
from ness.network.controller import Controller, make_controller
from ness.network.vocabularies import Vocabularies

GENERATES = "concat_s.generate.weight"  # only networks that learned templates have it
NAMES_WORDS = "points_at_words"  # only networks that learned to name words have it


def weight_bytes(controller: Controller) -> bytes:
    """Write all parameters."""
    return save({name: value.detach().cpu().contiguous() for name, value in controller.state_dict().items()})


def read_weights(
    data: bytes, vocabularies: Vocabularies, config: ControllerConfig, device: str, path: Path
) -> Controller:
    """Make the controller that the settings describe, with these weights; every name and shape must fit."""
    try:
        tensors = load(data)
    except SafetensorError as error:
        raise CheckpointError(f"{path} is not a safetensors file ({error}); restore it or train again") from error
    able = {"templates": GENERATES in tensors, "names_words": NAMES_WORDS in tensors}
    controller = make_controller(vocabularies, config, device=device, **able)
    expected = controller.state_dict()
    for name in (*expected, *tensors):
        if name not in tensors or name not in expected:
            what = "lacks" if name not in tensors else "has an unknown"
            raise CheckpointError(f"{path} {what} tensor '{name}': it is of another network; train again")
        if tensors[name].shape != expected[name].shape:
            shapes = f"{list(tensors[name].shape)}, not {list(expected[name].shape)}"
            raise CheckpointError(f"{path}: tensor '{name}' has shape {shapes}, as settings and vocabulary need")
        if tensors[name].dtype != expected[name].dtype:
            raise CheckpointError(f"{path}: tensor '{name}' is {tensors[name].dtype}, not {expected[name].dtype}")
    controller.load_state_dict(tensors)
    return controller.eval()
