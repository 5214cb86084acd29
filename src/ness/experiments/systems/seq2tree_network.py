"""The network of Seq2tree: all nodes of one depth, of all trees of a batch, take their steps together."""

import math
from collections.abc import Iterator, Sequence
from typing import Protocol

import torch
from torch import Tensor, nn

from ness.experiments.systems.coding import BEGIN, END, PAD, UNKNOWN, shifted
from ness.experiments.systems.seq2tree_levels import NODE, TreeLevel

LstmState = tuple[Tensor, Tensor]  # hidden and cell, [nodes, size] each


class Sizes(Protocol):
    """What the network is told of the settings."""

    @property
    def size(self) -> int: ...
    @property
    def dropout(self) -> float: ...
    @property
    def spread(self) -> float: ...


class TreeNetwork(nn.Module):
    """An encoder LSTM, and a decoder LSTM with attention whose input is the last symbol and the parent's state."""

    def __init__(self, sources: int, symbols: int, settings: Sizes) -> None:
        super().__init__()
        size = settings.size
        self.source = nn.Embedding(sources, size)
        self.symbol = nn.Embedding(symbols, size)
        self.encoder = nn.LSTM(size, size, batch_first=True)
        self.decoder = nn.LSTMCell(2 * size, size)
        self.join = nn.Linear(2 * size, size)
        self.output = nn.Linear(size, symbols)
        self.dropout = nn.Dropout(settings.dropout)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -settings.spread, settings.spread)
        never = torch.zeros(symbols)
        never[[PAD, BEGIN, UNKNOWN]] = -math.inf
        self.register_buffer("never", never)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor, LstmState]:
        """Read sources; return all states, which of them are padding, and the last ones."""
        padding = source == PAD
        lengths = (~padding).sum(dim=1).cpu()
        words = self.dropout(self.source(source))
        packed = nn.utils.rnn.pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
        states, (hidden, cell) = self.encoder(packed)
        states, _ = nn.utils.rnn.pad_packed_sequence(states, batch_first=True)
        return states, padding, (hidden[0], cell[0])

    def loss(self, source: Tensor, levels: Sequence[TreeLevel]) -> Tensor:
        """Return the mean loss per symbol."""
        total = torch.zeros((), device=source.device)
        count = torch.zeros((), device=source.device)
        for level, logits in self._forced(source, levels):
            target = level.symbols.flatten()
            total = total + nn.functional.cross_entropy(logits.flatten(0, 1), target, ignore_index=PAD, reduction="sum")
            count = count + (target != PAD).sum()
        return total / count

    @torch.no_grad()
    def reproduces(self, source: Tensor, levels: Sequence[TreeLevel]) -> list[bool]:
        """Say of each tree whether every symbol is the likeliest one."""
        wrong = torch.zeros(len(source), device=source.device)
        for level, logits in self._forced(source, levels):
            missed = (logits.argmax(dim=-1) != level.symbols) & (level.symbols != PAD)
            wrong.index_add_(0, level.owner, missed.any(dim=1).float())
        found: list[bool] = (wrong == 0).tolist()
        return found

    @torch.no_grad()
    def decode(self, source: Tensor, limits: Sequence[int], longest: int) -> list[list[list[list[int]]] | None]:
        """Write trees greedily: the symbols of their rows, level by level.

        None for a tree with more nodes than its limit, or with a node of more symbols than `longest`.
        """
        states, padding, state = self.encode(source)
        trees: list[list[list[list[int]]] | None] = [[] for _ in limits]
        sizes = [1] * len(limits)
        owners = list(range(len(limits)))
        while owners:
            symbols, hiddens, cells = self._write_level(states, padding, state, owners, longest)
            level: list[list[list[int]]] = [[] for _ in limits]  # each tree's rows
            nodes: list[tuple[int, int]] = []  # row and step of each NODE
            for row, (owner, found) in enumerate(zip(owners, symbols, strict=True)):
                if END not in found:
                    trees[owner] = None
                    continue
                written = found[: found.index(END)]
                level[owner].append(written)
                steps = [step for step, symbol in enumerate(written) if symbol == NODE]
                nodes += [(row, step) for step in steps]
                sizes[owner] += len(steps)
                if sizes[owner] > limits[owner]:
                    trees[owner] = None
            for owner, rows in enumerate(level):
                tree = trees[owner]
                if tree is not None and rows:
                    tree.append(rows)
            nodes = [(row, step) for row, step in nodes if trees[owners[row]] is not None]
            places = [row for row, _ in nodes], [step for _, step in nodes]
            state = hiddens[places], cells[places]
            owners = [owners[row] for row, _ in nodes]
        return trees

    def _write_level(
        self, states: Tensor, padding: Tensor, state: LstmState, owners: list[int], longest: int
    ) -> tuple[list[list[int]], Tensor, Tensor]:
        """Decode all nodes of one depth; return symbols, and the states of each step, [nodes, steps, size]."""
        first = {owner: row for row, owner in reversed(list(enumerate(owners)))}  # a tree's nodes stand together
        ranks = [row - first[owner] for row, owner in enumerate(owners)]
        owner, rank = torch.tensor([owners, ranks], device=states.device)
        parent = state[0]
        symbol = torch.full_like(owner, BEGIN)
        ended = torch.zeros_like(owner, dtype=torch.bool)
        symbols: list[Tensor] = []
        hiddens: list[Tensor] = []
        cells: list[Tensor] = []
        while not ended.all() and len(symbols) < longest:
            state = self.decoder(torch.cat([self.symbol(symbol), parent], dim=1), state)
            symbol = self._score(state[0].unsqueeze(1), states, padding, owner, rank, max(ranks) + 1)[:, 0].argmax(
                dim=1
            )
            ended |= symbol == END
            symbols.append(symbol)
            hiddens.append(state[0])
            cells.append(state[1])
        return torch.stack(symbols, dim=1).tolist(), torch.stack(hiddens, dim=1), torch.stack(cells, dim=1)

    def _forced(self, source: Tensor, levels: Sequence[TreeLevel]) -> Iterator[tuple[TreeLevel, Tensor]]:
        """Score the symbols of each level after the target's own, [nodes, steps, symbols]."""
        states, padding, (hidden, cell) = self.encode(source)
        hiddens, cells = hidden.unsqueeze(1), cell.unsqueeze(1)  # as if all roots were announced by the source
        for level in levels:
            state = hiddens[level.parent, level.step], cells[level.parent, level.step]
            parent = state[0]
            symbols = self.dropout(self.symbol(shifted(level.symbols)))
            taken = []
            for step in range(symbols.shape[1]):
                state = self.decoder(torch.cat([symbols[:, step], parent], dim=1), state)
                taken.append(state)
            hiddens, cells = (torch.stack(one, dim=1) for one in zip(*taken, strict=True))
            yield level, self._score(hiddens, states, padding, level.owner, level.rank, level.widest)

    def _score(
        self, hidden: Tensor, states: Tensor, padding: Tensor, owner: Tensor, rank: Tensor, widest: int
    ) -> Tensor:
        """Attend to the sources and score symbols; the nodes of a tree stand together, as one block of queries."""
        _, steps, size = hidden.shape
        place = owner * widest + rank
        blocks = hidden.new_zeros(len(states) * widest, steps, size).index_copy(0, place, hidden)
        scores = blocks.view(len(states), -1, size) @ states.transpose(1, 2)
        weights = scores.masked_fill(padding.unsqueeze(1), -math.inf).softmax(dim=-1)
        context = (weights @ states).view(-1, steps, size)[place]
        joined = torch.tanh(self.join(torch.cat([hidden, context], dim=-1)))
        return torch.as_tensor(self.output(self.dropout(joined)) + self.never)
