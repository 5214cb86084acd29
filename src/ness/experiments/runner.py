"""Does what is missing of many runs; finished runs are kept, failures do not stop the others."""

import json
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from ness.execute.jobs import Executor, Job, Resources, Work
from ness.execute.session import JobEnd, Report, complete
from ness.experiments.environment import machine
from ness.experiments.measure import percent
from ness.experiments.spec import RunSpec
from ness.experiments.work import LOG, RunResult
from ness.files import json_bytes, write_atomically

RECORD, OUTCOME, SPEC = "record.json", "outcome.json", "spec.json"
_ERROR_LENGTH = 400


@dataclass(frozen=True)
class Record:
    """How a run ended: with figures, or with an error in one line."""

    spec: RunSpec
    seconds: float
    outcome: dict[str, Any] | None
    error: str | None
    reused: bool = False
    machine: dict[str, str] = field(default_factory=dict)  # where it was measured: versions and hardware


def run_all(
    specs: Iterable[RunSpec],
    folder: Path,
    executor: Executor,
    work: Work[RunSpec, RunResult],
    report: Report = lambda _: None,
    minutes: float = math.inf,
    any_code: bool = False,
    resources: Callable[[RunSpec], Resources] = lambda _: Resources(),
) -> list[Record]:
    """Run what is missing; return a record for each run, in the order given.

    When the minutes are over, runs under way are stopped; those and what was not started have no record. With
    `any_code` runs are also reused where the code has changed since.
    """
    deadline = time.monotonic() + 60 * minutes
    wanted = list(dict.fromkeys(specs))
    records, jobs = missing_jobs(wanted, folder, any_code, resources)
    with executor.pool(work, apart=True) as pool:
        for ended in complete(pool, jobs, report, deadline, done_before=len(records)):
            record = _kept(ended, folder / ended.job.payload.folder)
            ended.words = in_words(record)
            records[record.spec] = record
    return [records[spec] for spec in wanted if spec in records]


def missing_jobs(
    specs: Iterable[RunSpec], folder: Path, any_code: bool, resources: Callable[[RunSpec], Resources]
) -> tuple[dict[RunSpec, Record], list[Job]]:
    """Read the finished runs, and make jobs of the others; how long those of the same kind took is the best guess."""
    wanted = list(dict.fromkeys(specs))
    records = {spec: record for spec in wanted if (record := finished(spec, folder, any_code))}
    took: dict[tuple[str, str, str], list[float]] = {}
    for record in records.values():
        took.setdefault(record.spec.group, []).append(record.seconds)
    jobs = [
        Job(spec.title, spec, resources(spec), fmean(took.get(spec.group, [spec.expected])))
        for spec in wanted
        if spec not in records
    ]
    return records, jobs


def finished(spec: RunSpec, folder: Path, any_code: bool = False) -> Record | None:
    """Read a finished run; None if there is none, if it failed, or if settings or code have changed since."""
    path = folder / spec.folder
    try:
        record = json.loads((path / RECORD).read_text(encoding="utf-8"))
        outcome = json.loads((path / OUTCOME).read_text(encoding="utf-8"))
        if record["error"] is not None or not (any_code or record["fingerprint"] == spec.fingerprint()):
            return None
        return Record(spec, record["seconds"], outcome, None, reused=True, machine=record["machine"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _kept(ended: JobEnd, folder: Path) -> Record:
    """Write down how a run ended, the record last: only what has one is finished."""
    spec: RunSpec = ended.job.payload
    for name in (RECORD, OUTCOME):
        (folder / name).unlink(missing_ok=True)
    write_atomically(folder / SPEC, json_bytes(spec.to_json()))
    made: RunResult | None = ended.result
    if made is None:
        record = Record(spec, ended.seconds, None, ended.why[:_ERROR_LENGTH], machine=machine())
        if not (folder / LOG).exists():  # it is on the machine where the run was
            write_atomically(folder / LOG, "\n".join(getattr(ended.error, "__notes__", ())).encode())
    else:
        for name, content in made.files.items():
            write_atomically(folder / name, content)
        outcome = json_bytes(made.outcome)
        write_atomically(folder / OUTCOME, outcome)
        record = Record(spec, made.seconds, json.loads(outcome), None, machine=made.machine)
    values = {"fingerprint": spec.fingerprint(), "seconds": record.seconds, "error": record.error, "title": spec.title}
    write_atomically(folder / RECORD, json_bytes(values | {"machine": record.machine}))
    return record


def in_words(record: Record) -> str:
    """Say how a run ended."""
    if record.outcome is None:
        return f"{record.spec.title}: FAILED, {record.error}"
    figures = ", ".join(f"{one['name']} {percent(one['exact'])}%" for one in record.outcome["sets"])
    return f"{record.spec.title}: {figures} in {record.seconds:.0f} s"
