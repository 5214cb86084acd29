"""Own data: every form that is read, and every kind of bad input."""

import gzip
import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ness.data import files
from ness.data.example import Example, example_of
from ness.data.files import read_examples, write_csv, write_jsonl, write_tsv
from ness.data.spelling import PLAIN
from ness.errors import DataError

EXAMPLES = [example_of("walk twice", "WALK WALK"), example_of("run", "RUN")]
TSV = "walk twice\tWALK WALK\nrun\tRUN\n"
JSONL = '{"source": "walk twice", "target": ["WALK", "WALK"]}\n{"target": "RUN", "source": ["run"], "note": 1}\n'


@pytest.mark.parametrize(
    "content",
    [
        TSV.encode(),
        TSV.rstrip().encode(),
        TSV.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + TSV.encode(),
        b"\n  \n" + TSV.encode() + b"\n\n",
        TSV.replace(" ", "   ").encode(),
        gzip.compress(TSV.encode(), mtime=0),
        JSONL.encode(),
        JSONL.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + JSONL.encode(),
        gzip.compress(JSONL.encode(), mtime=0),
    ],
)
def test_forms(tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "data"
    path.write_bytes(content)
    assert read_examples(path).examples == EXAMPLES
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert read_examples("-").examples == EXAMPLES


def test_a_tsv_source_may_start_with_a_brace(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("{ a }\tBLOCK a\n")
    assert read_examples(tmp_path / "data").examples == [example_of("{ a }", "BLOCK a")]


def test_duplicates_and_contradictions(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a\tA\nb\tB\na\tA\na\tX\na\tA\nc\tC\nc\tD\n")
    loaded = read_examples(tmp_path / "data")
    assert len(loaded.examples) == 7
    assert loaded.duplicates == [example_of("a", "A")] * 2
    assert loaded.contradictions == [example_of(*pair) for pair in ("aA", "aX", "cC", "cD")]
    assert loaded.summary == "7 examples, 2 duplicates, 2 sources with contradictory targets"


def error_of(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        read_examples(path)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(str(path), "FILE")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "FILE is empty; each line should hold a source and a target"),
        (b" \n\r\n", "FILE is empty; each line should hold a source and a target"),
        (b"source\ttarget\n", "FILE has no examples; each line should hold a source and a target"),
        (b"a\tA\nfoo bar\n", "FILE has 1 malformed line: line 2: no tab, expected source<TAB>target"),
        (b"a\tA\tB\n", "FILE has 1 malformed line: line 1: 2 tabs, expected source<TAB>target"),
        (b"a\tA\n\n\tB\n", "FILE has 1 malformed line: line 3: the source is empty"),
        (b"a\t \n", "FILE has 1 malformed line: line 1: the target is empty"),
        (b"a\tA\n\xff\xfe\n", "FILE is not UTF-8 text (line 2); save it as UTF-8"),
        (b"a\tA\0\n", "FILE is a binary file; give TSV, CSV or JSONL text"),
        (b"\x1f\x8b\x08rubbish", "FILE is a damaged gzip file; compress it again"),
        (gzip.compress(TSV.encode(), mtime=0)[:-9], "FILE is a damaged gzip file; compress it again"),
        (b'{"source": "a"\n', "FILE has 1 malformed line: line 1: not JSON (Expecting ',' delimiter)"),
        (b'{"source": "a"}\n', "FILE has 1 malformed line: line 1: no 'target'"),
        (b'{"target": "a"}\n', "FILE has 1 malformed line: line 1: no 'source'"),
        (b'{"source": 1, "target": "a"}\n', "line 1: 'source' is neither a string nor a list of strings"),
        (b'{"source": ["a", 2], "target": "a"}\n', "line 1: 'source' is neither a string nor a list of strings"),
        (b'{"source": ["a b"], "target": "a"}\n', "line 1: 'source' has a token that is empty or holds white space"),
        (b'{"source": [""], "target": "a"}\n', "line 1: 'source' has a token that is empty or holds white space"),
        (b'{"source": [], "target": "a"}\n', "line 1: the source is empty"),
        (b'{"source": "a", "target": "\\ud800"}\n', "line 1: half of a surrogate pair, which is no character"),
        (b'{"source": "a", "target": "b"}\n[]\n', "line 2: not a JSON object with source and target"),
        (b'{"source": ' + b"[" * 100_000 + b"\n", "line 1: not JSON (a value is too large)"),
    ],
)
def test_bad_content(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "data"
    path.write_bytes(content)
    assert error_of(path).endswith(message)


def test_a_json_array_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"source": "a", "target": "A"}]')
    with pytest.raises(DataError, match="line 1: not a JSON object with source and target"):
        read_examples(tmp_path / "a.json")


