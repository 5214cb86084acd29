"""The `ness` command.

Exit codes: 0 fine, 1 the job failed, 2 wrong usage, 3 `train` learned next to nothing, 130 stopped by Ctrl-C.

Each command lives in a file of its own and is listed below. Command files import what is heavy
(torch above all) inside their functions, so that `ness --help` answers at once.
"""

import inspect
import io
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ness import __version__
from ness.cli.compare import compare
from ness.cli.data import data, tasks
from ness.cli.diff import diff
from ness.cli.eval import evaluate
from ness.cli.export import export
from ness.cli.predict import predict
from ness.cli.reproduce import reproduce
from ness.cli.rules import rules
from ness.cli.run import run
from ness.cli.serve import serve
from ness.cli.sources import say
from ness.cli.suggest import suggest
from ness.cli.sweep import sweep
from ness.cli.teach import teach
from ness.cli.trace import trace
from ness.cli.train import train
from ness.cli.where import with_ray_address
from ness.errors import NessError

ABOUT = """Learn exact translations from examples; a neural controller drives a symbolic stack machine.

\b
ness train examples.tsv                  one pair a line: source, tab, target
ness predict runs/examples "an input"    ask for what is not in the file
"""


class _CommandHelp(TyperCommand):
    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types_of_flags(super().get_params(ctx))


class _GroupHelp(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types_of_flags(super().get_params(ctx))


def _without_types_of_flags(params: list[Any]) -> list[Any]:
    """Let the help of an option that takes no value name no value."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params


app = typer.Typer(
    name="ness",
    cls=_GroupHelp,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_STOPPED = 130  # by Ctrl-C
_UsageError: Any = typer.BadParameter.__base__  # of the click that this typer has: its own, or the package

_COMMANDS: dict[str, dict[str, Callable[..., None]]] = {
    "Learn and ask": {
        "train": train,
        "predict": predict,
        "eval": evaluate,
        "trace": trace,
        "rules": rules,
        "export": export,
    },
    "Teach and improve": {"suggest": suggest, "diff": diff, "teach": teach, "serve": serve},
    "Experiment": {
        "tasks": tasks,
        "data": data,
        "run": run,
        "compare": compare,
        "sweep": sweep,
        "reproduce": reproduce,
    },
}


def _reflowed(text: str) -> str:
    """Join the lines of each paragraph, for terminals of any width; those that begin with \\b stay as they are."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(each if each.startswith("\b") else " ".join(each.splitlines()) for each in paragraphs)


for _panel, _commands in _COMMANDS.items():
    for _name, _command in _commands.items():
        app.command(_name, cls=_CommandHelp, help=_reflowed(_command.__doc__ or ""), rich_help_panel=_panel)(_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"ness {__version__}")
        raise typer.Exit


@app.callback(help=ABOUT)
def _ness(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Take options that stand before a command."""


def main() -> None:
    """Run the command line; what a user can mend is told in one line, our own bugs keep their traceback."""
    _open_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # any token can be printed on any terminal
    try:
        try:
            code = app(with_ray_address(sys.argv[1:]) or ["--help"], standalone_mode=False)
        finally:
            sys.stdout.flush()
    except SystemExit as stop:
        if isinstance(
            stop.__context__, BrokenPipeError
        ):  # whoever reads has seen enough, as in `ness rules RUN | head`
            _silence_stdout()
            sys.exit(0)
        raise
    except _UsageError as error:
        message = " ".join(error.format_message().split()).removesuffix(".")
        where = error.ctx.command_path if error.ctx else "ness"
        _fail(f"{message[:1].lower()}{message[1:]}; see {where} -h", code=2)
    except NessError as error:
        _fail(str(error))
    except BrokenPipeError:
        _silence_stdout()
        sys.exit(0)
    except OSError as error:
        _silence_stdout()
        _fail(f"{error.strerror or error}: {error.filename}" if error.filename else str(error.strerror or error))
    else:
        if code == _STOPPED:
            print("stopped", file=sys.stderr)
        sys.exit(code)


def _open_closed_streams() -> None:
    """Let what a caller closed read nothing and write nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _fail(message: str, code: int = 1) -> None:
    say(f"error: {message}")
    sys.exit(code)


def _silence_stdout() -> None:
    """Keep the interpreter from flushing into a closed pipe or a full disk once more at its end."""
    if sys.__stdout__ is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())
