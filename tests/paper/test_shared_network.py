"""A network in memory that processes share answers as the controller itself does, with the weights written last."""

import pickle

import pytest
import torch

from ness.learn.coding import NO_FRAME, Codec
from ness.network.controller import make_controller
from ness.network.vocabularies import Vocabularies
from ness.paper.controller_guide import ControllerGuide
from ness.paper.questions import OperatorQuestion, ReduceQuestion, SearchQuestion
from ness.paper.shared_network import SharedNetwork
from ness.settings import resolve

EXAMPLES = [(("walk",), ("WALK",)), (("walk", "twice"), ("WALK", "WALK"))]


def test_a_copy_answers_by_the_weights_written_last() -> None:
    codec = Codec(EXAMPLES)
    vocabularies = Vocabularies.of((source for source, _ in EXAMPLES), (target for _, target in EXAMPLES))
    small = ["controller.embedding_size=8", "controller.hidden_size=8"]
    controller = make_controller(vocabularies, resolve("paper", small).controller, 0, "cpu")
    questions: list[SearchQuestion] = [OperatorQuestion((0, (1,), NO_FRAME, 0), (0, 1, 2))]
    questions += [ReduceQuestion((0,), (codec.tokens["WALK"], 2 * codec.tokens["WALK"]))]
    network = SharedNetwork(controller, codec, exploration=0.0)
    elsewhere: SharedNetwork = pickle.loads(pickle.dumps(network))
    seen = []
    try:
        for factor in (1.0, 0.3):
            with torch.no_grad():
                for parameter in controller.parameters():
                    parameter.mul_(factor)
            network.write(controller)
            answers = elsewhere().answer(questions)
            for costs, expected in zip(answers, ControllerGuide(controller, codec).answer(questions), strict=True):
                assert costs == pytest.approx(expected, rel=1e-5)
            seen.append(answers)
    finally:
        network.close()
        torch.set_flush_denormal(False)
    assert seen[0] != seen[1]
