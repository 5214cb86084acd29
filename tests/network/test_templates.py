"""CONCAT arguments that mix positions with target tokens: as the network has them, and learned end to end."""

from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import pytest
import torch

from controller_task import FAST, SMALL, Trace, fresh, vocabularies
from ness.answer.engine import translate
from ness.answer.evaluation import evaluate
from ness.answer.network_engine import controller_engine
from ness.config import ControllerConfig
from ness.data.example import Example
from ness.errors import DataError
from ness.machine import EOS, PHRASE, ConcatM, ConcatS, Final, Instruction, Pop, Push, Reduce, Shift, Status, drive
from ness.model.teacher import RuleTeacher
from ness.network.controller import Controller, make_controller
from ness.network.decisions import ControllerDecisions
from ness.network.imitation import TrainingResult, train_controller
from ness.network.layers import MASKED, PointerNetwork, columns
from ness.network.rows import part_ids, parts_of
from ness.network.training_set import uses_templates
from ness.network.vocabularies import Vocabularies
from ness.network.weights import read_weights, weight_bytes
from ness.rules.table import Categories, RuleTable

WORDS = Vocabularies(("a",), ("(", "0", "AND"))


def test_parts_are_numbers_and_numbers_parts() -> None:
    parts = ("(", "AND", 0, 2, "0")
    assert part_ids(parts, WORDS) == (-1, -3, 0, 2, -2)
    assert parts_of((-1, -3, 0, 2, -2), WORDS) == parts


def test_choices_become_columns_behind_the_elements_and_back() -> None:
    choices = torch.tensor([[0, 3, -1, -5]])
    assert columns(choices, 4).tolist() == [[0, 3, 4, 8]]
    assert torch.equal(columns(columns(choices, 4), 4), choices)


@torch.no_grad()
def test_what_was_chosen_is_read_as_an_element_or_as_a_token() -> None:
    pointer = PointerNetwork(6, 5, tokens=3)
    elements = torch.randn(1, 4, 10)
    read = pointer.read(torch.tensor([[2, -3]]), elements)
    assert torch.equal(read[0, 0], elements[0, 2])
    assert torch.equal(read[0, 1], pointer.generated.weight[2])


@pytest.mark.parametrize("tokens", [0, 3])
@torch.no_grad()
def test_words_cannot_be_chosen_and_tokens_only_where_there_are_any(tokens: int) -> None:
    pointer = PointerNetwork(6, 5, tokens)
    elements, candidates = torch.randn(1, 4, 10), torch.tensor([[True, False, True, True]])
    logits, _, _ = pointer(pointer.start(torch.randn(1, 10)), torch.randn(1, 2, 10), elements, candidates)
    assert logits.shape == (1, 2, 4 + tokens)
    assert (logits[..., 1] == MASKED).all()
    assert (logits[..., [0, 2, 3]] > MASKED).all()


def test_networks_without_templates_are_what_they_were() -> None:
    plain = fresh().state_dict()
    assert not any("generate" in name for name in plain)
    more = make_controller(vocabularies(), fresh().config, templates=True).state_dict()
    assert {name for name in more if name not in plain} == {
        f"concat_{kind}.{name}" for kind in "ms" for name in ("generate.weight", "generate.bias", "generated.weight")
    }


VARIABLES = ("a", "b", "0")
FORMULAS: dict[tuple[object, ...], Instruction] = {
    (): Shift(),
    **{(name,): Reduce((name.upper(),)) for name in VARIABLES},
    (PHRASE, "and"): Push(),
    (PHRASE, "or"): Push(),
    (PHRASE, "and", PHRASE): ConcatS(("(", "AND", 0, 2, ")")),
    (PHRASE, "or", PHRASE): ConcatM(("[", 0, "0", 2, "]")),
    ("or",): Reduce(("OR",)),
}
SHORT = replace(FAST, loss_threshold=0.5)
CLASSES = Categories([VARIABLES])  # `and` and `or` take different operators


