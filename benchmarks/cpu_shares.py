"""Where CPU time goes: samples of the stack, by the part of the learner that is at work."""

import signal
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType

_INTERVAL = 0.001  # CPU seconds between samples

# Modules, or packages, by part; of several on the stack the outermost counts.
PARTS = {
    "ness.learn.best_first": "search",
    "ness.learn.replay": "replay",
    "ness.rules.categories": "categories",
    "ness.learn.decoding": "decoding",
    "ness.learn.derivations": "derivations",
    "ness.learn.constituents": "patterns",
    "ness.learn.analogies": "analogies",
}
REST = "rest"
NAMES = (*PARTS.values(), REST)


@contextmanager
def cpu_shares() -> Iterator[Mapping[str, int]]:
    """Sample this process, in its main thread; yields the samples by part, complete at the end."""
    found: Counter[str] = Counter()

    def sample(_: int, frame: FrameType | None) -> None:
        found[_part(frame)] += 1

    before = signal.signal(signal.SIGPROF, sample)
    signal.setitimer(signal.ITIMER_PROF, _INTERVAL, _INTERVAL)
    try:
        yield found
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _part(frame: FrameType | None) -> str:
    part = REST
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        part = PARTS.get(module) or PARTS.get(module.rpartition(".")[0], part)
        frame = frame.f_back
    return part
