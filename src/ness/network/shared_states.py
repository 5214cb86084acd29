"""LSTMs that read many sequences one after the other, whose beginnings are often the same: these are read once.

A search asks about frames that differ by an item, and about arguments that begin alike. States are numbered when a
sequence first leads there and computed when they are looked at: all that is new at one place of the sequences, of all
LSTMs, together. Without gradients.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn

from ness.network.layers import BiLSTM
from ness.network.rows import Ids, padded

NOTHING = 0  # the state that has read nothing, all zeros
_ROOM = 4096  # states at first
_Step = tuple[int, int, int]  # the state before, the input, the state after


class SharedStates:
    """States of several LSTMs of one size."""

    def __init__(self, size: int, device: torch.device) -> None:
        self.count = 1
        self._hidden = torch.zeros(_ROOM, size, device=device)
        self._cells = torch.zeros(_ROOM, size, device=device)
        self._inputs = torch.zeros(_ROOM, 4 * size, device=device)
        self._input_count = 0
        # tanh(x) = 2 sigmoid(2x) - 1: with the gate of new contents doubled, one sigmoid serves all gates.
        self.scale = torch.tensor([1.0, 1.0, 2.0, 1.0], device=device).repeat_interleave(size)
        self._recurrent: list[Tensor] = []  # of each LSTM
        self._waves: list[defaultdict[int, list[_Step]]] = []  # what is still to be computed, by place and LSTM

    @property
    def hidden(self) -> Tensor:
        """The hidden states, all of them computed: [at least count, h]."""
        if self._waves:
            self._compute()
        return self._hidden

    def add_lstm(self, recurrent: Tensor) -> int:
        """Add an LSTM by its recurrent weights [h, 4h]; return its number."""
        self._recurrent.append(recurrent * self.scale)
        return len(self._recurrent) - 1

    def add_inputs(self, projected: Tensor) -> int:
        """Add inputs as gates see them, [n, 4h]; return the number of the first."""
        first, self._input_count = self._input_count, self._input_count + len(projected)
        if self._input_count > len(self._inputs):
            self._inputs = longer(self._inputs, self._input_count)
        torch.mul(projected, self.scale, out=self._inputs[first : self._input_count])
        return first

    def add_starts(self, hidden: Tensor) -> list[int]:
        """Add states to begin with [n, h], their cells empty; return their numbers."""
        first, self.count = self.count, self.count + len(hidden)
        self._reserve()
        self._hidden[first : self.count] = hidden
        return list(range(first, self.count))

    def add(self, place: int, lstm: int, before: int, symbol: int) -> int:
        """Add the state of an LSTM after an input at this place of a sequence; return its number."""
        while len(self._waves) <= place:
            self._waves.append(defaultdict(list))
        state = self.count
        self._waves[place][lstm].append((before, symbol, state))
        self.count += 1
        return state

    def _compute(self) -> None:
        """Compute what is new, place after place."""
        steps = [step for wave in self._waves for part in wave.values() for step in part]
        before, symbols, after = torch.tensor(list(zip(*steps, strict=True)), device=self._cells.device)
        waves, self._waves = self._waves, []
        self._reserve()
        end = 0
        for wave in waves:
            begin, end = end, end + sum(map(len, wave.values()))
            parents, states = before[begin:end], after[begin:end]
            gates = self._inputs.index_select(0, symbols[begin:end])
            hidden = self._hidden.index_select(0, parents)
            place = 0
            for lstm, part in wave.items():
                rows = slice(place, place + len(part))
                gates[rows].addmm_(hidden[rows], self._recurrent[lstm])
                place += len(part)
            written, kept, new, shown = gates.sigmoid_().chunk(4, 1)
            cells = self._cells.index_select(0, parents).mul_(kept).addcmul_(written, new, value=2.0).sub_(written)
            self._cells.index_copy_(0, states, cells)
            self._hidden.index_copy_(0, states, cells.tanh_().mul_(shown))

    def _reserve(self) -> None:
        """Make room for all states."""
        if self.count > len(self._hidden):
            self._hidden, self._cells = longer(self._hidden, self.count), longer(self._cells, self.count)


class Reader:
    """One LSTM, with inputs to be read by number; an input's number is that of `add`."""

    def __init__(self, states: SharedStates, lstm: nn.LSTM, inputs: Tensor) -> None:
        weights: list[Tensor] = list(lstm.parameters())
        self.states, self._weights, self._bias = states, weights[0], weights[2] + weights[3]
        self._number = states.add_lstm(weights[1].t())
        self.first = self.add(inputs)
        self._following: dict[tuple[int, int], int] = {}

    def add(self, inputs: Tensor) -> int:
        """Add inputs [n, x]; return the number of the first."""
        return self.states.add_inputs(nn.functional.linear(inputs, self._weights, self._bias))

    def read(self, start: int, sequence: Sequence[int]) -> list[int]:
        """Read inputs from a state on; return the numbers of the states passed through."""
        following, states, number = self._following, self.states, self._number
        state, path = start, []
        for place, symbol in enumerate(sequence):
            known = following.get((state, symbol))
            if known is None:
                known = following[state, symbol] = states.add(place, number, state, symbol)
            state = known
            path.append(state)
        return path


class SharedRows:
    """Rows of items as a BiLSTM encodes them, each once."""

    def __init__(self, states: SharedStates, encoder: BiLSTM, vectors: Tensor) -> None:
        self._states = states
        self._ahead, self._back = Reader(states, encoder.forwards, vectors), Reader(states, encoder.backwards, vectors)
        self._numbers: dict[Ids, int] = {}
        self._paths: list[tuple[list[int], list[int]]] = []  # the states at each item, either way
        self.rows: list[Ids] = []

    def encode(self, rows: Iterable[Ids]) -> list[int]:
        """Encode rows that were not yet; return the number of each."""
        numbers, found = self._numbers, []
        ahead, back = self._ahead, self._back
        for row in rows:
            number = numbers.get(row)
            if number is None:
                number = numbers[row] = len(self.rows)
                self.rows.append(row)
                forwards = ahead.read(NOTHING, [ahead.first + item for item in row])
                backwards = back.read(NOTHING, [back.first + item for item in row[::-1]])
                self._paths.append((forwards, backwards[::-1]))
            found.append(number)
        return found

    def summaries(self, numbers: Sequence[int]) -> Tensor:
        """Return the last states of rows, [n, 2h]."""
        hidden = self._states.hidden
        last = [(self._paths[number][0][-1], self._paths[number][1][0]) for number in numbers]
        return hidden[torch.tensor(last, device=hidden.device)].flatten(1)

    def outputs(self, numbers: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Return the encoded items of rows, [n, L, 2h], and where there are any, [n, L]."""
        hidden = self._states.hidden
        paths = [self._paths[number] for number in numbers]
        places = padded([path for path, _ in paths] + [path for _, path in paths]).to(hidden.device)
        places = places.view(2, len(paths), -1)
        return hidden[places.permute(1, 2, 0)].flatten(2), places[0] != NOTHING


def longer(table: Tensor, least: int) -> Tensor:
    """Add rows of 0 to a table, so many that this is seldom."""
    return torch.cat([table, table.new_zeros(max(len(table), least - len(table)), table.shape[1])])
