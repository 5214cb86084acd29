"""Nothing that is made by the thousand is left to the garbage collector, which would take a fifth of the time."""

import gc
from collections.abc import Iterator

import pytest

from ness.config import Config
from ness.data.example import example_of
from ness.learn.coding import Codec
from ness.learn.costs import RuleCosts
from ness.learn.cues import Cues
from ness.learn.derivations.grammar import FrameGrammar, GrammarLimits
from ness.learn.lexical_words import lexical_words
from ness.learn.lexicon import Lexicon
from ness.learn.replay import Replay
from ness.machine import ConcatS, Final, Pop, Program, Push, Reduce, Shift

VERBS = ("run", "walk", "look")
JOIN: Program = (*(Push(), Shift(), Reduce(("WALK",)), Pop(), ConcatS((0, 2))),)
TRACE: Program = (Shift(), Reduce(("RUN",)), Shift(), *JOIN, Shift(), *JOIN, Final())


@pytest.fixture(autouse=True)
def no_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_followed_rules_leave_no_garbage() -> None:
    """Their decisions lead to each other in circles: `run and walk` may go on with `and`."""
    source = ("run", "and", "walk", "and", "walk")
    codec = Codec([(source, ("RUN", "WALK"))])
    rules = RuleCosts(Config().costs, Cues())
    rules.add(codec.trace(source, TRACE))
    replay = Replay(rules)
    assert replay.trace(codec.encode(source, ("RUN", "WALK", "WALK"))) is not None
    del replay
    assert gc.collect() == 0


def test_derivations_leave_no_garbage() -> None:
    pairs = [(verb, verb.upper()) for verb in VERBS]
    pairs += [(f"{a} and {b}", f"{a.upper()} , {b.upper()}") for a in VERBS for b in VERBS if a != b]
    codec = Codec(examples := [example_of(*pair) for pair in pairs])
    samples = [codec.encode(*example) for example in examples]
    grammar = FrameGrammar(lexical_words(samples), Lexicon(samples), GrammarLimits(literals=8, effort=10_000))
    assert grammar.learn(samples)
    assert grammar.book.uses
    assert gc.collect() == 0
