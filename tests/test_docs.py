"""What the documents show is what happens."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from commands import ness

ROOT = Path(__file__).parents[1]


def blocks(name: str, language: str) -> list[str]:
    """The code blocks of a page in one language; "" is a block that names none."""
    text = (ROOT / name).read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for named, block in found if named == language]


def test_the_trace_in_the_readme_is_what_ness_run_draws() -> None:
    (block,) = (block for block in blocks("README.md", "") if block.startswith("$ ness run"))
    command, drawn = block.replace("\\\n", " ").split("\n", 1)
    done = ness(*shlex.split(command.removeprefix("$ ness ")))
    assert [line.rstrip() for line in done.stdout.splitlines()] == drawn.splitlines()


@pytest.mark.parametrize("code", blocks("docs/machine.md", "python"))
def test_the_code_in_the_machine_page_runs(code: str) -> None:
    assert "assert" in code
    exec(compile(code, "docs/machine.md", "exec"), {})


@pytest.mark.parametrize("code", blocks("docs/formats.md", "python"))
def test_the_code_in_the_page_on_formats_runs(code: str) -> None:
    assert "assert" in code
    exec(compile(code, "docs/formats.md", "exec"), {})


def test_the_rules_in_the_page_on_formats_can_be_read() -> None:
    from ness.rules.parse import parse_hand

    (text,) = (block for block in blocks("docs/formats.md", "") if block.startswith("categories"))
    hand = parse_hand(text)
    assert [len(part) for part in (hand.pinned.operators, hand.pinned.reduce, hand.forbidden.reduce)] == [1, 1, 1]


def test_the_folder_map_names_every_part() -> None:
    (tree,) = (block for block in blocks("README.md", "") if block.startswith("src/ness/"))
    named = set(re.findall(r"[├└]── (\w+)", tree))
    parts = {path.stem for path in (ROOT / "src/ness").iterdir() if not path.name.startswith(("_", "py.typed"))}
    assert named == parts


def test_each_test_of_a_promise_exists() -> None:
    tests = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    named = re.findall(r"`(test_\w+)`", (ROOT / "docs/promises.md").read_text(encoding="utf-8"))
    assert len(named) > 50
    assert [name for name in named if f"def {name}(" not in tests] == []


@pytest.mark.slow
def test_the_tutorial_does_what_it_says(tmp_path: Path) -> None:
    """Run every command of docs/own-data.md in a shell; `...` in what is shown stands for anything."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    shell = {**os.environ, "PATH": path, "COLUMNS": "80", "NO_COLOR": "1"}
    for block in blocks("docs/own-data.md", "console"):
        for entry in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = entry.partition("\n")
            if command.startswith("ness ") and not re.search("[|<>&]", command):
                done = ness(*shlex.split(command)[1:], cwd=tmp_path)  # the same without starting torch again
            else:
                done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=shell, cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            assert matches(shown, done.stdout), f"{command}\n{done.stdout}"
    (code,) = blocks("docs/own-data.md", "python")
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


def matches(shown: str, printed: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in shown.split("..."))
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in printed.splitlines()), re.DOTALL) is not None
