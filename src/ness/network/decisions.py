"""Decisions of a local controller by status: options to execute, and scores of given instructions."""

import math
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from ness.errors import ConfigError
from ness.machine import ConcatM, ConcatS, Instruction, Operator, Reduce, Status
from ness.network.controller import Controller
from ness.network.decoding import Option, decide
from ness.network.forcing import phrase_logits, pointer_logits
from ness.network.layers import columns
from ness.network.phrase_beam import likeliest_phrases
from ness.network.rows import (
    OPERATOR_IDS,
    Ids,
    OperatorInput,
    OperatorRows,
    PointerInput,
    PointerRows,
    StatusItems,
    Views,
    padded,
    part_ids,
)
from ness.network.vocabularies import END, reduction, spoken, tokens_of
from ness.rules.table import words_of

CHUNK = 4096  # statuses asked at once


def knows(controller: Controller, status: Status) -> bool:
    """Tell whether all words of a status are in the vocabulary."""
    known = controller.vocabularies.source_ids
    return status.next in known and known.keys() >= {*words_of(status.top), *words_of(status.second or ())}


def makes(controller: Controller, instruction: Instruction) -> bool:
    """Tell whether the network can say all tokens of an instruction at all."""
    tokens = tokens_of(instruction)
    able = isinstance(instruction, Reduce) or not tokens or controller.concat_s.tokens > 0
    return able and all(token in controller.vocabularies.target_ids for token in tokens)


