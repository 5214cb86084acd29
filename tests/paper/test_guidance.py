"""A controller that imitates a hypothesis guides the next lesson's search."""

import math

import pytest
import torch

from ness.config import Config
from ness.data.example import example_of
from ness.learn.coding import LITERAL, NO_FRAME, Argument, Codec, CodedStatus, degenerate_trace, legal_opcodes
from ness.learn.learner import learn
from ness.machine.opcodes import CONCAT_M, CONCAT_S, REDUCE
from ness.network.controller import Controller, make_controller
from ness.network.decisions import ControllerDecisions
from ness.network.vocabularies import Vocabularies
from ness.paper.controller_guide import ControllerGuide
from ness.paper.guidance import train_guide
from ness.paper.questions import ConcatQuestion, OperatorQuestion, ReduceQuestion, SearchQuestion
from ness.settings import resolve

torch.set_num_threads(1)

EXAMPLES = [
    example_of(source, target)
    for source, target in (
        ("walk", "WALK"),
        ("run", "RUN"),
        ("walk twice", "WALK WALK"),
        ("run twice", "RUN RUN"),
        ("walk thrice", "WALK WALK WALK"),
    )
]
SMALL = ("controller.embedding_size=16", "controller.hidden_size=16", "learner.guide_steps=40")


def settings(*more: str) -> Config:
    return resolve(None, [*SMALL, *more])


def test_a_guide_prefers_what_its_traces_do() -> None:
    codec = Codec(EXAMPLES)
    samples = [codec.encode(*example) for example in EXAMPLES[:2]]
    guide = train_guide(codec, {sample: degenerate_trace(sample) for sample in samples}, {}, settings())
    assert guide is not None
    for source, target in samples:
        made = dict(zip("ab", guide.reduce_costs(source, [target, samples[0][1] + samples[1][1]]), strict=True))
        assert made["a"] < made["b"]
        costs = guide.operator_costs((-1, source, (-3,), 0), [REDUCE])
        assert costs[0] < 0.7


@pytest.mark.parametrize("preset", ["paper", None])
def test_many_questions_at_once_are_answered_as_one_by_one(preset: str | None) -> None:
    """And as the network answers about plain statuses; what it cannot say is as dear as can be."""
    codec = Codec([*EXAMPLES, example_of("jump", "JUMP")])
    vocabularies = Vocabularies.of((e.source for e in EXAMPLES), (e.target for e in EXAMPLES))
    vocabularies = Vocabularies((*vocabularies.source, "jump"), vocabularies.target)
    controller = make_controller(vocabularies, resolve(preset, SMALL).controller, 0, "cpu")
    walk, twice = codec.words["walk"], codec.words["twice"]
    one, other, unsaid = codec.tokens["WALK"], codec.tokens["RUN"], codec.tokens["JUMP"]
    statuses: list[CodedStatus] = [
        (walk, (), NO_FRAME, 0),
        (twice, (walk,), NO_FRAME, 0),
        (twice, (-2,), (walk, -2), 1),
        (-1, (-2, walk, -2), NO_FRAME, 1),
    ]
    questions: list[SearchQuestion] = [OperatorQuestion(status, legal_opcodes(status)) for status in statuses]
    questions += [ReduceQuestion((walk,), (one, one + other, unsaid)), ReduceQuestion((walk, twice), (other, one))]
    questions += [ConcatQuestion(operator, (-2, walk, -2), 1, ((0,), (0, 2, 0))) for operator in (CONCAT_M, CONCAT_S)]
    questions += [ConcatQuestion(CONCAT_S, (-2,), 0, ((0, 0, 0), (0, LITERAL + ord(one))))]
    together = ControllerGuide(controller, codec).answer(questions)
    for question, costs in zip(questions, together, strict=True):
        alone = [_one_by_one(controller, codec, question, option) for option in question[-1]]
        assert costs == pytest.approx(alone, rel=1e-4, abs=1e-4)
    assert together[4][2] == math.inf
    guide = ControllerGuide(controller, codec)
    guide.answer(questions)
    for question, costs in zip(questions, together, strict=True):
        guide.refresh()  # what comes next takes over the room of earlier answers, but nothing that is left in it
        assert guide.answer([question])[0] == pytest.approx(costs, rel=1e-4, abs=1e-4)


def _one_by_one(controller: Controller, codec: Codec, question: SearchQuestion, option: Argument | int) -> float:
    decisions = ControllerDecisions(controller)
    if isinstance(question, OperatorQuestion):
        assert isinstance(option, int)
        return -float(decisions.operator_scores([codec.status(question.status)])[0, option])
    assert not isinstance(option, int)
    if isinstance(question, ReduceQuestion):
        status, operator = (0, question.frame, NO_FRAME, 0), REDUCE
    else:
        status, operator = (0, question.top, NO_FRAME, question.memory), question.operator
    return decisions.argument_costs([(codec.status(status), codec.instruction(operator, option))])[0]


def test_no_traces_no_guide() -> None:
    assert train_guide(Codec(EXAMPLES), {}, {}, settings()) is None


def test_guided_learning_solves_the_examples_and_repeats() -> None:
    config = settings("learner.controller_guides=true", "learner.guide_weight=0.5")
    first, again = learn(EXAMPLES, config), learn(EXAMPLES, config)
    assert not first.unsolved
    assert first.traces == again.traces


@pytest.mark.parametrize("preset", ["paper", None])
def test_questions_asked_later_are_answered_as_at_once(preset: str | None) -> None:
    """What was computed for earlier questions serves later ones; new weights are asked anew."""
    codec = Codec(EXAMPLES)
    vocabularies = Vocabularies.of((e.source for e in EXAMPLES), (e.target for e in EXAMPLES))
    controller = make_controller(vocabularies, resolve(preset, SMALL).controller, 0, "cpu")
    walk, twice, run = codec.words["walk"], codec.words["twice"], codec.words["run"]
    one, other = codec.tokens["WALK"], codec.tokens["RUN"]
    views = [(), (walk,), (walk, twice), (-2,), (-2, twice), (-2, twice, -2, run), (-2, walk, twice, -2, -2, walk)]
    statuses: list[CodedStatus] = [(run, top, second, 1) for top in views for second in views[:3]]
    questions: list[SearchQuestion] = [OperatorQuestion(status, legal_opcodes(status)) for status in statuses]
    questions += [ReduceQuestion(view, (one, one + other, other * 3)) for view in views]
    questions += [ReduceQuestion(view, (other, one + one)) for view in views]
    for operator in (CONCAT_M, CONCAT_S):
        questions += [ConcatQuestion(operator, view, 1, ((0,), (0, len(view)))) for view in views[3:]]
        questions += [ConcatQuestion(operator, view, 1, ((0, 0, 0), (len(view), 0))) for view in views[3:]]
    guide = ControllerGuide(controller, codec)
    later = [guide.answer(questions[number :: len(questions) // 3]) for number in range(len(questions) // 3)]
    at_once = ControllerGuide(controller, codec).answer(questions)
    for number, answers in enumerate(later):
        for costs, expected in zip(answers, at_once[number :: len(questions) // 3], strict=True):
            assert costs == pytest.approx(expected, rel=1e-4, abs=1e-4)
    with torch.no_grad():
        for parameter in controller.parameters():
            parameter.mul_(0.5)
    guide.refresh()
    assert guide.answer(questions[:1])[0] != pytest.approx(at_once[0], rel=1e-4)
