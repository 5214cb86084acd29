"""Whether what a network needs is installed, and loading it: a light install learns and answers by rules."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import FrameType

from ness.errors import MissingDependency

_NEEDED = ("torch", "safetensors")


def missing_packages() -> list[str]:
    """List the packages that a network needs and that are not installed."""
    return [name for name in _NEEDED if find_spec(name) is None]


def require_network(what: str) -> None:
    """Load torch; say in one line how to install what is missing."""
    if absent := missing_packages():
        raise MissingDependency(
            f"{what} needs {' and '.join(absent)}: pip install 'ness-machine[network]'; rules alone need nothing more "
            "(--rules-only, --engine rules)"
        )
    with hold_back_signals():
        import torch  # noqa: F401 (a light install has none)


@contextmanager
def hold_back_signals() -> Iterator[None]:
    """Keep back requests to end until this is done: an import of torch that is interrupted aborts the whole process."""
    names = ("SIGINT", "SIGTERM", "SIGHUP") if threading.current_thread() is threading.main_thread() else ()
    signs = [getattr(signal, name) for name in names if hasattr(signal, name)]  # Windows has no hang-up
    before = {sign: signal.getsignal(sign) for sign in signs if callable(signal.getsignal(sign))}
    asked: list[int] = []

    def note(sign: int, _: FrameType | None) -> None:
        asked.append(sign)

    for sign in before:
        signal.signal(sign, note)
    try:
        yield
    finally:
        for sign, handler in before.items():
            signal.signal(sign, handler)
    for sign in asked[:1]:
        signal.raise_signal(sign)
