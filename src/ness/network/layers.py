"""The parts of the network: a bidirectional LSTM, two argument predictors, a category predictor.

Sizes in shapes: n rows, L items, d embedding size, h hidden size, f size of an encoded item, V tokens, C categories.
"""

import torch
from torch import Tensor, nn

MASKED = -1e9  # the logit of what is not allowed


def pick(sequences: Tensor, index: Tensor) -> Tensor:
    """Pick one element [n, x] or several [n, k, x] from sequences [n, L, x] by index [n] or [n, k]."""
    rows = torch.arange(len(sequences), device=sequences.device)
    return sequences[rows.view(-1, *[1] * (index.dim() - 1)), index]


class BiLSTM(nn.Module):
    """A bidirectional LSTM over padded rows; it reads each row backwards from its own end, so padding never counts."""

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.forwards = nn.LSTM(size, hidden, batch_first=True)
        self.backwards = nn.LSTM(size, hidden, batch_first=True)

    def forward(self, items: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Encode items [n, L, d] of the given lengths [n]; return outputs [n, L, 2h] and last states [n, 2h]."""
        last = lengths - 1
        positions = torch.arange(items.shape[1], device=items.device)
        reverse = (last[:, None] - positions).clamp(min=0)
        ahead, _ = self.forwards(items)
        back, _ = self.backwards(pick(items, reverse))
        outputs = torch.cat([ahead, pick(back, reverse)], -1)
        return outputs, torch.cat([pick(ahead, last), pick(back, last)], -1)


DecoderState = tuple[Tensor, Tensor]  # hidden and cell state of an argument predictor, [1, n, h] each


class PhraseDecoder(nn.Module):
    """The REDUCE argument predictor: an LSTM with attention over the encoded top frame, until END.

    What it reads at each step is the token before, so with given arguments (T tokens) all steps are one call.
    """

    def __init__(self, size: int, hidden: int, tokens: int, frame: int) -> None:
        super().__init__()
        self.start_token = tokens
        self.embedding = nn.Embedding(tokens + 1, size)
        self.lstm = nn.LSTM(size, hidden, batch_first=True)
        self.initial = nn.Linear(2 * hidden, hidden)
        self.attention = nn.Linear(hidden, frame)
        self.output = nn.Linear(hidden + frame, tokens)

    def start(self, summary: Tensor) -> DecoderState:
        """Begin with the encoded frame [n, 2h]."""
        hidden = torch.tanh(self.initial(summary))[None]
        return hidden, torch.zeros_like(hidden)

    def forward(
        self, state: DecoderState, tokens: Tensor, frame: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor, DecoderState]:
        """Read tokens [n, T], attending to the frame [n, L, f] where mask [n, L] allows.

        Return logits of the tokens that follow [n, T, V], hidden states [n, T, h], and the last state.
        """
        features, hidden, state = self.features(state, tokens, frame, mask)
        return self.output(features), hidden, state

    def features(
        self, state: DecoderState, tokens: Tensor, frame: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor, DecoderState]:
        """As `forward`, but return what the logits are made from: [n, T, h + f]."""
        hidden, state = self.lstm(self.embedding(tokens), state)
        return self.attend(hidden, frame, mask), hidden, state

    def attend(self, hidden: Tensor, frame: Tensor, mask: Tensor) -> Tensor:
        """Add to hidden states [n, T, h] what they attend to in the frame: [n, T, h + f]."""
        scores = self.attention(hidden) @ frame.transpose(1, 2)
        context = scores.masked_fill(~mask[:, None], MASKED).softmax(-1) @ frame
        return torch.cat([hidden, context], -1)


class PointerNetwork(nn.Module):
    """A CONCAT argument predictor: selects elements one after another, until END; with tokens it generates these, too.

    A choice is the number of an element, or below 0 a token's: -1 the first one. In logits the tokens are columns that
    follow the elements'.
    """

    def __init__(self, size: int, hidden: int, tokens: int = 0) -> None:
        super().__init__()
        self.tokens = tokens
        self.encoder = BiLSTM(size, hidden)
        self.lstm = nn.LSTM(2 * hidden, hidden, batch_first=True)
        self.initial = nn.Linear(2 * hidden, hidden)
        self.first = nn.Parameter(torch.zeros(2 * hidden))
        self.key = nn.Linear(2 * hidden, hidden)
        self.query = nn.Linear(hidden, hidden)
        self.score = nn.Linear(hidden, 1)
        if tokens:
            self.generate = nn.Linear(hidden, tokens)
            self.generated = nn.Embedding(tokens, 2 * hidden)

    def start(self, summary: Tensor) -> DecoderState:
        """Begin with the encoded elements [n, 2h]."""
        hidden = torch.tanh(self.initial(summary))[None]
        return hidden, torch.zeros_like(hidden)

    def read(self, choices: Tensor, elements: Tensor) -> Tensor:
        """Return the vectors [n, T, 2h] of choices [n, T] among the elements [n, L, 2h] and the tokens."""
        vectors = pick(elements, choices.clamp(min=0))
        if not self.tokens:
            return vectors
        return torch.where((choices < 0)[..., None], self.generated((-1 - choices).clamp(min=0)), vectors)

    def forward(
        self, state: DecoderState, selected: Tensor, elements: Tensor, candidates: Tensor
    ) -> tuple[Tensor, Tensor, DecoderState]:
        """Read what was selected [n, T, 2h]; candidates [n, L] among the elements [n, L, 2h] and tokens can follow.

        Return logits of what follows [n, T, L + tokens], hidden states [n, T, h], and the last state.
        """
        hidden, state = self.lstm(selected, state)
        matches = torch.tanh(self.key(elements)[:, None] + self.query(hidden)[:, :, None])
        logits = self.score(matches).squeeze(-1).masked_fill(~candidates[:, None], MASKED)
        if self.tokens:
            logits = torch.cat([logits, self.generate(hidden)], -1)
        return logits, hidden, state


def columns(choices: Tensor, elements: int) -> Tensor:
    """Turn choices of a pointer network into columns of its logits over so many elements, or columns into choices."""
    swapped = elements - 1 - choices
    return torch.where((choices < 0) | (choices >= elements), swapped, choices)


class CategoryPredictor(nn.Module):
    """A softmax over categories, followed by an embedding of the category."""

    def __init__(self, size: int, categories: int, embedding_size: int, soft: bool) -> None:
        super().__init__()
        self.soft = soft
        self.classify = nn.Linear(size, categories)
        self.embedding = nn.Embedding(categories, embedding_size)

    def forward(self, logits: Tensor | None, labels: Tensor | None = None) -> Tensor:
        """Embed categories [n, d] from logits [n, C]; hard categories take the labels [n] where they are given."""
        return embed_category(self.embedding, logits, self.soft, labels)


def embed_category(embedding: nn.Embedding, logits: Tensor | None, soft: bool, labels: Tensor | None) -> Tensor:
    """Mix the embeddings by probability, or look up the given or the most probable category: [n, d]."""
    if labels is None or soft:
        assert logits is not None
        if soft:
            return logits.softmax(-1) @ embedding.weight
        labels = logits.argmax(-1)
    found: Tensor = embedding(labels)
    return found
