"""The real `ness` command, for tests: its entry point in this process, or a process of its own."""

import io
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from ness.cli.main import main

NESS = Path(sys.executable).parent / "ness"
_PLAIN = {"COLUMNS": "80", "NO_COLOR": "1"}


def ness(
    *arguments: str | Path, stdin: str | bytes = "", env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Call the entry point of `ness`, 80 columns wide and without colours; return what it printed and its code."""
    given, printed, said = (io.TextIOWrapper(io.BytesIO(data), encoding="utf-8") for data in (_bytes(stdin), b"", b""))
    argv = ["ness", *map(str, arguments)]
    code = 0
    # Without sys.__stdout__ nothing redirects the real standard output, which belongs to pytest.
    mocked = patch.multiple(sys, argv=argv, __stdout__=None, stdin=given, stdout=printed, stderr=said)
    with _inside(cwd), patch.dict(os.environ, {**_PLAIN, **(env or {})}), mocked, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # as for any user
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
    return subprocess.CompletedProcess(argv, code, _text(printed), _text(said))


def ness_process(
    *arguments: str | Path, stdin: str | bytes = "", env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `ness` as a user's shell does: slower, and nothing of the test's process is in it."""
    environment = {**os.environ, **_PLAIN, **(env or {})}
    done = subprocess.run([NESS, *arguments], input=_bytes(stdin), capture_output=True, env=environment, cwd=cwd)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def python(code: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process of its own."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


@contextmanager
def _inside(folder: Path | None) -> Iterator[None]:
    """Be in a folder for a while."""
    before = Path.cwd()
    os.chdir(folder or before)
    try:
        yield
    finally:
        os.chdir(before)
