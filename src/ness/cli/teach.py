"""`ness teach`: a page in the browser that learns from examples while they are typed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ness.cli.serve import HOST, NAMES, TOKEN, require_extra
from ness.cli.spelling import Lowercase, TargetTokens, Tokens, chosen_spelling

if TYPE_CHECKING:
    from ness.data import Spelling
    from ness.data.formats import Cell
    from ness.serve.lesson import Lesson
    from ness.serve.limits import Limits


def teach(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Examples to start from.")] = None,
    save: Annotated[bool, typer.Option("--save", help="Write every change back to FILE.tsv.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 picks a free one.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
    time_limit: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="How long to search after a change.")
    ] = 60.0,
    tokens: Tokens = None,
    target_tokens: TargetTokens = None,
    lowercase: Lowercase = False,
    host: HOST = "127.0.0.1",
    token: TOKEN = None,
    names: NAMES = None,
) -> None:
    """Teach a translator in the browser: give examples, answer questions, take the result away.

    \b
    ness teach
    ness teach my.tsv --save
    """
    from ness.errors import ConfigError

    require_extra()
    from ness.serve.app import Service, make_app
    from ness.serve.limits import Limits
    from ness.serve.metrics import Metrics
    from ness.serve.run import check_access, run_app

    access, warning = check_access(host, token, frozenset(names or ()))
    if warning:
        raise ConfigError(f"Teaching beyond this machine needs a token; give --token or NESS_TOKEN with --host {host}")
    limits = Limits()
    lesson = _lesson(limits, file, save, time_limit, chosen_spelling(tokens, target_tokens, lowercase))
    service = Service({}, limits, access, Metrics(), lesson)

    def started(url: str) -> None:
        print(f"teaching at {url}", flush=True)
        if browser:
            import webbrowser

            webbrowser.open(f"{url}/#token={token}" if token else url)

    run_app(make_app(service), host, port, started)


def _lesson(limits: "Limits", file: Path | None, save: bool, time_limit: float, spelling: "Spelling") -> "Lesson":
    """Start from a file's examples; with `save`, write them back."""
    from ness.data.files import read_pairs
    from ness.errors import ConfigError
    from ness.files import write_atomically
    from ness.serve.lesson import Lesson, Version
    from ness.serve.marks import Line
    from ness.serve.taught import tsv

    if file is None:
        if save:
            raise ConfigError("--save needs a file to write to: ness teach my.tsv --save")
        return Lesson(limits, time_limit, now=Version(spelling=spelling))
    if save and file.suffix in (".csv", ".jsonl", ".gz"):
        raise ConfigError(f"--save writes TSV, which {file} is not; start from it without --save, or from a .tsv file")
    found = [] if save and not file.exists() else read_pairs(file)
    if len(found) > limits.examples:
        raise ConfigError(f"{file} has {len(found)} examples, the page takes {limits.examples}; use: ness train {file}")
    lines = [Line(number, _text(each.source), _text(each.target)) for number, each in enumerate(found, 1)]
    lesson = Lesson(limits, time_limit, now=Version(tuple(lines), spelling=spelling))
    if save:
        lesson.saved = lambda changed: write_atomically(file, tsv(changed))
    return lesson


def _text(cell: "Cell") -> str:
    return " ".join(cell.split() if isinstance(cell, str) else cell)
