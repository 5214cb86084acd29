"""A clock for tests of time limits: it ticks when it is looked at, so that nothing depends on the load."""

import time

import pytest


def ticking(monkeypatch: pytest.MonkeyPatch, tick: float = 0.001) -> None:
    """Let each look at the clock, in this process, take the same time."""
    now = 0.0

    def monotonic() -> float:
        nonlocal now
        now += tick
        return now

    monkeypatch.setattr(time, "monotonic", monotonic)
