"""What the learner has after each lesson, on disk: a run that was killed goes on after its last whole lesson.

JSON lines, one for each lesson, appended and forced to disk; a line that was cut off is ignored. Samples and steps
are written as numbers. The state of the random generator is kept too, so a resumed run ends as an unbroken one.
"""

import json
import os
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zlib import crc32

from ness.files import naming, read_regular, write_atomically
from ness.learn.attempts import JournalEntry, Snapshot
from ness.learn.coding import CodedTrace, Sample, Step
from ness.learn.fit import Hypothesis
from ness.learn.judge import ScoredHypothesis

_VERSION = 4
_FIGURES = ("score", "length", "errors", "next_errors", "nodes", "rules")


class FileJournal:
    """Keeps lessons in a file; reads those of an earlier run with the same digest."""

    def __init__(self, path: Path, samples: Iterable[Sample], digest: str) -> None:
        self._path = path
        self._samples = list(samples)
        self._numbers = {sample: number for number, sample in enumerate(self._samples)}
        self._steps: list[Step] = []
        self._step_numbers: dict[Step, int] = {}
        # One training may learn from part of its examples first.
        self._header = {"version": _VERSION, "digest": digest, "samples": crc32(repr(self._samples).encode())}
        self._records: dict[tuple[int, int], dict[str, Any]] = {}
        lines = self._read()
        # Written anew, so that a line that was cut off does not spoil the next one; whole or not at all.
        write_atomically(path, "".join(map(_line, (self._header, *lines))).encode())

    def get(self, attempt: int, lesson: int, rng: random.Random) -> JournalEntry | None:
        """Return what an earlier run had after a lesson, and set the random generator to how it was then."""
        record = self._records.get((attempt, lesson))
        if record is None:
            return None
        version, state, gauss = record["rng"]
        rng.setstate((version, tuple(state), gauss))
        population = [self._read_hypothesis(one) for one in record["population"]]
        return JournalEntry(
            Snapshot(population, [self._samples[number] for number in record["samples"]]), record["nodes"]
        )

    def add(self, attempt: int, lesson: int, entry: JournalEntry, rng: random.Random) -> None:
        """Keep what there is after a lesson."""
        known = len(self._steps)
        population = [self._write_hypothesis(one) for one in entry.snapshot.population]
        record = {
            "attempt": attempt,
            "lesson": lesson,
            "nodes": entry.nodes,
            "samples": [self._numbers[sample] for sample in entry.snapshot.samples],
            "population": population,
            "steps": self._steps[known:],
            "rng": rng.getstate(),
        }
        with naming(self._path), self._path.open("a", encoding="utf-8") as file:
            file.write(_line(record))
            file.flush()
            os.fsync(file.fileno())

    def _read(self) -> list[dict[str, Any]]:
        """Read the lessons of an earlier run up to a damaged one; none where the file is another run's."""
        lines = ((read_regular(self._path) if self._path.exists() else None) or b"").splitlines()
        if not lines or lines[0] != _line(self._header).rstrip().encode():
            return []
        records = []
        for line in lines[1:]:
            checksum, _, text = line.partition(b" ")
            if checksum != _checksum(text):
                break
            record = json.loads(text)
            for step in record["steps"]:
                self._number(_tuples(step))
            self._records[record["attempt"], record["lesson"]] = record
            records.append(record)
        return records

    def _write_hypothesis(self, scored: ScoredHypothesis) -> dict[str, Any]:
        hypothesis = scored.hypothesis
        return {
            **{name: getattr(scored, name) for name in _FIGURES},
            "traces": [
                [self._numbers[sample], [self._number(step) for step in trace]]
                for sample, trace in hypothesis.traces.items()
            ],
            "classes": list(hypothesis.classes.items()),
            "bans": sorted(hypothesis.bans, key=repr),
            "freedom": hypothesis.freedom,
            "contextual": hypothesis.contextual,
        }

    def _read_hypothesis(self, plain: dict[str, Any]) -> ScoredHypothesis:
        traces: dict[Sample, CodedTrace] = {
            self._samples[sample]: tuple([self._steps[number] for number in steps]) for sample, steps in plain["traces"]
        }
        classes = dict(plain["classes"])
        bans = frozenset(_tuples(ban) for ban in plain["bans"])
        contextual = plain.get("contextual", False)
        hypothesis = Hypothesis(traces, classes, bans, plain["freedom"], contextual=contextual)
        return ScoredHypothesis(hypothesis, hard={}, **{name: plain[name] for name in _FIGURES})

    def _number(self, step: Step) -> int:
        number = self._step_numbers.setdefault(step, len(self._steps))
        if number == len(self._steps):
            self._steps.append(step)
        return number


def _line(record: Any) -> str:
    """Write a line that tells whether it is as it was written."""
    text = json.dumps(record)
    return f"{_checksum(text.encode()).decode()} {text}\n"


def _checksum(text: bytes) -> bytes:
    return f"{crc32(text):08x}".encode()


def _tuples(value: Any) -> Any:
    """Turn the lists that JSON knows back into tuples."""
    return tuple(_tuples(part) for part in value) if isinstance(value, list) else value
