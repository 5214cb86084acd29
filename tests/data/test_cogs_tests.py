"""Generalisation tests made from sentences: each output is right by construction."""

from ness.data.cogs_tests import TEST_NAMES, own_tests
from ness.data.example import example_of

TRAIN = [
    example_of(
        "Emma saw a cake in the cup on the table .",
        "see ( agent = Emma , theme = cake ( nmod . in = * cup ( nmod . on = * table ) ) )",
    ),
    example_of(
        "Emma said that Liam said that a girl slept .",
        "say ( agent = Emma , ccomp = say ( agent = Liam , ccomp = sleep ( agent = girl ) ) )",
    ),
    example_of("A hedgehog slept .", "sleep ( agent = hedgehog )"),
]
DEV = [
    example_of("The girl saw a boy in the house .", "see ( agent = * girl , theme = boy ( nmod . in = * house ) )"),
    example_of("A boy saw the girl on a TV .", "see ( agent = boy , theme = * girl ( nmod . on = tv ) )"),
]


def test_own_tests() -> None:
    tests = own_tests(TRAIN, DEV)
    assert set(tests) == set(TEST_NAMES)
    (modified,) = tests["own subject-modifier"]
    assert " ".join(modified.source) == "A boy in the house saw the girl on a TV ."
    assert " ".join(modified.target[:14]) == "see ( agent = boy ( nmod . in = * house ) ,"
    (deeper,) = tests["own modifiers+1"]
    assert " ".join(deeper.source) == "Emma saw a cake in the cup on the table in the house ."
    assert " ".join(deeper.target).endswith("( nmod . on = * table ( nmod . in = * house ) ) ) )")
    (clause,) = tests["own clauses+2"]
    assert clause.source.count("that") == clause.target.count("ccomp") == 4
    for example in tests["own new-roles"]:
        assert "hedgehog" not in example.source or "agent = hedgehog" not in " ".join(example.target)
