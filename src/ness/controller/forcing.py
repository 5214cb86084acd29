"""Argument predictors under teacher forcing: logits for given arguments, all rows and steps at once.

T is the longest argument of a batch, its end included.
"""

import torch
from torch import Tensor

from ness.controller.layers import PhraseDecoder, PointerNetwork, pick
from ness.controller.network import Encoded


def phrase_logits(decoder: PhraseDecoder, encoded: Encoded, tokens: Tensor) -> tuple[Tensor, Tensor]:
    """Score the tokens [n, T] of REDUCE arguments: logits [n, T, V] and hidden states [n, T, h]."""
    first = torch.full_like(tokens[:, :1], decoder.start_token)
    given = torch.cat([first, tokens[:, :-1]], 1)
    logits, hidden, _ = decoder(decoder.start(encoded.summary), given, encoded.outputs, encoded.mask)
    return logits, hidden


def pointer_logits(pointer: PointerNetwork, encoded: Encoded, positions: Tensor) -> tuple[Tensor, Tensor]:
    """Score the positions [n, T] of CONCAT arguments: logits [n, T, L] and hidden states [n, T, h]."""
    first = pointer.first.expand(len(positions), 1, -1)
    selected = torch.cat([first, pick(encoded.outputs, positions[:, :-1])], 1)
    logits, hidden, _ = pointer(pointer.start(encoded.summary), selected, encoded.outputs, encoded.mask)
    return logits, hidden
