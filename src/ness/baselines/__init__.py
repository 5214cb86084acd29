"""Sequence-to-sequence networks to compare with: they share NeSS's data and the shape of its Transducer."""

from ness.baselines.config import BaselineConfig
from ness.baselines.model import LossPoint, LstmSeq2Seq, Seq2Seq, TransformerSeq2Seq

__all__ = ["BaselineConfig", "LossPoint", "LstmSeq2Seq", "Seq2Seq", "TransformerSeq2Seq"]
