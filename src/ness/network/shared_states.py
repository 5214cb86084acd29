"""LSTMs that read many sequences one after the other, whose beginnings are often the same: these are read once.

A search asks about frames that differ by an item, and about arguments that begin alike. States are numbered when a
sequence first leads there and computed when they are looked at: all that is new at one place of the sequences, of all
LSTMs, together. Without gradients.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain

import torch
from torch import Tensor, nn

from ness.network.layers import BiLSTM
from ness.network.rows import Ids, integers, padded

NOTHING = 0  # the state that has read nothing, all zeros
_ROOM = 4096  # states at first
_Step = tuple[int, int, int]  # the state before, the input, the state after


class SharedStates:
    """States of several LSTMs of one size."""

    def __init__(self, size: int, device: torch.device, before: "SharedStates | None" = None) -> None:
        """Take over the room of others, `before`, that nobody will ask any more: it need not grow again."""
        self.count = 1
        self._size = size
        self._states: Tensor = torch.zeros(_ROOM, 2 * size, device=device) if before is None else before._states
        self._inputs: Tensor = torch.zeros(_ROOM, 4 * size, device=device) if before is None else before._inputs
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
        return self._states.narrow(1, 0, self._size)

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
        self._states[first : self.count] = nn.functional.pad(hidden, (0, self._size))
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
        waves, self._waves = [wave for wave in self._waves if wave], []
        self._reserve()
        steps = [step for wave in waves for part in wave.values() for step in part]
        numbers = integers(chain.from_iterable(steps)).view(-1, 3).t().contiguous()
        before, symbols, after = numbers.to(self._states.device)
        sizes = [sum(map(len, wave.values())) for wave in waves]
        parts = [torch.split(each, sizes) for each in (before, self._inputs.index_select(0, symbols), after)]
        for wave, parents, given, states in zip(waves, *parts, strict=True):
            reached = self._states.index_select(0, parents)
            hidden, cells = reached.chunk(2, 1)
            counts = list(map(len, wave.values()))
            for lstm, rows, part in zip(wave, torch.split(hidden, counts), torch.split(given, counts), strict=True):
                part.addmm_(rows, self._recurrent[lstm])
            written, kept, new, shown = given.sigmoid_().chunk(4, 1)
            cells.mul_(kept).addcmul_(written, new, value=2.0).sub_(written)
            torch.mul(cells.tanh(), shown, out=hidden)
            self._states.index_copy_(0, states, reached)

    def _reserve(self) -> None:
        """Make room for all states."""
        if self.count > len(self._states):
            self._states = longer(self._states, self.count)


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
        following, state, path = self._following, start, []
        for place, symbol in enumerate(sequence):
            step = state, symbol
            known = following.get(step)
            if known is None:
                known = following[step] = self.states.add(place, self._number, state, symbol)
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
        paths = [self._paths[number] for number in numbers]
        ahead, back = integers([path[-1] for path, _ in paths]), integers([path[0] for _, path in paths])
        return hidden[torch.stack([ahead, back], 1).to(hidden.device)].flatten(1)

    def elements(self, numbers: Sequence[int], places: Sequence[Sequence[int]]) -> Tensor:
        """Return the encoded items of rows at these places, [n, 2h]."""
        hidden = self._states.hidden
        paths = [(*self._paths[number], chosen) for number, chosen in zip(numbers, places, strict=True)]
        ahead = integers([path[place] for path, _, chosen in paths for place in chosen])
        back = integers([path[place] for _, path, chosen in paths for place in chosen])
        return hidden[torch.stack([ahead, back], 1).to(hidden.device)].flatten(1)

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
