"""The run folder: what is written is read back; what is damaged is refused with a reason."""

import gzip
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from controller_task import SMALL, commands, table, traces, trained, vocabularies
from ness.answer.engine import translate
from ness.config import Config
from ness.errors import CheckpointError, ConfigError
from ness.files import sha256
from ness.model import run_folder
from ness.model.model import Model
from ness.model.run_folder import load_run, save_run
from ness.model.summary import Summary
from ness.network.vocabularies import Vocabularies

CONFIG = Config(controller=SMALL)
SOURCES = [example.source for example in commands()[:20]]


def model(config: Config = CONFIG, words: Vocabularies | None = None, network: bool = True) -> Model:
    trained_network = trained()[0] if network else None
    summary = Summary("examples", "digest", len(traces()))
    return Model(config, words or vocabularies(), table(), summary, traces(), network=trained_network)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_run(tmp_path / "run", model())
    return tmp_path / "run"


def rewrite(path: Path, data: bytes) -> None:
    """Change a file and its checksum, as one who means it would."""
    path.write_bytes(data)
    if path.name == "manifest.json":
        return
    manifest = json.loads((path.parent / "manifest.json").read_text())
    manifest["files"][path.name] = {"sha256": sha256(data), "bytes": len(data)}
    (path.parent / "manifest.json").write_text(json.dumps(manifest))


def test_a_model_is_read_back_as_it_was(folder: Path) -> None:
    run = load_run(folder)
    assert run.config == CONFIG
    assert run.vocabularies == vocabularies()
    assert run.table.operators == table().operators
    assert run.traces() == traces()
    controller = run.controller("cpu")
    for mine, theirs in zip(controller.parameters(), trained()[0].parameters(), strict=True):
        assert torch.equal(mine, theirs)
    expected = [answer.output for answer in translate(run.engine("rules"), SOURCES)]
    assert [answer.output for answer in translate(run.engine("controller", "cpu"), SOURCES)] == expected


def test_equal_models_give_equal_files(folder: Path, tmp_path: Path) -> None:
    save_run(tmp_path / "again", model())
    for path in folder.iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()
    assert sorted(path.name for path in folder.iterdir()) == [
        "config.json",
        "controller.safetensors",
        "manifest.json",
        "rules.json",
        "summary.json",
        "traces.jsonl.gz",
        "vocabulary.json",
    ]


def test_a_run_without_a_network_still_has_its_rules(tmp_path: Path) -> None:
    save_run(tmp_path, model(network=False))
    run = load_run(tmp_path)
    assert not run.has_controller
    assert translate(run.engine("rules"), [("walk",)])[0].output == ("I_WALK",)
    with pytest.raises(ConfigError, match="rules only"):
        run.engine("controller", "cpu")
    with pytest.raises(ConfigError, match="controller or rules"):
        run.engine("magic")


def read_all(path: Path) -> tuple[object, ...]:
    """Ask for every part of a model."""
    run = load_run(path)
    return run.summary, run.traces(), run.controller("cpu")


ALWAYS_READ = ["config.json", "vocabulary.json", "rules.json"]
READ_WHEN_NEEDED = ["summary.json", "controller.safetensors", "traces.jsonl.gz"]


@pytest.mark.parametrize("name", ALWAYS_READ + READ_WHEN_NEEDED)
def test_a_changed_or_missing_file_is_refused(folder: Path, name: str) -> None:
    data = (folder / name).read_bytes()
    for changed in (data[:-1] + bytes([data[-1] ^ 1]), data + b" ", b""):
        (folder / name).write_bytes(changed)
        with pytest.raises(CheckpointError, match=f"{name} is damaged"):
            read_all(folder)
    (folder / name).unlink()
    with pytest.raises(CheckpointError, match=f"Cannot read .*{name}"):
        read_all(folder)


def test_rules_answer_though_all_that_they_do_not_need_is_damaged(folder: Path) -> None:
    for name in READ_WHEN_NEEDED:
        (folder / name).write_bytes(b"?")
    run = load_run(folder)
    assert translate(run.engine("rules"), [("walk",)])[0].output == ("I_WALK",)
    with pytest.raises(CheckpointError, match="--engine rules answers without it"):
        run.engine()


@pytest.mark.parametrize("name", ["manifest.json", *ALWAYS_READ, *READ_WHEN_NEEDED])
@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_not_a_regular_file_is_refused_unopened(folder: Path, name: str, kind: str) -> None:
    (folder / name).unlink()
    if kind == "pipe":
        os.mkfifo(folder / name)
    elif kind == "device":
        (folder / name).symlink_to("/dev/zero")
    else:
        (folder / name).mkdir()
    with pytest.raises(CheckpointError, match=f"{name} is not a regular file"):
        read_all(folder)


@pytest.mark.parametrize("name", ["manifest.json", *ALWAYS_READ, "summary.json"])
@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_json_without_end_is_refused(folder: Path, name: str, opening: bytes) -> None:
    rewrite(folder / name, opening * (15_000 if name == "manifest.json" else 200_000))
    with pytest.raises(CheckpointError, match=f"{name} (is not readable JSON|does not fit)"):
        read_all(folder)


@pytest.mark.parametrize("size", ["embedding_size", "hidden_size", "lexical_size"])
def test_settings_too_large_for_the_weights_are_refused_before_anything_is_allocated(folder: Path, size: str) -> None:
    config = json.loads((folder / "config.json").read_text())
    config["controller"][size] = 999_999_999
    rewrite(folder / "config.json", json.dumps(config).encode())
    with pytest.raises(CheckpointError, match=size):
        read_all(folder)


