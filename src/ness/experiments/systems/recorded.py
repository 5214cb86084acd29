"""Training steps on one example each, recorded on the GPU once for each shape and then replayed.

A small network on one example spends its time on starting kernels; a replay starts all of a step's at once. What a
recorded step computes is what it would compute otherwise.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from ness.experiments.systems.coding import Ragged

_FIRST = 3  # steps of a shape that run as always, before one is recorded
_ROUND = 4  # lengths of targets are rounded up to a multiple, so that there are fewer shapes

Shape = tuple[int, int]


class RecordedSteps:
    """Takes the number of an example; `learn` gets its source and target, [1, length] each, and must not wait for
    the GPU."""

    def __init__(self, learn: Callable[[Tensor, Tensor], None], sources: Ragged, targets: Ragged) -> None:
        self._learn, self._sources, self._targets = learn, sources, targets
        self._number = torch.zeros(1, dtype=torch.long, device=sources.device)
        self._seen: Counter[Shape] = Counter()
        self._recorded: dict[Shape, torch.cuda.CUDAGraph] = {}

    def __call__(self, numbers: Sequence[int]) -> None:
        (number,) = numbers
        shape = self._sources.lengths[number], -(-self._targets.lengths[number] // _ROUND) * _ROUND
        self._number.fill_(number)
        self._seen[shape] += 1
        if self._seen[shape] <= _FIRST:
            self._step(shape)
            return
        if shape not in self._recorded:
            recorded = self._recorded[shape] = torch.cuda.CUDAGraph()
            with torch.cuda.graph(recorded, stream=torch.cuda.current_stream()):
                self._step(shape)
        self._recorded[shape].replay()

    def _step(self, shape: Shape) -> None:
        self._learn(self._sources.rows(self._number, shape[0]), self._targets.rows(self._number, shape[1]))


@contextmanager
def own_stream(device: str) -> Iterator[None]:
    """Work on a stream that can be recorded; the default one cannot."""
    stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
    stream.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(stream):
        yield
    torch.cuda.current_stream(device).wait_stream(stream)
