"""Words that are swapped together with their tokens: read off examples, and asked of rules."""

import random
from itertools import chain

from ness.config import LoopConfig, SearchConfig
from ness.data.example import Example, example_of
from ness.learn.coding import Codec, Sample
from ness.machine import parse_program
from ness.machine.opcodes import REDUCE
from ness.paper.agreement import TraceAgreement
from ness.paper.growth import Growth
from ness.paper.swaps import Counterparts, SwapAnalogies, swaps_of
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
    return [set(map(CODEC.word, swap.words)) for swap in swaps_of([samples(examples)])]


def test_words_are_swapped_if_outputs_change_accordingly() -> None:
    (swap,) = swaps_of([samples(LEFT_AND_RIGHT)])
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


LETTERS = [
    [example_of(letter, f"Var {letter}") for letter in "xyz"],
    [example_of("lam x . y", "Lam x Var y"), example_of("x z", "App Var x Var z")],
    [example_of("lam y . z", "Lam y Var z"), example_of("z y y", "App App Var z Var y Var y")],
]
OF_LETTERS = Codec([example for part in LETTERS for example in part])
CODED_LETTERS = [[OF_LETTERS.encode(*example) for example in part] for part in LETTERS]


def test_of_few_examples_those_of_the_first_lesson_must_be_shown_swapped() -> None:
    assert swaps_of(CODED_LETTERS) == []
    found = swaps_of(CODED_LETTERS, introduced=True)
    assert [set(map(OF_LETTERS.word, swap.words)) for swap in found] == [{"x", "y"}, {"x", "z"}, {"y", "z"}]
    contradicted = [*CODED_LETTERS, [OF_LETTERS.encode(*example_of("lam y . x", "Lam x Var y"))]]
    (swap,) = swaps_of(contradicted, introduced=True)
    assert set(map(OF_LETTERS.word, swap.words)) == {"y", "z"}


def test_words_in_a_row_that_only_later_lessons_show_are_told_by_swapped_ones() -> None:
    """`y .` is told by `x .`; `z .` is shown nowhere, and what is shown already must be learned."""
    program = "SHIFT; PUSH; SHIFT; SHIFT; REDUCE Lam x; CONCAT_M 0; SHIFT; REDUCE Var y; POP; CONCAT_S 2,1; FINAL"
    trace = OF_LETTERS.trace(["lam", "x", ".", "y"], parse_program(program))
    next_word, _, second, memory = next(status for status, operator, _ in trace if operator == REDUCE)
    letters = [OF_LETTERS.words[letter] for letter in "xyz"]
    sources = [[source for source, _ in part] for part in CODED_LETTERS]

    def told(shown: int, *frame: str) -> tuple[str, ...] | None:
        before, later = (chain.from_iterable(parts) for parts in (sources[:shown], sources[shown:]))
        analogies = SwapAnalogies(swaps_of(CODED_LETTERS, introduced=True), before, later)
        rules = TraceAgreement(dict.fromkeys(letters, letters[0]), LoopConfig(), analogies=analogies)
        rules.add(trace)
        top = tuple(OF_LETTERS.words[word] for word in frame)
        decided = rules.decide((next_word, top, second, memory))
        return None if decided is None else OF_LETTERS.phrase(str(decided[1]))

    assert told(2, "x", ".") == ("Lam", "x")
    assert told(2, "y", ".") == ("Lam", "y")
    assert told(2, "z", ".") is None
    assert told(3, "y", ".") is None


def test_a_counterpart_is_drawn_once() -> None:
    counterparts = Counterparts(swaps_of([samples(LEFT_AND_RIGHT)]), random.Random(0))
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
        counterparts=Counterparts(swaps_of([samples(LEFT_AND_RIGHT)]), random.Random(0)),
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
