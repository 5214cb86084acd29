"""Figures of a trained system on a test set."""

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ness.data import Example
from ness.data.equivalence import accepted

MISTAKES = 5  # of each set that are kept in words
Checked = tuple[bool, str | None]  # whether it is exact, and else what was answered
Answering = Callable[[Sequence[Example]], list[Checked]]


def measure(answers: Answering, name: str, examples: Sequence[Example], semantic: bool = False) -> dict[str, Any]:
    """Ask for all answers; return the share of exact ones, also by length, and the first mistakes in words."""
    started = time.perf_counter()
    answered = answers(examples)
    seconds = time.perf_counter() - started
    right = [exact for exact, _ in answered]
    wrong = [(example, said) for example, (exact, said) in zip(examples, answered, strict=True) if not exact]
    figures: dict[str, Any] = {
        "name": name,
        "n": len(examples),
        "exact": sum(right) / max(1, len(right)),
        "errors": len(wrong),
        "seconds": seconds,
        "by_input": _by_length([len(example.source) for example in examples], right),
        "by_output": _by_length([len(example.target) for example in examples], right),
        "mistakes": [_mistake(example, said) for example, said in wrong[:MISTAKES]],
    }
    if semantic:
        meant = [said is not None and tuple(said.split()) in accepted(*example) for example, said in wrong]
        figures["semantic"] = (sum(right) + sum(meant)) / max(1, len(right))
    return figures


def _by_length(lengths: Sequence[int], right: Sequence[bool]) -> list[tuple[int, int, int]]:
    """Count by length: the length, how many examples, how many of them right."""
    counts = Counter(lengths)
    hits = Counter(length for length, exact in zip(lengths, right, strict=True) if exact)
    return [(length, counts[length], hits[length]) for length in sorted(counts)]


def _mistake(example: Example, said: str | None) -> str:
    parts = (" ".join(example.source), said or "no answer", " ".join(example.target))
    source, answer, target = (part if len(part) <= 300 else f"{part[:300]} …" for part in parts)
    return f"{source} -> {answer} (expected {target})"


def percent(share: float) -> str:
    """Show a share in percent, never rounded up to 100 nor down to 0."""
    if share in (0.0, 1.0):
        return "100" if share else "0"
    shown = math.floor(share * 10_000 + 1e-6) / 100
    return f"{max(shown, 0.01):.2f}"
