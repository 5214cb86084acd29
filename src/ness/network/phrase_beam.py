"""Several REDUCE arguments of one frame with their probabilities, by a small beam over the phrase decoder."""

import torch

from ness.network.controller import Controller, EncodedRows
from ness.network.decoding import MAX_TOKENS
from ness.network.layers import MASKED
from ness.network.rows import Ids
from ness.network.vocabularies import END


@torch.no_grad()
def likeliest_phrases(controller: Controller, encoded: EncodedRows, width: int) -> list[tuple[Ids, float]]:
    """Return up to `width` token sequences for one encoded frame, each with its log probability, likeliest first."""
    decoder = controller.phrase_decoder
    state = decoder.start(encoded.summary)
    given = torch.tensor([[decoder.start_token]], device=controller.device)
    grown: list[tuple[Ids, float]] = [((), 0.0)]
    ended: list[tuple[Ids, float]] = []
    for position in range(MAX_TOKENS):
        outputs, mask = encoded.outputs.expand(len(grown), -1, -1), encoded.mask.expand(len(grown), -1)
        logits, _, state = decoder(state, given, outputs, mask)
        if position == 0:
            logits[..., END] = MASKED
        before = torch.tensor([score for _, score in grown], device=controller.device)
        scores = logits[:, 0].log_softmax(-1) + before[:, None]
        best, places = scores.flatten().topk(min(width, scores.numel()))
        rows, tokens = places // scores.shape[1], places % scores.shape[1]
        choices = list(zip(rows.tolist(), tokens.tolist(), best.tolist(), strict=True))
        ended += [(grown[row][0], score) for row, token, score in choices if token == END and position > 0]
        grown = [((*grown[row][0], token), score) for row, token, score in choices if token != END]
        ended = sorted(ended, key=lambda found: -found[1])[:width]
        if not grown or (len(ended) == width and ended[-1][1] >= grown[0][1]):
            break  # what has not ended is already less likely, and only gets less so
        kept = rows[tokens != END]
        state = state[0][:, kept], state[1][:, kept]
        given = tokens[tokens != END][:, None]
    return ended
