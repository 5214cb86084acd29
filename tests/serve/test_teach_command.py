"""`ness teach` and `ness serve` from the command line: what they start from, what they refuse."""

import base64
import signal
import time
import zlib
from pathlib import Path

import httpx2
import pytest
from served import save_model, server

from commands import ness
from ness.errors import DataError
from ness.serve.link import MARK, read_link, version_of
from ness.serve.marks import Line


def packed(text: bytes) -> str:
    """What the page does to make a link."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return base64.urlsafe_b64encode(packer.compress(text) + packer.flush()).decode().rstrip("=")


LINK = MARK + packed(b'{"lines": [{"source": "walk", "target": "WALK"}], "rules": []}')


def test_a_link_is_read() -> None:
    (line,) = version_of(read_link(f"http://127.0.0.1:1/{LINK}"), lambda *pair: Line(1, *pair)).lines
    assert line == Line(1, "walk", "WALK")


def test_a_link_that_unpacks_to_too_much_is_refused() -> None:
    with pytest.raises(DataError, match="holds too much"):
        read_link(MARK + packed(b" " * 20_000_000))


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
        (["teach", f"http://127.0.0.1:1/{LINK}", "--save"], "--save needs a file"),
        (["teach", f"http://127.0.0.1:1/{LINK[:-8]}"], "the link is cut off"),
        (["teach", f"{MARK}nonsense"], "the link is damaged"),
        (["teach", MARK + packed(b'{"lines": 1}')], "the link is damaged"),
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
def test_what_cannot_be_started_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    done = ness(*arguments, cwd=tmp_path, env={"NESS_TOKEN": ""} if "--token" not in arguments else None)
    assert done.returncode == 1, done.stderr
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_server_that_ends_leaves_no_folder_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sign: signal.Signals
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with server("--no-browser", command="teach") as (address, process):
        httpx2.post(f"{address}/v1/lesson/examples", json={"source": "hop", "target": "HOP"})
        while httpx2.get(f"{address}/v1/lesson").json()["progress"]["state"] == "learning":
            time.sleep(0.05)
        assert len(list(tmp_path.glob("ness-lesson-*/*"))) == 1
        process.send_signal(sign)
        process.communicate(timeout=60)  # ends once the learning process is gone, too, which holds the pipe
    assert list(tmp_path.glob("ness-lesson-*")) == []


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
