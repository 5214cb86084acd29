"""Several whole loops: which one is kept, when another begins, and that a stopped run goes on."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from ness.config import Config, LoopConfig
from ness.data.example import example_of
from ness.errors import ConfigError
from ness.learn.coding import Codec
from ness.machine import parse_program
from ness.paper.diagnosis import LessonDiagnosis
from ness.paper.loop import PaperRun, learn_as_in_the_paper
from ness.paper.loops import LoopRank, limit_of_next, ranked_loops, seed_of, wants_another
from ness.paper.trace_set import TraceSet
from ness.settings import resolve

torch.set_num_threads(1)

PARTS = ["walk", "run", "walk twice", "run twice"]
LINES = [*PARTS, *(f"{one} and {two}" for one in PARTS for two in PARTS if "twice" not in one or "twice" not in two)]
OUTPUTS = {"walk": "W", "run": "R", "walk twice": "W W", "run twice": "R R"}
EXAMPLES = [example_of(line, " ".join(OUTPUTS[part] for part in line.split(" and "))) for line in LINES]
SMALL = ("controller.embedding_size=16", "controller.hidden_size=16", "training.max_steps=12", "loop.samples=8")
EFFORT = ("loop.population=1", "loop.changes=1", "loop.imagined=false", "loop.recombined=8")


def config(*more: str) -> Config:
    return resolve("paper-loop", [*SMALL, *EFFORT, *more])


def loop_of(*programs: tuple[str, str], swapped: bool = False) -> Any:
    """What ranking sees of a loop with these traces."""
    codec = Codec(EXAMPLES)
    traces = {codec.encode(line.split(), ()): codec.trace(line.split(), parse_program(text)) for line, text in programs}
    examples = [codec.encode(*example) for example in EXAMPLES]
    settings = SimpleNamespace(loop=LoopConfig(recombined=8, swapped=swapped), seed=0)
    return SimpleNamespace(config=settings, examples=examples, lessons=[examples], traces=traces, sets=[TraceSet()])


WALK = ("walk", "SHIFT; REDUCE W; FINAL")
RUN = ("run", "SHIFT; REDUCE R; FINAL")
TWICE = ("walk twice", "SHIFT; REDUCE W; SHIFT; CONCAT_S 0,0; FINAL")


def test_the_loop_that_solves_more_ranks_first_then_the_one_with_fewer_doubts() -> None:
    poor, rich, same = loop_of(WALK), loop_of(WALK, RUN, TWICE), loop_of(RUN, WALK, TWICE)
    ranks = ranked_loops([poor, rich, same])
    assert [rank.unsolved for rank in ranks] == [len(EXAMPLES) - 1, len(EXAMPLES) - 3, len(EXAMPLES) - 3]
    assert [rank.number for rank in sorted(ranks)] == [1, 2, 0]
    assert ranks[1].contradicted == ranks[2].contradicted
    assert all(rank.doubts == rank.undecided + rank.contradicted for rank in ranks)
    assert not ranks[0].sure


def test_a_loop_that_solves_examples_otherwise_with_swapped_words_ranks_behind() -> None:
    run_twice = ("run twice", "SHIFT; REDUCE R; SHIFT; CONCAT_S 0,0; FINAL")
    alike = loop_of(WALK, RUN, TWICE, run_twice, swapped=True)
    other = loop_of(WALK, RUN, TWICE, ("run twice", "SHIFT; SHIFT; REDUCE R R; FINAL"))
    ranks = ranked_loops([alike, other])
    assert (ranks[0].unlike, ranks[1].unlike) == (0, 1)
    assert [rank.number for rank in sorted(ranks)] == [0, 1]
    assert "1 solved otherwise than with words swapped" in str(ranks[1])
    assert [rank.unlike for rank in ranked_loops([other])] == [0]  # without the switch nothing is asked


def test_loops_of_the_same_rules_do_not_contradict_each_other() -> None:
    one, other = ranked_loops([loop_of(WALK, RUN), loop_of(WALK, RUN)])
    assert (one.contradicted, other.contradicted) == (0, 0)
    assert sorted([other, one]) == [one, other]


def learn_with(settings: Config, report: Any = lambda event: None, folder: Path | None = None) -> PaperRun:
    return learn_as_in_the_paper(EXAMPLES, settings, report=report, device="cpu", state_folder=folder)


def test_another_loop_begins_only_while_there_is_time_and_doubt() -> None:
    assert len(learn_with(config("loop.loops=3", "learner.time_limit=0")).loops) == 1
    assert learn_with(config("loop.loops=1")).loops == []


def test_no_loop_of_several_takes_more_than_its_share_of_the_time() -> None:
    several = config("loop.loops=3", "loop.share=0.5", "learner.time_limit=100")
    assert [limit_of_next(ended, several) for ended in ([], [30.0], [50.0, 70.0])] == [50, 80, 100]
    assert limit_of_next([], config("loop.loops=1", "loop.share=0.5", "learner.time_limit=100")) == 100
    with pytest.raises(ConfigError, match=r"loop\.share"):
        config("loop.share=0")


def test_unsolved_examples_want_another_loop_even_if_it_has_less_time() -> None:
    settings = config("loop.loops=3", "learner.time_limit=100")
    unsolved, doubtful = LoopRank(5, 0, 0, 0, 0, 0), LoopRank(0, 0, 7, 0, 7, 0)
    assert wants_another([unsolved], [51.0], settings)
    assert wants_another([doubtful], [48.0], settings)
    assert not wants_another([unsolved], [70.0], settings)
    assert not wants_another([unsolved] * 3, [10.0, 20.0, 30.0], settings)


def test_a_loop_that_used_up_its_share_of_the_time_does_not_keep_the_next_one_from_what_is_left() -> None:
    doubtful, other = LoopRank(0, 0, 7, 0, 7, 0), LoopRank(0, 0, 9, 1, 9, 0)
    half = config("loop.loops=3", "loop.share=0.5", "learner.time_limit=100")
    assert wants_another([doubtful], [51.0], half)
    assert not wants_another([doubtful, other], [51.0, 80.0], half)
    whole = config("loop.loops=3", "loop.share=1", "learner.time_limit=100")
    assert not wants_another([doubtful], [51.0], whole)
    assert wants_another([doubtful], [50.0], whole)


@pytest.mark.slow
def test_stopped_loops_go_on_to_the_same_end(tmp_path: Path) -> None:
    settings = config("loop.loops=2")
    whole = learn_with(settings)
    assert len(whole.loops) == 2 or whole.loops[0].sure
    seen: list[LessonDiagnosis] = []

    class Stop(Exception):
        pass

    def stop(event: object) -> None:
        if isinstance(event, LessonDiagnosis):
            seen.append(event)
            if len(seen) == len(whole.lessons):  # in the second loop
                raise Stop

    with pytest.raises(Stop):
        learn_with(settings, stop, tmp_path)
    resumed = learn_with(settings, folder=tmp_path)
    assert resumed.loops == whole.loops
    assert resumed.learned.traces == whole.learned.traces
    for name, weight in whole.controller.state_dict().items():
        assert torch.equal(weight, resumed.controller.state_dict()[name])


def test_loops_have_seeds_of_their_own() -> None:
    assert seed_of(3, 0) == 3
    assert len({seed_of(seed, number) for seed in range(5) for number in range(5)}) == 25


def test_loops_need_inputs_to_choose_by() -> None:
    with pytest.raises(ConfigError, match=r"loop\.recombined"):
        config("loop.loops=2", "loop.recombined=0")
