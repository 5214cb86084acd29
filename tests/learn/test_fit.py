"""Fitting a hypothesis to samples, and finishing it on all of them."""

import math
from dataclasses import replace

import pytest

from ness.config import Config
from ness.learn.coding import Codec, Sample, degenerate_trace
from ness.learn.cues import Cues
from ness.learn.finish import finish
from ness.learn.fit import FitResult, Hypothesis, fit
from ness.learn.lexicon import Lexicon
from ness.machine import run

CONFIG = Config()
PAIRS = {
    "walk": "WALK",
    "run": "RUN",
    "look": "LOOK",
    "walk twice": "WALK WALK",
    "run twice": "RUN RUN",
}
ODD = ("walk run look", "A B C D E")  # nothing else has these tokens
CODEC = Codec([(source.split(), target.split()) for source, target in [*PAIRS.items(), ODD, ("look twice", "")]])


def sample(source: str, target: str) -> Sample:
    return CODEC.encode(source.split(), target.split())


SAMPLES = [sample(*pair) for pair in PAIRS.items()]


def fitted(hypothesis: Hypothesis | None = None, deadline: float = math.inf) -> FitResult:
    start = hypothesis or Hypothesis()
    rules = start.rules(CONFIG.costs, Cues(SAMPLES, CONFIG.costs.pair))
    return fit(start, rules, SAMPLES, Lexicon(SAMPLES), {}, CONFIG.search, CONFIG.learner, deadline)


def test_every_sample_gets_a_trace_that_gives_its_target() -> None:
    found = fitted()
    assert found.hypothesis.traces.keys() == set(SAMPLES)
    for (source, target), each in zip(PAIRS.items(), SAMPLES, strict=True):
        output, _ = run(source.split(), CODEC.program(found.hypothesis.traces[each]))
        assert " ".join(output) == target
    assert found.nodes > 0


def test_a_second_time_only_what_rests_on_one_sample_is_searched() -> None:
    first = fitted()
    again = fitted(first.hypothesis)
    assert again.hypothesis == first.hypothesis
    assert again.nodes < first.nodes


def test_no_time_no_search() -> None:
    found = fitted(deadline=-1.0)
    assert (found.hypothesis.traces, found.nodes) == ({}, 0)


def test_finishing_answers_samples_that_were_not_fitted() -> None:
    new = sample("look twice", "LOOK LOOK")
    done = finish(fitted().hypothesis, [*SAMPLES, new], CONFIG, math.inf)
    assert done.traces.keys() == {*SAMPLES, new}
    assert (done.memorised, done.unsolved) == ([], [])


@pytest.mark.parametrize("safe", [True, False])
def test_what_has_no_rules_is_kept_by_heart_only_where_that_breaks_nothing(safe: bool) -> None:
    odd = sample(*ODD) if safe else sample("walk twice", "E D C B A")  # another target for what is solved
    samples = [*SAMPLES, odd] if safe else [*(s for s in SAMPLES if s != sample("walk twice", "WALK WALK")), odd]
    config = replace(CONFIG, search=replace(CONFIG.search, nodes=50, escalated_nodes=50))
    done = finish(fitted().hypothesis, samples, config, math.inf)
    if safe:
        assert done.memorised == [odd]
        assert done.traces[odd] == degenerate_trace(odd)
        assert done.unsolved == []
    else:
        assert {s for s in samples if s not in done.traces} == set(done.unsolved)
        assert set(SAMPLES) & set(samples) <= done.traces.keys()
