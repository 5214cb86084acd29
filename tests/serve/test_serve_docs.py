"""What docs/serving.md and docs/teaching.md show is what happens."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from served import OPEN, server, settled

from commands import ness
from nine_examples import NINE
from test_docs import ROOT, blocks, matches

SERVING, TEACHING = "docs/serving.md", "docs/teaching.md"


def commands_of(page: str) -> list[tuple[str, str]]:
    """The commands of a page with what they print."""
    entries = [entry for block in blocks(page, "console") for entry in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, shown) for command, _, shown in (entry.partition("\n") for entry in entries)]


@pytest.mark.slow
def test_the_page_on_serving_does_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "commands.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in NINE.items()), encoding="utf-8")
    (training, printed), (serving, _), *asking = commands_of(SERVING)
    done = ness(*shlex.split(training)[1:], cwd=tmp_path)
    assert (done.returncode, matches(printed, done.stdout)) == (0, True), done.stderr
    arguments = shlex.split(serving.removesuffix(" &"))[2:]
    with server(tmp_path / arguments[0], *arguments[1:]) as (address, _):
        for command, shown in asking:
            line = command.replace("http://127.0.0.1:8000", address)
            printed = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True).stdout
            assert matches(shown.rstrip("\n") + "\n", printed.rstrip("\n") + "\n"), f"{line}\n{printed}"


@pytest.mark.parametrize("language", ["ini", "dockerfile"])
def test_the_units_use_options_that_exist(language: str) -> None:
    (unit,) = blocks(SERVING, language)
    known = ness("serve", "--help", env={"COLUMNS": "200"}).stdout
    used = set(re.findall(r"(?<![\w-])--(?:host|port|name|read-only|[a-z-]+)(?=[ \",])", unit)) - {
        "--no-cache-dir",
        "--system",
    }
    assert {"--read-only", "--host", "--port"} <= used
    assert [option for option in used if option not in known] == []


def test_the_limits_are_those_of_the_command() -> None:
    known = ness("serve", "--help", env={"COLUMNS": "200"}).stdout
    text = (ROOT / SERVING).read_text(encoding="utf-8")
    named = re.findall(r"`(--max-[a-z-]+)`, ([\d,]+)", text)
    assert len(named) > 2
    for option, value in named:
        line = next(line for line in known.splitlines() if option in line)
        assert value.replace(",", "") in line.replace(".0", "")


def test_the_tutorial_teaches_what_the_browser_test_teaches() -> None:
    (examples,) = blocks(TEACHING, "tsv")
    assert dict(line.split("\t") for line in examples.splitlines()) == OPEN
    for image in re.findall(r"\]\((images/[^)]+)\)", (ROOT / TEACHING).read_text(encoding="utf-8")):
        assert (ROOT / "docs" / image).stat().st_size < 150_000


@pytest.mark.slow
def test_the_translator_of_the_tutorial_answers_as_shown(tmp_path: Path) -> None:
    (examples,) = blocks(TEACHING, "tsv")
    (tmp_path / "my.tsv").write_text(examples, encoding="utf-8")
    with (
        server(tmp_path / "my.tsv", "--no-browser", command="teach") as (address, _),
        httpx2.Client(base_url=address) as client,
    ):
        settled(client)
        (question,) = client.get("/v1/lesson/questions?n=1").json()["questions"]
        assert question["source"] == "jump and run twice"
        tried = client.post("/v1/lesson/try", json={"input": "walk and jump twice"}).json()["answers"][0]
        assert (tried["output"], tried["kind"]) == ("WALK JUMP JUMP", "extrapolated")
        client.post("/v1/lesson/examples", json={"source": "walk and jump twice", "target": "WALK JUMP WALK JUMP"})
        settled(client)
        (tmp_path / "translator.py").write_bytes(client.get("/v1/lesson/files/translator.py").content)
    ((command, shown),) = commands_of(TEACHING)
    words = [sys.executable, *shlex.split(command)[1:]]
    assert subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=True).stdout == shown
