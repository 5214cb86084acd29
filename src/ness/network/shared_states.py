"""LSTMs that read many sequences one after the other, whose beginnings are often the same: these are read once.

A search asks about frames that differ by an item, and about arguments that begin alike. States are numbered; all that
is new at one place of the sequences is one matrix product. Without gradients.
"""

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn

from ness.network.layers import BiLSTM
from ness.network.rows import Ids, padded

NOTHING = 0  # the state that has read nothing, all zeros


class SharedStates:
    """States of an LSTM after numbered inputs; each is computed when a sequence first leads there."""

    def __init__(self, lstm: nn.LSTM, inputs: Tensor) -> None:
        size = lstm.hidden_size
        # tanh(x) = 2 sigmoid(2x) - 1: with the gate of new contents doubled, one sigmoid serves all gates.
        scale = torch.ones(4, size, device=inputs.device)
        scale[2] = 2.0
        self._scale = scale.flatten()
        weights: list[Tensor] = list(lstm.parameters())
        self._weights, self._bias = weights[0], weights[2] + weights[3]
        self._recurrent = weights[1].t() * self._scale
        self._inputs = self._projected(inputs)  # [inputs, 4h]
        self._following: dict[tuple[int, int], int] = {}
        self.count = 1
        self.hidden = inputs.new_zeros(1024, size)
        self._cells = inputs.new_zeros(1024, size)

    def add_inputs(self, vectors: Tensor) -> int:
        """Add inputs [n, x]; return the number of the first."""
        first = len(self._inputs)
        self._inputs = torch.cat([self._inputs, self._projected(vectors)])
        return first

    def add_starts(self, hidden: Tensor) -> list[int]:
        """Add states to begin with [n, h], their cells empty; return their numbers."""
        numbers = range(self.count, self.count + len(hidden))
        self._reserve(numbers.stop)
        self.hidden[numbers.start : numbers.stop] = hidden
        return list(numbers)

    def read(self, starts: Iterable[int], sequences: Sequence[Sequence[int]]) -> list[list[int]]:
        """Read sequences of inputs, each from a state; return the numbers of the states passed through."""
        following = self._following
        waves: list[list[tuple[int, int, int]]] = [[] for _ in range(max(map(len, sequences), default=0))]
        count = self.count
        paths = []
        for start, sequence in zip(starts, sequences, strict=True):
            state, path = start, []
            for wave, symbol in zip(waves, sequence, strict=False):
                known = following.get((state, symbol))
                if known is None:
                    known = following[state, symbol] = count
                    wave.append((state, symbol, count))
                    count += 1
                state = known
                path.append(state)
            paths.append(path)
        self._reserve(count)
        self._compute(waves)
        return paths

    def _compute(self, waves: Sequence[Sequence[tuple[int, int, int]]]) -> None:
        """Compute states, given as (state before, input, state), wave after wave."""
        steps = torch.tensor([step for wave in waves for step in wave], device=self.hidden.device).view(-1, 3)
        before, symbols, after = steps.T
        end = 0
        for wave in waves:
            begin, end = end, end + len(wave)
            if begin == end:
                continue
            parents, states = before[begin:end], after[begin:end]
            inputs = self._inputs[symbols[begin:end]]
            gates = torch.addmm(inputs, self.hidden[parents], self._recurrent).sigmoid_()
            written, kept, new, shown = gates.chunk(4, 1)
            cells = kept * self._cells[parents] + written * (2 * new - 1)
            self._cells[states] = cells
            self.hidden[states] = shown * cells.tanh()

    def _projected(self, vectors: Tensor) -> Tensor:
        return nn.functional.linear(vectors, self._weights, self._bias) * self._scale

    def _reserve(self, count: int) -> None:
        """Make room for so many states."""
        self.count = count
        if count > len(self.hidden):
            self.hidden, self._cells = longer(self.hidden, count), longer(self._cells, count)


class SharedRows:
    """Rows of items as a BiLSTM encodes them, each once."""

    def __init__(self, encoder: BiLSTM, vectors: Tensor) -> None:
        self._ahead, self._back = SharedStates(encoder.forwards, vectors), SharedStates(encoder.backwards, vectors)
        self._numbers: dict[Ids, int] = {}
        self._paths: list[tuple[list[int], list[int]]] = []  # the states at each item, either way
        self.rows: list[Ids] = []

    def encode(self, rows: Iterable[Ids]) -> list[int]:
        """Encode rows that were not yet; return the number of each."""
        numbers, first = self._numbers, len(self.rows)
        found = []
        for row in rows:
            number = numbers.get(row)
            if number is None:
                number = numbers[row] = len(self.rows)
                self.rows.append(row)
            found.append(number)
        new = self.rows[first:]
        if new:
            ahead = self._ahead.read([NOTHING] * len(new), new)
            back = self._back.read([NOTHING] * len(new), [row[::-1] for row in new])
            self._paths += [(one, other[::-1]) for one, other in zip(ahead, back, strict=True)]
        return found

    def summaries(self, numbers: Sequence[int]) -> Tensor:
        """Return the last states of rows, [n, 2h]."""
        last = [(self._paths[number][0][-1], self._paths[number][1][0]) for number in numbers]
        ahead, back = torch.tensor(last, device=self._ahead.hidden.device).view(-1, 2).T
        return torch.cat([self._ahead.hidden[ahead], self._back.hidden[back]], -1)

    def outputs(self, numbers: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Return the encoded items of rows, [n, L, 2h], and where there are any, [n, L]."""
        paths = [self._paths[number] for number in numbers]
        places = padded([path for path, _ in paths] + [path for _, path in paths])
        ahead, back = places.to(self._ahead.hidden.device).view(2, len(paths), -1)
        return torch.cat([self._ahead.hidden[ahead], self._back.hidden[back]], -1), ahead != NOTHING


def longer(table: Tensor, least: int) -> Tensor:
    """Add rows of 0 to a table, so many that this is seldom."""
    return torch.cat([table, table.new_zeros(max(len(table), least - len(table)), table.shape[1])])
