"""Sequence-to-sequence networks to compare with: they share NeSS's data and the shape of its Transducer.

Importing this package does not import torch; the models do.
"""

from typing import TYPE_CHECKING, Any

from ness.experiments.systems.config import BaselineConfig

if TYPE_CHECKING:
    from ness.experiments.systems.model import LossPoint, LstmSeq2Seq, Seq2Seq, TransformerSeq2Seq

__all__ = ["BaselineConfig", "LossPoint", "LstmSeq2Seq", "Seq2Seq", "TransformerSeq2Seq"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from ness.experiments.systems import model as module

        return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
