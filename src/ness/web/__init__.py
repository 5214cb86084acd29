"""The trace viewer: a self-contained page, and static tables for notebooks; both draw the trace JSON."""

from ness.web.fragment import render_fragment, render_rules_fragment
from ness.web.page import TraceJson, render_html, render_traces_html, title_of

__all__ = ["TraceJson", "render_fragment", "render_html", "render_rules_fragment", "render_traces_html", "title_of"]
