"""A controller for several processes: its weights lie in memory that all of them see, and each asks a copy on the CPU.

Searches ask little at a time and wait for each answer: many processors are quicker at that than one GPU.
"""

import os
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from ness.learn.coding import Codec
from ness.network.controller import Controller, make_controller
from ness.paper.controller_guide import ControllerGuide
from ness.paper.exploring import ExploringAnswers
from ness.paper.questions import Answers

_MEMORY = Path("/dev/shm")


class SharedNetwork:
    """Writes the weights of a controller in one process; in others it answers by those written last."""

    def __init__(self, controller: Controller, codec: Codec, exploration: float) -> None:
        self._made = controller.vocabularies, controller.config
        self._codec, self._exploration = codec, exploration
        self._size = sum(parameter.numel() for parameter in controller.parameters())
        self._folder: tempfile.TemporaryDirectory[str] | None = tempfile.TemporaryDirectory(dir=_folder(self._size))
        self._file = Path(self._folder.name, "weights")
        self._weights = self._map()
        self._guide: ControllerGuide | None = None

    def write(self, controller: Controller) -> None:
        """Write the present weights; nobody may ask meanwhile."""
        self._weights.copy_(torch.cat([parameter.detach().flatten() for parameter in controller.parameters()]))

    def close(self) -> None:
        """Remove the file."""
        if self._folder is not None:
            self._folder.cleanup()

    def __call__(self) -> Answers:
        """Answer by the weights written last."""
        if self._guide is None:
            torch.set_num_threads(1)
            torch.set_flush_denormal(True)
            self._guide = ControllerGuide(self._copy(), self._codec)
        self._guide.refresh()
        return ExploringAnswers(self._guide, self._exploration) if self._exploration else self._guide

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_weights": None, "_guide": None, "_folder": None}

    def _copy(self) -> Controller:
        """Make a controller whose parameters are the weights of the file."""
        self._weights = self._map()
        controller = make_controller(*self._made, device="cpu")
        place = 0
        for parameter in controller.parameters():
            parameter.data = self._weights[place : place + parameter.numel()].view_as(parameter)
            place += parameter.numel()
        return controller.eval()

    def _map(self) -> Tensor:
        return torch.from_file(str(self._file), shared=True, size=self._size)


def _folder(numbers: int) -> Path | None:
    """Where to put a file of so many numbers; None is the usual folder for temporary files."""
    if not _MEMORY.is_dir() or not os.access(_MEMORY, os.W_OK):
        return None
    room = os.statvfs(_MEMORY)
    return _MEMORY if room.f_bavail * room.f_frsize > 8 * numbers else None
