"""Training figures as JSON lines, and for TensorBoard where that is installed."""

import json
from pathlib import Path
from types import TracebackType
from typing import Any

from ness.errors import ConfigError
from ness.network.imitation import Progress


class MetricsLog:
    """Appends a line for each report; use it as a progress callback, inside `with`."""

    def __init__(self, path: Path, tensorboard: Path | None = None) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a", encoding="utf-8")
        self._board: Any = None
        if tensorboard is not None:
            self._board = _summary_writer(tensorboard)

    def __call__(self, progress: Progress) -> None:
        values = {
            "lesson": progress.lesson,
            "step": progress.step,
            "loss": progress.loss,
            "losses": progress.losses,
            "accuracy": progress.accuracy,
            "seconds": round(progress.seconds, 3),
        }
        self._file.write(json.dumps(values) + "\n")
        self._file.flush()
        if self._board is not None:
            for name, value in (*progress.losses.items(), ("accuracy", progress.accuracy)):
                self._board.add_scalar(f"lesson {progress.lesson}/{name}", value, progress.step)

    def __enter__(self) -> "MetricsLog":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if self._board is not None:
            self._board.close()


def _summary_writer(folder: Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise ConfigError("TensorBoard is not installed; run: pip install 'ness-machine[tensorboard]'") from error
    return SummaryWriter(str(folder))
