"""The records of variants as a table: one line for each variant and task."""

from collections.abc import Iterable
from statistics import mean
from typing import Any


def table(records: Iterable[dict[str, Any]]) -> str:
    """Write a Markdown table, with every seed; runs that did not end are counted, not hidden."""
    lines = [
        "| variant | task | network, test, by seed | rules, test, by seed | steps | traced | contradictory statuses "
        "| their share of steps | as the reference | seconds |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for (variant, task), group in grouped(records).items():
        ends = [record["lessons"][-1] for record in group if record.get("lessons")]
        cells = [
            variant,
            task,
            ", ".join(_accuracy(record, "network") for record in group),
            ", ".join(_accuracy(record, "rules") for record in group),
            _mean([end["gradient_steps"] for end in ends], "{:.0f}"),
            _mean([end["traced"] / end["examples"] for end in ends], "{:.0%}"),
            _mean([end["contradictory"] for end in ends], "{:.0f}"),
            _mean([end["contradictory_steps"] for end in ends], "{:.1%}"),
            _mean([end["reference_steps"] for end in ends if end["reference_steps"] is not None], "{:.0%}"),
            _mean([record["seconds"] for record in group if "seconds" in record], "{:.0f}"),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def grouped(records: Iterable[dict[str, Any]]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Put the seeds of each variant and task together."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for record in sorted(records, key=lambda record: int(record["seed"])):
        groups.setdefault((record["variant"], record["task"]), []).append(record)
    return groups


def _accuracy(record: dict[str, Any], engine: str) -> str:
    if "error" in record:
        return "error"
    if not record["ended"]:
        return f"killed in lesson {len(record['lessons']) + 1}"
    accuracy = min(record[engine].values(), default=0.0)
    text = "100%" if accuracy == 1 else f"{accuracy:.1%}"
    return f"{text} (cut off)" if record["cut_off"] else text


def _mean(values: list[Any], form: str) -> str:
    return form.format(mean(values)) if values else "-"
