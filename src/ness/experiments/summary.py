"""Figures of several seeds together."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from ness.experiments.environment import in_words
from ness.experiments.measure import percent as percent
from ness.experiments.runner import Record
from ness.experiments.spec import SYSTEMS, RunSpec


@dataclass
class Measurement:
    """A system on one test set: a share for each seed, None where the run failed."""

    system: str
    task: str
    variant: str
    test: str
    shares: dict[int, float | None] = field(default_factory=dict)
    train_seconds: list[float] = field(default_factory=list)
    test_seconds: list[float] = field(default_factory=list)
    n: int = 0
    engine: str = ""  # of NeSS: who answered

    @property
    def name(self) -> str:
        return SYSTEMS[self.system] + (f", {self.variant}" if self.variant else "")

    @property
    def finished(self) -> list[float]:
        return [share for share in self.shares.values() if share is not None]

    @property
    def mean(self) -> str:
        return percent(fmean(self.finished)) if self.finished else "failed" if self.shares else "—"

    @property
    def least(self) -> str:
        if None in self.shares.values():
            return "failed"
        return percent(min(self.finished)) if self.finished else "—"

    @property
    def each(self) -> str:
        ordered = [self.shares[seed] for seed in sorted(self.shares)]
        return " · ".join("failed" if share is None else percent(share) for share in ordered) or "—"

    @property
    def trained(self) -> str:
        return f"{fmean(self.train_seconds):.0f}" if self.train_seconds else "—"

    @property
    def tested(self) -> str:
        return f"{fmean(self.test_seconds):.1f}" if self.test_seconds else "—"


class Results:
    """All records, by what they measure."""

    def __init__(self, records: Iterable[Record]) -> None:
        self.records = list(records)

    def measured(
        self, system: str, task: str, test: str = "test", variant: str = "", figure: str = "exact", part: str = "sets"
    ) -> Measurement:
        """Collect a figure of all seeds; `part` "rules" is that of the rules without the network."""
        found = Measurement(system, task, variant, test)
        for record in self.of(system, task, variant):
            if test not in [one.name for one in record.spec.sets]:
                continue
            if record.outcome is None:
                found.shares[record.spec.seed] = None
                continue
            figures = next((one for one in record.outcome.get(part, ()) if one["name"] == test), None)
            if figures is not None and figure in figures:
                found.shares[record.spec.seed] = figures[figure]
                found.train_seconds.append(record.outcome["seconds"])
                found.test_seconds.append(figures["seconds"])
                found.n = figures["n"]
                found.engine = figures.get("engine", part)
        return found

    def by_length(self, system: str, task: str, test: str, by: str) -> dict[int, tuple[int, int]]:
        """Count the examples of each length and the right ones, all seeds together; `by` "by_input" or "by_output"."""
        counts: dict[int, tuple[int, int]] = {}
        for outcome in self.outcomes(system, task):
            for figures in outcome["sets"]:
                if figures["name"] == test:
                    for length, n, right in figures[by]:
                        before = counts.get(length, (0, 0))
                        counts[length] = before[0] + n, before[1] + right
        return dict(sorted(counts.items()))

    def of(self, system: str, task: str, variant: str = "") -> list[Record]:
        """Return the records of a system on a task, by seed."""
        records = [record for record in self.records if record.spec.group == (system, task, variant)]
        return sorted(records, key=lambda record: record.spec.seed)

    def outcomes(self, system: str, task: str, variant: str = "") -> list[dict[str, Any]]:
        """Return the outcomes of the runs that did not fail, by seed."""
        return [record.outcome for record in self.of(system, task, variant) if record.outcome is not None]

    def systems(self, *tasks: str) -> list[str]:
        """List the systems that have runs of any of the tasks (of all, if none is named); NeSS comes first."""
        found = {record.spec.system for record in self.records if not tasks or record.spec.task in tasks}
        return [name for name in SYSTEMS if name in found]

    @property
    def machines(self) -> list[str]:
        """Say where runs were measured, one line for each place."""
        places = Counter(in_words(record.machine) for record in self.records if record.machine)
        return [f"{count} {'run' if count == 1 else 'runs'}: {place}" for place, count in places.most_common()]

    @property
    def failures(self) -> list[Record]:
        return [record for record in self.records if record.error is not None]


def titles_of(runs: Iterable[RunSpec]) -> tuple[str, ...]:
    """Name runs, system by system, those with the same seeds together."""
    seeds: dict[tuple[str, str, str], list[int]] = {}
    for run in runs:
        seeds.setdefault(run.group, []).append(run.seed)
    order = list(SYSTEMS)
    tasks: dict[tuple[str, str, tuple[int, ...]], list[str]] = {}
    for (system, task, variant), found in seeds.items():
        tasks.setdefault((system, variant, tuple(found)), []).append(task)
    return tuple(
        f"{SYSTEMS[system]}{f' ({variant})' if variant else ''}, seed{'s' * (len(found) > 1)} "
        f"{', '.join(map(str, found))}: {', '.join(named)}"
        for (system, variant, found), named in sorted(tasks.items(), key=lambda item: order.index(item[0][0]))
    )
