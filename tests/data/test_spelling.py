"""How texts become tokens and texts again: a table of inputs and outputs, and what comes back from any text."""

from itertools import pairwise
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ness.data.spacing import fitted
from ness.data.spelling import KINDS, PLAIN, SPACE, Spelling, cut


@pytest.mark.parametrize(
    ("kind", "text", "tokens"),
    [
        ("words", "  Fetch  bolts. ", "Fetch|bolts."),
        ("words", "e\u0301te\u0301", "été"),
        ("characters", "ab c", "a|b|␣|c"),
        ("characters", " ab  c ", "a|b|␣|c"),
        ("characters", "a␣b", "a|␣␣|b"),
        ("characters", "e\u0301q\u0308", "é|q\u0308"),
        ("characters", "👩‍🚀👍🏽!", "👩‍🚀|👍🏽|!"),
        ("characters", "नमस्ते", "न|म|स्|ते"),
        ("characters", "東京", "東|京"),
        ("punctuation", "Fetch bolts.", "Fetch|bolts|."),
        ("punctuation", "f(x, y_1)", "f|(|x|,|y_1|)"),
        ("punctuation", "Don’t stop: it's 3.5 or 1,000!", "Don’t|stop|:|it's|3.5|or|1,000|!"),
        ("punctuation", "'quoted' e-mail, end.", "'|quoted|'|e|-|mail|,|end|."),
        ("punctuation", "¿Qué?", "¿|Qué|?"),
        ("punctuation", "नमस्ते दुनिया।", "नमस्ते|दुनिया|।"),
        ("punctuation", "a...b", "a|.|.|.|b"),
    ],
)
def test_cut(kind: str, text: str, tokens: str) -> None:
    assert cut(text, kind) == tokens.split("|")


@pytest.mark.parametrize(
    ("spelling", "examples", "asked", "read", "made", "written"),
    [
        # tokens, examples (source, target), an input, its words, output tokens, the output
        (Spelling(), [("a", "A")], "a  b", "a b", "A , B", "A , B"),
        (Spelling(lowercase=True), [("a", "A")], "FETCH Bolts", "fetch bolts", "TAKE Bolts", "TAKE Bolts"),
        (
            Spelling("punctuation", "punctuation", True),
            [("fetch bolts", "Take bolts."), ("count nuts", "Count nuts, twice.")],
            "Fetch bolts.",
            "fetch bolts",
            "Take nuts , twice .",
            "Take nuts, twice.",
        ),
        (
            Spelling("punctuation", "words"),
            [("Fetch bolts.", "TAKE BOLTS")],
            "Fetch bolts.",
            "Fetch bolts .",
            "TAKE",
            "TAKE",
        ),
        (Spelling("words", "characters"), [("twenty one", "21")], "twenty one", "twenty one", "2 1", "21"),
        (Spelling("characters", "characters"), [("ab c", "c ab")], "ab c", f"a b {SPACE} c", f"c {SPACE} a b", "c ab"),
        (
            Spelling("punctuation", "punctuation"),
            [("x and y", "f(x, y)"), ("if x", "if (x) { y; }")],
            "x",
            "x",
            "g ( x , f ( y ) )",
            "g(x, f(y))",
        ),
        (
            Spelling("punctuation", "punctuation"),
            [("x and y", "f(x, y)"), ("z", "g(z)"), ("if x", "if (x) { y; }")],
            "x",
            "x",
            "if ( x ) { y ; }",
            "if (x) { y; }",
        ),
        (Spelling("punctuation", "punctuation"), [("a-b", "a-b"), ("c-d", "c-d")], "a-b", "a - b", "b - a", "b-a"),
    ],
)
def test_inputs_and_outputs(
    spelling: Spelling, examples: list[tuple[str, str]], asked: str, read: str, made: str, written: str
) -> None:
    sources, targets = zip(*examples, strict=True)
    learned = fitted(spelling, sources, targets)
    assert learned.split(asked) == tuple(read.split())
    assert learned.join(made.split()) == written


def test_a_mark_that_examples_have_is_read() -> None:
    spelling = Spelling("punctuation", "words")
    assert fitted(spelling, ["go?", "go"], ["A", "B"]).split("go!") == ("go",)
    assert fitted(spelling, ["go?", "go"], ["A", "B"]).split("go?") == ("go", "?")
    assert fitted(spelling, ["go"], ["A"]).split("?!") == ("?",)


def test_words_that_somebody_else_has_cut_are_normalised() -> None:
    assert Spelling("characters", lowercase=True).given(["E\u0301T", "a.b"]) == ("ét", "a.b")


TEXTS = st.text(max_size=20)


@given(TEXTS, st.sampled_from(KINDS))
def test_tokens_hold_no_white_space(text: str, kind: str) -> None:
    assert all(token.split() == [token] for token in cut(text, kind))


@given(TEXTS)
def test_characters_come_back(text: str) -> None:
    spelling = Spelling("characters", "characters")
    plain = " ".join(normalize("NFC", text).split())
    assert spelling.join(spelling.split_target(text)) == plain
    assert spelling.join_source(spelling.split(text)) == plain


@given(TEXTS)
def test_words_come_back(text: str) -> None:
    assert PLAIN.join(PLAIN.split_target(text)) == " ".join(normalize("NFC", text).split())


@given(st.lists(st.text("ab1(),.'\"- ", max_size=12), min_size=1, max_size=5))
def test_punctuation_comes_back_where_gaps_do_not_change(texts: list[str]) -> None:
    """Outputs are spaced as the targets are, if each two neighbours are always spaced alike."""
    spelling = fitted(Spelling("punctuation", "punctuation"), texts, texts)
    seen: dict[tuple[str, str], set[bool]] = {}
    for text in texts:
        plain = " ".join(text.split())
        tokens = spelling.split_target(text)
        place = 0
        for left, right in pairwise(tokens):
            place = plain.index(left, place) + len(left)
            seen.setdefault((left, right), set()).add(plain[place] == " ")
    if all(len(gaps) == 1 for gaps in seen.values()):
        for text in texts:
            assert spelling.join(spelling.split_target(text)) == " ".join(text.split())
