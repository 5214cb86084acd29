"""The paper's loop on a tiny language: it runs, repeats by seed, and its parts are what Algorithm 1 says."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import torch

from ness.config import Config
from ness.data.example import Example, example_of
from ness.errors import CheckpointError
from ness.learn.coding import Codec, CodedStatus
from ness.machine import PHRASE, Status, is_degenerate, run
from ness.paper.controller_guide import ControllerGuide
from ness.paper.diagnosis import LessonDiagnosis
from ness.paper.loop import PaperRun, learn_as_in_the_paper
from ness.paper.questions import ConcatQuestion, OperatorQuestion, ReduceQuestion
from ness.settings import resolve

torch.set_num_threads(1)

EXAMPLES = [
    example_of("walk", "WALK"),
    example_of("run", "RUN"),
    example_of("walk twice", "WALK WALK"),
    example_of("run twice", "RUN RUN"),
]
SETTINGS = (
    "controller.embedding_size=16",
    "controller.hidden_size=16",
    "training.max_steps=24",
    "training.evaluate_every=6",
    "training.steps_per_search=2",
)


def config(*more: str) -> Config:
    return resolve("paper", [*SETTINGS, *more])


def learn_anew(settings: Config) -> tuple[PaperRun, list[object]]:
    events: list[object] = []
    return learn_as_in_the_paper(EXAMPLES, settings, report=events.append, device="cpu"), events


learned = cache(learn_anew)


def test_the_traces_yield_the_targets_and_rules_come_from_them() -> None:
    result, events = learned(config())
    assert set(result.learned.traces) | set(result.learned.unsolved) == set(EXAMPLES)
    for example, program in result.learned.traces.items():
        assert run(example.source, program)[0] == example.target
        assert not is_degenerate(program)
    assert result.learned.table.reduce
    assert [event for event in events if isinstance(event, LessonDiagnosis)] == result.lessons


@pytest.mark.slow
def test_the_seed_decides() -> None:
    one, _ = learned(config())
    again, _ = learn_anew(config())
    other, _ = learned(replace(config(), seed=1))
    assert one.learned.traces == again.learned.traces
    weights = [result.controller.state_dict()["words.weight"] for result in (one, again, other)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


@pytest.mark.slow
def test_processes_that_search_are_given_each_step_s_weights() -> None:
    """With stale or other weights, draws would differ soon."""
    alone, _ = learned(config())
    shared, _ = learned(config("learner.workers=2"))
    assert shared.learned.traces == alone.learned.traces
    weights = [result.controller.state_dict()["words.weight"] for result in (alone, shared)]
    torch.testing.assert_close(*weights, rtol=1e-3, atol=1e-4)


def test_steps_keep_to_the_budget() -> None:
    result, _ = learned(config("training.max_steps=5"))
    assert result.note.startswith("the paper's loop ended after 5 steps; ")


def test_a_lesson_has_a_batch_even_when_time_is_up() -> None:
    result, _ = learned(config("learner.time_limit=0"))
    assert result.steps == 2 * len({len(example.source) for example in EXAMPLES})


def test_without_search_steps_only_one_token_outputs_have_rules() -> None:
    """Their degenerate trace is the right one; others are left as unsolved."""
    result, _ = learned(config("search.sampled_steps=1"))
    assert set(result.learned.traces) == {Example(("walk",), ("WALK",)), Example(("run",), ("RUN",))}
    assert set(result.learned.unsolved) == set(EXAMPLES) - set(result.learned.traces)


def test_a_guide_answers_alone_as_together() -> None:
    result, _ = learned(config())
    codec = Codec(EXAMPLES)
    word = codec.words["walk"]
    status: CodedStatus = (word, (-2,), (-3,), 1)
    tokens = tuple(codec.tokens.values())
    operators = OperatorQuestion(status, (0, 2, 4, 5))
    phrases = ReduceQuestion((word,), tokens)
    arguments = ConcatQuestion(5, (-2,), 1, ((0,), (1, 0)))
    together = ControllerGuide(result.controller, codec).answer([operators, phrases, arguments])
    alone = ControllerGuide(result.controller, codec)
    assert together[0] == pytest.approx(alone.operator_costs(*operators), rel=1e-5)
    assert together[1] == pytest.approx(alone.reduce_costs(*phrases), rel=1e-5)
    assert together[2] == pytest.approx(alone.concat_costs(*arguments), rel=1e-5)
    assert codec.status(status) == Status("walk", (PHRASE,), None, (PHRASE,))
    assert sum(torch.tensor(together[0]).neg().exp()) <= 1.0 + 1e-5


VARIANTS = [
    ("loop.samples=3", "loop.keep=probable", "loop.exploration=0.3"),
    ("loop.samples=3", "loop.keep=conforming", "loop.conflicts=count", "loop.replay=2"),
    ("controller.categories=hard", "controller.input_encoder=word", "loop.categories=substitution"),
]


@pytest.mark.parametrize("settings", VARIANTS)
def test_each_switch_runs_to_the_end(settings: tuple[str, ...]) -> None:
    result, _ = learned(config(*settings))
    assert result.lessons[-1].lesson == 2
    assert result.lessons[-1].examples == len(EXAMPLES)


@pytest.mark.slow
def test_a_loop_of_agreeing_traces_has_no_contradiction() -> None:
    small = ("controller.embedding_size=16", "controller.hidden_size=16", "training.max_steps=60")
    result, _ = learned(resolve("paper-loop", small))
    assert not result.learned.unsolved
    assert result.lessons[-1].contradictory == 0


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["paper", "paper-loop"])
def test_a_stopped_loop_goes_on_to_the_same_end(preset: str, tmp_path: Path) -> None:
    settings = resolve(preset, SETTINGS)
    whole, _ = learned(settings)

    class Stop(Exception):
        pass

    def stop(event: object) -> None:
        if isinstance(event, LessonDiagnosis) and event.lesson == 2:
            raise Stop

    with pytest.raises(Stop):
        learn_as_in_the_paper(EXAMPLES, settings, report=stop, device="cpu", state_folder=tmp_path)
    resumed = learn_as_in_the_paper(EXAMPLES, settings, device="cpu", state_folder=tmp_path)
    assert resumed.learned.traces == whole.learned.traces
    assert resumed.steps == whole.steps
    for name, weights in whole.controller.state_dict().items():
        assert torch.equal(weights, resumed.controller.state_dict()[name])


def test_a_damaged_state_is_told(tmp_path: Path) -> None:
    (tmp_path / "paper-loop.json").write_text("{")
    with pytest.raises(CheckpointError, match="damaged"):
        learn_as_in_the_paper(EXAMPLES, config(), device="cpu", state_folder=tmp_path)
