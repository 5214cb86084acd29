"""Tables of what was learned: categories of words and REDUCE rules."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ness.experiments import paper
from ness.experiments.experiments import SPLITS
from ness.experiments.spec import NESS
from ness.experiments.summary import Results, percent
from ness.experiments.table import OURS, Row, Table
from ness.experiments.work import _RULES

_OTHERS = 12  # rules shown that the paper does not list
_RARE = "rare"


def category_tables(results: Results) -> list[Table]:
    """Compare the categories of words; equal ones of several seeds are one line."""
    rows = [Row(("paper", "SCAN", line, "—")) for line in paper.CATEGORIES]
    starts = {len(rows)}
    for task in (*(f"scan/{split}" for split in SPLITS), "fewshot"):
        outcomes = results.outcomes(NESS, task)
        found = Counter(_braces(outcome["categories"]) for outcome in outcomes)
        for classes, count in found.most_common():
            rows.append(Row(("measured here", task, classes, f"{count} of {len(outcomes)}"), OURS))
    notes = (
        "Words in no category of ours are each a category of their own. The paper's lines come from inputs of one, "
        'two and three words; "look" is printed twice there and "walk" not at all.',
    )
    columns = ("source", "task", "words treated alike", "seeds")
    return [Table("categories", "Learned categories of words", columns, rows, notes, 3, frozenset(starts))]


def rule_tables(results: Results) -> list[Table]:
    """Compare the extracted REDUCE rules."""
    tables = [
        _rules("rules-scan", "Extracted REDUCE rules: SCAN, length split", paper.SCAN_RULES, results, "scan/length"),
        _rules("rules-translation", "Extracted REDUCE rules: translation", paper.TRANSLATION_RULES, results),
        _rules("rules-fewshot", "Extracted REDUCE rules: few-shot", {}, results, "fewshot"),
    ]
    return [table for table in tables if table.rows]


def _rules(name: str, title: str, published: Mapping[str, str], results: Results, task: str = "translation") -> Table:
    """Say of each of the paper's rules how many seeds have it, and list the most used ones beside these."""
    outcomes = results.outcomes(NESS, task)
    learned = [{(rule["words"], rule["phrase"]): rule for rule in outcome["reduce"]} for outcome in outcomes]
    listed = list(published.items())
    uses: Counter[tuple[str, str]] = Counter()
    for rules in learned:
        uses.update({key: rule["count"] for key, rule in rules.items() if key not in listed})
    rows = [Row(("paper", *rule, *_seen(learned, rule))) for rule in listed]
    others = [rule for rule, _ in uses.most_common(_OTHERS)]
    rows += [Row(("only here", *rule, *_seen(learned, rule)), OURS) for rule in others]
    which = ("Beside the paper's rules, the", "others") if listed else ("The", "rules")
    shown = f"{which[0]} {len(others)} most used of {len(uses)} {which[1]}."
    notes = [f"{shown} Share: among the traces that reduce the same words."] if others else []
    if any(row.cells[3] == _RARE for row in rows):
        kept = f"not among the {_RULES} most used rules, which are those that the report keeps"
        notes.append(f'"{_RARE}": {kept}; `ness rules` has all.')
    columns = ("listed by", "words", "phrase", "seeds", "traces", "share")
    return Table(name, title, columns, rows, tuple(notes), 3, frozenset([len(listed)] if listed else []))


def _seen(learned: list[dict[tuple[str, str], dict[str, Any]]], rule: tuple[str, str]) -> tuple[str, str, str]:
    found = [rules[rule] for rules in learned if rule in rules]
    if not found:
        cut = any(len(rules) == _RULES for rules in learned)
        return _RARE if cut else f"0 of {len(learned)}", "—", "—"
    traces = sum(one["count"] for one in found) / len(found)
    share = sum(one["share"] for one in found) / len(found)
    return f"{len(found)} of {len(learned)}", f"{traces:,.0f}", percent(share)


def _braces(classes: list[list[str]]) -> str:
    return ", ".join("{" + ", ".join(members) + "}" for members in sorted(classes)) or "none"
