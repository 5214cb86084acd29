"""Data of one's own: TSV, CSV and JSONL files, plain or gzipped, or standard input.

All malformed lines of a file are found before anything is learned; the first ten are reported.
"""

import csv
import gzip
import io
import json
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path

from ness.data.example import Example
from ness.data.formats import SOURCE_NAMES, TARGET_NAMES, Cell, Numbered, Pair, header_of, read_inputs, read_rows
from ness.data.spacing import fitted
from ness.data.spelling import PLAIN, Spelling
from ness.errors import DataError
from ness.files import write_output

STDIN = "-"
MOST_REPORTED = 10
MOST_BYTES = 2**30  # of a file, unpacked; learning from more would take days


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """The examples of a file, and those of them that repeat or contradict another."""

    examples: list[Example]
    duplicates: list[Example]  # each repetition of an earlier example
    contradictions: list[Example]  # all distinct examples whose source has several targets
    lines: dict[Example, int] = field(default_factory=dict)  # the line on which each distinct example stands first

    @property
    def summary(self) -> str:
        """Say in one line what was read."""
        sources = len({example.source for example in self.contradictions})
        return (
            f"{len(self.examples)} examples, {len(self.duplicates)} duplicates, "
            f"{sources} sources with contradictory targets"
        )


def read_examples(path: str | Path, spelling: Spelling = PLAIN) -> LoadedFile:
    """Read a TSV, CSV or JSONL file ("-" is standard input); every problem is one DataError."""
    return examples_of(read_pairs(path), spelling)


def read_pairs(path: str | Path) -> list[Pair]:
    """Read the sources and targets of a file, not yet cut into tokens."""
    name, text = _text(path)
    rows = read_rows(text, str(path))
    if rows.problems:
        raise DataError(_report(rows.problems, name))
    if not rows.found:
        what = "has no examples" if text.strip() else "is empty"
        raise DataError(f"{name} {what}; each line should hold a source and a target")
    return rows.found


def read_sources(path: str | Path, spelling: Spelling = PLAIN) -> list[tuple[str, ...]]:
    """Read the inputs of a file: the column or key named source, else the first column, else whole lines."""
    return [source_tokens(cell, spelling) for cell in _inputs(path)]


def read_texts(path: str | Path) -> list[str]:
    """Read the inputs of a file as texts; empty ones are left out."""
    texts = [cell if isinstance(cell, str) else " ".join(cell) for cell in _inputs(path)]
    return [text for text in texts if text.strip()]


def _inputs(path: str | Path) -> list[Cell]:
    name, text = _text(path)
    found, problems = read_inputs(text, str(path))
    if problems:
        raise DataError(_report(problems, name))
    return found


def examples_of(rows: Iterable[Pair], spelling: Spelling = PLAIN) -> LoadedFile:
    """Cut pairs into tokens."""
    lines: dict[Example, int] = {}
    examples = []
    for line, source, target in rows:
        example = Example(source_tokens(source, spelling), target_tokens(target, spelling))
        examples.append(example)
        lines.setdefault(example, line)
    return replace(review(examples), lines=lines)


def fitted_to(rows: Sequence[Pair], spelling: Spelling) -> Spelling:
    """Learn from pairs how their texts are spelled; what is given as tokens tells nothing."""
    sources = [row.source for row in rows if isinstance(row.source, str)]
    return fitted(spelling, sources, (row.target for row in rows if isinstance(row.target, str)))


def source_tokens(cell: Cell | Sequence[str], spelling: Spelling) -> tuple[str, ...]:
    """The words of a source that is a text, or was cut already."""
    return spelling.split(cell) if isinstance(cell, str) else spelling.given(cell)


def target_tokens(cell: Cell | Sequence[str], spelling: Spelling) -> tuple[str, ...]:
    """The tokens of a target that is a text, or was cut already."""
    return spelling.split_target(cell) if isinstance(cell, str) else PLAIN.given(cell)


