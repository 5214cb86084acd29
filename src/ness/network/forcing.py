"""Argument predictors under teacher forcing: logits for given arguments, all rows and steps at once.

T is the longest argument of a batch, its end included.
"""

import torch
from torch import Tensor

from ness.network.controller import EncodedRows
from ness.network.layers import DecoderState, PhraseDecoder, PointerNetwork


def phrase_logits(decoder: PhraseDecoder, encoded: EncodedRows, tokens: Tensor) -> tuple[Tensor, Tensor]:
    """Score the tokens [n, T] of REDUCE arguments: logits [n, T, V] and hidden states [n, T, h]."""
    logits, hidden, _ = decoder(*_given(decoder, encoded, tokens))
    return logits, hidden


def logits_inside(
    decoder: PhraseDecoder, encoded: EncodedRows, tokens: Tensor, inside: Tensor
) -> tuple[Tensor, Tensor]:
    """Score only the tokens at the places inside [k] of all rows: logits [k, V] and hidden states [n, T, h]."""
    features, hidden, _ = decoder.features(*_given(decoder, encoded, tokens))
    return decoder.output(features.flatten(0, 1).index_select(0, inside)), hidden


def _given(decoder: PhraseDecoder, encoded: EncodedRows, tokens: Tensor) -> tuple[DecoderState, Tensor, Tensor, Tensor]:
    first = torch.full_like(tokens[:, :1], decoder.start_token)
    return decoder.start(encoded.summary), torch.cat([first, tokens[:, :-1]], 1), encoded.outputs, encoded.mask


def pointer_logits(pointer: PointerNetwork, encoded: EncodedRows, choices: Tensor) -> tuple[Tensor, Tensor]:
    """Score the parts [n, T] of CONCAT arguments: logits [n, T, L + tokens] and hidden states [n, T, h]."""
    first = pointer.first.expand(len(choices), 1, -1)
    selected = torch.cat([first, pointer.read(choices[:, :-1], encoded.outputs)], 1)
    logits, hidden, _ = pointer(pointer.start(encoded.summary), selected, encoded.outputs, encoded.mask)
    return logits, hidden
