"""A controller as a search policy: it prices operators and arguments by what it has learned so far."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ness.config import Config
from ness.learn.coding import NO_FRAME, PHRASE_MARK, Codec, CodedParts, CodedStatus, CodedTrace, CodedView, Sample
from ness.learn.costs import Policy
from ness.learn.fit import Hypothesis
from ness.machine import Instruction, Status
from ness.machine.opcodes import REDUCE
from ness.network.controller import Controller, make_controller
from ness.network.decisions import ControllerDecisions
from ness.network.imitation import train_controller
from ness.network.vocabularies import Vocabularies
from ness.paper.questions import ConcatQuestion, OperatorQuestion, ReduceQuestion, SearchQuestion
from ness.rules.table import Categories

WORST = 50.0  # nats: what the network holds impossible is dear, not forbidden, to a search that adds up policies
_Argument = tuple[int, CodedView, int, str | CodedParts]  # operator, top frame, memory, argument


class ControllerGuide:
    """Answers a search from the network; each status and each argument is asked once and remembered."""

    def __init__(self, controller: Controller, codec: Codec, worst: float = math.inf) -> None:
        self._worst = worst  # nats that an answer costs at most
        self._policy = ControllerDecisions(controller)
        self._codec = codec
        self._operators: dict[CodedStatus, list[float]] = {}
        self._arguments: dict[_Argument, float] = {}

    def refresh(self) -> None:
        """Forget what was answered with earlier weights."""
        self._policy.refresh()
        self._operators, self._arguments = {}, {}

    # ---------------------------------------------------------------- the Policy protocol

    def operator_costs(self, status: CodedStatus, operators: Sequence[int]) -> list[float]:
        return self.answer([OperatorQuestion(status, tuple(operators))])[0]

    def reduce_costs(self, frame: CodedView, phrases: Sequence[str]) -> list[float]:
        return self.answer([ReduceQuestion(frame, tuple(phrases))])[0]

    def concat_costs(self, operator: int, top: CodedView, memory: int, arguments: Sequence[CodedParts]) -> list[float]:
        return self.answer([ConcatQuestion(operator, top, memory, tuple(arguments))])[0]

    # ---------------------------------------------------------------- many questions at once

    def answer(self, questions: Sequence[SearchQuestion]) -> list[list[float]]:
        """Ask the network for what is not yet known, all together."""
        self._ask_operators(q.status for q in questions if isinstance(q, OperatorQuestion))
        self._ask_arguments(key for q in questions for key in _arguments(q))
        answers = []
        for question in questions:
            if isinstance(question, OperatorQuestion):
                known = self._operators[question.status]
                answers.append([known[operator] for operator in question.operators])
            else:
                answers.append([self._arguments[key] for key in _arguments(question)])
        return answers

    def _ask_operators(self, statuses: Iterable[CodedStatus]) -> None:
        missing = [status for status in dict.fromkeys(statuses) if status not in self._operators]
        if missing:
            scores = self._policy.operator_scores([self._codec.status(status) for status in missing]).tolist()
            for status, row in zip(missing, scores, strict=True):
                self._operators[status] = [min(-score, self._worst) for score in row]

    def _ask_arguments(self, keys: Iterable[_Argument]) -> None:
        by_operator: dict[int, list[_Argument]] = {}
        for key in dict.fromkeys(keys):
            if key not in self._arguments:
                by_operator.setdefault(key[0], []).append(key)
        for missing in by_operator.values():
            costs = self._policy.argument_costs([self._candidate(key) for key in missing])
            self._arguments.update((key, min(cost, self._worst)) for key, cost in zip(missing, costs, strict=True))

    def _candidate(self, key: _Argument) -> tuple[Status, Instruction]:
        operator, top, memory, argument = key
        status = self._codec.status((_any_word(top), top, NO_FRAME, memory))
        return status, self._codec.instruction(operator, argument)


def _any_word(top: CodedView) -> int:
    """A word for a status whose next word does not matter: arguments are predicted without it."""
    return next((item for item in top if item != PHRASE_MARK), 0)


def _arguments(question: SearchQuestion) -> list[_Argument]:
    """What has to be known to answer a question about arguments."""
    if isinstance(question, ReduceQuestion):
        return [(REDUCE, question.frame, 0, phrase) for phrase in question.phrases]
    if isinstance(question, ConcatQuestion):
        operator, top, memory, arguments = question
        return [(operator, top, memory, indices) for indices in arguments]
    return []


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