def review(examples: Sequence[Example]) -> LoadedFile:
    """Find the duplicates and contradictions among examples."""
    targets: dict[tuple[str, ...], dict[tuple[str, ...], None]] = {}
    duplicates = []
    for example in examples:
        known = targets.setdefault(example.source, {})
        if example.target in known:
            duplicates.append(example)
        known[example.target] = None
    contradictions = [
        Example(source, target) for source, several in targets.items() if len(several) > 1 for target in several
    ]
    return LoadedFile(list(examples), duplicates, contradictions)


def _text(path: str | Path) -> tuple[str, str]:
    name = "standard input" if str(path) == STDIN else str(path)
    return name, _decode(_content(path, name), name)


def _content(path: str | Path, name: str) -> bytes:
    try:
        if str(path) == STDIN:
            content = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            if Path(path).is_char_device():
                raise DataError(f"{name} is a device, which may never end; give a file")
            with Path(path).open("rb") as file:
                content = file.read(MOST_BYTES + 1)
        # Gzip is told by its first two bytes, so it also works on standard input.
        if len(content) <= MOST_BYTES and content.startswith(b"\x1f\x8b"):
            content = gzip.GzipFile(fileobj=io.BytesIO(content)).read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise DataError(f"{name} holds more than {MOST_BYTES // 2**20} MiB; learn from a part of it")
        return content
    except FileNotFoundError:
        raise DataError(f"{name} does not exist; give a TSV, CSV or JSONL file, or '-' for standard input") from None
    except IsADirectoryError:
        raise DataError(f"{name} is a folder; give a TSV, CSV or JSONL file in it") from None
    except (gzip.BadGzipFile, zlib.error, EOFError):
        raise DataError(f"{name} is a damaged gzip file; compress it again") from None
    except OSError as error:
        raise DataError(f"{name} cannot be read: {error.strerror or error}") from None


def _decode(content: bytes, name: str) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(f"{name} is not UTF-8 text (line {line}); save it as UTF-8") from None
    if "\0" in text:
        raise DataError(f"{name} is a binary file; give TSV, CSV or JSONL text")
    return text


def _report(problems: list[Numbered], name: str) -> str:
    shown = "; ".join(f"line {line}: {problem}" for line, problem in problems[:MOST_REPORTED])
    rest = len(problems) - MOST_REPORTED
    count = "1 malformed line" if len(problems) == 1 else f"{len(problems)} malformed lines"
    return f"{name} has {count}: {shown}" + (f"; and {rest} more" if rest > 0 else "")


def write_data(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a whole file or none; say what to do where that cannot be done."""
    try:
        write_output(path, data)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror or error}; choose another place") from None


def write_tsv(path: Path, examples: Iterable[Example]) -> None:
    """Write examples as source<TAB>target lines."""
    write_data(path, (line.encode() for line in _tsv_lines(examples)))


def _tsv_lines(examples: Iterable[Example]) -> Iterator[str]:
    for place, cells in enumerate((" ".join(source), " ".join(target)) for source, target in examples):
        if place == 0 and header_of(cells):  # so that the first example is not taken for one
            yield f"{SOURCE_NAMES[0]}\t{TARGET_NAMES[0]}\n"
        yield "\t".join(cells) + "\n"


def write_csv(path: Path, examples: Iterable[Example]) -> None:
    """Write examples as comma-separated values with a header."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((SOURCE_NAMES[0], TARGET_NAMES[0]))
    writer.writerows((" ".join(source), " ".join(target)) for source, target in examples)
    write_data(path, [text.getvalue().encode()])


def write_jsonl(path: Path, examples: Iterable[Example]) -> None:
    """Write examples as JSON objects with lists of tokens."""
    records = (json.dumps({"source": source, "target": target}, ensure_ascii=False) for source, target in examples)
    write_data(path, (f"{record}\n".encode() for record in records))
