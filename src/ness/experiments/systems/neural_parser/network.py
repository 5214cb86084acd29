"""The network: it scores instructions, labels and children by the local status alone."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from ness.experiments.systems.neural_parser.machine import (
    END,
    Op,
    ParserAction,
    ParserDecision,
    ParserStatus,
    Places,
    Roots,
    is_legal,
    selections,
)

_UNKNOWN = 0  # a token that training never showed
_BOTTOM = "<bottom>"  # stands below the bottom frame
_NEVER = -1e9


@dataclass(frozen=True)
class ParserCoder:
    """Numbers of tokens, roots and labels, and the children that REDUCE can choose."""

    tokens: Sequence[str]
    labels: Sequence[str]
    frame_limit: int
    selections: list[Places] = field(init=False)
    places: dict[Places, int] = field(init=False)  # numbers of the selections
    _roots: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "selections", selections(self.frame_limit))
        object.__setattr__(self, "places", {places: number for number, places in enumerate(self.selections)})
        known = [END, _BOTTOM, *self.tokens, *self.labels]
        object.__setattr__(self, "_roots", {root: number for number, root in enumerate(known, start=1)})

    @property
    def size(self) -> int:
        """Return how many numbers there are."""
        return len(self._roots) + 1

    def statuses(self, statuses: Sequence[ParserStatus]) -> "Statuses":
        """Put statuses into tensors."""
        return Statuses(
            torch.tensor([self._roots.get(status.token, _UNKNOWN) for status in statuses]),
            self._frames([status.top for status in statuses]),
            self._frames([_below(status) for status in statuses]),
            torch.tensor([[is_legal(op, status, self.frame_limit) for op in Op] for status in statuses]),
        )

    def _frames(self, frames: Sequence[Roots]) -> "FrameBatch":
        different = {roots: number for number, roots in enumerate(dict.fromkeys(frames))}
        return FrameBatch(
            torch.tensor([self._frame(roots) for roots in different]),
            torch.tensor([len(roots) for roots in different]),
            torch.tensor([different[roots] for roots in frames]),
        )

    def frame(self, roots: Roots) -> tuple[Tensor, Tensor]:
        """Put one frame into tensors, with its length."""
        return torch.tensor([self._frame(roots)]), torch.tensor([len(roots)])

    def _frame(self, roots: Iterable[str]) -> list[int]:
        numbers = [self._roots.get(root, _UNKNOWN) for root in roots]
        return numbers + [_UNKNOWN] * (self.frame_limit - len(numbers))


def _below(status: ParserStatus) -> Roots:
    return (_BOTTOM,) if status.below is None else status.below


@dataclass(frozen=True)
class FrameBatch:
    """The different frames of a batch, padded to the frame limit K; each is read once."""

    roots: Tensor  # [different, K]
    lengths: Tensor  # [different]
    which: Tensor  # [batch], the number of each status's frame


@dataclass(frozen=True)
class Statuses:
    """A batch of statuses."""

    token: Tensor  # [batch]
    top: FrameBatch
    below: FrameBatch
    legal: Tensor  # [batch, instructions]

    @property
    def top_length(self) -> Tensor:
        """Return the lengths of the top frames, [batch]."""
        return self.top.lengths[self.top.which]


class _FrameReader(nn.Module):
    """An LSTM over the roots of a frame."""

    def __init__(self, roots: int, size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(roots, size)
        self.lstm = nn.LSTM(size, size, batch_first=True)

    def forward(self, roots: Tensor, lengths: Tensor) -> Tensor:
        """Return the state after the last root, zeros for an empty frame, [batch, size]."""
        states, _ = self.lstm(self.embedding(roots))
        last = states[torch.arange(len(roots)), (lengths - 1).clamp(min=0)]
        return torch.as_tensor(last * (lengths > 0).unsqueeze(1))


class ParserNetwork(nn.Module):
    """Adds what the top frame, the frame below and the next token say about the instruction.

    The published network adds the token's part to the frame's; the frame below takes the place of the frame's number.
    """

    def __init__(self, coder: ParserCoder, size: int, spread: float) -> None:
        super().__init__()
        self.coder = coder
        self.top, self.below, self.named = (_FrameReader(coder.size, size) for _ in range(3))
        self.top_part = nn.Linear(size, len(Op))
        self.below_part = nn.Linear(size, len(Op), bias=False)
        self.token_part = nn.Sequential(nn.Embedding(coder.size, size), nn.Linear(size, len(Op), bias=False))
        self.label = nn.Linear(size, len(coder.labels))
        self.selection = nn.Embedding(len(coder.labels), len(coder.selections))
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -spread, spread)

    def forward(self, batch: Statuses) -> tuple[Tensor, Tensor]:
        """Score instructions, illegal ones far below all others, and labels."""
        top, below = batch.top, batch.below
        instructions = (
            self.top_part(self.top(top.roots, top.lengths))[top.which]
            + self.below_part(self.below(below.roots, below.lengths))[below.which]
            + self.token_part(batch.token)
        )
        labels = self.label(self.named(top.roots, top.lengths))[top.which]
        return instructions.masked_fill(~batch.legal, _NEVER), labels

    def child_scores(self, labels: Tensor, lengths: Tensor) -> Tensor:
        """Score the children for labels, those that need longer frames far below all others, [batch, selections]."""
        needed = torch.tensor([max(places) + 1 for places in self.coder.selections])
        return torch.as_tensor(self.selection(labels).masked_fill(needed > lengths.unsqueeze(1), _NEVER))

    def loss(self, batch: Statuses, actions: "Actions") -> Tensor:
        """Return the negative log-likelihood of each decision, [batch]."""
        instructions, labels = self(batch)
        loss = nn.functional.cross_entropy(instructions, actions.op, reduction="none")
        children = self.child_scores(actions.label, batch.top_length)
        named = nn.functional.cross_entropy(labels, actions.label, reduction="none")
        chosen = nn.functional.cross_entropy(children, actions.places, reduction="none")
        return torch.as_tensor(loss + (actions.op == Op.REDUCE) * (named + chosen))

    @torch.no_grad()
    def best(self, statuses: Sequence[ParserStatus]) -> list[ParserAction]:
        """Return the likeliest action of each status."""
        batch = self.coder.statuses(statuses)
        instructions, labels = self(batch)
        label = labels.argmax(dim=1)
        places = self.child_scores(label, batch.top_length).argmax(dim=1)
        rows = zip(instructions.argmax(dim=1).tolist(), label.tolist(), places.tolist(), strict=True)
        return [
            ParserAction(Op.REDUCE, self.coder.labels[one], self.coder.selections[other])
            if op == Op.REDUCE
            else ParserAction(Op(op))
            for op, one, other in rows
        ]


class RememberedScores:
    """Log-probabilities of actions for the search, `extra` added to every probability.

    The parts of a status are read once each, since their scores are added.
    """

    def __init__(self, network: ParserNetwork, extra: float) -> None:
        self._network, self._extra = network, extra
        self._labels = {label: number for number, label in enumerate(network.coder.labels)}
        self._top: dict[Roots, tuple[list[float], list[float]]] = {}
        self._below: dict[Roots, list[float]] = {}
        self._token: dict[str, list[float]] = {}
        self._children: dict[int, list[list[float]]] = {}

    @torch.no_grad()
    def __call__(self, status: ParserStatus) -> Callable[[ParserAction], float]:
        top, labels = self._read_top(status.top)
        below = self._read_below(_below(status))
        token = self._read_token(status.token)
        coder = self._network.coder
        powers = [
            math.exp(top[op] + below[op] + token[op]) if is_legal(op, status, coder.frame_limit) else 0.0 for op in Op
        ]
        total = sum(powers)

        def score(action: ParserAction) -> float:
            found = math.log(powers[action.op] / total + self._extra)
            if action.op == Op.REDUCE:
                label = self._labels[action.label]
                found += labels[label] + self._read_children(len(status.top))[label][coder.places[action.places]]
            return found

        return score

    def _read_top(self, roots: Roots) -> tuple[list[float], list[float]]:
        if roots not in self._top:
            network, frame, length = self._network, *self._network.coder.frame(roots)
            labels = network.label(network.named(frame, length))[0].softmax(dim=0) + self._extra
            self._top[roots] = network.top_part(network.top(frame, length))[0].tolist(), labels.log().tolist()
        return self._top[roots]

    def _read_below(self, roots: Roots) -> list[float]:
        if roots not in self._below:
            network = self._network
            self._below[roots] = network.below_part(network.below(*network.coder.frame(roots)))[0].tolist()
        return self._below[roots]

    def _read_token(self, token: str) -> list[float]:
        if token not in self._token:
            self._token[token] = self._network.token_part(self._network.coder.frame((token,))[0][:, 0])[0].tolist()
        return self._token[token]

    def _read_children(self, length: int) -> list[list[float]]:
        if length not in self._children:
            scores = self._network.child_scores(torch.arange(len(self._labels)), torch.tensor([length]))
            self._children[length] = (scores.softmax(dim=1) + self._extra).log().tolist()
        return self._children[length]


@dataclass(frozen=True)
class Actions:
    """Numbers of instructions and their arguments; those without arguments have zeros."""

    op: Tensor
    label: Tensor
    places: Tensor


def actions_of(decisions: Sequence[ParserDecision], coder: ParserCoder) -> Actions:
    """Put actions into tensors."""
    label = {name: number for number, name in enumerate(coder.labels)} | {"": 0}
    return Actions(
        torch.tensor([int(action.op) for _, action in decisions]),
        torch.tensor([label[action.label] for _, action in decisions]),
        torch.tensor([coder.places.get(action.places, 0) for _, action in decisions]),
    )
