"""What a controller says about statuses and arguments, for searches that ask again and again with the same weights.

The same answers as those of `ControllerDecisions`, but for rounding: frames, and beginnings of arguments, that were met
before are not computed again. All of this holds for one state of the weights, and knows no gradients or templates.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from ness.network.controller import Bank, Controller
from ness.network.layers import MASKED, PointerNetwork
from ness.network.rows import FRAME_END, OPERATORS, PHRASE_ITEM, Ids, integers, padded
from ness.network.shared_states import Reader, SharedRows, SharedStates, longer
from ness.network.vocabularies import END


class OperatorSight(NamedTuple):
    """What the operator predictor sees: items; whether the memory is full; the legal operators, a bit for each."""

    next: int
    top: Ids
    second: Ids
    memory: int
    legal: int


_RowAsked = tuple[Ids, Sequence[Ids]]  # what a predictor sees, and arguments


class OperatorScores:
    """Log probabilities of operators by status."""

    def __init__(self, states: SharedStates, controller: Controller, bank: Bank, top: SharedRows) -> None:
        self._controller, self._bank, self._top = controller, bank, top
        self._second = SharedRows(states, controller.second_encoder, bank.operator)
        memory = SharedRows(states, controller.memory_encoder, bank.operator)
        self._memory = memory, memory.encode([(FRAME_END,), (PHRASE_ITEM, FRAME_END)])

    def prepare(self, seen: Sequence[OperatorSight]) -> Callable[[], Tensor]:
        """Take questions; what is returned answers them: log probabilities [n, 7]."""
        tops = self._top.encode([(*each.top, FRAME_END) for each in seen])
        seconds = self._second.encode([(*each.second, FRAME_END) for each in seen])
        return lambda: self._score(seen, tops, seconds)

    def _score(self, seen: Sequence[OperatorSight], tops: Sequence[int], seconds: Sequence[int]) -> Tensor:
        rows, numbers = self._memory
        device = self._bank.next.device
        numbers_seen = integers([number for each in seen for number in (each.next, each.memory, each.legal)])
        following, memory, legal = numbers_seen.view(-1, 3).T.to(device)
        summaries = self._top.summaries(tops), self._second.summaries(seconds), rows.summaries(numbers)[memory]
        logits: Tensor = self._controller.operator(torch.cat([self._bank.next[following], *summaries], -1))
        bits = torch.arange(len(OPERATORS), device=device)
        return logits.masked_fill((legal[:, None] >> bits) & 1 == 0, MASKED).log_softmax(-1)


class ArgumentScores(ABC):
    """Log probabilities of arguments by row, that is by what their predictor sees; beginnings are scored once."""

    def __init__(self, initial: nn.Linear, rows: SharedRows, reader: Reader) -> None:
        self._initial, self.rows, self.reader = initial, rows, reader
        self._starts: dict[int, int] = {}  # by row
        self._places: dict[int, int] = {}  # of states in the table of scores
        self._scores = reader.states.scale.new_zeros(1024, 8)  # of what follows a state; the first row stays 0

    def prepare(self, asked: Sequence[_RowAsked]) -> Callable[[], Callable[[], Callable[[], Tensor]]]:
        """Take rows and arguments of each; call what is returned, what that returns, and what that does.

        The last call returns log probabilities [n], row by row. Those who prepared together do well to be called in
        turns: what all of them wait for is computed at once.
        """
        numbers = self.rows.encode([row for row, _ in asked])
        return lambda: self._start(asked, numbers)

    def _start(self, asked: Sequence[_RowAsked], numbers: Sequence[int]) -> Callable[[], Callable[[], Tensor]]:
        """Make the states that arguments begin with."""
        self.start(list(dict.fromkeys([number for number in numbers if number not in self._starts])))
        return lambda: self._read(asked, numbers)

    def _read(self, asked: Sequence[_RowAsked], numbers: Sequence[int]) -> Callable[[], Tensor]:
        """Read the arguments."""
        paths = []
        for number, (_, arguments) in zip(numbers, asked, strict=True):
            start = self._starts[number]
            paths.append([self.reader.read(start, self.symbols(number, argument)) for argument in arguments])
        return lambda: self._score(asked, numbers, paths)

    def _score(
        self, asked: Sequence[_RowAsked], numbers: Sequence[int], paths: Sequence[Sequence[list[int]]]
    ) -> Tensor:
        """Add up the scores of all parts of an argument and of its end."""
        places = self._places
        new: dict[int, int] = {}
        for number, ways in zip(numbers, paths, strict=True):
            new.update(dict.fromkeys([state for way in ways for state in way if state not in places], number))
        if new:
            self._add(list(new), list(new.values()))
        width = self._scores.shape[1]
        parts = []
        for ways, (row, arguments) in zip(paths, asked, strict=True):
            end = self.end(row)
            for way, argument in zip(ways, arguments, strict=True):
                columns = zip(way, (*argument, end), strict=True)
                parts.append([places[state] * width + column for state, column in columns])
        return self._scores.flatten()[padded(parts).to(self._scores.device)].sum(-1)

    def start(self, new: Sequence[int]) -> None:
        """Make the states that new rows begin with."""
        if new:
            hidden = torch.tanh(self._initial(self.rows.summaries(new)))
            self._starts |= dict(zip(new, self.reader.states.add_starts(hidden), strict=True))

    def _add(self, states: Sequence[int], seen: Sequence[int]) -> None:
        """Score what follows states, which see these rows."""
        device = self._scores.device
        distinct = {number: place for place, number in enumerate(dict.fromkeys(seen))}
        index = integers([distinct[number] for number in seen]).to(device)
        hidden = self.reader.states.hidden[integers(states).to(device)]
        scores = self.logits(hidden, list(distinct), index).log_softmax(-1)
        first = len(self._places) + 1
        end = first + len(states)
        self._places |= dict(zip(states, range(first, end), strict=True))
        self._scores = nn.functional.pad(self._scores, (0, max(0, scores.shape[1] - self._scores.shape[1])))
        if end > len(self._scores):
            self._scores = longer(self._scores, end)
        self._scores[first:end, : scores.shape[1]] = scores

    @abstractmethod
    def symbols(self, number: int, argument: Ids) -> Sequence[int]:
        """Number what is read before each part of an argument, and before its end."""

    @abstractmethod
    def end(self, row: Ids) -> int:
        """The column of the end."""

    @abstractmethod
    def logits(self, hidden: Tensor, rows: Sequence[int], index: Tensor) -> Tensor:
        """Score what follows states [n, h] that see the rows with these indices: [n, columns]."""


class PhraseScores(ArgumentScores):
    """Log probabilities of REDUCE arguments."""

    def __init__(self, states: SharedStates, controller: Controller, rows: SharedRows) -> None:
        self._controller, self._decoder = controller, controller.phrase_decoder
        reader = Reader(states, self._decoder.lstm, self._decoder.embedding.weight)
        super().__init__(self._decoder.initial, rows, reader)

    def symbols(self, number: int, argument: Ids) -> Sequence[int]:
        first = self.reader.first
        return (first + self._decoder.start_token, *[first + token for token in argument])

    def end(self, row: Ids) -> int:
        return END

    def logits(self, hidden: Tensor, rows: Sequence[int], index: Tensor) -> Tensor:
        outputs, inside = self.rows.outputs(rows)
        if self._controller.config.lexical_size:
            items = padded([self.rows.rows[number] for number in rows]).to(hidden.device)
            outputs = torch.cat([outputs, self._controller.lexical(items)], -1)
        frame = outputs[index]
        scores = (frame @ self._decoder.attention(hidden)[..., None]).squeeze(-1)
        shares = scores.masked_fill(~inside[index], MASKED).softmax(-1)
        context = (shares[:, None] @ frame).squeeze(1)
        logits: Tensor = self._decoder.output(torch.cat([hidden, context], -1))
        return logits


class PointerScores(ArgumentScores):
    """Log probabilities of the arguments of a CONCAT; its rows are those of `pointer_row`.

    Only what can be selected is made ready to be: phrases, the memory, and the end.
    """

    def __init__(self, states: SharedStates, controller: Controller, pointer: PointerNetwork, bank: Bank) -> None:
        self._pointer = pointer
        kept, ended = bank.frame[PHRASE_ITEM], bank.frame[FRAME_END]
        segments = controller.segments.weight
        special = torch.stack([kept + segments[1], ended + segments[3]])
        rows = SharedRows(states, pointer.encoder, torch.cat([bank.frame + segments[0], special]))
        self._memory = len(bank.frame)  # the item that stands for the memory; the end of a row follows
        self._inputs: dict[int, dict[int, int]] = {}  # by row and place: the input that is read where that was selected
        self._keys: dict[int, tuple[int, int]] = {}  # by row: where in the table those of its candidates begin and end
        self._key_count = 0
        self._table = states.scale.new_empty(1024, pointer.key.out_features)
        self._places_of_keys = torch.zeros(1024, dtype=torch.long, device=states.scale.device)
        super().__init__(pointer.initial, rows, Reader(states, pointer.lstm, pointer.first[None]))

    def row(self, top: Ids, memory: int) -> Ids:
        """Return what the predictor sees."""
        return (*top, *[self._memory] * memory, self._memory + 1)

    def symbols(self, number: int, argument: Ids) -> Sequence[int]:
        inputs = self._inputs[number]
        return (self.reader.first, *[inputs[part] for part in argument])

    def end(self, row: Ids) -> int:
        return len(row) - 1

    def start(self, new: Sequence[int]) -> None:
        super().start(new)
        if not new:
            return
        places = [self._selectable(self.rows.rows[number]) for number in new]
        elements = self.rows.elements(new, places)
        symbol, key = self.reader.add(elements), self._key_count
        for number, chosen in zip(new, places, strict=True):
            self._inputs[number] = dict(zip(chosen, range(symbol, symbol + len(chosen)), strict=True))
            self._keys[number] = key, key + len(chosen)
            symbol, key = symbol + len(chosen), key + len(chosen)
        if key > len(self._table):
            self._table = longer(self._table, key)
            self._places_of_keys = longer(self._places_of_keys[:, None], key)[:, 0]
        self._table[self._key_count : key] = self._pointer.key(elements)
        flat = [place for chosen in places for place in chosen]
        self._places_of_keys[self._key_count : key] = integers(flat).to(self._table.device)
        self._key_count = key

    def logits(self, hidden: Tensor, rows: Sequence[int], index: Tensor) -> Tensor:
        width = max([len(self.rows.rows[number]) for number in rows])
        begins, ends = torch.tensor([self._keys[number] for number in rows], device=hidden.device)[index].T
        counts = ends - begins
        states = torch.arange(len(index), device=hidden.device).repeat_interleave(counts)
        firsts = begins - counts.cumsum(0) + counts
        keys = firsts.index_select(0, states).add_(torch.arange(len(states), device=hidden.device))
        columns = self._places_of_keys.index_select(0, keys).add_(states, alpha=width)
        queries = self._pointer.query(hidden).index_select(0, states)
        matches = queries.add_(self._table.index_select(0, keys)).tanh_()
        scores = self._pointer.score(matches).squeeze(-1)
        return hidden.new_full((len(index) * width,), MASKED).index_copy_(0, columns, scores).view(-1, width)

    def _selectable(self, row: Ids) -> list[int]:
        """The places of phrases, of the memory and of the end."""
        return [place for place, item in enumerate(row) if item == PHRASE_ITEM or item >= self._memory]
