"""Writes traces as one HTML page that needs nothing else: no network, no other files."""

import html
import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from ness.machine import without_boundaries

TraceJson = Mapping[str, Any]  # as `ness.answer.trace_view.trace_json` makes it; an "error" may be added
_MARK = re.compile(r"@@(title|style|script|data)@@")


def render_html(trace_json: TraceJson, title: str) -> str:
    """Return a page that steps through one execution."""
    return render_traces_html([(title, trace_json)], title)


def render_traces_html(traces: Sequence[tuple[str, TraceJson]], title: str = "NeSS traces") -> str:
    """Return a page with a list to choose an execution from."""
    if not traces:
        raise ValueError("a page needs at least one trace")
    static = files("ness.web") / "static"
    parts = {
        "title": html.escape(_encodable(title)),
        "style": (static / "viewer.css").read_text(encoding="utf-8"),
        "script": (static / "viewer.js").read_text(encoding="utf-8"),
        "data": _embed([{"title": name, "trace": dict(trace)} for name, trace in traces]),
    }
    # One pass, so that a mark inside the data stays data.
    template = (static / "viewer.html").read_text(encoding="utf-8")
    return _MARK.sub(lambda mark: parts[mark[1]], template)


def title_of(source: Sequence[str], width: int = 80) -> str:
    """Return the words of a source that fit into a title; none is cut, unless it does not fit alone."""
    text = " ".join(without_boundaries(source))
    if len(text) <= width:
        return text
    whole = text[:width].rsplit(" ", 1)[0]
    return f"{whole[: width - 1]} …"


def _embed(value: Any) -> str:
    """Write JSON that cannot end the script element it stands in."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _encodable(text: str) -> str:
    """Replace lone surrogates, which no file could hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
