"""What a person takes away from a lesson: a translator, the examples, the rules, the run folder."""

import io
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ness.errors import ConfigError
from ness.export import export_json, export_python
from ness.rules.text import format_rules
from ness.serve.lesson import LessonModel
from ness.serve.marks import Line
from ness.transducer import Transducer

What = Literal["translator.py", "examples.tsv", "rules.txt", "rules.json", "run.zip"]
MEDIA: dict[What, str] = {
    "translator.py": "text/x-python; charset=utf-8",
    "examples.tsv": "text/tab-separated-values; charset=utf-8",
    "rules.txt": "text/plain; charset=utf-8",
    "rules.json": "application/json",
    "run.zip": "application/zip",
}


def tsv(lines: Sequence[Line]) -> bytes:
    """Write the complete lines as source<TAB>target."""
    return "".join(f"{line.source}\t{line.target}\n" for line in lines if line.source and line.target).encode()


def take_away(what: What, learned: LessonModel, title: str = "lesson") -> bytes:
    """Make a file of what was learned, pinned rules included; nothing is read that a request names."""
    table = learned.engines.model.table
    if what == "translator.py":
        if learned.engines.model.weighed:
            raise ConfigError("these rules are weighed, which an exported translator does not do; take the run folder")
        return export_python(table, title, spelling=learned.spelling).encode()
    if what == "rules.txt":
        return format_rules(table, learned.engines.model.hand).encode()
    if what == "rules.json":
        return export_json(table).encode()
    return tsv(learned.lines) if what == "examples.tsv" else _run_folder(learned)


def _run_folder(learned: LessonModel) -> bytes:
    """Pack the folder of the model."""
    model = Transducer.load(learned.folder)
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        model.save(folder)
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(Path(folder).iterdir()):
                archive.write(path, f"lesson/{path.name}")
    return packed.getvalue()
