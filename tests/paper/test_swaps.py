"""Words that are swapped together with their tokens: read off examples, and asked of rules."""

import random

from ness.config import LoopConfig, SearchConfig
from ness.data.example import Example, example_of
from ness.learn.coding import Codec, Sample
from ness.machine import parse_program
from ness.paper.growth import Growth
from ness.paper.swaps import Counterparts, swaps_of
from ness.paper.trace_set import TraceSet

LEFT_AND_RIGHT = [
    example_of("go left", "L GO"),
    example_of("go right", "R GO"),
    example_of("left", "L"),
    example_of("right", "R"),
    example_of("go around left", "L GO L GO"),
]
CODEC = Codec(LEFT_AND_RIGHT)
AROUND_RIGHT = CODEC.encode(*example_of("go around right", "R GO R GO"))


def samples(examples: list[Example]) -> list[Sample]:
    return [CODEC.encode(*example) for example in examples]


def pairs(examples: list[Example]) -> list[set[str]]:
    return [set(map(CODEC.word, swap.words)) for swap in swaps_of(samples(examples))]


def test_words_are_swapped_if_outputs_change_accordingly() -> None:
    (swap,) = swaps_of(samples(LEFT_AND_RIGHT))
    assert set(map(CODEC.word, swap.words)) == {"left", "right"}
    assert swap.of(samples(LEFT_AND_RIGHT)[4]) == AROUND_RIGHT
    assert swap.of(swap.of(AROUND_RIGHT)) == AROUND_RIGHT


def test_an_example_that_contradicts_forbids_the_swap() -> None:
    assert pairs([*LEFT_AND_RIGHT, example_of("go around right", "GO R R GO")]) == []


def test_words_that_training_shows_in_other_places_are_not_swapped() -> None:
    assert pairs([example_of("left", "L"), example_of("go right", "R GO"), example_of("go around", "GO GO")]) == []


def test_words_that_always_stand_together_have_no_token_of_their_own() -> None:
    assert pairs([example_of("go left", "L GO"), example_of("go right", "R GO")]) == [{"left", "right"}]
    assert pairs([example_of("around left", "L"), example_of("go right", "R")]) == []


def test_a_counterpart_is_drawn_once() -> None:
    counterparts = Counterparts(swaps_of(samples(LEFT_AND_RIGHT)), random.Random(0))
    assert counterparts[samples(LEFT_AND_RIGHT)[4]] == AROUND_RIGHT
    assert counterparts[CODEC.encode(("go",), ("GO",))] is None
    assert Counterparts()[AROUND_RIGHT] is None


def test_what_is_solved_otherwise_than_its_counterpart_is_told() -> None:
    """Both sides must be solved, and by the same operators."""
    alike = "SHIFT; REDUCE GO; SHIFT; PUSH; SHIFT; REDUCE {}; POP; CONCAT_S 2,0,2,0; FINAL"
    other = "SHIFT; REDUCE GO; SHIFT; CONCAT_M 0; SHIFT; REDUCE {}; CONCAT_S 0,1,0,1; FINAL"
    sample = samples(LEFT_AND_RIGHT)[4]
    growth = Growth(
        SearchConfig(),
        LoopConfig(),
        None,
        random.Random(0),
        CODEC.words.values(),
        counterparts=Counterparts(swaps_of(samples(LEFT_AND_RIGHT)), random.Random(0)),
    )

    def unlike(left: str, right: str) -> int:
        sides = ((sample, left, "L"), (AROUND_RIGHT, right, "R"))
        traces = {
            each: CODEC.trace(CODEC.source(each[0]), parse_program(program.format(side)))
            for each, program, side in sides
            if program
        }
        return growth.count_unlike(growth.rules(TraceSet(traces)), [sample])

    assert unlike(alike, alike) == 0
    assert unlike(alike, "") == 1
    assert unlike(other, alike) == 1
