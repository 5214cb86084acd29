"""Unknown words written as they are: read as members of the category whose place they take, or not at all."""

import pytest

from ness.answer.copying import CopyAsMember
from ness.answer.engine import translate
from ness.answer.explain import refuse_unsupported
from ness.answer.rule_engine import RuleEngine
from ness.machine import parse_program
from ness.rules.table import Categories, RuleTable

ROOMS = {"hall": "HALL", "bath": "BATH", "attic": "ATTIC"}
NAMES = ("ann", "bob", "eve")
VERBS = {"likes": "LIKE", "sees": "SEE"}


def engine(programs: dict[str, str], categories: list[list[str]]) -> CopyAsMember:
    traces = [(tuple(source.split()), parse_program(program)) for source, program in programs.items()]
    table = RuleTable.from_traces(traces, Categories(categories))
    return CopyAsMember(RuleEngine(table), table)


def facts() -> CopyAsMember:
    """`ann sees bob` -> `SEE ( ann , bob )`: names are copied, verbs are tokens of a template."""
    program = 'SHIFT; REDUCE {}; SHIFT; PUSH; SHIFT; REDUCE {}; POP; CONCAT_S {} "(" 0 "," 2 ")"; FINAL'
    programs = {
        f"{a} {verb} {b}": program.format(a, b, token) for a in NAMES for b in NAMES for verb, token in VERBS.items()
    }
    return engine(programs, [list(NAMES), list(VERBS)])


def lights() -> CopyAsMember:
    """`turn on the hall light` -> `set HALL ON`: a room is read with words around it, and so is its phrase."""
    programs = {
        f"turn {switch} the {room} light": (
            f"SHIFT; SHIFT; REDUCE {switch.upper()}; PUSH; SHIFT; SHIFT; REDUCE set {token}; SHIFT; CONCAT_S 0; POP; "
            "CONCAT_S 1,0; FINAL"
        )
        for switch in ("on", "off")
        for room, token in ROOMS.items()
    }
    return engine(programs, [list(ROOMS), ["on", "off"]])


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("ann likes joe", "LIKE ( ann , joe )"),
        ("joe likes ann", "LIKE ( joe , ann )"),
        ("joe sees kim", "SEE ( joe , kim )"),
        ("joe sees joe", "SEE ( joe , joe )"),
        ("ann helps bob", "helps ( ann , bob )"),
        ("joe helps kim", "helps ( joe , kim )"),
    ],
)
def test_an_unknown_word_takes_the_place_of_a_category(source: str, target: str) -> None:
    (answer,) = translate(facts(), [source.split()])
    assert (" ".join(answer.output or ()), answer.support) == (target, 0)


def test_what_a_phrase_has_around_the_words_of_a_category_stays() -> None:
    sources = ["turn on the shed light", "turn dim the hall light"]
    assert [answer.output for answer in translate(lights(), [source.split() for source in sources])] == [
        ("set", "shed", "ON"),
        ("set", "HALL", "dim"),
    ]


@pytest.mark.parametrize(
    "source",
    ["turn on my hall light", "turn on the hall lamp", "please turn on the hall light", "twist on the hall light"],
)
def test_a_word_that_would_be_lost_is_refused(source: str) -> None:
    (answer,) = translate(lights(), [source.split()])
    assert answer.output is None
    assert answer.error is not None


def test_known_words_are_answered_as_before() -> None:
    (answer,) = translate(facts(), [("ann", "likes", "bob")])
    assert (answer.output, answer.support) == (("LIKE", "(", "ann", ",", "bob", ")"), 3)


def test_what_was_copied_is_refused_where_support_is_asked_for() -> None:
    copying = facts()
    (answer,) = translate(copying, [("ann", "likes", "joe")])
    refused = refuse_unsupported(copying, answer)
    assert refused.output is None
    assert "'joe'" in str(refused.error)


def test_a_word_in_no_category_lends_its_place_if_it_is_translated_alone() -> None:
    alone = engine({"now": "SHIFT; REDUCE NOW; FINAL"}, [])
    (answer,) = translate(alone, [("later",)])
    assert answer.output == ("later",)
