"""The real `ness` command, for tests."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

NESS = Path(sys.executable).parent / "ness"


def ness(
    *arguments: str | Path, stdin: str | bytes = "", env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `ness` with these arguments, 80 columns wide and without colours; return what it printed and its code."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", **(env or {})}
    done = subprocess.run([NESS, *arguments], input=data, capture_output=True, env=environment, cwd=cwd)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def python(code: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process of its own."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
