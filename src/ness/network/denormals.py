"""Numbers too small to matter, taken as 0: a CPU is many times slower with them."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def without_denormals() -> Iterator[None]:
    """Flush denormal numbers to 0: saturated gates make gradients full of them."""
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
