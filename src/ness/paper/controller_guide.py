"""A controller as a search policy: it prices operators and arguments by what it has learned so far."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain

import torch
from torch import Tensor

from ness.errors import ConfigError
from ness.learn.coding import OPERATORS, Codec, CodedParts, CodedStatus, CodedView
from ness.machine.opcodes import CONCAT_M, CONCAT_S, REDUCE
from ness.network.controller import Controller
from ness.network.rows import FRAME_END, Ids
from ness.network.shared_scores import OperatorScores, PhraseScores, PointerScores
from ness.network.shared_states import SharedRows, SharedStates
from ness.paper.coded_items import CodedArgument, CodedItems
from ness.paper.questions import ConcatQuestion, OperatorQuestion, ReduceQuestion, SearchQuestion

_Seen = tuple[int, CodedView, int]  # operator, top frame, memory: what the predictor of its arguments sees
_Asked = dict[_Seen, dict[CodedArgument, Ids]]  # and arguments, with these as the network numbers them


class ControllerGuide:
    """Answers a search from the network; each status and each argument is asked once and remembered.

    A controller with soft categories or the queue encoder is asked as if every phrase had the one target category and
    every word stood alone.
    """

    def __init__(self, controller: Controller, codec: Codec, worst: float = math.inf) -> None:
        if controller.config.categories == "off":
            raise ConfigError("Without categories there is no decision by status; set controller.categories to hard")
        self._worst = worst  # nats that an answer costs at most
        self._controller = controller
        self._items = CodedItems(controller, codec)
        self._predictors: _Predictors | None = None
        self._states: SharedStates | None = None  # of the latest predictors, whose room the next ones take over
        self.refresh()

    def refresh(self) -> None:
        """Forget what was answered with earlier weights."""
        self._predictors = None
        self._operators: dict[CodedStatus, list[float]] = {}
        self._arguments: dict[_Seen, dict[CodedArgument, float]] = {}

    # ---------------------------------------------------------------- the Policy protocol

    def operator_costs(self, status: CodedStatus, operators: Sequence[int]) -> list[float]:
        return self.answer([OperatorQuestion(status, tuple(operators))])[0]

    def reduce_costs(self, frame: CodedView, phrases: Sequence[str]) -> list[float]:
        return self.answer([ReduceQuestion(frame, tuple(phrases))])[0]

    def concat_costs(self, operator: int, top: CodedView, memory: int, arguments: Sequence[CodedParts]) -> list[float]:
        return self.answer([ConcatQuestion(operator, top, memory, tuple(arguments))])[0]

    # ---------------------------------------------------------------- many questions at once

    @torch.inference_mode()
    def answer(self, questions: Sequence[SearchQuestion]) -> list[list[float]]:
        """Ask the network for what is not yet known, all together."""
        statuses = [question.status for question in questions if isinstance(question, OperatorQuestion)]
        missing = [status for status in dict.fromkeys(statuses) if status not in self._operators]
        about = [_about(q) for q in questions if not isinstance(q, OperatorQuestion)]
        asked = self._unknown(about)
        costs = self._ask(missing, asked)
        for number, status in enumerate(missing):
            self._operators[status] = costs[number * len(OPERATORS) : (number + 1) * len(OPERATORS)]
        place = len(missing) * len(OPERATORS)
        for seen, said in chain.from_iterable([each.items() for each in asked.values()]):
            end = place + len(said)
            self._arguments[seen].update(zip(said, costs[place:end], strict=True))
            place = end
        answers, rest = [], iter(about)
        for question in questions:
            if isinstance(question, OperatorQuestion):
                known = self._operators[question.status]
                answers.append([known[operator] for operator in question.operators])
            else:
                seen, arguments = next(rest)
                prices = self._arguments[seen]
                answers.append([prices[argument] for argument in arguments])
        return answers

    def _unknown(self, about: Iterable[tuple[_Seen, Sequence[CodedArgument]]]) -> dict[int, _Asked]:
        """List what has to be asked, by operator; what the network cannot say is as dear as can be."""
        asked: dict[int, _Asked] = {}
        for seen, arguments in about:
            known = self._arguments.setdefault(seen, {})
            for argument in arguments:
                if argument not in known:
                    known[argument] = self._worst
                    said = self._items.argument(argument)
                    if said is not None:
                        asked.setdefault(seen[0], {}).setdefault(seen, {})[argument] = said
        return asked

    def _ask(self, statuses: Sequence[CodedStatus], asked: Mapping[int, _Asked]) -> list[float]:
        """Ask about all operators in statuses, then about arguments; frames are encoded together, so are arguments."""
        if self._predictors is None:
            self._predictors = _Predictors(self._controller, self._states)
            self._states = self._predictors.states
        predictors = self._predictors
        operators = predictors.operators.prepare(list(map(self._items.operator, statuses))) if statuses else None
        arguments = [self._prepared(predictors, operator, each) for operator, each in asked.items()]
        scores = [operators().flatten()] if operators else []
        started = [start() for start in arguments]
        read = [read() for read in started]
        scores += [score() for score in read]
        return (-torch.cat(scores)).clamp(max=self._worst).tolist() if scores else []  # waits for the device once

    def _prepared(
        self, predictors: "_Predictors", operator: int, asked: _Asked
    ) -> Callable[[], Callable[[], Callable[[], Tensor]]]:
        """Put questions to the predictor of an operator's arguments."""
        if operator == REDUCE:
            rows = [((*self._items.view(top), FRAME_END), list(said.values())) for (_, top, _), said in asked.items()]
            return predictors.phrases.prepare(rows)
        scores = predictors.pointers[operator]
        return scores.prepare(
            [
                (scores.row(self._items.view(top), memory), list(said.values()))
                for (_, top, memory), said in asked.items()
            ]
        )


class _Predictors:
    """All that a network says, with its present weights."""

    def __init__(self, controller: Controller, before: SharedStates | None) -> None:
        bank = controller.word_bank()
        self.states = states = SharedStates(controller.config.hidden_size, controller.device, before)
        top = SharedRows(states, controller.top_encoder, bank.operator)
        frames = SharedRows(states, controller.reduce_encoder, bank.frame) if controller.frames_by_category else top
        self.operators = OperatorScores(states, controller, bank, top)
        self.phrases = PhraseScores(states, controller, frames)
        self.pointers = {
            CONCAT_M: PointerScores(states, controller, controller.concat_m, bank),
            CONCAT_S: PointerScores(states, controller, controller.concat_s, bank),
        }


def _about(question: ReduceQuestion | ConcatQuestion) -> tuple[_Seen, Sequence[CodedArgument]]:
    """What the predictor of arguments sees, and the arguments."""
    if isinstance(question, ReduceQuestion):
        return (REDUCE, question.frame, 0), question.phrases
    operator, top, memory, arguments = question
    return (operator, top, memory), arguments
