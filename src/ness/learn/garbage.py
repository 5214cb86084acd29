"""Garbage is collected less often, or not at all, where much is made and hardly anything of it is cyclic."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_ALLOCATIONS = 100_000  # between two collections; Python's default is 700 or 2,000


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collect rarely: while the learner is at work, looking for garbage takes a tenth of the time."""
    usual = gc.get_threshold()
    gc.set_threshold(max(_ALLOCATIONS, usual[0]) if usual[0] else 0, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Do not look for garbage: searches make none, but so many objects that looking takes a third of their time."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()
