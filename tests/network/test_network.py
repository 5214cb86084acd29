"""The network's shapes, masks, gradients and variants."""

import pytest
import torch

from controller_task import CATEGORIES, FAST, SMALL, fresh, traces, trained, vocabularies
from ness.config import ControllerConfig
from ness.errors import ConfigError
from ness.machine import EOS, PHRASE, ConcatS, Operator, Reduce, Status, legal_operators, positions
from ness.network.controller import choose_device
from ness.network.decisions import ControllerDecisions
from ness.network.losses import NAMES, batch_losses
from ness.network.rows import OPERATORS, OperatorRows, StatusItems
from ness.network.training_set import count_decisions, make_examples
from ness.settings import resolve

VARIANTS = [
    ControllerConfig(embedding_size=8, hidden_size=8),
    ControllerConfig(embedding_size=8, hidden_size=8, frame_words="raw", pointer_second_frame=True),
    ControllerConfig(embedding_size=8, hidden_size=8, lexical_size=4),
    ControllerConfig(embedding_size=8, hidden_size=8, categories="soft"),
    ControllerConfig(embedding_size=8, hidden_size=8, categories="off"),
    ControllerConfig(embedding_size=8, hidden_size=8, input_encoder="queue"),
    ControllerConfig(embedding_size=8, hidden_size=8, input_encoder="queue", categories="soft", frame_words="raw"),
]
STATUSES = list(dict.fromkeys(status for status, _ in count_decisions(traces())))


@pytest.mark.parametrize("config", VARIANTS)
def test_every_parameter_that_is_used_gets_a_gradient_of_its_shape(config: ControllerConfig) -> None:
    controller = fresh(config)
    batch = make_examples(vocabularies(), config, traces(), CATEGORIES, FAST, 0).batch(0)
    losses = batch_losses(controller, batch)
    assert set(losses.sums) <= set(NAMES)
    losses.total().backward()  # type: ignore[no-untyped-call]
    without = {name.split(".")[0] for name, p in controller.named_parameters() if p.grad is None}
    assert without <= {"concat_m"}  # the traces have no CONCAT_M
    for parameter in controller.parameters():
        assert parameter.grad is None or parameter.grad.shape == parameter.shape


def test_illegal_operators_are_never_probable() -> None:
    controller = fresh()
    policy = ControllerDecisions(controller)
    scores = policy.operator_scores(STATUSES)
    assert scores.shape == (len(STATUSES), 7)
    for status, row in zip(STATUSES, scores.exp(), strict=True):
        legal = [operator in legal_operators(status) for operator in OPERATORS]
        assert row[torch.tensor(legal)].sum() == pytest.approx(1.0, abs=1e-5)
        assert not row[~torch.tensor(legal)].any()


def test_an_untrained_network_points_at_phrases_only_and_at_least_once() -> None:
    policy = ControllerDecisions(fresh(ControllerConfig(embedding_size=8, hidden_size=8, initialization="uniform")))
    for status, options in zip(STATUSES, policy.options(STATUSES), strict=True):
        for option in options:
            assert option.operator in legal_operators(status)
            if isinstance(option.instruction, ConcatS):
                candidates = status.top + status.memory
                assert option.instruction.parts
                assert all(candidates[index] is PHRASE for index in positions(option.instruction.parts))
            if isinstance(option.instruction, Reduce):
                assert option.instruction.phrase


def test_rows_asked_together_are_scored_as_rows_asked_alone() -> None:
    policy = ControllerDecisions(fresh())
    together = policy.operator_scores(STATUSES)
    alone = torch.cat([policy.operator_scores([status]) for status in STATUSES])
    torch.testing.assert_close(together, alone, rtol=1e-4, atol=1e-5)


def test_selected_rows_keep_what_they_show() -> None:
    items = StatusItems(vocabularies(), second_frame=False)
    rows = OperatorRows.of([items.operator(status) for status in STATUSES])
    controller = fresh()
    with torch.no_grad():
        bank = controller.word_bank()
        scores = controller.operator_logits(bank, rows)
        chosen = torch.tensor([3, 0, 5])
        torch.testing.assert_close(controller.operator_logits(bank, rows.select(chosen)), scores[chosen])


def test_words_of_a_category_get_the_same_operator_once_trained() -> None:
    policy = ControllerDecisions(trained()[0])
    views = [Status(EOS, (verb,), (PHRASE, "and"), ()) for verb in ("walk", "run", "jump")]
    torch.testing.assert_close(*policy.operator_scores(views)[:2])
    assert len({tuple(row.tolist()) for row in policy.operator_scores(views)}) == 1


def test_costs_are_lowest_for_what_the_traces_do() -> None:
    policy = ControllerDecisions(trained()[0])
    status = Status("and", ("walk",), None, ())
    wrong = [Reduce(("I_RUN",)), Reduce(("I_WALK", "I_WALK")), Reduce(("unknown",))]
    right, *others = policy.costs([(status, Reduce(("I_WALK",))), *((status, each) for each in wrong)])
    assert right < 0.1
    assert min(others) > 1
    assert others[-1] == float("inf")
    double = Status(EOS, (PHRASE, "twice"), None, ())
    good, bad = policy.costs([(double, ConcatS((0, 0))), (double, ConcatS((0,)))])
    assert good < 0.2 < bad


def test_the_paper_preset_sets_the_papers_variants() -> None:
    config = resolve("paper")
    assert config.controller == ControllerConfig(512, 256, "queue", "raw", True, "soft", "uniform")
    assert not config.controller.local
    assert config.search.strategy == "sampled"
    assert config.training.trace_batch_size == 256


@pytest.mark.parametrize(("key", "value"), [("categories", "firm"), ("input_encoder", "x"), ("hidden_size", 0)])
def test_a_wrong_setting_is_refused(key: str, value: object) -> None:
    with pytest.raises(ConfigError, match=key):
        resolve(None, [f"controller.{key}={value}"])


def test_an_unknown_device_is_refused() -> None:
    with pytest.raises(ConfigError, match="auto, cpu or cuda"):
        choose_device("tpu")
    assert choose_device("cpu").type == "cpu"


def test_uniform_initialisation_fills_the_interval() -> None:
    weights = torch.cat([p.flatten() for p in fresh(ControllerConfig(8, 8, initialization="uniform")).parameters()])
    assert -1 <= weights.min() < -0.95
    assert 0.95 < weights.max() <= 1


def test_without_categories_there_is_no_policy_by_status() -> None:
    with pytest.raises(ConfigError, match="hard"):
        ControllerDecisions(fresh(ControllerConfig(8, 8, categories="off")))


def test_operator_names_keep_their_order() -> None:
    assert [OPERATORS[0], OPERATORS[1], OPERATORS[6]] == [Operator.SHIFT, Operator.REDUCE, Operator.FINAL]
    assert SMALL.local
    assert resolve("paper").training.learning_rate == 1e-3
