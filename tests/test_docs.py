"""What the documents show is what happens."""

import re
import shlex
from pathlib import Path

import pytest

from commands import ness

ROOT = Path(__file__).parents[1]


def blocks(name: str, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


def test_the_trace_in_the_readme_is_what_ness_run_draws() -> None:
    (block,) = (block for block in blocks("README.md", "") if block.startswith("$ ness run"))
    command, drawn = block.replace("\\\n", " ").split("\n", 1)
    done = ness(*shlex.split(command.removeprefix("$ ness ")))
    assert [line.rstrip() for line in done.stdout.splitlines()] == drawn.splitlines()


@pytest.mark.parametrize("code", blocks("docs/machine.md", "python"))
def test_the_code_in_the_machine_page_runs(code: str) -> None:
    assert "assert" in code
    exec(compile(code, "docs/machine.md", "exec"), {})


def test_the_folder_map_names_every_part() -> None:
    (tree,) = (block for block in blocks("README.md", "") if block.startswith("src/ness/"))
    named = set(re.findall(r"[├└]── (\w+)", tree))
    parts = {path.stem for path in (ROOT / "src/ness").iterdir() if not path.name.startswith(("_", "py.typed"))}
    assert named == parts
