"""Writes traces and rules as static HTML for notebooks: no scripts, no style sheet, nothing outside itself."""

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ness.rules import RuleTable
from ness.rules.text import format_rules

MAX_STEPS = 200  # rows; a longer trace loses its middle
MAX_TOKENS = 12  # of a phrase; the whole of it is in the tooltip
_CELL = "text-align:left;vertical-align:top;padding:0.25em 0.75em;"
_CHIP = "display:inline-block;border:1px solid;padding:0 0.4em;margin:1px;font-family:monospace;"
_WORD = _CHIP + "border-radius:3px;border-color:rgba(128,128,128,0.6);"
_PHRASE = _CHIP + "border-radius:0.8em;border-color:rgba(46,139,87,0.8);background:rgba(46,139,87,0.14);"
_FRAME = "display:inline-block;border:1px solid rgba(128,128,128,0.6);border-radius:6px;padding:1px 3px;margin:1px;"


def render_fragment(trace_json: Mapping[str, Any], title: str = "") -> str:
    """Return the trace as a table, one row per step."""
    steps = list(enumerate(trace_json["steps"], start=1))
    left_out = len(steps) - MAX_STEPS
    rows = [_row(number, step, trace_json["source"]) for number, step in steps]
    if left_out > 0:
        half = MAX_STEPS // 2
        note = f'<tr><td colspan="5" style="{_CELL}opacity:0.7">… {left_out} more steps …</td></tr>'
        rows = [*rows[:half], note, *rows[-half:]]
    output = trace_json["output"]
    answer = "<i>no output</i>" if output is None else _phrase(output)
    heading = "".join(
        f'<th scope="col" style="{_CELL}">{name}</th>'
        for name in ("Step", "Input left", "Stack", "Memory", "Instruction")
    )
    caption = f'<caption style="text-align:left">{_escape(title)}</caption>' if title else ""
    return (
        f'<div style="overflow-x:auto"><table>{caption}<thead><tr>{heading}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table><p>Output: {answer}</p></div>"
    )


def render_rules_fragment(table: RuleTable) -> str:
    """Return the rules as their text form, each section folded on its own."""
    legend, *sections = format_rules(table).split("\n\n")
    parts = [f'<p style="opacity:0.7">{_escape(legend.removeprefix("# "))}</p>']
    for section in sections:
        heading, _, lines = section.rstrip("\n").partition("\n")
        name, _, meaning = heading.partition("  # ")
        shown = " open" if name == "categories" else ""
        parts.append(
            f"<details{shown}><summary><b>{_escape(name)}</b> {_escape(meaning)}</summary>"
            f'<pre style="overflow-x:auto">{_escape(lines)}</pre></details>'
        )
    return f"<div>{''.join(parts)}</div>"


def _row(number: int, step: Mapping[str, Any], source: Sequence[str]) -> str:
    ahead = source[step["position"] :]
    shown = "".join(_word(word) for word in ahead[:MAX_TOKENS]) + (f" … {len(ahead)} words" * (len(ahead) > MAX_TOKENS))
    tooltip = _escape(_reason(step.get("reason")))
    instruction = _escape(_shorten(step["instruction"].split(" ")))
    cells = [
        str(number),
        shown or "<i>all read</i>",
        _stack(step["stack"]),
        _items(step["memory"]),
        f'<code title="{tooltip}">{instruction}</code>',
    ]
    return "<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells) + "</tr>"


def _stack(stack: Sequence[Sequence[Mapping[str, Any]]]) -> str:
    """Draw frames inside each other, the top frame innermost."""
    drawn = ""
    for frame in reversed(stack[-6:]):
        drawn = f'<span style="{_FRAME}">{_items(frame)}{drawn}</span>'
    return f"… {len(stack) - 6} frames below " + drawn if len(stack) > 6 else drawn


def _items(items: Iterable[Mapping[str, Any]]) -> str:
    drawn = [_word(item["word"]) if "word" in item else _phrase(item["phrase"], item.get("kind", 0)) for item in items]
    return "".join(drawn) or "&nbsp;"


def _word(word: str) -> str:
    return f'<span style="{_WORD}">{_escape(word)}</span>'


def _phrase(tokens: Sequence[str], kind: int = 0) -> str:
    shown = _escape(_shorten(tokens)) + (f"<sub>{kind}</sub>" if kind else "")
    return f'<span style="{_PHRASE}" title="{_escape(" ".join(tokens[:400]))}">{shown}</span>'


def _shorten(tokens: Sequence[str]) -> str:
    """Leave out the middle of a long phrase."""
    if len(tokens) <= MAX_TOKENS:
        return " ".join(tokens)
    return f"{' '.join(tokens[:6])} … {' '.join(tokens[-4:])} ({len(tokens)} tokens)"


def _reason(reason: Mapping[str, Any] | None) -> str:
    if not reason:
        return ""
    parts = [
        f"{key} {reason[key]}" for key in ("rule", "support", "probability", "status") if reason.get(key) is not None
    ]
    others = [f"{option['instruction']} {option['probability']:.3f}" for option in reason.get("alternatives") or ()]
    return "; ".join(parts + ([f"next best: {', '.join(others)}"] if others else []))


def _escape(text: str) -> str:
    return html.escape(text.encode("utf-8", "replace").decode("utf-8"))
