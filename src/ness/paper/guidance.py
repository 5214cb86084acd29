"""A controller as a search policy: it prices operators and arguments by what it has learned so far."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from ness.config import Config
from ness.errors import ConfigError
from ness.learn.coding import OPERATORS, Codec, CodedParts, CodedStatus, CodedTrace, CodedView, Sample
from ness.learn.costs import Policy
from ness.learn.fit import Hypothesis
from ness.machine.opcodes import CONCAT_M, CONCAT_S, REDUCE
from ness.network.controller import Controller, make_controller
from ness.network.imitation import train_controller
from ness.network.rows import FRAME_END, Ids
from ness.network.shared_scores import OperatorScores, PhraseScores, PointerScores
from ness.network.shared_states import SharedRows, SharedStates
from ness.network.vocabularies import Vocabularies
from ness.paper.coded_items import CodedArgument, CodedItems
from ness.paper.questions import ConcatQuestion, OperatorQuestion, ReduceQuestion, SearchQuestion
from ness.rules.table import Categories

WORST = 50.0  # nats: what the network holds impossible is dear, not forbidden, to a search that adds up policies
_Seen = tuple[int, CodedView, int]  # operator, top frame, memory: what the predictor of its arguments sees
_Pair = tuple[_Seen, CodedArgument, Ids]  # and an argument, also as the network numbers it


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
        self.refresh()

    @torch.no_grad()
    def refresh(self) -> None:
        """Forget what was answered with earlier weights."""
        controller = self._controller
        bank = controller.word_bank()
        states = SharedStates(controller.config.hidden_size, controller.device)
        top = SharedRows(states, controller.top_encoder, bank.operator)
        frames = SharedRows(states, controller.reduce_encoder, bank.frame) if controller.frames_by_category else top
        self._operator_scores = OperatorScores(states, controller, bank, top)
        self._phrase_scores = PhraseScores(states, controller, frames)
        self._pointer_scores = {
            CONCAT_M: PointerScores(states, controller, controller.concat_m, bank),
            CONCAT_S: PointerScores(states, controller, controller.concat_s, bank),
        }
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

    @torch.no_grad()
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
        for pairs in asked.values():
            for seen, argument, _ in pairs:
                self._arguments[seen][argument] = costs[place]
                place += 1
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

    def _unknown(self, about: Iterable[tuple[_Seen, Sequence[CodedArgument]]]) -> dict[int, list[_Pair]]:
        """List what has to be asked, by operator; what the network cannot say is as dear as can be."""
        asked: dict[int, list[_Pair]] = {}
        for seen, arguments in about:
            known = self._arguments.setdefault(seen, {})
            for argument in arguments:
                if argument not in known:
                    known[argument] = self._worst
                    said = self._items.argument(argument)
                    if said is not None:
                        asked.setdefault(seen[0], []).append((seen, argument, said))
        return asked

    def _ask(self, statuses: Sequence[CodedStatus], asked: Mapping[int, Sequence[_Pair]]) -> list[float]:
        """Ask about all operators in statuses, then about arguments; frames are encoded together, so are arguments."""
        operators = self._operator_scores.prepare(list(map(self._items.operator, statuses))) if statuses else None
        arguments = [self._prepared(operator, pairs) for operator, pairs in asked.items()]
        scores = [operators().flatten()] if operators else []
        read = [read() for read in arguments]
        scores += [score() for score in read]
        return (-torch.cat(scores)).clamp(max=self._worst).tolist() if scores else []  # waits for the device once

    def _prepared(self, operator: int, pairs: Sequence[_Pair]) -> Callable[[], Callable[[], Tensor]]:
        """Put questions to the predictor of an operator's arguments."""
        if operator == REDUCE:
            rows = {seen: (*self._items.view(seen[1]), FRAME_END) for seen, _, _ in pairs}
            return self._phrase_scores.prepare([(rows[seen], said) for seen, _, said in pairs])
        scores = self._pointer_scores[operator]
        rows = {seen: scores.row(self._items.view(seen[1]), seen[2]) for seen, _, _ in pairs}
        return scores.prepare([(rows[seen], said) for seen, _, said in pairs])


def _about(question: ReduceQuestion | ConcatQuestion) -> tuple[_Seen, Sequence[CodedArgument]]:
    """What the predictor of arguments sees, and the arguments."""
    if isinstance(question, ReduceQuestion):
        return (REDUCE, question.frame, 0), question.phrases
    operator, top, memory, arguments = question
    return (operator, top, memory), arguments


def train_guide(
    codec: Codec, traces: dict[Sample, CodedTrace], classes: dict[int, int], config: Config
) -> ControllerGuide | None:
    """Train a small controller on the traces so far, to guide the next search; None if there are no traces."""
    if not traces:
        return None
    vocabularies = Vocabularies(tuple(sorted(codec.words)), tuple(sorted(codec.tokens)))
    controller = make_controller(vocabularies, config.controller, config.seed, "cpu")
    members: dict[int, list[str]] = {}
    for word, representative in classes.items():
        members.setdefault(representative, []).append(codec.word(word))
    programs = [(tuple(map(codec.word, source)), codec.program(trace)) for (source, _), trace in traces.items()]
    training = replace(config.training, max_steps=config.learner.guide_steps)
    train_controller(controller, programs, Categories(members.values()), training, seed=config.seed)
    return ControllerGuide(controller, codec, WORST)


def guides_of(config: Config) -> Callable[[Codec], Callable[[Hypothesis], Policy | None]]:
    """Controllers that imitate the hypotheses of a learner, whatever its codes."""

    def guide(codec: Codec, hypothesis: Hypothesis) -> Policy | None:
        if hypothesis.own:
            return None  # such a controller knows no rules that name words
        return train_guide(codec, hypothesis.traces, hypothesis.classes, config)

    return lambda codec: lambda hypothesis: guide(codec, hypothesis)
