"""How training went: one line for all seeds of a system on a task, from what the runs logged."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ness.experiments.runner import Record
from ness.experiments.spec import LSTM, NESS, SYSTEMS, TRANSFORMER
from ness.experiments.summary import Results, percent
from ness.experiments.table import BASELINE, OURS, Row, Table

_COLUMNS = (
    *("system", "task", "how training ended", "runs", "steps", "last loss", "training", "restarts", "parameters"),
    *("search nodes", "seconds"),
)


def training_table(results: Results) -> Table:
    """Sum up the logs: steps, last loss, share of the training data that is reproduced, time."""
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for record in results.records:
        groups.setdefault(record.spec.group, []).append(record)
    rows = [_row(group) for group in groups.values()]
    starts = {place for place in range(1, len(rows)) if rows[place].kind != rows[place - 1].kind}
    notes = (
        "From the least to the most of all seeds. Training: percent of the training outputs (of 1,000 at most) "
        "that are reproduced at the end. Restarts: fresh starts of all seeds together, by a criterion on training "
        "data. Seconds: the whole run with its tests.",
        *([_OURS_NOTE] if {LSTM, TRANSFORMER} & set(results.systems()) else []),
    )
    return Table("training", "How training ended", _COLUMNS, rows, notes, 3, frozenset(starts), folded=True)


_OURS_NOTE = (
    "Ours, LSTM and Transformer: 128 units (the Transformer 2 layers and 4 heads), Adam, a rate of 0.001 that shrinks "
    "to a tenth, batches of 64. They stop when the checked training outputs are all right and the loss per token is "
    "below 0.01, or when their steps are used up. Steps were set by training curves; on translation they got more "
    "of them after 2,000 had led to 11% (LSTM) and 65% (Transformer) of the training outputs. Dropout was set to 0 "
    "because it slowed training down. The test figures of the runs behind both decisions were visible, too. The other "
    "systems have their authors' settings; docs/systems.md says what differs."
)


def _row(records: Sequence[Record]) -> Row:
    spec = records[0].spec
    outcomes = [record.outcome for record in records if record.outcome is not None]
    last = [(outcome, outcome["curve"][-1]) for outcome in outcomes if outcome["curve"]]
    ended = Counter(_ended(outcome) for outcome in outcomes)
    if failed := len(records) - len(outcomes):
        ended["failed"] = failed
    cells = (
        SYSTEMS[spec.system] + (f", {spec.variant}" if spec.variant else ""),
        spec.task,
        "; ".join(f"{how} ({count})" if len(ended) > 1 else how for how, count in ended.most_common()),
        str(len(records)),
        _span([outcome.get("steps") or point["step"] for outcome, point in last], lambda step: f"{step:,}"),
        _span([point["loss"] for _, point in last], lambda loss: f"{loss:.2g}"),
        _span([share for outcome in outcomes if (share := outcome.get("training")) is not None], percent),
        str(sum(outcome.get("restarts", 0) for outcome in outcomes)),
        _span([outcome["parameters"] for outcome in outcomes if outcome.get("parameters")], lambda count: f"{count:,}"),
        _span([outcome["nodes"] for outcome in outcomes if outcome.get("nodes")], lambda nodes: f"{nodes:,}"),
        _span([record.seconds for record in records], lambda seconds: f"{seconds:.0f}"),
    )
    return Row(cells, OURS if spec.system == NESS else BASELINE)


def _ended(outcome: dict[str, Any]) -> str:
    """Leave out what is in a column of its own."""
    return str(outcome["ended"]).partition(" (")[0]


def _span(values: Sequence[float], show: Callable[[float], str]) -> str:
    return " – ".join(dict.fromkeys([show(min(values)), show(max(values))])) if values else "—"
