"""The run folder: what is written is read back; what is damaged is refused with a reason."""

import gzip
import json
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
from ness.model.run_folder import load_run, save_run
from ness.network.vocabularies import Vocabularies

CONFIG = Config(controller=SMALL)
SOURCES = [example.source for example in commands()[:20]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_run(tmp_path / "run", CONFIG, vocabularies(), table(), trained()[0], traces())
    return tmp_path / "run"


def rewrite(path: Path, data: bytes) -> None:
    """Change a file and its checksum, as one who means it would."""
    path.write_bytes(data)
    manifest = json.loads((path.parent / "manifest.json").read_text())
    manifest["files"][path.name]["sha256"] = sha256(data)
    (path.parent / "manifest.json").write_text(json.dumps(manifest))


def test_a_model_is_read_back_as_it_was(folder: Path) -> None:
    run = load_run(folder)
    assert run.config == CONFIG
    assert run.vocabularies == vocabularies()
    assert run.table.operators == table().operators
    assert list(run.traces()) == traces()
    controller = run.controller("cpu")
    for mine, theirs in zip(controller.parameters(), trained()[0].parameters(), strict=True):
        assert torch.equal(mine, theirs)
    expected = [answer.output for answer in translate(run.engine("rules"), SOURCES)]
    assert [answer.output for answer in translate(run.engine("controller", "cpu"), SOURCES)] == expected


def test_equal_models_give_equal_files(folder: Path, tmp_path: Path) -> None:
    save_run(tmp_path / "again", CONFIG, vocabularies(), table(), trained()[0], traces())
    for path in folder.iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()
    assert sorted(path.name for path in folder.iterdir()) == [
        "config.json",
        "controller.safetensors",
        "manifest.json",
        "rules.json",
        "traces.jsonl.gz",
        "vocabulary.json",
    ]


def test_a_run_without_a_network_still_has_its_rules(tmp_path: Path) -> None:
    save_run(tmp_path, CONFIG, vocabularies(), table())
    run = load_run(tmp_path)
    assert not run.has_controller
    assert translate(run.engine("rules"), [("walk",)])[0].output == ("I_WALK",)
    assert list(run.traces()) == []
    with pytest.raises(CheckpointError, match="--engine rules"):
        run.engine("controller", "cpu")
    with pytest.raises(ConfigError, match="controller or rules"):
        run.engine("magic")


@pytest.mark.parametrize(
    "name", ["config.json", "vocabulary.json", "rules.json", "controller.safetensors", "traces.jsonl.gz"]
)
def test_a_changed_or_missing_file_is_refused(folder: Path, name: str) -> None:
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(CheckpointError, match=f"{name} is damaged"):
        load_run(folder)
    (folder / name).unlink()
    with pytest.raises(CheckpointError, match=f"Cannot read .*{name}"):
        load_run(folder)


def test_another_version_or_format_is_refused(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    for key, value, message in (("version", 99, "version 99"), ("format", "x", "not that of a NeSS run")):
        (folder / "manifest.json").write_text(json.dumps({**manifest, key: value}))
        with pytest.raises(CheckpointError, match=message):
            load_run(folder)
    (folder / "manifest.json").write_text(json.dumps({**manifest, "files": {"../evil": {}}}))
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
    rewrite(path, b"nonsense")
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
    with pytest.raises(CheckpointError, match="two lists"):
        load_run(folder)


def test_a_controller_of_other_settings_is_not_saved_with_a_run(tmp_path: Path) -> None:
    other = replace(CONFIG, controller=replace(SMALL, hidden_size=7))
    with pytest.raises(CheckpointError, match="other settings"):
        save_run(tmp_path, other, vocabularies(), table(), trained()[0])
    with pytest.raises(CheckpointError, match="another vocabulary"):
        save_run(tmp_path, CONFIG, Vocabularies(("a",), ("b",)), table(), trained()[0])


def test_a_trace_that_cannot_be_read_is_located(folder: Path) -> None:
    rewrite(folder / "traces.jsonl.gz", gzip.compress(b'{"source": ["walk"], "program": "HOP"}\n'))
    with pytest.raises(CheckpointError, match="line 1"):
        list(load_run(folder).traces())
    rewrite(folder / "traces.jsonl.gz", b"\x1f\x8b")
    with pytest.raises(CheckpointError, match="damaged"):
        list(load_run(folder).traces())
