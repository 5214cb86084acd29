"""Following the rules on a known example is what the machine does with the same rules."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ness.config import CostConfig, SearchConfig
from ness.learn.best_first import search
from ness.learn.coding import Codec, CodedTrace
from ness.learn.costs import RuleCosts
from ness.learn.cues import Cues
from ness.learn.lexicon import Lexicon
from ness.learn.replay import Replay, unsolved_samples
from ness.machine import (
    ConcatM,
    ConcatS,
    Final,
    Phrase,
    Pop,
    Program,
    Push,
    Reduce,
    Shift,
    Word,
    drive,
    is_degenerate,
    run,
)
from ness.machine.opcodes import CONCAT_S
from oracles import SCAN_WORDS, scan
from search_samples import code_trace

WORDS = (*SCAN_WORDS, "turn", "opposite", "around", "twice", "thrice", "and", "after")
CODEC = Codec([(WORDS, tuple(SCAN_WORDS.values()))])
LEARNED = ["walk", "turn left", "run twice", "walk and look", "jump opposite left", "walk around right twice"]


def table(*traces: CodedTrace) -> RuleCosts:
    rules = RuleCosts(CostConfig(), Cues())
    for trace in traces:
        rules.add(trace)
    return rules


def oracle_trace(command: str) -> tuple[Phrase, CodedTrace]:
    output, steps = drive(command.split(), scan)
    return output, code_trace(CODEC, steps)


@pytest.mark.parametrize("command", LEARNED)
def test_a_learned_example_is_followed_step_by_step(command: str) -> None:
    rules = table(*(oracle_trace(learned)[1] for learned in LEARNED))
    output, expected = oracle_trace(command)
    trace = Replay(rules).trace(CODEC.encode(command.split(), output))
    assert trace == expected
    assert run(command.split(), CODEC.program(trace))[0] == output


@settings(max_examples=60)
@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=4), st.lists(st.sampled_from("XY"), min_size=1, max_size=4))
def test_what_the_replay_returns_is_right_on_the_machine(source: list[Word], target: list[str]) -> None:
    codec = Codec([(source, target)])
    sample = codec.encode(source, target)
    empty = table()
    found = search(empty, empty, Lexicon([sample]), sample, SearchConfig()).trace
    followed = Replay(table(found)).trace(sample) if found else None
    assume(followed is not None)
    assert followed is not None
    output, steps = run(source, codec.program(followed))
    assert output == tuple(target)
    assert code_trace(codec, steps) == followed


REFUSED: dict[str, tuple[str, str, Program]] = {
    "another output": ("a", "Y", (Shift(), Reduce(("X",)), Final())),
    "a phrase that is no part of the output": (
        "a b",
        "X",
        (Shift(), Reduce(("Y",)), Shift(), ConcatM((0,)), Reduce(("X",)), ConcatS((0, 1)), Final()),
    ),
    "memorising": ("a b", "X Y", (Shift(), Shift(), Reduce(("X", "Y")), Final())),
    "a phrase lost": (
        "a b",
        "X",
        (Shift(), Reduce(("X",)), Push(), Shift(), Reduce(("X",)), Pop(), ConcatS((0,)), Final()),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    source, target, program = REFUSED[name]
    words, tokens = source.split(), target.split()
    codec = Codec([(words, ("X", "Y"))])
    rules = table(code_trace(codec, run(words, program)[1]))
    assert Replay(rules).trace(codec.encode(words, tokens)) is None


def test_a_word_alone_is_not_learned_by_heart_though_its_program_is_degenerate() -> None:
    codec = Codec([(("a", "b"), ("X", "Y"))])
    for words, program, kept in (
        (("a",), (Shift(), Reduce(("X", "Y")), Final()), True),
        (("a", "b"), (Shift(), Shift(), Reduce(("X", "Y")), Final()), False),
    ):
        trace = code_trace(codec, run(words, program)[1])
        sample = codec.encode(words, ("X", "Y"))
        assert is_degenerate(program)
        assert (Replay(table(trace)).trace(sample) == trace) is kept
        assert Replay(table(trace)).trace(sample, by_heart_too=True) == trace


def test_no_rule_and_no_end_are_refused() -> None:
    output, trace = oracle_trace("walk twice")
    sample = CODEC.encode(("walk", "twice"), output)
    assert Replay(table()).trace(sample) is None
    assert Replay(table(trace[:-1])).trace(sample) is None
    around = table(trace)
    around.by_status[trace[-1][0]] = around.by_category[trace[-1][0]] = {
        CONCAT_S: 1
    }  # CONCAT_S instead of FINAL, forever
    around.concat[CONCAT_S, trace[-1][0][1], 0] = {(0, 0): 1}
    assert Replay(around).trace(sample) is None


def test_errors_lists_what_is_not_solved() -> None:
    rules = table(*(oracle_trace(learned)[1] for learned in LEARNED))
    solved = CODEC.encode(("run", "twice"), oracle_trace("run twice")[0])
    unsolved = CODEC.encode(("run", "thrice"), oracle_trace("run thrice")[0])
    assert unsolved_samples(rules, [solved, unsolved]) == [unsolved]


def test_what_is_remembered_of_other_examples_changes_nothing() -> None:
    rules = table(*(oracle_trace(learned)[1] for learned in LEARNED))
    phrases = [*LEARNED, "jump around right", "turn around left", "look thrice", "run opposite right twice"]
    commands = [
        *phrases,
        *[f"{one} {word} {other}" for one in phrases for other in phrases for word in ("and", "after")],
    ]
    outputs = [oracle_trace(command)[0] for command in commands]
    replay, solved = Replay(rules), 0
    for command, output, another in zip(commands, outputs, [*outputs[1:], outputs[0]], strict=True):
        for target in (output, another):
            sample = CODEC.encode(command.split(), target)
            trace = replay.trace(sample)
            assert trace == Replay(rules).trace(sample)
            solved += trace is not None
        assert replay.steps(sample[0]) == Replay(rules).steps(sample[0])
    assert 20 < solved < len(commands)


def test_what_is_doubled_over_and_over_is_given_up() -> None:
    rules = table(oracle_trace("walk twice")[1])
    source, _ = CODEC.encode(["walk", *["twice"] * 5], ())
    assert len(Replay(rules).output(source) or "") == 2**5
    source, _ = CODEC.encode(["walk", *["twice"] * 64], ())
    assert Replay(rules).output(source) is None
