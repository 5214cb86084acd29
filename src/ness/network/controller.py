"""The neural controller: encodes what the machine shows and predicts operators, arguments and categories.

Decisions read item vectors from a `Bank`. A word's vector is e_tok, the input encoder's output; a phrase's
vector is the embedding of its target category. Sizes as in `layers`, plus W words and I items.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ness.config import ControllerConfig
from ness.errors import ConfigError
from ness.network.layers import (
    MASKED,
    BiLSTM,
    CategoryPredictor,
    PhraseDecoder,
    PointerNetwork,
    embed_category,
)
from ness.network.rows import FIRST_WORD, FRAME_END, OPERATORS, PHRASE_ITEM, OperatorRows, PointerRows, Queues, Views
from ness.network.shared_reading import read
from ness.network.vocabularies import Vocabularies

PHRASE_CATEGORY = 0  # a status shows every phrase alike: they are one target category


@dataclass(frozen=True, slots=True)
class Bank:
    """Vectors of items: in frames, in frames as the operator predictor sees them, and as the next word."""

    frame: Tensor  # [I, d]
    operator: Tensor  # [I, d]
    next: Tensor  # [I, 2h]

    def with_phrases(self, items: Tensor, vectors: Tensor) -> "Bank":
        """Put in the vectors [n, d] of new phrases with numbers [n]."""
        frame = self.frame.index_copy(0, items, vectors)
        operator = frame if self.operator is self.frame else self.operator.index_copy(0, items, vectors)
        return Bank(frame, operator, self.next)


@dataclass(frozen=True, slots=True)
class EncodedRows:
    """Encoded rows, ready for an argument predictor."""

    outputs: Tensor  # [n, L, 2h], for the REDUCE predictor followed by the words' lexical vectors
    summary: Tensor  # [n, 2h]
    mask: Tensor  # [n, L], boolean: what may be attended to or selected

    def select(self, index: Tensor) -> "EncodedRows":
        """Take rows, some perhaps several times."""
        return EncodedRows(self.outputs[index], self.summary[index], self.mask[index])


class Controller(nn.Module):
    """The whole network; `config` switches between our defaults and the paper's variants.

    Only where CONCAT arguments are templates can their predictors generate target tokens, and only where they name
    words can they point at these: a word stands for what the REDUCE predictor makes of it alone.
    """

    def __init__(
        self, vocabularies: Vocabularies, config: ControllerConfig, templates: bool = False, names_words: bool = False
    ) -> None:
        super().__init__()
        size, hidden = config.embedding_size, config.hidden_size
        words, tokens = len(vocabularies.source) + 1, len(vocabularies.target) + 1
        soft = config.categories == "soft"
        self.vocabularies = vocabularies
        self.config = config
        self.names_words = names_words
        if names_words:
            self.register_buffer("points_at_words", torch.ones(1))  # so that weights tell what network they are of
        self.words = nn.Embedding(words, size)
        self.input_encoder = BiLSTM(size, hidden)
        self.word_vector = nn.Linear(2 * hidden, size)
        self.frame_end = nn.Parameter(torch.randn(size) * 0.1)
        self.top_encoder = BiLSTM(size, hidden)
        self.second_encoder = BiLSTM(size, hidden)
        self.memory_encoder = BiLSTM(size, hidden)
        self.operator = nn.Sequential(
            nn.Linear(8 * hidden, 2 * hidden),
            nn.ReLU(),
            nn.Linear(2 * hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, len(OPERATORS)),
        )
        self.phrase_decoder = PhraseDecoder(size, hidden, tokens, 2 * hidden + config.lexical_size)
        self.segments = nn.Embedding(4, size)
        generated = len(vocabularies.target) if templates else 0
        self.concat_m = PointerNetwork(size, hidden, generated)
        self.concat_s = PointerNetwork(size, hidden, generated)
        if config.categories == "off":
            self.phrase_vector = nn.Linear(hidden, size)
        else:
            self.source_category = CategoryPredictor(2 * hidden, words, 2 * hidden, soft)
            self.target_category = CategoryPredictor(hidden, tokens, size, soft)
        if self.frames_by_category:
            self.frame_category = nn.Embedding(words, size)
            self.reduce_encoder = BiLSTM(size, hidden)
        if config.lexical_size:
            self.lexical = nn.Embedding(words + FIRST_WORD, config.lexical_size)
        if config.initialization == "uniform":
            for parameter in self.parameters():
                nn.init.uniform_(parameter, -1.0, 1.0)
        with torch.no_grad():
            self.word_vector.weight.mul_(config.word_gain)

    @property
    def frames_by_category(self) -> bool:
        """Whether the operator predictor sees words in frames as categories."""
        return self.config.frame_words == "category" and self.config.categories != "off"

    @property
    def device(self) -> torch.device:
        return self.frame_end.device

    def encode_words(self, words: Tensor) -> Tensor:
        """Encode words [W] as if each were alone in the input queue: e_tok [W, 2h]."""
        outputs, _ = self.input_encoder(self.words(words)[:, None], torch.ones_like(words))
        return outputs[:, 0]  # type: ignore[no-any-return]

    def encode_items(self, words: Tensor, queues: Queues | None) -> Tensor:
        """Encode words [W], in their queues where the network looks at these: e_tok [W, 2h]."""
        return self.encode_words(words) if queues is None else self.encode_queues(words, queues)

    def encode_queues(self, words: Tensor, queues: Queues) -> Tensor:
        """Encode words [W] with what is left of the input from each of them on: e_tok [W, 2h].

        The backward LSTM's state depends on the rest of the queue only, so one pass serves all positions;
        the forward LSTM has read nothing but the next word.
        """
        back = read(self.input_encoder.backwards, self.words.weight, queues.ends)
        ahead, _ = self.input_encoder.forwards(self.words.weight[:, None])
        return torch.cat([ahead[:, 0].index_select(0, words), back.index_select(0, queues.states)], -1)

    def category_logits(self, encoded: Tensor) -> Tensor:
        """Score the source categories of words from e_tok [W, 2h]: [W, C]."""
        logits: Tensor = self.source_category.classify(encoded)
        return logits

    def bank(self, encoded: Tensor, items: Tensor, size: int, labels: Tensor | None = None) -> Bank:
        """Make the bank of `size` items from e_tok [W, 2h] of the words with numbers [W].

        Hard categories follow the labels [W] where given (training), else the category predictor.
        """
        device, config = self.device, self.config
        vectors = self.word_vector(encoded)
        frame = torch.zeros(size, config.embedding_size, device=device)
        frame = frame.index_copy(0, items, vectors)
        frame = frame.index_copy(0, torch.tensor([FRAME_END], device=device), self.frame_end[None])
        shown = encoded
        logits = None
        if config.categories != "off":
            if config.categories == "soft" or labels is None:
                logits = self.category_logits(encoded)
            shown = self.source_category(logits, labels)
            category = self.target_category.embedding.weight[PHRASE_CATEGORY : PHRASE_CATEGORY + 1]
            frame = frame.index_copy(0, torch.tensor([PHRASE_ITEM], device=device), category)
        operator = frame
        if self.frames_by_category:
            seen = embed_category(self.frame_category, logits, config.categories == "soft", labels)
            operator = frame.index_copy(0, items, seen)
        following = torch.zeros(size, 2 * config.hidden_size, device=device).index_copy(0, items, shown)
        return Bank(frame, operator, following)

    def word_bank(self, labels: Tensor | None = None) -> Bank:
        """Make the bank of the whole vocabulary, numbered as `StatusItems` does."""
        words = torch.arange(len(self.vocabularies.source) + 1, device=self.device)
        return self.bank(self.encode_words(words), words + FIRST_WORD, len(words) + FIRST_WORD, labels)

    def operator_logits(self, bank: Bank, rows: OperatorRows) -> Tensor:
        """Score the operators [n, 7]; illegal ones are masked.

        Rows show the same again and again: the first layer takes each part once, and adds up what it makes of them.
        """
        first: nn.Linear = self.operator[0]  # type: ignore[assignment]
        parts = torch.split(first.weight, 2 * self.config.hidden_size, 1)
        layer = first.bias + nn.functional.linear(bank.next, parts[0]).index_select(0, rows.next)
        for encoder, views, weights in (
            (self.top_encoder, rows.top, parts[1]),
            (self.second_encoder, rows.second, parts[2]),
            (self.memory_encoder, rows.memory, parts[3]),
        ):
            if views.shared is None:
                _, summary = encoder(bank.operator[views.items], views.lengths)
            else:
                summary = views.shared.summaries(views.shared.read(encoder, bank.operator))
            layer = layer + nn.functional.linear(summary, weights).index_select(0, views.index)
        logits: Tensor = self.operator[1:](layer)
        return logits.masked_fill(~rows.legal, MASKED)

    def encode_frames(self, bank: Bank, views: Views) -> EncodedRows:
        """Encode top frames for the REDUCE predictor."""
        encoder = self.reduce_encoder if self.frames_by_category else self.top_encoder
        if views.shared is None:
            outputs, summary = encoder(bank.frame[views.items], views.lengths)
        else:
            states = views.shared.read(encoder, bank.frame)
            outputs, summary = views.shared.outputs(states), views.shared.summaries(states)
        if self.config.lexical_size:
            outputs = torch.cat([outputs, self.lexical(views.items)], -1)
        mask = torch.arange(outputs.shape[1], device=outputs.device) < views.lengths[:, None]
        return EncodedRows(outputs, summary, mask).select(views.index)

    def encode_elements(self, bank: Bank, pointer: PointerNetwork, rows: PointerRows) -> EncodedRows:
        """Encode the elements for a CONCAT predictor."""
        vectors = bank.frame[rows.elements] + self.segments(rows.segments)
        outputs, summary = pointer.encoder(vectors, rows.lengths)
        return EncodedRows(outputs, summary, rows.candidates)

    def phrase_vectors(self, states: Tensor) -> Tensor:
        """Make vectors [n, d] of new phrases from the last states [n, h] of an argument predictor."""
        if self.config.categories == "off":
            vectors: Tensor = self.phrase_vector(states)
            return vectors
        predicted: Tensor = self.target_category(self.target_category.classify(states))
        return predicted


def make_controller(
    vocabularies: Vocabularies,
    config: ControllerConfig,
    seed: int = 0,
    device: str = "auto",
    templates: bool = False,
    names_words: bool = False,
) -> Controller:
    """Make a controller with random weights that depend on the seed only, and put it on a device."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        controller = Controller(vocabularies, config, templates, names_words)
    return controller.to(choose_device(device))


def choose_device(name: str) -> torch.device:
    """Turn "auto", "cpu" or "cuda" into a device; "auto" takes a GPU where there is one."""
    if name not in ("auto", "cpu", "cuda"):
        raise ConfigError(f"Unknown device '{name}'; use auto, cpu or cuda")
    if name == "cuda" and not torch.cuda.is_available():
        raise ConfigError("There is no CUDA device here; use --device cpu or auto")
    return torch.device("cpu" if name == "cpu" or not torch.cuda.is_available() else "cuda")
