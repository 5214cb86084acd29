"""Inference: greedy, no search. Importing this package does not import torch; the controller's engine does."""

from typing import TYPE_CHECKING, Any

from ness.inference.answers import Answer
from ness.inference.engine import AnyEngine, Engine, Memory, SourceEngine, translate
from ness.inference.evaluation import Disagreement, Evaluation, Mistake, compare, evaluate
from ness.inference.extraction import Difference, differences, extract_rules
from ness.inference.rule_engine import RuleEngine
from ness.inference.run_folder import Run, load_run, save_run

if TYPE_CHECKING:
    from ness.inference.network_engine import ControllerEngine, controller_engine

__all__ = [
    "Answer",
    "AnyEngine",
    "ControllerEngine",
    "Difference",
    "Disagreement",
    "Engine",
    "Evaluation",
    "Memory",
    "Mistake",
    "RuleEngine",
    "Run",
    "SourceEngine",
    "compare",
    "controller_engine",
    "differences",
    "evaluate",
    "extract_rules",
    "load_run",
    "save_run",
    "translate",
]


def __getattr__(name: str) -> Any:
    if name in ("ControllerEngine", "controller_engine"):
        from ness.inference import network_engine as module

        return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
