"""Made-up runs for tests."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ness.execute.jobs import Say
from ness.experiments.environment import machine
from ness.experiments.runner import Record
from ness.experiments.spec import NESS, RunSpec
from ness.experiments.work import RunResult


def figures(name: str = "test", exact: float = 1.0, n: int = 100) -> dict[str, Any]:
    right = round(exact * n)
    return {
        "name": name,
        "n": n,
        "exact": exact,
        "semantic": exact,
        "errors": n - right,
        "seconds": 0.5,
        "by_input": [(3, n, right), (4, n, right), (5, n, right)],
        "by_output": [(24, n, right), (25, n, right), (26, n, right)],
        "mistakes": ["walk -> <b>RUN</b> (expected WALK)"] if right < n else [],
        "engine": "controller",
    }


def outcome(spec: RunSpec, exact: float = 1.0) -> dict[str, Any]:
    common = {
        "seconds": 7.0,
        "ended": "converged",
        "training": 0.97,
        "parameters": 5000,
        "curve": [{"step": 20, "loss": 1.0}, {"step": 30, "loss": 0.5}, {"step": 40, "loss": 0.1}],
        "sets": [figures(one.name, exact) for one in spec.sets],
    }
    if spec.system != NESS:
        return common
    step = {"position": 0, "stack": [[]], "memory": [], "instruction": "SHIFT", "operator": "SHIFT"}
    return common | {
        "lessons": [
            {"attempt": 1, "lesson": 1, "nodes": 10},
            {"attempt": 1, "lesson": 2, "nodes": 35},
            {"attempt": 2, "lesson": 2, "nodes": 5},
            {"attempt": 2, "lesson": 3, "nodes": 10},
        ],
        "rules": [figures("test", exact)],
        "categories": [["right", "left"], ["jump", "walk"]],
        "reduce": [{"words": "jump", "phrase": "I_JUMP", "count": 30, "share": 1.0}],
        "trace": {"source": ["jump"], "output": None, "steps": [step | {"argument": [], "reason": None}]},
    }


def records(specs: Iterable[RunSpec], exact: float = 1.0) -> list[Record]:
    return [Record(spec, 9.0, outcome(spec, exact), None) for spec in specs]


@dataclass(frozen=True)
class Scripted:
    """Work that runs Python code with `folder` and `spec` set, instead of training."""

    root: Path
    code: str = ""

    def __call__(self, spec: RunSpec, say: Say) -> RunResult:
        folder = self.root / spec.folder
        folder.mkdir(parents=True, exist_ok=True)
        exec(self.code, {"folder": folder, "spec": spec, "say": say})
        return RunResult({"sets": [figures()], "seconds": 1.0}, 1.5, machine())


def without_times(values: Any) -> Any:
    """Leave out of figures what depends on the clock and the machine."""
    if isinstance(values, dict):
        return {key: without_times(value) for key, value in values.items() if key not in _TIMES}
    if isinstance(values, list):
        return [without_times(value) for value in values]
    return values


_TIMES = ("seconds", "search_seconds", "machine", "at")
