"""The phrase search: every program replays, the corpus shares its rules, nothing depends on chance."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ness.learn.phrases.model import PhraseConfig
from ness.learn.phrases.search import Segment, compile_program, phrase_traces
from ness.machine import Instruction, Status, drive, format_program, is_degenerate, run
from ness.rules import Categories, RuleTable

SUBJECTS = {"i am": "je suis", "he is": "il est", "we are": "nous sommes"}
ADJECTIVES = {"tall": "grand", "happy": "heureux", "tired": "fatigue", "late": "en retard", "ready": "pret"}
NOUNS = {"dog": "perro", "cat": "gato", "car": "coche", "book": "libro"}
COLOURS = {"red": "rojo", "black": "negro", "white": "blanco"}

Pair = tuple[tuple[str, ...], tuple[str, ...]]


def sentences() -> list[Pair]:
    return [
        (tuple(f"{subject} {adjective} .".split()), tuple(f"{verb} {target} .".split()))
        for (subject, verb), (adjective, target) in product(SUBJECTS.items(), ADJECTIVES.items())
    ]


def decided(table: RuleTable, status: Status) -> Instruction:
    decision = table.decide(status)
    assert decision is not None
    return decision.instruction


def noun_phrases() -> list[Pair]:
    plain: list[Pair] = [(("the", noun), ("el", target)) for noun, target in NOUNS.items()]
    coloured: list[Pair] = [
        (("the", colour, noun), ("el", target, shade))
        for (noun, target), (colour, shade) in product(NOUNS.items(), COLOURS.items())
    ]
    return plain + coloured


@pytest.mark.parametrize(
    ("segments", "program"),
    [
        ([Segment(("hi",), ("salut",))], "SHIFT; REDUCE salut; FINAL"),
        (
            [Segment(("i", "am"), ("je", "suis")), Segment(("tall",), ("grand",)), Segment((".",), (".",))],
            "SHIFT; SHIFT; REDUCE je suis; CONCAT_M 0; SHIFT; REDUCE grand; CONCAT_M 1,0; "
            "SHIFT; REDUCE .; CONCAT_S 1,0; FINAL",
        ),
        (
            [Segment(("red",), ("rojo",), swapped=True), Segment(("dog",), ("perro",))],
            "SHIFT; PUSH; SHIFT; REDUCE perro; POP; CONCAT_M 1; REDUCE rojo; CONCAT_S 1,0; FINAL",
        ),
        (
            [Segment(("a",), ("x",)), Segment(("b", "c"), ("y",), swapped=True), Segment(("d",), ("z",))],
            "SHIFT; REDUCE x; CONCAT_M 0; SHIFT; SHIFT; PUSH; SHIFT; REDUCE z; POP; CONCAT_M 3,2; "
            "REDUCE y; CONCAT_S 1,0; FINAL",
        ),
    ],
)
def test_segments_become_a_program(segments: list[Segment], program: str) -> None:
    compiled = compile_program(segments)
    assert format_program(compiled) == program
    output, _ = run(tuple(word for segment in segments for word in segment.words), compiled)
    assert sorted(output) == sorted(token for segment in segments for token in segment.phrase)


def test_a_word_is_cut_out_of_its_only_sentence() -> None:
    known = [*sentences(), (("i", "am", "daxy", "."), ("je", "suis", "daxiste", "."))]
    traces = phrase_traces(known)
    table = RuleTable.from_traces(((source, program) for (source, _), program in traces.items()), Categories())
    assert table.reduce[("daxy",)] == {("daxiste",): 1}
    output, _ = drive(("he", "is", "daxy", "."), lambda status: decided(table, status), max_steps=40)
    assert output == ("il", "est", "daxiste", ".")


def test_swapped_words_are_found() -> None:
    traces = phrase_traces(noun_phrases())
    table = RuleTable.from_traces(((source, program) for (source, _), program in traces.items()), Categories())
    for noun, target in (COLOURS | NOUNS).items():
        assert table.reduce[(noun,)].most_common(1)[0][0] == (target,)


def test_counts_are_by_distinct_pair() -> None:
    assert phrase_traces(sentences() * 3) == phrase_traces(sentences())


def test_an_empty_corpus_has_no_traces() -> None:
    assert phrase_traces([]) == {}


def test_what_cannot_be_cut_stays_whole() -> None:
    pair = (("bye",), ("see", "you"))
    assert is_degenerate(phrase_traces([*sentences(), pair])[pair])


tokens = st.lists(st.sampled_from("abc"), min_size=1, max_size=7).map(tuple)


@settings(max_examples=40, deadline=None)
@given(
    pairs=st.lists(st.tuples(tokens, tokens.map(lambda t: tuple(map(str.upper, t)))), min_size=1, max_size=12),
    block_size=st.integers(1, 5),
    limit=st.integers(1, 5),
    warm=st.integers(0, 2),
)
def test_every_program_replays(pairs: list[Pair], block_size: int, limit: int, warm: int) -> None:
    config = PhraseConfig(passes=3, block_size=block_size, max_reduce_length=limit, warm_passes=warm)
    traces = phrase_traces(pairs, config)
    assert set(traces) == set(pairs)
    for (source, target), program in traces.items():
        assert run(source, program)[0] == target


def test_the_result_depends_on_the_seed_alone() -> None:
    script = (
        "from test_phrases import *; config = PhraseConfig(block_size=4);"
        "print([format_program(p) for p in phrase_traces(set(sentences()) | set(noun_phrases()), config, 3).values()])"
    )
    here = Path(__file__).parent
    paths = os.pathsep.join((str(here), str(here.parents[1] / "src")))
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(outputs) == 1
