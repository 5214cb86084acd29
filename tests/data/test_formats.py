"""Every form in which examples come: tables with and without a header, CSV as spreadsheets write it, JSON lines."""

import csv
import io
import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ness.data.example import Example, example_of
from ness.data.files import read_examples, read_sources, write_tsv
from ness.data.formats import read_rows
from ness.data.spelling import PLAIN, Spelling
from ness.data.texts import examples_in, sources_in
from ness.errors import DataError

PAIRS = [("walk twice", "WALK WALK"), ("run", "RUN")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tsv", "walk twice\tWALK WALK\nrun\tRUN\n"),
        ("a.tsv", "source\ttarget\nwalk twice\tWALK WALK\nrun\tRUN\n"),
        ("a.tsv", "Target\tInput\nWALK WALK\twalk twice\nRUN\trun\n"),
        ("a.tsv", "id\tsource\tnote\toutput\n1\twalk twice\t\tWALK WALK\n2\trun\tx\tRUN\n"),
        ("a.csv", "walk twice,WALK WALK\nrun,RUN\n"),
        ("a.CSV", "walk twice, WALK WALK\r\nrun, RUN\r\n"),
        ("a.csv", "source,target\nwalk twice,WALK WALK\nrun,RUN\n"),
        ("a.csv", 'Input;Output\n"walk twice";"WALK WALK"\nrun;RUN\n'),
        ("a.csv", "walk twice;WALK WALK\nrun;RUN\n"),
        ("a.csv", "\ufeffwalk twice\tWALK WALK\nrun\tRUN\n"),
        ("a.csv", '"walk\ntwice","WALK\nWALK"\nrun,RUN\n'),
        ("", "input,output\nwalk twice,WALK WALK\nrun,RUN\n"),
        ("", "walk twice,WALK WALK\nrun,RUN\n"),
        ("a.jsonl", '{"input": "walk twice", "output": "WALK WALK"}\n\n{"src": ["run"], "tgt": ["RUN"]}\n'),
        ("", '{"source": "walk twice", "target": "WALK WALK", "id": 7}\n{"source": "run", "target": "RUN"}\n'),
    ],
)
def test_forms(name: str, text: str) -> None:
    found, problems = read_rows(text, name)
    assert problems == []
    cut = [tuple(cell if isinstance(cell, list) else cell.split() for cell in row[1:]) for row in found]
    assert cut == [tuple(side.split() for side in pair) for pair in PAIRS]


@pytest.mark.parametrize(
    ("name", "text", "pairs"),
    [
        # A comma in a text is no CSV where a line has a tab, or the name says so.
        ("", "a, b\tA , B\n", [("a, b", "A , B")]),
        ("a.csv", '"a, ""b""","A, B"\n', [('a, "b"', "A, B")]),
        ("a.csv", "rot, gelb;RED YELLOW\nblau;BLUE\n", [("rot, gelb", "RED YELLOW"), ("blau", "BLUE")]),
        # Only both names make a header.
        ("", "source\tquelle\n", [("source", "quelle")]),
        ("", "{ a }\tBLOCK a\n", [("{ a }", "BLOCK a")]),
    ],
)
def test_what_only_looks_like_another_form(name: str, text: str, pairs: list[tuple[str, str]]) -> None:
    assert [row[1:] for row in read_rows(text, name).found] == pairs


@pytest.mark.parametrize(
    ("name", "text", "problems"),
    [
        ("a.csv", "walk,WALK\nrun\n", [(2, "no comma, expected source<COMMA>target")]),
        ("a.csv", "walk,WALK\nrun,RUN,x\n", [(2, "2 commas, expected source<COMMA>target")]),
        ("a.csv", "source,x,target\nwalk,,WALK\nrun\n", [(3, "1 columns, the header has more")]),
        ("a.csv", 'a,"b" c\nd,D\n', [(1, "',' expected after '\"'")]),
        ("a.csv", 'a,A\nb,"B\n', [(2, "unexpected end of data")]),
        ("a.tsv", "walk,WALK\n", [(1, "no tab, expected source<TAB>target")]),
        ("", "walk\n", [(1, "no tab, expected source<TAB>target")]),
        ("a.csv", "a,\n\n ,B\n", [(1, "the target is empty"), (3, "the source is empty")]),
    ],
)
def test_bad_lines_are_told_with_their_numbers(name: str, text: str, problems: list[tuple[int, str]]) -> None:
    assert read_rows(text, name).problems == problems


