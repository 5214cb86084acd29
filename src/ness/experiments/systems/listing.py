"""The list of systems, for people."""

from dataclasses import fields
from textwrap import fill

from ness.experiments.spec import NESS, SYSTEMS
from ness.experiments.systems.registry import ENTRIES

_INDENT = " " * 15


def systems_text() -> str:
    """List names, titles, what systems are told beyond the training set, and their settings for SCAN's jump split."""
    parts = [f"{NESS:<14} {SYSTEMS[NESS]} (Chen et al. 2020); settings: ness train --help"]
    for one in ENTRIES:
        settings = one.load().settings_for("scan/jump")
        shown = ", ".join(f"{each.name}={getattr(settings, each.name)}" for each in fields(settings))
        lines = [f"{one.name:<14} {one.title}" + (f" ({one.source})" if one.source else "")]
        if one.knows_more:
            lines.append(f"{_INDENT}knows more: {one.knows_more}")
        lines.append(fill(f"settings: {shown}", 100, initial_indent=_INDENT, subsequent_indent=_INDENT))
        parts.append("\n".join(lines))
    return "\n".join([*parts, "", "Settings are those for scan/jump; other tasks may have others."])
