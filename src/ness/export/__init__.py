"""Rules as files that work without NeSS: a single Python script, or JSON."""

from ness.export.script import export_json, export_python

__all__ = ["export_json", "export_python"]
