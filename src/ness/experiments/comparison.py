"""Systems side by side on one task or on data of one's own: the runs, the tables, the page."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from ness.errors import ConfigError
from ness.experiments.figures import length_plot
from ness.experiments.page import PagePart, render
from ness.experiments.plots import Plot
from ness.experiments.report import failed_part, made_part, mistakes_of, runs_part
from ness.experiments.runner import Record
from ness.experiments.spec import NESS, SYSTEMS, RunSpec, TestSet
from ness.experiments.summary import Measurement, Results, percent
from ness.experiments.systems.registry import knows_more
from ness.experiments.table import BASELINE, OURS, Row, Table

_GROUPS = 6  # of input lengths in a table
_EXPECTED = 120.0  # seconds of a run; a first guess


def checksum(files: Sequence[Path]) -> str:
    """Return the checksum of files, so that a run on other data is another run."""
    found = hashlib.sha256()
    for file in files:
        found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()


def settings_by_system(changes: Sequence[str], systems: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Read changes such as "geca.steps=100": the system, the setting, the value."""
    found: dict[str, tuple[str, ...]] = {}
    for change in changes:
        system, dot, setting = change.partition(".")
        if not dot or system not in systems:
            raise ConfigError(
                f"'{change}' changes no system that is compared; write it as: {systems[-1]}.setting=value"
            )
        found[system] = (*found.get(system, ()), setting)
    return found


def runs_of(
    systems: Sequence[str],
    task: str,
    sets: Sequence[str],
    seeds: int,
    seconds: float,
    settings: Mapping[str, tuple[str, ...]],
    files: Sequence[Path] = (),
) -> list[RunSpec]:
    """List the runs, all systems of one seed before those of the next; wrong settings are told here."""
    tests = tuple(TestSet(name) for name in sets)
    data = checksum(files) if files else ""
    runs = []
    for seed in range(seeds):
        for system in systems:
            own = settings.get(system, ())
            if system == NESS:
                own = (f"learner.time_limit={seconds:g}", *own)
            names = tuple(map(str, files))
            run = RunSpec(
                system, task, seed, settings=own, sets=tests, expected=_EXPECTED, limit=seconds, files=names, data=data
            )
            run.config()
            runs.append(run)
    return runs


def comparison_tables(results: Results, task: str, sets: Sequence[str]) -> list[Table]:
    """Make a table of each test set, and one of its accuracies by input length."""
    return [table for one in sets for table in (_figures(results, task, one), _lengths(results, task, one)) if table]


def comparison_html(results: Results, task: str, sets: Sequence[str], command: str, seeds: int, version: str) -> str:
    """Write the page: tables, plots, what each system got wrong, and how it was made."""
    plots: list[Plot] = [length_plot(results, task, one, "by_input") for one in sets]
    plots += [length_plot(results, task, one, "by_output") for one in sets]
    best = max((_mean(results.measured(one, task, sets[0])), one) for one in results.systems() or [NESS])
    failed = len(results.failures)
    lead = (
        f"{len(results.systems())} systems trained on the same examples and asked the same questions; an answer counts "
        f"if it is exactly right. {SYSTEMS[best[1]]} is right most often ({percent(max(0.0, best[0]))}% on {sets[0]})."
    )
    parts = [
        PagePart("Tables", tables=comparison_tables(results, task, sets)),
        PagePart("Plots", plots=[plot for plot in plots if plot.series]),
        PagePart("Mistakes", "The first mistakes of each run.", items=mistakes_of(results.records)),
        failed_part(results),
        runs_part(results),
        made_part(command, seeds, version, results),
    ]
    title = f"Systems compared on {Path(task).name if '/' in task and Path(task).exists() else task}"
    return render(title, lead, parts, f"{failed} of {len(results.records)} runs failed." if failed else "")


def _figures(results: Results, task: str, test: str) -> Table:
    systems = results.systems()
    several = len({record.spec.seed for record in results.records}) > 1
    told = any(map(knows_more, systems))
    rows = []
    for system in systems:
        one = results.measured(system, task, test)
        records = results.of(system, task)
        outcomes = [record.outcome for record in records if record.outcome is not None]
        trained = [outcome["training"] for outcome in outcomes if outcome.get("training") is not None]
        sizes = [outcome["parameters"] for outcome in outcomes if outcome.get("parameters")]
        cells = (
            *(SYSTEMS[system], one.mean),
            *((one.least, one.each) if several else ()),
            percent(sum(trained) / len(trained)) if trained else "—",
            *(one.trained, one.tested),
            f"{max(sizes):,}" if sizes else "—",
            _ended(records),
            *((knows_more(system) or "nothing",) if told else ()),
        )
        rows.append(Row(cells, OURS if system == NESS else BASELINE))
    columns = (
        *("system", "mean" if several else "exact"),
        *(("min", "every seed") if several else ()),
        *("training", "train s", "test s", "parameters", "ended"),
        *(("knows more",) if told else ()),
    )
    count = max((results.measured(system, task, test).n for system in systems), default=0)
    notes = (
        f"Percent of the {count:,} test outputs that are exactly right. Training: percent of (at most 1,000) training "
        "outputs that are reproduced." + (" Knows more: what it is told beyond the training set." if told else ""),
    )
    return Table(f"figures-{test}", f"Accuracy on {test}", columns, rows, notes)


def _ended(records: Sequence[Record]) -> str:
    ended = Counter(
        str(record.outcome["ended"]).partition(" (")[0] if record.outcome else "failed" for record in records
    )
    return "; ".join(f"{how} ({count})" if len(ended) > 1 else how for how, count in ended.most_common())


def _lengths(results: Results, task: str, test: str) -> Table | None:
    by_system = {system: results.by_length(system, task, test, "by_input") for system in results.systems()}
    totals = Counter({length: n for counts in by_system.values() for length, (n, _) in counts.items()})
    groups = length_groups(totals)
    if not groups:
        return None
    rows = []
    for system, counts in by_system.items():
        cells = []
        for first, last in groups:
            inside = [pair for length, pair in counts.items() if first <= length <= last]
            n, right = sum(pair[0] for pair in inside), sum(pair[1] for pair in inside)
            cells.append(percent(right / n) if n else "—")
        rows.append(Row((SYSTEMS[system], *cells), OURS if system == NESS else BASELINE))
    columns = ("system", *(f"{first}–{last}" if last > first else str(first) for first, last in groups))
    notes = ("Percent of exactly right outputs by the number of input tokens, all seeds together.",)
    return Table(f"lengths-{test}", f"Accuracy by input length on {test}", columns, rows, notes)


def length_groups(counts: Mapping[int, int]) -> list[tuple[int, int]]:
    """Cut lengths into few ranges with about as many examples each."""
    whole = sum(counts.values())
    groups: list[tuple[int, int]] = []
    held = 0
    for length in sorted(counts):
        if groups and held < whole / _GROUPS:
            groups[-1] = (groups[-1][0], length)
        else:
            groups.append((length, length))
            held = 0
        held += counts[length]
    return groups


def _mean(one: Measurement) -> float:
    return sum(one.finished) / len(one.finished) if one.finished else -1.0