def decide(status: Status) -> Instruction:
    """Translate formulas that bind to the right; `or` becomes a template in the memory, with a label behind it."""
    if status.memory:
        return FORMULAS["or",] if status.top == ("or",) else ConcatS((1, 0))
    if status.top in FORMULAS:
        return FORMULAS[status.top]
    if status.next is not EOS:
        return Shift()
    return Final() if status.second is None else Pop()


def formulas(length: int) -> list[Example]:
    names = [product(VARIABLES, repeat=length), product(("and", "or"), repeat=length - 1)]
    sources = [tuple(word for pair in zip(v, (*o, ""), strict=True) for word in pair)[:-1] for v, o in product(*names)]
    return [Example(source, drive(source, decide)[0]) for source in sources]


def traces() -> list[Trace]:
    short = [*formulas(1), *formulas(2)]
    return [(e.source, tuple(step.instruction for step in drive(e.source, decide)[1])) for e in short]


def words() -> Vocabularies:
    return Vocabularies.of((e.source for e in formulas(2)), (e.target for e in formulas(2)))


def rules() -> RuleTable:
    return RuleTable.from_traces(traces(), CLASSES)


@cache
def taught(config: ControllerConfig = SMALL) -> tuple[Controller, TrainingResult]:
    controller = make_controller(words(), config, 0, "cpu", uses_templates(traces()))
    teacher = RuleTeacher(traces(), rules(), 50 if config.local else 0, 0)
    return controller, train_controller(controller, traces(), CLASSES, SHORT, teacher=teacher)


@pytest.mark.slow
def test_the_network_learns_templates_and_agrees_with_the_rules_on_deeper_ones() -> None:
    controller, result = taught()
    assert result.converged
    assert result.agreement is not None
    assert result.agreement.share == 1.0
    (answer,) = translate(controller_engine(controller, rules()), [("a", "and", "0", "or", "b")])
    assert answer.output == ("(", "AND", "A", "[", "0", "0", "B", "]", "OR", ")")
    assert evaluate(controller_engine(controller, rules()), [*formulas(3), *formulas(4)]).exact == 1.0


@pytest.mark.slow
def test_networks_that_look_beyond_the_status_learn_them_too() -> None:
    controller, _ = taught(replace(SMALL, categories="off"))
    assert evaluate(controller_engine(controller, rules()), formulas(2)).exact == 1.0


@pytest.mark.slow
def test_weights_tell_whether_templates_were_learned(tmp_path: Path) -> None:
    controller, _ = taught()
    again = read_weights(weight_bytes(controller), words(), SMALL, "cpu", tmp_path)
    assert evaluate(controller_engine(again, rules()), formulas(3)).exact == 1.0


def test_costs_of_templates_are_low_where_they_belong_and_infinite_where_they_cannot_be_said() -> None:
    status = Status(EOS, (PHRASE, "and", PHRASE), None, ())
    right, wrong, unknown = (ConcatS(("(", "AND", 0, 2, ")")), ConcatS(("(", 0, 2, ")")), ConcatS(("<", 0, 2)))
    costs = ControllerDecisions(taught()[0]).costs([(status, each) for each in (right, wrong, unknown)])
    assert costs[0] < 0.5 < costs[1]
    assert costs[2] == float("inf")
    plain = ControllerDecisions(make_controller(words(), SMALL, 0, "cpu"))
    assert plain.costs([(status, right), (status, ConcatS((0, 2)))])[0] == float("inf")


def test_templates_of_the_traces_decide_about_the_predictor() -> None:
    assert uses_templates(traces())
    assert not uses_templates([trace for trace in traces() if len(trace[0]) == 1])
    few = Vocabularies(words().source, ("A",))
    with pytest.raises(DataError, match="vocabulary"):
        train_controller(make_controller(few, SMALL, 0, "cpu", True), traces(), CLASSES, FAST)