def test_a_summary_of_another_shape_is_located(folder: Path) -> None:
    summary = json.loads((folder / "summary.json").read_text())
    rewrite(folder / "summary.json", json.dumps({**summary, "unsolved": [[["walk"], [3]]]}).encode())
    with pytest.raises(CheckpointError, match=r"summary.json .*Expected `str`, got `int` - at `\$.unsolved"):
        read_all(folder)


def test_traces_that_unpack_without_end_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_folder, "MAX_BYTES", 1000)
    rewrite(folder / "traces.jsonl.gz", gzip.compress(b" " * 100_000))
    with pytest.raises(CheckpointError, match="more than 1,000 bytes"):
        read_all(folder)


def test_another_version_or_format_is_refused(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    for key, value, message in (("version", 99, "version 99"), ("format", "x", "not that of a NeSS run")):
        (folder / "manifest.json").write_text(json.dumps({**manifest, key: value}))
        with pytest.raises(CheckpointError, match=message):
            load_run(folder)
    (folder / "manifest.json").write_text(json.dumps({**manifest, "files": {"../evil": {"sha256": "", "bytes": 0}}}))
    with pytest.raises(CheckpointError, match="does not list"):
        load_run(folder)
    (folder / "manifest.json").write_text("{")
    with pytest.raises(CheckpointError, match="not readable JSON"):
        load_run(folder)
    (folder / "manifest.json").unlink()
    with pytest.raises(CheckpointError, match="--resume"):
        load_run(folder)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="There is no run folder"):
        load_run(tmp_path / "nowhere")


def test_settings_of_another_version_are_refused(folder: Path) -> None:
    rewrite(folder / "config.json", b'{"controller": {"colour": 3}}')
    with pytest.raises(CheckpointError, match="colour"):
        load_run(folder)


def test_a_setting_of_learning_that_is_no_more_does_not_matter(folder: Path) -> None:
    values = json.loads((folder / "config.json").read_text())
    values["loop"]["colour"] = values["costs"]["colour"] = 3
    rewrite(folder / "config.json", json.dumps(values).encode())
    assert load_run(folder).config == CONFIG


def test_weights_of_another_shape_name_or_file_are_refused(folder: Path) -> None:
    path = folder / "controller.safetensors"
    tensors = load_file(path)
    for changed, message in (
        ({**tensors, "frame_end": torch.zeros(3)}, r"'frame_end' has shape \[3\]"),
        ({k: v for k, v in tensors.items() if k != "frame_end"}, "lacks tensor 'frame_end'"),
        ({**tensors, "extra": torch.zeros(1)}, "unknown tensor 'extra'"),
        ({**tensors, "frame_end": tensors["frame_end"].double()}, "float64"),
    ):
        save_file(changed, path)
        rewrite(path, path.read_bytes())
        with pytest.raises(CheckpointError, match=message):
            load_run(folder).controller("cpu")
    rewrite(path, b"nonsense" * 10_000)
    with pytest.raises(CheckpointError, match="not a safetensors file"):
        load_run(folder).controller("cpu")


def test_a_vocabulary_that_does_not_fit_the_weights_is_refused(folder: Path) -> None:
    rewrite(folder / "vocabulary.json", json.dumps({"source": ["walk"], "target": ["I_WALK"]}).encode())
    with pytest.raises(CheckpointError, match="shape"):
        load_run(folder).controller("cpu")
    rewrite(folder / "vocabulary.json", b'{"source": ["walk", "walk"], "target": []}')
    with pytest.raises(CheckpointError, match="twice"):
        load_run(folder)
    rewrite(folder / "vocabulary.json", b"[]")
    with pytest.raises(CheckpointError, match="Expected `object`"):
        load_run(folder)


def test_a_controller_of_other_settings_is_not_saved_with_a_run(tmp_path: Path) -> None:
    other = replace(CONFIG, controller=replace(SMALL, hidden_size=7))
    with pytest.raises(CheckpointError, match="other settings"):
        save_run(tmp_path, model(other))
    with pytest.raises(CheckpointError, match="another vocabulary"):
        save_run(tmp_path, model(words=Vocabularies(("a",), ("b",))))


def test_a_trace_that_cannot_be_read_is_located(folder: Path) -> None:
    rewrite(folder / "traces.jsonl.gz", gzip.compress(b'{"source": ["walk"], "program": "HOP"}\n'))
    with pytest.raises(CheckpointError, match="line 1"):
        read_all(folder)
    rewrite(folder / "traces.jsonl.gz", b"\x1f\x8b")
    with pytest.raises(CheckpointError, match="damaged"):
        read_all(folder)


def test_survivors_are_read_back_and_go_with_their_run(tmp_path: Path) -> None:
    with_survivors = Model(CONFIG, vocabularies(), table(), Summary("examples", "digest", 1), traces(), [table()])
    save_run(tmp_path, with_survivors)
    (survivor,) = load_run(tmp_path).survivors()
    assert survivor.operators == table().operators
    save_run(tmp_path, model(network=False))
    assert load_run(tmp_path).survivors() == []
    assert not (tmp_path / run_folder.SURVIVORS).exists()


def test_damaged_survivors_are_refused_when_they_are_asked_for(tmp_path: Path) -> None:
    save_run(tmp_path, Model(CONFIG, vocabularies(), table(), Summary("examples", "digest", 1), traces(), [table()]))
    rewrite(tmp_path / run_folder.SURVIVORS, gzip.compress(b'[{"format": "other"}]'))
    run = load_run(tmp_path)
    assert translate(run.engine("rules"), SOURCES)[0].output
    with pytest.raises(CheckpointError):
        run.survivors()
