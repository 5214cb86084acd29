"""Inputs that training does not show: made of complete inputs, and asked about without outputs."""

import random

import pytest

from ness.config import LoopConfig
from ness.data.example import example_of
from ness.learn.coding import Codec
from ness.learn.events import Stage
from ness.machine import parse_program
from ness.paper.agreement import TraceAgreement
from ness.paper.growth import suspicion_of
from ness.paper.loop import learn_as_in_the_paper
from ness.paper.recombination import exchanged, outcome, recombined, untold
from ness.settings import resolve

PARTS = ["walk", "run", "walk twice", "run twice"]
LINES = [*PARTS, *(f"{one} and {two}" for one in PARTS for two in PARTS if "twice" not in one or "twice" not in two)]
SOURCES = [tuple(line.split()) for line in LINES]
CODEC = Codec((source, ("X",)) for source in SOURCES)
CODED = [CODEC.encode(source, ())[0] for source in SOURCES]


X = CODEC.tokens["X"]


def text(source: tuple[int, ...]) -> str:
    return " ".join(map(CODEC.word, source))


def test_complete_inputs_are_exchanged_for_others_that_stand_where_they_do() -> None:
    drawn = {text(source) for source in recombined(CODED, 4, random.Random(0))}
    missing = {f"{one} and {two}" for one in PARTS[2:] for two in PARTS[2:]}
    assert drawn & missing
    assert not drawn & set(LINES)


def test_a_word_is_exchanged_for_others_of_its_category() -> None:
    walk, run, twice = (CODEC.words[word] for word in ("walk", "run", "twice"))
    classes = {walk: walk, run: walk, twice: twice}
    shown = [CODED[0], CODED[1], (walk, twice)]
    assert exchanged(shown, shown, classes, 5, random.Random(0)) == [(run, twice)]
    assert exchanged(shown, [*shown, (run, twice)], classes, 5, random.Random(0)) == []
    assert exchanged(shown, shown, {}, 5, random.Random(0)) == []
    assert exchanged(shown, shown, {walk: walk, run: run, twice: walk}, 5, random.Random(0)) == []  # in no place alike
    assert exchanged(shown, shown, classes, 0, random.Random(0)) == []


def test_the_seed_decides() -> None:
    assert recombined(CODED, 4, random.Random(1)) == recombined(CODED, 4, random.Random(1))


def test_single_words_have_nothing_to_exchange() -> None:
    assert recombined(CODED[:2], 4, random.Random(0)) == []
    assert recombined([], 4, random.Random(0)) == []


def rules(*programs: tuple[str, str]) -> TraceAgreement:
    agreement = TraceAgreement({}, LoopConfig())
    for line, program in programs:
        agreement.add(CODEC.trace(line.split(), parse_program(program)))
    return agreement


def test_rules_tell_what_their_traces_show() -> None:
    walk = "SHIFT; REDUCE X; FINAL"
    twice = "SHIFT; REDUCE X; SHIFT; CONCAT_S 0,0; FINAL"
    known = rules(("walk", walk), ("walk twice", twice))
    walking, running = CODED[0], CODED[1]
    assert untold(known, walking) is None
    assert untold(known, CODED[2]) is None
    assert untold(known, running) == []
    way = untold(known, (*CODED[2], CODEC.words["twice"]))
    assert way is not None
    assert len(way) == 3  # the trace reduces "walk twice" only where the input ends
    assert [outcome(known, source) for source in (walking, CODED[2], running)] == [X, X * 2, None]


def test_words_of_a_category_are_shown_together() -> None:
    agreement = TraceAgreement({CODED[0][0]: CODED[0][0], CODED[1][0]: CODED[0][0]}, LoopConfig())
    for line in ("walk", "run"):
        agreement.add(CODEC.trace((line,), parse_program("SHIFT; REDUCE X; FINAL")))
    agreement.add(CODEC.trace(("walk", "twice"), parse_program("SHIFT; REDUCE X; SHIFT; CONCAT_S 0,0; FINAL")))
    assert untold(agreement, CODED[3]) is None


