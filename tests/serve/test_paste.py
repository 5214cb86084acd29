"""Pasted examples: TSV, CSV and JSON lines, with or without a header."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ness.serve.paste import read_paste

WORDS = st.lists(st.text("abcXYZ,.\"'é{}→", min_size=1, max_size=5), min_size=1, max_size=4).map(" ".join)
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("walk\tWALK\nrun\tRUN", [("walk", "WALK"), ("run", "RUN")]),
        ("walk,WALK\r\nrun twice, RUN RUN\r\n", [("walk", "WALK"), ("run twice", "RUN RUN")]),
        ('"a, b","A, B"\n', [("a, b", "A, B")]),
        ("Source\tTarget\nwalk\tWALK", [("walk", "WALK")]),
        ("input,output\nwalk,WALK", [("walk", "WALK")]),
        ('{"source": "walk", "target": ["W", "W"]}\n', [("walk", "W W")]),
        ("\ufeffwalk\tWALK", [("walk", "WALK")]),
        ("  walk   twice \t  WALK  WALK ", [("walk twice", "WALK WALK")]),
        ("", []),
        ("\n \n", []),
    ],
)
def test_formats(text: str, pairs: list[tuple[str, str]]) -> None:
    assert read_paste(text) == (pairs, [])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("walk\tWALK\nrun", "line 2: no tab, expected source<TAB>target"),
        ("walk", "line 1: no tab, expected source<TAB>target"),
        ("a\tb\tc", "line 1: 2 tabs, expected source<TAB>target"),
        ("a\t ", "line 1: the target is empty"),
        ('a,"b', "line 1: unexpected end of data"),
        ('{"source": 1}', "line 1: 'source' is neither a string nor a list of strings"),
        ('{"source": [1], "target": "x"}', "line 1: 'source' is neither a string nor a list of strings"),
        ("{" * 100_000, "line 1: not JSON"),
    ],
)
def test_what_is_no_pair_is_told(text: str, problem: str) -> None:
    assert read_paste(text).problems[0].startswith(problem)


@given(PAIRS)
def test_tsv_and_json_lines_come_back(pairs: list[tuple[str, str]]) -> None:
    assert read_paste("source\ttarget\n" + "".join(f"{a}\t{b}\n" for a, b in pairs)).pairs == pairs
    lines = "".join(json.dumps({"source": a, "target": b}) + "\n" for a, b in pairs)
    assert read_paste(lines).pairs == pairs


@given(st.text())
def test_any_text_is_read_or_told(text: str) -> None:
    found = read_paste(text)
    assert all(a.split() and b.split() for a, b in found.pairs)
