"""`ness teach`: a page in the browser that learns from examples while they are typed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ness.cli.serve import HOST, NAMES, TOKEN, require_extra
from ness.cli.spelling import Lowercase, TargetTokens, Tokens, chosen_spelling

if TYPE_CHECKING:
    from ness.data import Spelling
    from ness.data.formats import Cell
    from ness.serve.lesson import Lesson, Version
    from ness.serve.limits import Limits


def teach(
    start: Annotated[
        str | None, typer.Argument(metavar="[FILE|LINK]", help="Examples to start from, or a link from the page.")
    ] = None,
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
    ness teach 'http://127.0.0.1:8000/#lesson=...'
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
    lesson = _lesson(limits, start, save, time_limit, chosen_spelling(tokens, target_tokens, lowercase))
    service = Service({}, limits, access, Metrics(), lesson)

    def started(url: str) -> None:
        print(f"teaching at {url}", flush=True)
        if browser:
            import webbrowser

            webbrowser.open(f"{url}/#token={token}" if token else url)

    run_app(make_app(service), host, port, started)


def _lesson(limits: "Limits", start: str | None, save: bool, time_limit: float, spelling: "Spelling") -> "Lesson":
    """Start from nothing, from a link, or from a file's examples; with `save`, write these back."""
    from ness.errors import ConfigError
    from ness.serve.lesson import Lesson, Version
    from ness.serve.link import MARK, read_link, version_of

    lesson = Lesson(limits, time_limit, now=Version(spelling=spelling))
    is_link = start is not None and MARK in start
    if save and (start is None or is_link):
        raise ConfigError("--save needs a file to write to: ness teach my.tsv --save")
    if start is not None:
        lesson.now = version_of(read_link(start), lesson.new_line) if is_link else _read(Path(start), save, lesson)
    count = len(lesson.now.lines)
    if count > limits.examples:
        raise ConfigError(f"{count} examples are more than the page's {limits.examples}; use: ness train {start}")
    return lesson


def _read(file: Path, save: bool, lesson: "Lesson") -> "Version":
    from ness.data.files import read_pairs
    from ness.errors import ConfigError
    from ness.files import write_atomically
    from ness.serve.downloads import tsv

    if save and file.suffix in (".csv", ".jsonl", ".gz"):
        raise ConfigError(f"--save writes TSV, which {file} is not; start from it without --save, or from a .tsv file")
    found = [] if save and not file.exists() else read_pairs(file)
    if save:
        lesson.saved = lambda changed: write_atomically(file, tsv(changed))
    return lesson.now._replace(lines=tuple(lesson.new_line(_text(one.source), _text(one.target)) for one in found))


def _text(cell: "Cell") -> str:
    return cell if isinstance(cell, str) else " ".join(cell)