class ControllerDecisions:
    """What the controller thinks of statuses. Its answers hold while the weights stay; call `refresh` after training.

    A controller with soft categories or the queue encoder is asked as if every phrase had the one target
    category and every word stood alone: an approximation, good enough to order a search.
    """

    def __init__(self, controller: Controller) -> None:
        if controller.config.categories == "off":
            raise ConfigError("Without categories there is no decision by status; set controller.categories to hard")
        self.controller = controller
        second_frame = controller.config.pointer_second_frame
        self._items = StatusItems(controller.vocabularies, second_frame, controller.names_words)
        self.refresh()

    @torch.no_grad()
    def refresh(self) -> None:
        """Compute the word vectors from the present weights."""
        self._bank = self.controller.word_bank()

    def options(self, statuses: Sequence[Status]) -> list[list[Option]]:
        """Return the greedy decision for each status, followed by alternatives; the words must be known."""
        found: list[list[Option]] = []
        for start in range(0, len(statuses), CHUNK):
            part = statuses[start : start + CHUNK]
            seen = [self._items.operator(status) for status in part]
            pointers = [self._items.pointer(status) for status in part]
            found += decide(self.controller, self._bank, seen, pointers)
        return found

    @torch.no_grad()
    def weighed(self, status: Status, width: int) -> list[tuple[Instruction, float]]:
        """Return the operators worth naming with their best argument, REDUCE with up to `width`, by probability."""
        (found,) = self.options([status])
        options = [(each.instruction, each.probability) for each in found if each.operator is not Operator.REDUCE]
        weighed = [(instruction, share) for instruction, share in options if instruction is not None]
        if any(each.operator is Operator.REDUCE for each in found):
            views = Views.of([self._items.reduce(status)]).to(self.controller.device)
            target = self.controller.vocabularies.target
            share = float(self.operator_scores([status])[0, OPERATOR_IDS[Operator.REDUCE]])
            encoded = self.controller.encode_frames(self._bank, views)
            for tokens, score in likeliest_phrases(self.controller, encoded, width):
                weighed.append((reduction(tuple(target[token - 1] for token in tokens)), math.exp(share + score)))
        return sorted(weighed, key=lambda option: -option[1])

    def operator_scores(self, statuses: Sequence[Status]) -> Tensor:
        """Return log probabilities of the operators: [n, 7], in the order of `Operator`."""
        return self.operator_scores_of([self._items.operator(status) for status in statuses])

    @torch.no_grad()
    def operator_scores_of(self, inputs: Sequence[OperatorInput]) -> Tensor:
        """As `operator_scores`, for what the operator predictor sees."""
        rows = OperatorRows.of(inputs).to(self.controller.device)
        return self.controller.operator_logits(self._bank, rows).log_softmax(-1).cpu()

    @torch.no_grad()
    def costs(self, candidates: Sequence[tuple[Status, Instruction]]) -> list[float]:
        """Return -log probability of each instruction in its status."""
        if not candidates:
            return []
        distinct = list(dict.fromkeys(status for status, _ in candidates))
        index = {status: row for row, status in enumerate(distinct)}
        operators = self.operator_scores(distinct).tolist()
        scores = [operators[index[status]][OPERATOR_IDS[each.operator]] for status, each in candidates]
        for kind in (Reduce, ConcatM, ConcatS):
            rows = [row for row, (_, instruction) in enumerate(candidates) if isinstance(instruction, kind)]
            if rows:
                for row, score in zip(rows, self._arguments([candidates[row] for row in rows]), strict=True):
                    scores[row] += score
        return [-score for score in scores]

    @torch.no_grad()
    def argument_costs(self, candidates: Sequence[tuple[Status, Instruction]]) -> list[float]:
        """Return -log probability of the arguments of instructions of one kind, given the operator."""
        return [-score for score in self._arguments(candidates)] if candidates else []

    def _arguments(self, candidates: Sequence[tuple[Status, Instruction]]) -> list[float]:
        """Score the arguments of instructions of one kind; what the network cannot say has no probability."""
        vocabularies = self.controller.vocabularies
        kind = candidates[0][1].operator
        asked: list[tuple[Ids | PointerInput, Ids | None]] = []
        for status, instruction in candidates:
            able = makes(self.controller, instruction)
            if isinstance(instruction, Reduce):
                said = spoken(instruction)
                tokens = tuple([vocabularies.target_ids[token] for token in said]) if able else None
                asked.append((self._items.reduce(status), tokens))
            elif isinstance(instruction, ConcatM | ConcatS):
                parts = part_ids(instruction.parts, vocabularies) if able else None
                asked.append((self._items.pointer(status), parts))
        return self.argument_scores_of(kind, asked)

    @torch.no_grad()
    def argument_scores_of(self, kind: Operator, asked: Sequence[tuple[Ids | PointerInput, Ids | None]]) -> list[float]:
        """Return log probabilities of arguments: pairs of what their predictor sees and what it should say.

        None is what it cannot say. What is seen is encoded once for all of its arguments, and an argument that is the
        beginning of another is read off that one.
        """
        distinct: dict[Ids | PointerInput, int] = {}
        numbered = [
            None if argument is None else (distinct.setdefault(seen, len(distinct)), argument)
            for seen, argument in asked
        ]
        known = [each for each in numbered if each is not None]
        if not known:
            return [-math.inf] * len(asked)
        rows, places = _longest(known)
        scores = self._score(kind, list(distinct), rows)
        row, length = torch.tensor([(places[each], len(each[1])) for each in known], device=scores.device).T
        left = iter(scores[row, length].tolist())
        return [-math.inf if each is None else next(left) for each in numbered]

    def _score(self, kind: Operator, distinct: Sequence[Ids | PointerInput], rows: Sequence[tuple[int, Ids]]) -> Tensor:
        """Score arguments of inputs, given by number, if they ended after 0, 1, ... of their tokens: [n, T]."""
        controller, device = self.controller, self.controller.device
        ends = [_end_of(distinct[number]) for number, _ in rows]
        tokens = padded([(*argument, end) for (_, argument), end in zip(rows, ends, strict=True)]).to(device)
        index, end = torch.tensor([(number, end) for (number, _), end in zip(rows, ends, strict=True)], device=device).T
        if kind is Operator.REDUCE:
            views = Views.of(seen for seen in distinct if not isinstance(seen, PointerInput)).to(device)
            encoded = controller.encode_frames(self._bank, views).select(index)
            logits, _ = phrase_logits(controller.phrase_decoder, encoded, tokens)
        else:
            pointer = controller.concat_m if kind is Operator.CONCAT_M else controller.concat_s
            elements = PointerRows.of([seen for seen in distinct if isinstance(seen, PointerInput)]).to(device)
            encoded = controller.encode_elements(self._bank, pointer, elements).select(index)
            logits, _ = pointer_logits(pointer, encoded, tokens)
            tokens = columns(tokens, elements.elements.shape[1])
        scores = logits.log_softmax(-1)
        said = scores.gather(-1, tokens[..., None]).squeeze(-1)
        ended = scores.gather(-1, end[:, None, None].expand(-1, tokens.shape[1], 1)).squeeze(-1)
        return said.cumsum(-1) - said + ended


def _longest(arguments: Iterable[tuple[int, Ids]]) -> tuple[list[tuple[int, Ids]], dict[tuple[int, Ids], int]]:
    """List the arguments of numbered inputs that are not the beginning of others, and tell in which one each stands."""
    rows: list[tuple[int, Ids]] = []
    places: dict[tuple[int, Ids], int] = {}
    for number, argument in sorted(arguments, key=lambda each: -len(each[1])):
        if (number, argument) not in places:
            for length in range(len(argument), -1, -1):
                places.setdefault((number, argument[:length]), len(rows))
            rows.append((number, argument))
    return rows, places


def _end_of(seen: Ids | PointerInput) -> int:
    """What ends an argument."""
    return seen.end if isinstance(seen, PointerInput) else END
