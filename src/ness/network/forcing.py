"""Argument predictors under teacher forcing: logits for given arguments, all rows and steps at once.

T is the longest argument of a batch, its end included.
"""

import torch
from torch import Tensor

from ness.network.batches import Arguments
from ness.network.controller import EncodedRows
from ness.network.layers import DecoderState, PhraseDecoder, PointerNetwork
from ness.network.shared_reading import read


def phrase_logits(decoder: PhraseDecoder, encoded: EncodedRows, tokens: Tensor) -> tuple[Tensor, Tensor]:
    """Score the tokens [n, T] of REDUCE arguments: logits [n, T, V] and hidden states [n, T, h]."""
    logits, hidden, _ = decoder(*_given(decoder, encoded, tokens))
    return logits, hidden


def logits_inside(decoder: PhraseDecoder, encoded: EncodedRows, arguments: Arguments) -> tuple[Tensor, Tensor]:
    """Score only what is not padding, k tokens of all rows: logits [k, V] and hidden states [n, T, h]."""
    if arguments.read is None:
        features, hidden, _ = decoder.features(*_given(decoder, encoded, arguments.tokens))
    else:
        embedded = decoder.embedding.weight
        vectors = torch.cat([embedded[decoder.start_token :], embedded[1 : decoder.start_token]])
        starts, _ = decoder.start(encoded.summary)
        states = read(decoder.lstm, vectors, arguments.read, starts[0])
        hidden = states.index_select(0, arguments.read.paths.flatten()).view(*arguments.tokens.shape, -1)
        features = decoder.attend(hidden, encoded.outputs, encoded.mask)
    return decoder.output(features.flatten(0, 1).index_select(0, arguments.inside)), hidden


def _given(decoder: PhraseDecoder, encoded: EncodedRows, tokens: Tensor) -> tuple[DecoderState, Tensor, Tensor, Tensor]:
    first = torch.full_like(tokens[:, :1], decoder.start_token)
    return decoder.start(encoded.summary), torch.cat([first, tokens[:, :-1]], 1), encoded.outputs, encoded.mask


def pointer_logits(pointer: PointerNetwork, encoded: EncodedRows, choices: Tensor) -> tuple[Tensor, Tensor]:
    """Score the parts [n, T] of CONCAT arguments: logits [n, T, L + tokens] and hidden states [n, T, h]."""
    first = pointer.first.expand(len(choices), 1, -1)
    selected = torch.cat([first, pointer.read(choices[:, :-1], encoded.outputs)], 1)
    logits, hidden, _ = pointer(pointer.start(encoded.summary), selected, encoded.outputs, encoded.mask)
    return logits, hidden
