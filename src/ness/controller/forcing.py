"""Argument predictors under teacher forcing: logits for given arguments, all rows at once.

T is the longest argument of a batch, its end included.
"""

import torch
from torch import Tensor

from ness.controller.layers import DecoderState, PhraseDecoder, PointerNetwork, pick
from ness.controller.network import Encoded


def phrase_logits(decoder: PhraseDecoder, encoded: Encoded, tokens: Tensor) -> tuple[Tensor, Tensor]:
    """Score the tokens [n, T] of REDUCE arguments: logits [n, T, V] and hidden states [n, T, h]."""
    state = decoder.start(encoded.summary)
    given = torch.full_like(tokens[:, 0], decoder.start_token)
    states: list[DecoderState] = []
    for position in range(tokens.shape[1]):
        state = decoder.step(state, given, encoded.outputs, encoded.mask)
        states.append(state)
        given = tokens[:, position]
    hidden = torch.stack([each.hidden for each in states], 1)
    context = torch.stack([each.given for each in states], 1)
    logits: Tensor = decoder.output(torch.cat([hidden, context], -1))
    return logits, hidden


def pointer_logits(pointer: PointerNetwork, encoded: Encoded, positions: Tensor) -> tuple[Tensor, Tensor]:
    """Score the positions [n, T] of CONCAT arguments: logits [n, T, L] and hidden states [n, T, h]."""
    state = pointer.start(encoded.summary)
    keys = pointer.key(encoded.outputs)
    logits, hidden = [], []
    for position in range(positions.shape[1]):
        state = pointer.step(state)
        logits.append(pointer.logits(state.hidden, keys, encoded.mask))
        hidden.append(state.hidden)
        state = state._replace(given=pick(encoded.outputs, positions[:, position]))
    return torch.stack(logits, 1), torch.stack(hidden, 1)
