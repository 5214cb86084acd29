"""Made-up runs for tests."""

import json
import sys
from collections.abc import Iterable
from typing import Any

from ness.experiments.runner import Command, Record
from ness.experiments.spec import NESS, RunSpec


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


def scripted(code: str) -> Command:
    """A worker that runs Python code with `folder` and `spec` set, instead of training."""
    start = "import json, pathlib, sys; folder = pathlib.Path(sys.argv[1]); "
    start += "spec = json.loads((folder / 'spec.json').read_text()); "
    return lambda folder: [sys.executable, "-c", f"{start}\n{code}", str(folder)]


WRITE = f"(folder / 'outcome.json').write_text({json.dumps(json.dumps({'sets': [figures()], 'seconds': 1.0}))})"