def test_an_argument_is_not_shown_by_words_of_which_others_have_another_argument() -> None:
    codec = Codec([(["walk", "around", "twice", "thrice"], ("X",))])
    walk, around, twice, thrice = (codec.words[word] for word in ("walk", "around", "twice", "thrice"))
    agreement = TraceAgreement({walk: walk, around: around, twice: twice, thrice: twice}, LoopConfig())
    later = "SHIFT; REDUCE X; SHIFT; SHIFT; CONCAT_S 0,0,0,0; FINAL"  # "around" waits for "twice"
    agreement.add(codec.trace(["walk", "around", "twice"], parse_program(later)))
    asked = (walk, around, thrice)
    assert untold(agreement, asked) is None
    for line, program in (("walk twice", "0,0"), ("walk thrice", "0,0,0")):
        text = f"SHIFT; REDUCE X; SHIFT; CONCAT_S {program}; FINAL"
        agreement.add(codec.trace(line.split(), parse_program(text)))
    way = untold(agreement, asked)
    assert way is not None
    assert len(way) == 4
    assert untold(agreement, (walk, around, twice)) is None
    assert untold(agreement, (walk, thrice)) is None


def test_a_loop_tells_how_many_inputs_are_undecided() -> None:
    lines = ["walk", "run", "walk and walk", "run and run", "walk and run"]  # without "run and walk"
    examples = [example_of(line, line.upper().replace(" AND ", " ")) for line in lines]
    size = ("controller.embedding_size=16", "controller.hidden_size=16", "training.max_steps=20", "loop.samples=8")
    effort = ("loop.population=1", "loop.changes=1", "loop.imagined=false", "loop.loops=1")
    asked = ("loop.recombined=5", "loop.exchanged=0")
    events: list[object] = []
    learn_as_in_the_paper(examples, resolve("paper-loop", [*size, *effort, *asked]), report=events.append, device="cpu")
    told = [event.detail for event in events if isinstance(event, Stage)]
    last = [line for line in told if line.startswith("lesson 2")]
    assert last
    tells = [line.endswith(" of 1 inputs that training does not show undecided") for line in told]
    assert tells == [line in last for line in told]


def test_suspicions_come_in_the_order_of_the_steps() -> None:
    """So that the seed alone decides what is drawn, not the order of a set, which changes from process to process."""
    agreement = rules(("walk twice", "SHIFT; REDUCE X; SHIFT; CONCAT_S 0,0; FINAL"))
    way = CODEC.trace(("walk", "twice"), parse_program("SHIFT; REDUCE X; SHIFT; CONCAT_S 0,0; FINAL"))
    met = [decision for step in way for decision in agreement.decisions(step)]
    assert list(suspicion_of(agreement, [way, way], set())) == met
    assert suspicion_of(agreement, [way, way], {met[0]}) == dict.fromkeys(met[1:], 2)


def told_by_loop(*more: str) -> list[str]:
    """What a small loop tells of its sets of traces."""
    lines = ["walk", "run", "walk and walk", "run and run", "walk and run"]  # "run and walk" is asked about
    examples = [example_of(line, line.upper().replace(" AND ", " ")) for line in lines]
    size = ("controller.embedding_size=16", "controller.hidden_size=16", "training.max_steps=20", "loop.samples=8")
    effort = ("loop.population=3", "loop.changes=2", "loop.imagined=false", "loop.loops=1", "loop.swapped=false")
    events: list[object] = []
    settings = resolve("paper-loop", [*size, *effort, *more])
    learn_as_in_the_paper(examples, settings, report=events.append, device="cpu")
    return [event.detail for event in events if isinstance(event, Stage)]


def test_a_set_that_nothing_speaks_against_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ness.paper.agreeing_lessons._ENOUGH", 5)
    last = [line for line in told_by_loop("loop.recombined=0") if line.startswith("lesson 2")]
    *earlier, settled = last
    assert "solve 5 of 5 examples, and 0 of 0 of later lessons" in settled
    assert settled.endswith(" 0 of 1 inputs that training does not show undecided")
    assert all("solve 5 of 5 examples" not in line for line in earlier)
    more = [line for line in told_by_loop("loop.recombined=0", "loop.settle=false") if line.startswith("lesson 2")]
    assert len(more) > len(last)
    monkeypatch.setattr("ness.paper.agreeing_lessons._ENOUGH", 6)  # a small lesson never settles
    assert [line for line in told_by_loop("loop.recombined=0") if line.startswith("lesson 2")] == more
