"""Training steps that are recorded on the GPU once for each shape and then replayed.

A small network spends its time on starting kernels; a replay starts all of a step's at once. What a recorded step
computes is what it would compute otherwise, but for more padding.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from ness.experiments.systems.coding import RaggedRows

_FIRST = 3  # steps that run as always, before one is recorded
# Lengths of targets are rounded up to a multiple, so that there are fewer shapes.
_ROUND_ONE, _ROUND_BATCH = 4, 8

Shape = tuple[int, int, int, bool]  # examples, lengths of source and target, and whether own outputs are fed back
Learn = Callable[[Tensor, Tensor, bool], None]


class RecordedSteps:
    """Takes the numbers of examples; `learn` gets their sources and targets, [batch, length] each, and must not wait
    for the GPU."""

    def __init__(self, learn: Learn, sources: RaggedRows, targets: RaggedRows) -> None:
        self._learn, self._sources, self._targets = learn, sources, targets
        self._longest = max(sources.lengths)
        self._numbers: dict[int, Tensor] = {}  # by the size of a batch: a replay reads them from the same place
        self._seen: set[Shape] = set()
        self._steps = 0
        self._recorded: dict[Shape, torch.cuda.CUDAGraph] = {}
        self._before: torch.cuda.Event | None = None  # when the last replay will have ended

    def __call__(self, numbers: Sequence[int], own: bool) -> None:
        shape = self.shape(numbers, own)
        chosen = torch.tensor(numbers)
        if shape[0] not in self._numbers:
            self._numbers[shape[0]] = chosen.to(self._sources.device)
        self._numbers[shape[0]].copy_(chosen.pin_memory(), non_blocking=True)
        self._steps += 1
        if self._steps <= _FIRST or shape not in self._seen:
            self._seen.add(shape)
            self._step(shape)
            return
        if shape not in self._recorded:
            recorded = self._recorded[shape] = torch.cuda.CUDAGraph()
            memory = next(iter(self._recorded.values())).pool() if len(self._recorded) > 1 else None
            with torch.cuda.graph(recorded, pool=memory, stream=torch.cuda.current_stream()):
                self._step(shape)
        self._recorded[shape].replay()
        self._sleep()

    def _sleep(self) -> None:
        """Wait until only the last replay is left, asleep instead of asking again and again: others use the core."""
        before, self._before = self._before, torch.cuda.Event(blocking=True)  # type: ignore[no-untyped-call]
        self._before.record()
        if before is not None:
            before.synchronize()

    def shape(self, numbers: Sequence[int], own: bool) -> Shape:
        """Return the shape of a step: single sources have their own length, those of a batch the longest of all."""
        alone = len(numbers) == 1
        source = self._sources.lengths[numbers[0]] if alone else self._longest
        rounded = _ROUND_ONE if alone else _ROUND_BATCH
        target = max(self._targets.lengths[number] for number in numbers)
        return len(numbers), source, -(-target // rounded) * rounded, own

    def _step(self, shape: Shape) -> None:
        size, source, target, own = shape
        numbers = self._numbers[size]
        self._learn(self._sources.rows(numbers, source), self._targets.rows(numbers, target), own)


class Rates:
    """The learning rates of an optimiser; where steps are recorded, in tensors, which a replay reads again."""

    def __init__(self, optimiser: torch.optim.Optimizer, recorded_on: str | None) -> None:
        self._groups = optimiser.param_groups
        self._full = [group["lr"] for group in self._groups]
        for group in self._groups if recorded_on else ():
            group["capturable"] = True
            group["lr"] = torch.tensor(group["lr"], device=recorded_on)

    def multiply(self, share: float) -> None:
        """Set all rates to a share of what they were at first."""
        for group, full in zip(self._groups, self._full, strict=True):
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(share * full)
            else:
                group["lr"] = share * full


@contextmanager
def own_stream(device: str) -> Iterator[None]:
    """Work on a stream that can be recorded; the default one cannot."""
    stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
    stream.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(stream):
        yield
    torch.cuda.current_stream(device).wait_stream(stream)
