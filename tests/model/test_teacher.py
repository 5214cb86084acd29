"""The rules as the network's teacher: what it learns from them, when training ends, and what is left out."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from controller_task import CATEGORIES, FAST, commands, fresh, table, traces, trained
from ness.answer.engine import translate
from ness.answer.network_engine import ControllerEngine
from ness.answer.rule_engine import RuleEngine
from ness.config import Config, TrainingConfig
from ness.data.example import Example
from ness.errors import ConfigError
from ness.machine import Instruction, Status
from ness.model.run_folder import load_run
from ness.model.teacher import RuleTeacher
from ness.model.train import train
from ness.network.controller import Controller
from ness.network.imitation import MAX_ROUNDS, Agreement, TrainingResult, train_controller
from ness.network.shadow import replay
from ness.settings import resolve


def teacher(inputs: int = 200, seed: int = 0) -> RuleTeacher:
    return RuleTeacher(traces(), table(), inputs, seed)


def taught(teacher: RuleTeacher, config: TrainingConfig = FAST, folder: Path | None = None) -> TrainingResult:
    return train_controller(fresh(), traces(), CATEGORIES, config, teacher=teacher, state_folder=folder)


def test_the_decisions_are_those_of_the_rules_and_extrapolated_ones_are_among_them() -> None:
    decisions = teacher().decisions(0)
    rules = RuleEngine(table())
    assert list(decisions.values()) == [one.instruction if one else None for one in rules.decide(list(decisions))]
    known = {status for source, program in traces() for status, _ in replay(source, program)}
    assert decisions.keys() - known


def test_the_same_seed_teaches_the_same_and_rounds_add_up() -> None:
    assert teacher().decisions(1) == teacher().decisions(1)
    assert teacher().decisions(0).items() <= teacher().decisions(2).items()
    assert teacher(inputs=0).decisions(3) == {}


def test_inputs_that_the_rules_refuse_are_left_out() -> None:
    thin = table()
    for status in [status for status in thin.operators if "thrice" in (status.next, *status.top)]:
        del thin.operators[status]
    thin.index()
    thin.categories = type(thin.categories)([("walk", "run", "jump"), ("and", "after")])
    examined = RuleTeacher(traces(), thin, 100, 0).examine(trained()[0], 0)
    assert 0 < examined.inputs < 500
    assert not any("thrice" in status.top for status in RuleTeacher(traces(), thin, 100, 0).decisions(0))


@pytest.mark.slow
def test_a_network_agrees_with_the_rules_when_they_taught_it() -> None:
    alone = teacher().examine(trained()[0], 0)
    result = taught(teacher())
    assert result.converged
    assert result.agreement is not None
    assert result.agreement.share == 1.0 > alone.share
    assert result.agreement.same_statuses == result.agreement.statuses > alone.same_statuses
    assert str(result.agreement) == "agrees with the rules on 500 of 500 imagined inputs"


class Strict(RuleTeacher):
    """Fails the first examinations, whatever the network says."""

    def __init__(self, failed: int, news: bool = True) -> None:
        super().__init__(traces(), table(), 20, 0)
        self.asked: list[int] = []
        self._failed, self._news = failed, news

    def decisions(self, rounds: int) -> dict[Status, Instruction]:
        return super().decisions(rounds if self._news else 0)

    def examine(self, controller: Controller, rounds: int) -> Agreement:
        self.asked.append(rounds)
        return Agreement(2, 1, 2, 1) if rounds < self._failed else Agreement(2, 2, 2, 2)


@pytest.mark.slow
def test_a_failed_examination_is_trained_on_and_another_follows() -> None:
    strict = Strict(failed=1)
    result = taught(strict)
    assert strict.asked == [0, 1]
    assert result.agreement == Agreement(2, 2, 2, 2)


@pytest.mark.slow
def test_training_ends_where_the_rules_have_nothing_new_to_say() -> None:
    strict = Strict(failed=MAX_ROUNDS, news=False)
    result = taught(strict)
    assert strict.asked == [0]
    assert result.converged
    assert result.agreement == Agreement(2, 1, 2, 1)


def test_a_training_without_steps_left_is_examined_all_the_same() -> None:
    result = taught(teacher(), replace(FAST, max_steps=5))
    assert not result.converged
    assert result.agreement is not None
    assert result.agreement.share < 1.0


@pytest.mark.slow
def test_a_resumed_training_knows_its_rounds(tmp_path: Path) -> None:
    class Ended(Exception):
        pass

    class Stopping(Strict):
        def decisions(self, rounds: int) -> dict[Status, Instruction]:
            if rounds == 2:
                raise Ended
            return super().decisions(rounds)

    config = replace(FAST, checkpoint_every=10, loss_threshold=0.2)
    whole = fresh()
    expected = train_controller(whole, traces(), CATEGORIES, config, teacher=Strict(2))
    with pytest.raises(Ended):
        taught(Stopping(2), config, tmp_path)
    strict, resumed = Strict(2), fresh(seed=3)
    result = train_controller(resumed, traces(), CATEGORIES, config, teacher=strict, state_folder=tmp_path)
    assert strict.asked[0] == 1
    assert result.progress.step == expected.progress.step
    pairs: Mapping[str, torch.Tensor] = whole.state_dict()
    assert all(torch.equal(value, pairs[name]) for name, value in resumed.state_dict().items())


def test_words_of_unsolved_examples_are_refused_by_the_network_too() -> None:
    thin = [trace for trace in traces() if "jump" not in trace[0]]
    few = type(table()).from_traces(thin, type(CATEGORIES)())
    (answer,) = translate(ControllerEngine(trained()[0], few), [("jump",)])
    assert answer.output is None
    assert answer.error is not None
    assert "'jump'" in answer.error


def small(*settings: str) -> Config:
    return resolve(None, ["controller.embedding_size=24", "controller.hidden_size=24", *settings])


@pytest.mark.slow
def test_the_summary_holds_the_agreement_and_the_note_says_it(tmp_path: Path) -> None:
    model = train(list(commands())[:30], small(), tmp_path / "run")
    assert model.summary.agreement == 1.0
    assert "agrees with the rules on 500 of 500 imagined inputs" in model.network_note
    run = load_run(tmp_path / "run")
    assert run.summary.agreement == 1.0
    assert run.default_engine.name == "controller"


def test_the_rules_answer_where_the_network_says_something_else() -> None:
    examples: list[Example] = list(commands())[:30]
    model = train(examples, small("training.max_steps=2"))
    assert model.summary.agreement is not None
    assert model.summary.agreement < 1.0
    assert "so the rules answer" in model.network_note
    assert model.default_engine.name == "rules"


def test_a_negative_number_of_inputs_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"training\.imagined"):
        resolve(None, ["training.imagined=-1"])
