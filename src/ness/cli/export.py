"""`ness export`: the rules of a run as a file that works without NeSS."""

from pathlib import Path
from typing import Annotated

import typer


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a trained model.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The file to write.")],
    form: Annotated[str, typer.Option("--format", metavar="python|json", help="Translator or rules.")] = "python",
) -> None:
    """Write a translator as one Python file without dependencies, or its rules as JSON.

    \b
    ness export runs/my -o translator.py
    python translator.py "turn the light on"
    """
    from ness.cli.sources import say, short_name
    from ness.errors import CheckpointError, ConfigError
    from ness.export import export_json, export_python
    from ness.files import write_output
    from ness.model.run_folder import load_run

    if form not in ("python", "json"):
        raise ConfigError(f"Unknown format '{form}'; use python or json")
    model = load_run(run)
    if form == "python" and model.weighed:
        raise ConfigError("This model weighs its rules, which an exported translator does not; use --format json")
    if form == "python":
        try:
            name = short_name(model.summary.task)
        except CheckpointError:  # the rules are whole, and all that is needed
            name = run.resolve().name
        text = export_python(model.table, name, spelling=model.spelling)
    else:
        text = export_json(model.table)
    write_output(out, text.encode())
    say(f"wrote {out}")
