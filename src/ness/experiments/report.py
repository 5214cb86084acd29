"""The report of a reproduction: one page with tables, plots and traces that opens from a file, without a network."""

from collections.abc import Iterable
from dataclasses import dataclass

from ness.experiments.experiments import QUICK
from ness.experiments.figures import plots_of
from ness.experiments.overview import overview_table
from ness.experiments.page import ListItem, PagePart, render
from ness.experiments.runner import Record
from ness.experiments.spec import NESS
from ness.experiments.summary import Results, percent
from ness.experiments.table import Row, Table
from ness.experiments.training import training_table
from ness.web import render_traces_html

_TRACED = {
    "scan/length": "SCAN, length split",
    "scan/jump": "SCAN, jump",
    "fewshot": "Few-shot",
    "translation": "Translation",
    "cfg/while": "While-Lang",
    "cfg/lambda": "Lambda-Lang",
}


@dataclass(frozen=True)
class Context:
    """What a reader needs to run it again."""

    command: str
    commands: dict[str, str]  # by table
    seeds: int
    quick: bool
    version: str
    not_run: tuple[str, ...] = ()  # titles of runs that there was no time for


def report_html(results: Results, tables: dict[str, list[Table]], context: Context) -> str:
    """Write the page."""
    overview = overview_table(results, context.commands)
    commands = {group[-1].name: context.commands[name] for name, group in tables.items() if group}
    traces = _traces(results)
    mistakes = mistakes_of(record for record in results.records if record.spec.system == NESS)
    parts = [
        PagePart("Overview", tables=[overview] if overview.rows else []),
        PagePart("Tables", tables=[table for group in tables.values() for table in group], commands=commands),
        PagePart("Plots", plots=plots_of(results)),
        PagePart(
            "Traces",
            "How the first seed translates a test input of each domain. Choose one, then step with the buttons or the "
            "arrow keys.",
            frame=render_traces_html(traces, "Step through an execution") if traces else "",
        ),
        PagePart("Mistakes", "Every NeSS run that is not exact, with its first mistakes.", items=mistakes),
        failed_part(results),
        PagePart("Not run", items=[ListItem(title) for title in context.not_run]),
        PagePart("Training", tables=[training_table(results)] if results.records else []),
        runs_part(results),
        made_part(context.command, context.seeds, context.version, results),
    ]
    failed = len(results.failures)
    warning = f"{failed} of {len(results.records)} runs failed." if failed else ""
    return render("Compositional generalization, measured again", _lead(results, context), parts, warning)


def _lead(results: Results, context: Context) -> str:
    ours = [record for record in results.records if record.spec.system == NESS and not record.spec.variant]
    perfect = sum(_is_perfect(record) for record in ours)
    quick = f" This is a quick run: {QUICK}." if context.quick else ""
    compared = any(record.spec.system != NESS for record in results.records)
    beside = "ours, and other systems trained on the same data" if compared else "and ours"
    told = (
        f" {perfect} of {len(ours)} NeSS runs are right on every example of every test set (translation: up to tu and "
        "vous)."
    )
    return (
        "The experiments of Compositional Generalization via Neural-Symbolic Stack Machines (Chen et al., NeurIPS "
        f"2020): the paper's figures, {beside}.{told if ours else ''}{quick}"
    )


def _is_perfect(record: Record) -> bool:
    return record.outcome is not None and all(one.get("semantic", one["exact"]) == 1 for one in record.outcome["sets"])


def _traces(results: Results) -> list[tuple[str, dict[str, object]]]:
    traces = []
    for task, title in _TRACED.items():
        outcomes = results.outcomes(NESS, task)
        if outcomes and outcomes[0].get("trace"):
            trace = outcomes[0]["trace"]
            traces.append((f"{title}: {' '.join(trace['source'])}", trace))
    return traces


def mistakes_of(records: Iterable[Record]) -> list[ListItem]:
    """List what runs with default settings got wrong."""
    items = []
    for record in records:
        if record.spec.variant or record.outcome is None:
            continue
        for figures in record.outcome["sets"]:
            if figures["errors"]:
                head = f"{record.spec.title}, {figures['name']}: {figures['errors']} of {figures['n']} not exact"
                items.append(ListItem(head, lines=figures["mistakes"]))
    return items


def failed_part(results: Results) -> PagePart:
    """List the runs that failed, each in a line."""
    return PagePart(
        "Failed runs", items=[ListItem(record.spec.title, record.error or "") for record in results.failures]
    )


def runs_part(results: Results) -> PagePart:
    """List all runs."""
    rows = []
    for record in results.records:
        figures = record.outcome["sets"] if record.outcome else []
        least = percent(min(one["exact"] for one in figures)) if figures else "failed"
        ended = (record.outcome or {}).get("ended") or record.error or ""
        rows.append(Row((record.spec.title, str(ended), least, f"{record.seconds:.0f}")))
    columns = ("run", "how training ended", "least exact", "seconds")
    title = f"All {len(rows)} runs"
    return PagePart("Runs", tables=[Table("runs", title, columns, rows, texts=2, folded=True)] if rows else [])


def made_part(command: str, seeds: int, version: str, results: Results) -> PagePart:
    """Say how the figures came about."""
    minutes = sum(record.seconds for record in results.records) / 60
    facts = {
        "seeds": [f"0 to {seeds - 1}" if seeds > 1 else "0"],
        "runs": [f"{len(results.records)}, {minutes:.0f} minutes of them added up"],
        "version": [version],
        "measured on": results.machines,
    }
    return PagePart("How this was made", code=[command], facts=facts)
