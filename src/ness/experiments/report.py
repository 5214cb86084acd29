"""report.html: one page with every table, plot and trace, which needs no other file and no network."""

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files

from ness.experiments.experiments import QUICK
from ness.experiments.figures import plots_of
from ness.experiments.overview import overview_table
from ness.experiments.plots import to_svg
from ness.experiments.runner import Record
from ness.experiments.spec import NESS
from ness.experiments.summary import Results, percent
from ness.experiments.table import Table, to_html
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
    style = (files("ness.experiments") / "static" / "report.css").read_text(encoding="utf-8")
    plots = "".join(to_svg(plot) for plot in plots_of(results))
    parts = {
        "Overview": to_html(overview_table(results, context.commands)),
        "Tables": "".join(_table_group(name, group, context) for name, group in tables.items()),
        "Plots": f"<div class=plots>{plots}</div>" if plots else "",
        "Traces": _traces(results),
        "Mistakes": _mistakes(results.records),
        "Failed runs": _failures(results.failures),
        "Not run": _not_run(context.not_run),
        "Training": to_html(training_table(results)) if results.records else "",
        "Runs": _runs(results.records),
        "How this was made": _made(context, results),
    }
    shown = {title: body for title, body in parts.items() if body}
    links = "".join(f'<li><a href="#{_anchor(title)}">{title}</a></li>' for title in shown)
    body = "".join(f'<h2 id="{_anchor(title)}">{title}</h2>{body}' for title, body in shown.items())
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; frame-src 'self'"
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<title>NeSS: results</title><link rel="icon" href="data:,"><style>{style}</style></head><body><main>'
        f"<h1>Compositional generalization, measured again</h1>{_lead(results, context)}"
        f'<nav aria-label="On this page"><ul>{links}</ul></nav>{body}</main></body></html>\n'
    )


def _lead(results: Results, context: Context) -> str:
    ours = [record for record in results.records if record.spec.system == NESS and not record.spec.variant]
    perfect = sum(_is_perfect(record) for record in ours)
    quick = f" This is a quick run: {QUICK}." if context.quick else ""
    compared = any(record.spec.system != NESS for record in results.records)
    beside = "ours, and other systems trained on the same data" if compared else "and ours"
    failed = len(results.failures)
    ended = f' <span class="bad">{failed} of {len(results.records)} runs failed.</span>' if failed else ""
    return (
        "<p>The experiments of <i>Compositional Generalization via Neural-Symbolic Stack Machines</i> (Chen et al., "
        f"NeurIPS 2020): the paper's figures, {beside}. "
        f"{perfect} of {len(ours)} NeSS runs are right on every example of every test set (translation: up to "
        f"tu and vous).{ended}{quick}</p>"
    )


def _is_perfect(record: Record) -> bool:
    return record.outcome is not None and all(one.get("semantic", one["exact"]) == 1 for one in record.outcome["sets"])


def _table_group(name: str, group: Sequence[Table], context: Context) -> str:
    tables = "".join(to_html(table) for table in group)
    return f"{tables}<p class=made>Made by <code>{html.escape(context.commands[name])}</code></p>"


def _traces(results: Results) -> str:
    traces = []
    for task, title in _TRACED.items():
        outcomes = results.outcomes(NESS, task)
        if outcomes and outcomes[0].get("trace"):
            trace = outcomes[0]["trace"]
            traces.append((f"{title}: {' '.join(trace['source'])}", trace))
    if not traces:
        return ""
    page = html.escape(render_traces_html(traces, "Step through an execution"))
    return (
        "<p>How the first seed translates a test input of each domain. Choose one, then step with the buttons or the "
        f'arrow keys.</p><iframe title="Trace viewer" srcdoc="{page}"></iframe>'
    )


def _mistakes(records: Iterable[Record]) -> str:
    """List what NeSS got wrong."""
    items = []
    for record in records:
        if record.spec.system != NESS or record.spec.variant or record.outcome is None:
            continue
        for figures in record.outcome["sets"]:
            if figures["errors"]:
                head = f"{record.spec.title}, {figures['name']}: {figures['errors']} of {figures['n']} not exact"
                lines = "".join(f"<li><code>{html.escape(line)}</code></li>" for line in figures["mistakes"])
                items.append(f"<details><summary>{html.escape(head)}</summary><ul>{lines}</ul></details>")
    if not items:
        return ""
    return f"<section><p>Every NeSS run that is not exact, with its first mistakes.</p>{''.join(items)}</section>"


def _not_run(titles: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{html.escape(title)}</li>" for title in titles) + "</ul>" if titles else ""


def _failures(failures: Sequence[Record]) -> str:
    items = "".join(
        f'<li>{html.escape(record.spec.title)}: <span class="bad">{html.escape(record.error or "")}</span></li>'
        for record in failures
    )
    return f"<section><ul>{items}</ul></section>" if items else ""


def _runs(records: Sequence[Record]) -> str:
    rows = []
    for record in records:
        figures = record.outcome["sets"] if record.outcome else []
        least = percent(min(one["exact"] for one in figures)) if figures else "failed"
        ended = (record.outcome or {}).get("ended") or record.error or ""
        cells = (record.spec.title, least, f"{record.seconds:.0f}", ended)
        rows.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
    head = "".join(f'<th scope="col">{name}</th>' for name in ("run", "least exact", "seconds", "how training ended"))
    return (
        f"<section><details><summary>All {len(records)} runs</summary><div class=scroll><table><thead><tr>{head}</tr>"
        f"</thead><tbody>{''.join(rows)}</tbody></table></div></details></section>"
    )


def _made(context: Context, results: Results) -> str:
    seconds = sum(record.seconds for record in results.records)
    facts = {
        "seeds": f"0 to {context.seeds - 1}" if context.seeds > 1 else "0",
        "runs": f"{len(results.records)}, {seconds / 60:.0f} minutes of them added up",
        "version": context.version,
        "measured on": "\n".join(results.machines),
    }
    lines = "".join(
        f"<dt>{html.escape(name)}</dt><dd>{'<br>'.join(map(html.escape, value.splitlines()))}</dd>"
        for name, value in facts.items()
    )
    return f"<pre>{html.escape(context.command)}</pre><section><dl>{lines}</dl></section>"


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")
