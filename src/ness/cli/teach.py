"""`ness teach`: a page in the browser that learns from examples while they are typed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ness.cli.serve import HOST, NAMES, TOKEN, require_extra

if TYPE_CHECKING:
    from ness.serve.lesson import Lesson
    from ness.serve.limits import Limits


def teach(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE.tsv]", help="Examples to start from.")] = None,
    save: Annotated[bool, typer.Option("--save", help="Write every change back to FILE.tsv.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 picks a free one.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
    time_limit: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="How long to search after a change.")
    ] = 60.0,
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
    lesson = _lesson(limits, file, save, time_limit)
    service = Service({}, limits, access, Metrics(), lesson)

    def started(url: str) -> None:
        print(f"teaching at {url}", flush=True)
        if browser:
            import webbrowser

            webbrowser.open(f"{url}/#token={token}" if token else url)

    run_app(make_app(service), host, port, started)


def _lesson(limits: "Limits", file: Path | None, save: bool, time_limit: float) -> "Lesson":
    """Start from a file's examples; with `save`, write them back."""
    from ness.data import read_examples
    from ness.errors import ConfigError
    from ness.files import write_atomically
    from ness.serve.lesson import Lesson, Version
    from ness.serve.marks import Line
    from ness.serve.taught import tsv

    if file is None:
        if save:
            raise ConfigError("--save needs a file to write to: ness teach my.tsv --save")
        return Lesson(limits, time_limit)
    found = [] if save and not file.exists() else read_examples(file).examples
    if len(found) > limits.examples:
        raise ConfigError(f"{file} has {len(found)} examples, the page takes {limits.examples}; use: ness train {file}")
    lines = [Line(number, " ".join(each.source), " ".join(each.target)) for number, each in enumerate(found, 1)]
    lesson = Lesson(limits, time_limit, now=Version(tuple(lines)))
    if save:
        lesson.saved = lambda changed: write_atomically(file, tsv(changed))
    return lesson
