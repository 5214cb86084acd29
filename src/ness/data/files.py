"""Data of one's own: TSV and JSONL files, plain or gzipped, or standard input.

All malformed lines of a file are found before anything is learned; the first ten are reported.
"""

import gzip
import json
import sys
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ness.data.example import Example, canonical
from ness.errors import DataError
from ness.files import write_atomically

STDIN = "-"
MOST_REPORTED = 10

ParseLine = Callable[[str], Example]


class _BadLine(ValueError):
    """A line is malformed; the message says how."""


@dataclass(frozen=True, slots=True)
class Loaded:
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


def read_examples(path: str | Path) -> Loaded:
    """Read a TSV or JSONL file ("-" is standard input); every problem is one DataError."""
    name = "standard input" if str(path) == STDIN else str(path)
    text = _decode(_content(path, name), name)
    # Only line feeds end lines: `splitlines` would also cut at characters that a token may hold.
    numbered = _parse(text.split("\n"), name)
    lines: dict[Example, int] = {}
    for number, example in numbered:
        lines.setdefault(example, number)
    return replace(review([example for _, example in numbered]), lines=lines)


def review(examples: Sequence[Example]) -> Loaded:
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
    return Loaded(list(examples), duplicates, contradictions)


def _content(path: str | Path, name: str) -> bytes:
    try:
        content = sys.stdin.buffer.read() if str(path) == STDIN else Path(path).read_bytes()
        # Gzip is told by its first two bytes, so it also works on standard input.
        return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    except FileNotFoundError:
        raise DataError(f"{name} does not exist; give a TSV or JSONL file, or '-' for standard input") from None
    except IsADirectoryError:
        raise DataError(f"{name} is a folder; give a TSV or JSONL file in it") from None
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
        raise DataError(f"{name} is a binary file; give TSV or JSONL text")
    return text


def _parse(lines: list[str], name: str) -> list[tuple[int, Example]]:
    """Read the examples, each with the number of its line."""
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not numbered:
        raise DataError(f"{name} is empty; each line should hold a source and a target")
    # A TSV line may start with a brace too, but then it has a tab.
    first = numbered[0][1].lstrip()
    parse_line = _json_line if first.startswith("{") and "\t" not in first else _tsv_line
    examples = []
    problems = []
    for number, line in numbered:
        try:
            examples.append((number, parse_line(line)))
        except _BadLine as problem:
            problems.append(f"line {number}: {problem}")
    if problems:
        raise DataError(_report(problems, name))
    return examples


def _report(problems: list[str], name: str) -> str:
    shown = "; ".join(problems[:MOST_REPORTED])
    rest = len(problems) - MOST_REPORTED
    count = "1 malformed line" if len(problems) == 1 else f"{len(problems)} malformed lines"
    return f"{name} has {count}: {shown}" + (f"; and {rest} more" if rest > 0 else "")


def _tsv_line(line: str) -> Example:
    fields = line.split("\t")
    if len(fields) != 2:
        found = "no tab" if len(fields) == 1 else f"{len(fields) - 1} tabs"
        raise _BadLine(f"{found}, expected source<TAB>target")
    return _example(*(tuple(part.split()) for part in fields))


def _json_line(line: str) -> Example:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _BadLine(f"not JSON ({getattr(error, 'msg', 'a value is too large')})") from None
    if not isinstance(record, dict):
        raise _BadLine("not a JSON object with source and target")
    return _example(_tokens(record, "source"), _tokens(record, "target"))


def _tokens(record: dict[str, object], key: str) -> tuple[str, ...]:
    if key not in record:
        raise _BadLine(f"no {key!r}")
    value = record[key]
    if isinstance(value, str):
        return tuple(value.split())
    if not isinstance(value, list) or not all(isinstance(token, str) for token in value):
        raise _BadLine(f"{key!r} is neither a string nor a list of strings")
    if any(token.split() != [token] for token in value):
        raise _BadLine(f"{key!r} has a token that is empty or holds white space")
    return tuple(value)


def _example(source: tuple[str, ...], target: tuple[str, ...]) -> Example:
    if not source:
        raise _BadLine("the source is empty")
    if not target:
        raise _BadLine("the target is empty")
    if any("\ud800" <= character <= "\udfff" for token in source + target for character in token):
        raise _BadLine("half of a surrogate pair, which is no character")
    return Example(canonical(source), canonical(target))


def write_data(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a whole file or none; say what to do where that cannot be done."""
    try:
        write_atomically(path, data)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror or error}; choose another place") from None


def write_tsv(path: Path, examples: Iterable[Example]) -> None:
    """Write examples as source<TAB>target lines."""
    write_data(path, (f"{' '.join(source)}\t{' '.join(target)}\n".encode() for source, target in examples))


def write_jsonl(path: Path, examples: Iterable[Example]) -> None:
    """Write examples as JSON objects with lists of tokens."""
    records = (json.dumps({"source": source, "target": target}, ensure_ascii=False) for source, target in examples)
    write_data(path, (f"{record}\n".encode() for record in records))
