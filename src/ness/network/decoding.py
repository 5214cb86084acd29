"""Greedy decisions: the most probable legal operator, then its arguments one by one, many statuses at once."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ness.machine import BARE, ConcatM, ConcatS, Instruction, Operator
from ness.network.controller import Bank, Controller, EncodedRows
from ness.network.layers import MASKED, PointerNetwork, columns
from ness.network.rows import (
    OPERATORS,
    PHRASE_ITEM,
    Ids,
    OperatorInput,
    OperatorRows,
    PointerInput,
    PointerRows,
    Views,
    parts_of,
)
from ness.network.vocabularies import END, reduction

MAX_TOKENS = 256  # of one REDUCE argument
MAX_PARTS = 64  # of one CONCAT argument
WORTH_NAMING = 0.01  # the least probability of an alternative operator


class Option(NamedTuple):
    """An operator that the network considers, completed by its most probable argument."""

    operator: Operator
    instruction: Instruction | None  # None: the argument did not end
    probability: float
    state: Tensor | None  # [h]: the last state of the argument predictor, what a new phrase is made from


class DecodedArgument(NamedTuple):
    """A decoded argument, its log probability, and the last state [h]."""

    values: Ids | None
    score: float
    state: Tensor


@torch.no_grad()
def decide(
    controller: Controller, bank: Bank, seen: Sequence[OperatorInput], pointers: Sequence[PointerInput]
) -> list[list[Option]]:
    """Return for each row the options, the greedy decision first, then others by probability."""
    if not seen:
        return []
    rows = OperatorRows.of(seen).to(controller.device)
    scores = controller.operator_logits(bank, rows).log_softmax(-1)
    wanted: dict[Operator, list[int]] = {operator: [] for operator in OPERATORS}
    best = scores.argmax(-1).tolist()
    for row, probabilities in enumerate(scores.exp().tolist()):
        for number, probability in enumerate(probabilities):
            if OPERATORS[number] in seen[row].legal and (number == best[row] or probability >= WORTH_NAMING):
                wanted[OPERATORS[number]].append(row)
    options: list[list[Option]] = [[] for _ in seen]
    logs = scores.tolist()
    for number, operator in enumerate(OPERATORS):
        asked = wanted[operator]
        for row, (instruction, score, state) in zip(
            asked, _instructions(controller, bank, operator, asked, seen, pointers), strict=True
        ):
            probability = float(torch.tensor(logs[row][number] + score).exp())
            options[row].append(Option(operator, instruction, probability, state))
    return [
        sorted(found, key=lambda option: (option.operator is not OPERATORS[greedy], -option.probability))
        for found, greedy in zip(options, best, strict=True)
    ]


def _instructions(
    controller: Controller,
    bank: Bank,
    operator: Operator,
    asked: Sequence[int],
    seen: Sequence[OperatorInput],
    pointers: Sequence[PointerInput],
) -> list[tuple[Instruction | None, float, Tensor | None]]:
    """Complete one operator by its arguments for the rows asked."""
    if operator in BARE:
        return [(BARE[operator], 0.0, None)] * len(asked)
    if not asked:
        return []
    if operator is Operator.REDUCE:
        views = Views.of(seen[row].top for row in asked).to(controller.device)
        target = controller.vocabularies.target
        return [
            (None if values is None else reduction(tuple(target[value - 1] for value in values)), score, state)
            for values, score, state in decode_phrases(controller, controller.encode_frames(bank, views))
        ]
    make = ConcatM if operator is Operator.CONCAT_M else ConcatS
    pointer = controller.concat_m if operator is Operator.CONCAT_M else controller.concat_s
    elements = PointerRows.of([pointers[row] for row in asked]).to(controller.device)
    encoded = controller.encode_elements(bank, pointer, elements)
    decoded = decode_pointers(pointer, encoded, elements.lengths - 1)
    if operator is Operator.CONCAT_S and controller.names_words:
        return _with_own(controller, bank, [pointers[row] for row in asked], decoded)
    return [
        (None if values is None else make(parts_of(values, controller.vocabularies)), score, state)
        for values, score, state in decoded
    ]


def _with_own(
    controller: Controller, bank: Bank, pointers: Sequence[PointerInput], decoded: Sequence[DecodedArgument]
) -> list[tuple[Instruction | None, float, Tensor | None]]:
    """Complete CONCAT_S by the own phrases of the words that it names: what REDUCE makes of each word alone."""
    named = [_words_named(seen, each.values) for seen, each in zip(pointers, decoded, strict=True)]
    distinct = list(dict.fromkeys(word for words in named for word in words))
    phrases: dict[int, DecodedArgument] = {}
    if distinct:
        views = Views.of([(word,) for word in distinct]).to(controller.device)
        phrases = dict(zip(distinct, decode_phrases(controller, controller.encode_frames(bank, views)), strict=True))
    target = controller.vocabularies.target
    made: list[tuple[Instruction | None, float, Tensor | None]] = []
    for words, (values, score, state) in zip(named, decoded, strict=True):
        own = [phrases[word].values for word in words]
        instruction = None
        if values is not None and all(phrase is not None for phrase in own):
            texts = tuple([tuple([target[token - 1] for token in phrase or ()]) for phrase in own])
            instruction = ConcatS(parts_of(values, controller.vocabularies), texts)
        made.append((instruction, score + sum(phrases[word].score for word in words), state))
    return made


def _words_named(seen: PointerInput, values: Ids | None) -> list[int]:
    """The items of the words that an argument names, each place once."""
    places = [place for place in dict.fromkeys(values or ()) if 0 <= place < len(seen.top)]
    return [seen.top[place] for place in places if seen.top[place] != PHRASE_ITEM]


def decode_phrases(controller: Controller, encoded: EncodedRows) -> list[DecodedArgument]:
    """Decode REDUCE arguments, at least one token each."""
    decoder = controller.phrase_decoder
    state = decoder.start(encoded.summary)
    given = torch.full_like(encoded.mask[:, 0], decoder.start_token, dtype=torch.long)
    result = _Arguments(len(given), torch.full_like(given, END))
    for position in range(MAX_TOKENS):
        logits, hidden, state = decoder(state, given[:, None], encoded.outputs, encoded.mask)
        if position == 0:
            logits[..., END] = MASKED
        given = result.add(logits[:, 0], hidden[:, 0])
        if result.finished:
            break
    return result.collect()


def decode_pointers(pointer: PointerNetwork, encoded: EncodedRows, ends: Tensor) -> list[DecodedArgument]:
    """Decode CONCAT arguments, at least one part each; ends [n] are the positions of END."""
    state = pointer.start(encoded.summary)
    width = encoded.outputs.shape[1]
    selected = pointer.first.expand(len(ends), -1)
    result = _Arguments(len(ends), ends)
    for position in range(MAX_PARTS):
        logits, hidden, state = pointer(state, selected[:, None], encoded.outputs, encoded.mask)
        if position == 0:
            logits = logits.scatter(2, ends[:, None, None], MASKED)
        chosen = columns(result.add(logits[:, 0], hidden[:, 0]), width)
        selected = pointer.read(chosen[:, None], encoded.outputs)[:, 0]
        if result.finished:
            break
    return [each._replace(values=_choices(each.values, width)) for each in result.collect()]


def _choices(values: Ids | None, elements: int) -> Ids | None:
    return None if values is None else tuple(columns(torch.tensor(values), elements).tolist())


class _Arguments:
    """Arguments as they grow, all rows at once; a row that has met its end grows no more."""

    def __init__(self, rows: int, ends: Tensor) -> None:
        self._ends = ends
        self._done = torch.zeros(rows, dtype=torch.bool, device=ends.device)
        self._scores = torch.zeros(rows, device=ends.device)
        self._states: Tensor | None = None
        self._chosen: list[Tensor] = []

    @property
    def finished(self) -> bool:
        return bool(self._done.all())

    def add(self, logits: Tensor, states: Tensor) -> Tensor:
        """Choose greedily from logits [n, V]; return the choice [n]."""
        scores, choice = logits.log_softmax(-1).max(-1)
        choice = torch.where(self._done, self._ends, choice)
        self._scores = torch.where(self._done, self._scores, self._scores + scores)
        last = states if self._states is None else self._states
        self._states = torch.where(self._done[:, None], last, states)
        self._chosen.append(choice)
        self._done = self._done | (choice == self._ends)
        return choice

    def collect(self) -> list[DecodedArgument]:
        """Return the arguments; None for a row that did not end."""
        assert self._states is not None
        arguments = []
        done, scores, ends = self._done.tolist(), self._scores.tolist(), self._ends.tolist()
        for row, values in enumerate(torch.stack(self._chosen, 1).tolist()):
            kept = tuple(values[: values.index(ends[row])]) if done[row] else None
            arguments.append(DecodedArgument(kept, scores[row], self._states[row]))
        return arguments
