"""`ness teach` and `ness serve` from the command line: what they start from, what they refuse."""

import time
from pathlib import Path

import httpx2
import pytest
from served import save_model, server

from commands import ness


@pytest.mark.slow
def test_teach_starts_from_a_file_and_saves_every_change(tmp_path: Path) -> None:
    file = tmp_path / "my.tsv"
    file.write_text("walk\tWALK\nrun\tRUN\n", encoding="utf-8")
    with server(file, "--save", "--no-browser", command="teach") as (address, process):
        lines = httpx2.get(f"{address}/v1/lesson").json()["lines"]
        assert [(line["id"], line["source"]) for line in lines] == [(1, "walk"), (2, "run")]
        httpx2.post(f"{address}/v1/lesson/examples", json={"source": "hop", "target": "HOP"})
        assert file.read_text(encoding="utf-8") == "walk\tWALK\nrun\tRUN\nhop\tHOP\n"
        while httpx2.get(f"{address}/v1/lesson").json()["progress"]["state"] == "learning":
            time.sleep(0.05)
        process.terminate()
        assert process.wait(60) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["teach", "missing.tsv"], "missing.tsv does not exist"),
        (["teach", "--save"], "--save needs a file"),
        (["teach", "--host", "0.0.0.0"], "needs a token"),
        (["teach", "--token", "short"], "at least 8"),
        (["serve", "missing"], "There is no run folder missing"),
        (["serve", "--read-only"], "name at least one RUN"),
        (
            ["serve", "--host", "no.such.host.invalid", "--token", "correct-horse"],
            "Cannot listen on no.such.host.invalid",
        ),
    ],
)
def test_what_cannot_be_started_is_told_in_one_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = ness(*arguments, cwd=tmp_path, env={"NESS_TOKEN": ""} if "--token" not in arguments else None)
    assert done.returncode == 1, done.stderr
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_beyond_loopback_without_a_token_there_is_a_warning_and_no_teaching(tmp_path: Path) -> None:
    save_model(tmp_path / "nine")
    with server(tmp_path / "nine", "--host", "0.0.0.0") as (address, process):
        assert httpx2.get(f"{address}/v1/models").json()["teaching"] is False
        process.terminate()
        _, said = process.communicate(timeout=60)
    assert "warning: everybody who can reach 0.0.0.0" in said


def test_without_the_extra_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "fastapi" else found(name, *more)
    )
    done = ness("serve", cwd=tmp_path)
    assert (done.returncode, "pip install 'ness-machine[serve]'" in done.stderr) == (1, True)