def test_an_example_that_looks_like_a_header_is_kept(tmp_path: Path) -> None:
    examples = [example_of("source", "target"), example_of("input", "output")]
    write_tsv(tmp_path / "a.tsv", examples)
    assert read_examples(tmp_path / "a.tsv").examples == examples


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "walk, twice\n\nrun\n"),
        ("a", "walk, twice\r\n\r\nrun\r\n"),
        ("a.csv", '"walk, twice"\n\nrun\n'),
        ("a.csv", 'note,source\nx,"walk, twice"\ny,\nz,run\n'),
        ("a.tsv", "walk, twice\tWALK WALK\n\tNOTHING\nrun\tRUN\n"),
        ("a.jsonl", '{"source": "walk, twice"}\n{"source": []}\n{"source": ["run"], "target": "RUN"}\n'),
    ],
)
def test_inputs_stay_in_line(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, newline="")
    assert read_sources(tmp_path / name) == [("walk,", "twice"), (), ("run",)]


def test_inputs_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"source": "a"}\n{"target": "b"}\n')
    with pytest.raises(DataError, match=r"1 malformed line: line 2: no 'source'$"):
        read_sources(tmp_path / "a.jsonl")


FRAME = pd.DataFrame(PAIRS, columns=["source", "target"])


@pytest.mark.parametrize(
    "data",
    [
        (PAIRS,),
        (dict(PAIRS),),
        ([["walk twice", ["WALK", "WALK"]], [["run"], "RUN"]],),
        (FRAME,),
        (FRAME[["target", "source"]],),
        (FRAME.rename(columns={"source": "en", "target": "fr"}),),
        (FRAME.assign(note=1),),
        (FRAME[["source"]], FRAME["target"]),
        (FRAME["source"], FRAME["target"].to_numpy()),
        ((source for source, _ in PAIRS), [target for _, target in PAIRS]),
    ],
)
def test_lists_and_frames(data: tuple[object, ...]) -> None:
    examples, _ = examples_in(data[0], data[1] if len(data) > 1 else None, PLAIN)  # type: ignore[arg-type]
    assert examples == [example_of(*pair) for pair in PAIRS]


def test_sources_of_a_frame() -> None:
    assert sources_in(FRAME, Spelling(lowercase=True)) == [("walk", "twice"), ("run",)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (FRAME.rename(columns={"source": "en"}).assign(note=1), "the data frame has no column 'source'"),
        (["walk", "run"], "a pair of source and target is expected, not 'walk'"),
        ([("a", "b", "c")], "a pair of source and target is expected"),
        ([("a", " ")], "a target is empty"),
        ([(None, "A")], "a source is neither a string nor a list of strings: None"),
        ("walk\tWALK", "a list of sources is expected, not one string"),
        (Path("missing.csv"), "missing.csv does not exist"),
    ],
)
def test_data_that_cannot_be_read(data: object, message: str) -> None:
    with pytest.raises(DataError, match=message.replace("(", r"\(")):
        examples_in(data, None, PLAIN)


TEXTS = st.text(st.characters(exclude_categories=["C"], exclude_characters="\u2028\u2029"), min_size=1).filter(
    lambda text: text.strip() != ""
)
TABLES = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6)


@given(TABLES)
def test_round_trip_of_texts(pairs: list[tuple[str, str]]) -> None:
    """CSV and JSON lines keep a text as it is; so do frames and lists, and TSV where it has no tab."""
    table = io.StringIO()
    csv.writer(table, quoting=csv.QUOTE_ALL).writerows([("source", "target"), *pairs])
    lines = "".join(json.dumps({"source": source, "target": target}) + "\n" for source, target in pairs)
    tsv = "source\ttarget\n" + "".join(f"{source}\t{target}\n" for source, target in pairs)
    for name, text in (("a.csv", table.getvalue()), ("a.jsonl", lines), ("a.tsv", tsv)):
        found, problems = read_rows(text, name)
        assert ([row[1:] for row in found], problems) == (pairs, []), name
    frame = pd.DataFrame(pairs, columns=["source", "target"])
    assert examples_in(frame, None, PLAIN) == examples_in(pairs, None, PLAIN)


@given(st.text())
def test_any_text_is_read_or_told(text: str) -> None:
    for name in ("", "a.csv", "a.tsv", "a.jsonl"):
        found, problems = read_rows(text, name)
        assert all(row.source and row.target for row in found)
        assert bool(found or problems) or not text.strip("\ufeff \t\r\n") or not text.strip() or text.count("\n") == 0


@given(st.lists(st.builds(Example, *[st.lists(st.sampled_from("ab,;\"'"), min_size=1).map(tuple)] * 2), min_size=1))
def test_a_spreadsheet_saved_with_semicolons(examples: list[Example]) -> None:
    table = io.StringIO()
    csv.writer(table, delimiter=";").writerows(
        [("source", "target"), *((" ".join(source), " ".join(target)) for source, target in examples)]
    )
    found, problems = read_rows(table.getvalue(), "a.csv")
    assert problems == []
    assert [Example(*(tuple(str(cell).split()) for cell in row[1:])) for row in found] == examples
