"""Of two descriptions of the same examples the shorter one counts, and the other one is kept for questions."""

from dataclasses import replace

from ness.config import Config
from ness.data.example import example_of
from ness.learn.code_length import code_length, shorter
from ness.learn.learner import learn
from ness.learn.result import LearningResult

LINES = [
    example_of(source, target)
    for source, target in (
        ("walk", "WALK"),
        ("run", "RUN"),
        ("look", "LOOK"),
        ("walk twice", "WALK WALK"),
        ("run twice", "RUN RUN"),
        ("walk and look", "WALK LOOK"),
        ("run and walk twice", "RUN WALK WALK"),
        ("look twice and run", "LOOK LOOK RUN"),
    )
]


def test_few_examples_that_go_beyond_the_rules_are_never_described_longer_than_afresh() -> None:
    known: LearningResult | None = None
    for size in range(1, len(LINES) + 1):
        lines = LINES[:size]
        known = learn(lines, Config(), known=known.table if known else None)
        assert not known.unsolved
        assert code_length(known, lines, Config()) <= code_length(learn(lines, Config()), lines, Config())


def test_the_other_description_is_kept_as_a_rival() -> None:
    good, same, fewer = (learn(LINES, Config()) for _ in range(3))
    best = shorter(good, same, LINES, Config())
    assert best is same
    assert best.survivors[0] == good.table
    fewer.traces = dict(list(fewer.traces.items())[:-1])
    assert shorter(good, fewer, LINES, Config()) is good
    by_heart = replace(good, memorised=LINES[:1])
    assert shorter(good, by_heart, LINES, Config()) is good


def test_outputs_with_brackets_around_them_have_a_length_too() -> None:
    lines = [example_of(" ".join(source), f"[ {' '.join(target)} ]") for source, target in LINES]
    learned = learn(lines, Config())
    assert learned.freedom.endswith(("enclosed", "boundaries"))
    assert 0 < code_length(learned, lines, Config()) < code_length(replace(learned, traces={}), lines, Config())