def test_devices_are_refused_unread() -> None:
    with pytest.raises(DataError, match=r"/dev/zero is a device, which may never end; give a file"):
        read_examples("/dev/zero")


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_files_without_end_are_refused(
    compress: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 2**20)
    (tmp_path / "a.tsv").write_bytes(compress(b"a\tA\n" * 2**18))
    assert len(read_examples(tmp_path / "a.tsv").examples) == 2**18
    (tmp_path / "a.tsv").write_bytes(compress(b"a\tA\n" * 2**18 + b"\n"))
    with pytest.raises(DataError, match=r"a\.tsv holds more than 1 MiB; learn from a part of it"):
        read_examples(tmp_path / "a.tsv")


def test_first_ten_malformed_lines_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "data.tsv"
    path.write_text("a\tA\n" + "bad\n" * 12)
    message = error_of(path)
    assert message.startswith("FILE has 12 malformed lines: line 2: no tab")
    assert message.count("line ") == 10
    assert message.endswith("line 11: no tab, expected source<TAB>target; and 2 more")


def test_missing_folder_and_forbidden(tmp_path: Path) -> None:
    assert error_of(tmp_path / "no") == "FILE does not exist; give a TSV, CSV or JSONL file, or '-' for standard input"
    assert error_of(tmp_path) == "FILE is a folder; give a TSV, CSV or JSONL file in it"
    secret = tmp_path / "secret"
    secret.write_text(TSV)
    secret.chmod(0)
    if os.access(secret, os.R_OK):
        pytest.skip("this user may read everything")
    assert error_of(secret) == "FILE cannot be read: Permission denied"


TOKENS = st.lists(
    st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1)
    .map(lambda token: PLAIN.given([token])[0])
    .filter(lambda token: token.split() == [token]),
    min_size=1,
    max_size=5,
).map(tuple)


@given(st.lists(st.builds(Example, TOKENS, TOKENS), min_size=1, max_size=8))
def test_what_is_written_reads_back(tmp_path_factory: pytest.TempPathFactory, examples: list[Example]) -> None:
    folder = tmp_path_factory.mktemp("written")
    write_tsv(folder / "a.tsv", examples)
    write_csv(folder / "a.csv", examples)
    write_jsonl(folder / "a.jsonl", examples)
    names = ["a.csv", "a.jsonl", "a.tsv"]
    assert [read_examples(folder / name).examples for name in names] == [examples] * 3
    assert sorted(path.name for path in folder.iterdir()) == names


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "data.tsv"
    path.write_text("old")

    def examples() -> "list[Example]":
        raise OSError(28, "No space left on device")

    with pytest.raises(DataError, match=r"cannot write .*data.tsv: No space left on device"):
        write_tsv(path, (example for _ in range(1) for example in examples()))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_jsonl_lines_are_plain_objects(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", EXAMPLES)
    first = json.loads((tmp_path / "a.jsonl").read_text().splitlines()[0])
    assert first == {"source": ["walk", "twice"], "target": ["WALK", "WALK"]}


def test_words_that_are_canonically_equal_are_one(tmp_path: Path) -> None:
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    (tmp_path / "a.tsv").write_text(f"{composed}\tA\n{decomposed}\tA\n", encoding="utf-8")
    (tmp_path / "a.jsonl").write_text(json.dumps({"source": [decomposed], "target": decomposed}), encoding="utf-8")
    loaded = read_examples(tmp_path / "a.tsv")
    assert (len(loaded.duplicates), loaded.lines) == (1, {Example((composed,), ("A",)): 1})
    assert read_examples(tmp_path / "a.jsonl").examples == [Example((composed,), (composed,))]
    assert PLAIN.split(f"{decomposed} x") == (composed, "x")
