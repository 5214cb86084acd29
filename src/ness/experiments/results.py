"""results.json: every figure, for programs."""

from dataclasses import asdict
from typing import Any

from ness.experiments.report import Context
from ness.experiments.summary import Results
from ness.experiments.table import Table

_LEFT_OUT = ("trace", "reduce", "curve", "lessons")  # in each run's own outcome.json


def results_json(results: Results, tables: dict[str, list[Table]], context: Context) -> dict[str, Any]:
    """Return all runs with their figures, and the tables as they are shown."""
    runs = []
    for record in results.records:
        outcome = {key: value for key, value in (record.outcome or {}).items() if key not in _LEFT_OUT}
        run = {"title": record.spec.title, "folder": record.spec.folder, "spec": record.spec.to_json()}
        ended: dict[str, Any] = {"seconds": record.seconds, "error": record.error, "outcome": outcome or None}
        runs.append(run | ended | {"machine": record.machine})
    shown = {
        name: [{"title": one.title, "columns": one.columns, "rows": [row.cells for row in one.rows]} for one in group]
        for name, group in tables.items()
    }
    return {"context": asdict(context), "tables": shown, "runs": runs}
