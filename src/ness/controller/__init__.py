"""The neural controller: the network that drives the machine.

Importing this package does not import torch; using one of its names does.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ness.controller.network import Controller, choose_device, make_controller
    from ness.controller.policy import ControllerPolicy
    from ness.controller.vocabularies import Vocabularies

_HOME = {
    "Controller": "network",
    "ControllerPolicy": "policy",
    "Vocabularies": "vocabularies",
    "choose_device": "network",
    "make_controller": "network",
}

__all__ = ["Controller", "ControllerPolicy", "Vocabularies", "choose_device", "make_controller"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
