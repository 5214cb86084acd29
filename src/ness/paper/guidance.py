"""A controller as a search policy: it prices operators and arguments by what it has learned so far."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ness.config import Config
from ness.learn.coding import OPERATORS, Codec, CodedParts, CodedStatus, CodedTrace, CodedView, Sample
from ness.learn.costs import Policy
from ness.learn.fit import Hypothesis
from ness.machine.opcodes import REDUCE
from ness.network.controller import Controller, make_controller
from ness.network.decisions import ControllerDecisions
from ness.network.imitation import train_controller
from ness.network.vocabularies import Vocabularies
from ness.paper.coded_items import CodedArgument, CodedItems
from ness.paper.questions import ConcatQuestion, OperatorQuestion, ReduceQuestion, SearchQuestion
from ness.rules.table import Categories

WORST = 50.0  # nats: what the network holds impossible is dear, not forbidden, to a search that adds up policies
_Seen = tuple[int, CodedView, int]  # operator, top frame, memory: what the predictor of its arguments sees


class ControllerGuide:
    """Answers a search from the network; each status and each argument is asked once and remembered."""

    def __init__(self, controller: Controller, codec: Codec, worst: float = math.inf) -> None:
        self._worst = worst  # nats that an answer costs at most
        self._policy = ControllerDecisions(controller)
        self._items = CodedItems(controller, codec)
        self._operators: dict[CodedStatus, list[float]] = {}
        self._arguments: dict[_Seen, dict[CodedArgument, float]] = {}

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
        self._ask_operators([q.status for q in questions if isinstance(q, OperatorQuestion)])
        about = [_about(q) for q in questions if not isinstance(q, OperatorQuestion)]
        self._ask_arguments(about)
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

    def _ask_operators(self, statuses: Iterable[CodedStatus]) -> None:
        missing = [status for status in dict.fromkeys(statuses) if status not in self._operators]
        if missing:
            scores = self._policy.operator_scores_of(list(map(self._items.operator, missing))).tolist()
            for status, row in zip(missing, scores, strict=True):
                self._operators[status] = [min(-score, self._worst) for score in row]

    def _ask_arguments(self, about: Iterable[tuple[_Seen, Sequence[CodedArgument]]]) -> None:
        missing: dict[int, list[tuple[_Seen, CodedArgument]]] = {}
        for seen, arguments in about:
            known = self._arguments.setdefault(seen, {})
            unknown = [argument for argument in arguments if argument not in known]
            for argument in unknown:
                known[argument] = self._worst  # until it is answered
            missing.setdefault(seen[0], []).extend([(seen, argument) for argument in unknown])
        for operator, asked in missing.items():
            if asked:
                shown = {seen: self._items.predictor(*seen) for seen in dict(asked)}
                pairs = [(shown[seen], self._items.argument(argument)) for seen, argument in asked]
                for (seen, argument), score in zip(
                    asked, self._policy.argument_scores_of(OPERATORS[operator], pairs), strict=True
                ):
                    self._arguments[seen][argument] = min(-score, self._worst)


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
