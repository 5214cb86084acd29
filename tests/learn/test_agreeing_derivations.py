"""Of derivations that cost the same, those are taken whose traces decide alike."""

from itertools import permutations

from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data.example import Example, example_of
from ness.data.invented.schemes import wide_scheme
from ness.learn.coding import Codec
from ness.learn.derivations.grammar import FrameGrammar, GrammarLimits
from ness.learn.learner import learn
from ness.learn.lexical_words import lexical_words
from ness.learn.lexicon import Lexicon
from ness.machine import PHRASE

NAMES = ("ox", "elk", "hen", "bee")


def examples(*lines: tuple[str, str]) -> list[Example]:
    """Each line with all different names in the places of x, y, z."""
    found = [example_of(name, name.upper()) for name in NAMES]
    for source, target in lines:
        places = [word for word in source.split() if word in "xyz"]
        for names in permutations(NAMES, len(places)):
            name = dict(zip(places, names, strict=True))
            upper = {place: each.upper() for place, each in name.items()}
            found.append(
                example_of(
                    " ".join(name.get(word, word) for word in source.split()),
                    " ".join(upper.get(token, token) for token in target.split()),
                )
            )
    return found


def _shown(item: object) -> str:
    return "●" if item is PHRASE else str(item)


def top_frames(lines: list[Example]) -> dict[str, list[str]]:
    """What the machine sees on top of its stack, step by step, for each line."""
    codec = Codec(lines)
    samples = [codec.encode(*line) for line in lines]
    content = {word: token for word, token in lexical_words(samples).items() if codec.word(word) in NAMES}
    grammar = FrameGrammar(content, Lexicon(samples), GrammarLimits(16, 40_000))
    assert grammar.learn(samples)
    found = {}
    for line, sample in zip(lines, samples, strict=True):
        trace = grammar.traces([sample]).get(sample)
        assert trace is not None
        found[" ".join(line.source)] = [" ".join(map(_shown, codec.status(status).top)) for status, _, _ in trace]
    return found


JUST, AND = ("just x", "x"), ("x and y", "& x y")
OPEN = ("just x and y", "& x y")  # just (x and y), or (just x) and y
TELLING = ("x and just y and z", "& & x y z")  # (x and (just y)) and z


def test_what_one_output_tells_decides_where_others_do_not() -> None:
    steps = top_frames(examples(JUST, AND, OPEN, TELLING))
    assert "just ●" in steps["just ox and elk"]
    assert "● and" in steps["just ox and elk"]  # its first phrase was `just ox`
    assert all(top != "just ● and ●" for tops in steps.values() for top in tops)


def test_words_in_frames_of_one_shape_bind_alike() -> None:
    """`x and y twice` repeats y alone; `now` writes nothing, so `x and y now` could be read in either way."""
    lines = examples(AND, ("x twice", "x x"), ("x and y twice", "& x y y"), ("x now", "x"), ("x and y now", "& x y"))
    steps = top_frames(lines)
    assert "● now" in steps["ox and elk now"]
    last = steps["ox and elk now"][-2:]
    assert last[0] == "● and ●"  # joined last, after `elk now`


def test_wide_schemes_whose_lines_leave_open_what_binds_tighter() -> None:
    """Few lines tell; those that do not must not outvote them, nor make them look wrong."""
    train, tests = wide_scheme(5045)
    engine = RuleEngine(learn(train, Config()).table)
    assert [line for line in tests if translate(engine, [line.source])[0].output != line.target] == []


def test_lines_left_aside_at_first_tell_what_the_others_leave_open() -> None:
    train, tests = wide_scheme(5035)
    learned = learn(train, Config())
    assert not learned.suspicious
    engine = RuleEngine(learned.table)
    assert [line for line in tests if translate(engine, [line.source])[0].output != line.target] == []


def test_where_nothing_tells_phrases_nest_to_the_left() -> None:
    frames = top_frames(examples(("x join y", "x + y"), ("x join y join z", "x + y + z")))
    assert frames["ox join elk join hen"].count("● join ●") == 2
    assert "● join" not in frames["ox join elk join hen"][-4:]
