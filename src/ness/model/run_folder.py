"""The run folder: settings, vocabulary, rules, weights and traces of a trained model. Nothing in it is executed.

manifest.json lists each file with its checksum and is written last. metrics.jsonl and state/ are not part of
the model and not listed. No torch here; the weights are read when the controller is asked for.
"""

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ness import __version__
from ness.answer.engine import AnyEngine
from ness.answer.noisy_engine import engine_of_rules
from ness.config import Config, from_mapping, to_mapping
from ness.errors import CheckpointError, ConfigError, DataError
from ness.files import json_bytes, read_json, sha256, write_atomically
from ness.machine import Program, Word, format_program, parse_program
from ness.model.summary import Summary
from ness.network.vocabularies import Vocabularies
from ness.rules.serialise import from_json, to_json
from ness.rules.table import RuleTable

if TYPE_CHECKING:
    from ness.network.controller import Controller

FORMAT = "ness-run"
VERSION = 1
MANIFEST = "manifest.json"
CONFIG, VOCABULARY, RULES = "config.json", "vocabulary.json", "rules.json"
WEIGHTS, TRACES = "controller.safetensors", "traces.jsonl.gz"
SUMMARY = "summary.json"
METRICS, STATE = "metrics.jsonl", "state"
ENGINES = ("controller", "rules")


@dataclass
class Run:
    """A model read from its folder; all files were checked, weights and traces are read when asked for."""

    path: Path
    config: Config
    vocabularies: Vocabularies
    table: RuleTable
    _files: dict[str, bytes]
    summary: Summary | None = None  # how learning went; None for a folder without it

    @property
    def has_controller(self) -> bool:
        return WEIGHTS in self._files

    def controller(self, device: str = "auto") -> "Controller":
        """Build the network and load its weights."""
        from ness.network.weights import read_weights

        if not self.has_controller:
            raise CheckpointError(f"{self.path} has no {WEIGHTS}; use --engine rules, or train the controller")
        data = self._files[WEIGHTS]
        return read_weights(data, self.vocabularies, self.config.controller, device, self.path / WEIGHTS)

    def engine(self, name: str = "controller", device: str = "auto") -> AnyEngine:
        """Make an engine: "controller" or "rules"."""
        if name == "rules":
            return engine_of_rules(self.table, self.config)
        if name == "controller":
            from ness.answer.network_engine import controller_engine

            return controller_engine(self.controller(device), self.table)
        raise ConfigError(f"Unknown engine '{name}'; use {' or '.join(ENGINES)}")

    def traces(self) -> Iterator[tuple[tuple[Word, ...], Program]]:
        """Read the training traces."""
        if TRACES not in self._files:
            return
        path = self.path / TRACES
        try:
            lines = gzip.decompress(self._files[TRACES]).decode().splitlines()
        except (OSError, EOFError, UnicodeDecodeError) as error:
            raise CheckpointError(f"{path} is damaged ({error}); restore it or train again") from error
        for number, line in enumerate(lines, 1):
            fields = read_json(path, line.encode())
            try:
                yield tuple(fields["source"]), parse_program(fields["program"])
            except (KeyError, TypeError, DataError) as error:
                raise CheckpointError(f"{path}, line {number}: no trace ({error}); train again") from error


def save_run(
    path: Path,
    config: Config,
    vocabularies: Vocabularies,
    table: RuleTable,
    controller: "Controller | None" = None,
    traces: Iterable[tuple[tuple[Word, ...], Program]] | None = None,
    summary: Summary | None = None,
) -> None:
    """Write a model to its folder, each file atomically, the manifest last."""
    files = {
        CONFIG: json_bytes(to_mapping(config)),
        VOCABULARY: json_bytes(vocabularies.to_json()),
        RULES: json_bytes(to_json(table)),
    }
    if controller is not None:
        from ness.network.weights import weight_bytes

        if controller.config != config.controller or controller.vocabularies != vocabularies:
            raise CheckpointError("The controller was made with other settings or another vocabulary than the run")
        files[WEIGHTS] = weight_bytes(controller)
    if traces is not None:
        files[TRACES] = _trace_bytes(traces)
    if summary is not None:
        files[SUMMARY] = json_bytes(summary.to_json())
    for name, data in files.items():
        write_atomically(path / name, data)
    listed = {name: {"sha256": sha256(data), "bytes": len(data)} for name, data in files.items()}
    manifest = {"format": FORMAT, "version": VERSION, "ness": __version__, "files": listed}
    write_atomically(path / MANIFEST, json_bytes(manifest))


def load_run(path: Path) -> Run:
    """Read a model and check it: format, version, checksums, settings, vocabulary, rules."""
    files = _read_files(path)
    try:
        config = from_mapping(read_json(path / CONFIG, files[CONFIG]), origin=str(path / CONFIG))
    except (ConfigError, AttributeError, TypeError) as error:
        raise CheckpointError(f"{path / CONFIG} does not fit this version of NeSS: {error}") from error
    vocabularies = Vocabularies.from_json(read_json(path / VOCABULARY, files[VOCABULARY]))
    table = from_json(read_json(path / RULES, files[RULES]))
    summary = Summary.from_json(read_json(path / SUMMARY, files[SUMMARY])) if SUMMARY in files else None
    return Run(path, config, vocabularies, table, files, summary)


def _read_files(path: Path) -> dict[str, bytes]:
    """Read every file that the manifest lists, and compare the checksums."""
    if not (path / MANIFEST).exists():
        raise CheckpointError(_why_no_run(path))
    manifest = read_json(path / MANIFEST, _read(path / MANIFEST))
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise CheckpointError(f"{path / MANIFEST} is not that of a NeSS run; choose another folder")
    if manifest.get("version") != VERSION:
        found = manifest.get("version")
        raise CheckpointError(f"{path} has format version {found}, this NeSS reads version {VERSION}; train again")
    files = {}
    for name, facts in _listed(path, manifest).items():
        data = _read(path / name)
        if not isinstance(facts, dict) or sha256(data) != facts.get("sha256"):
            raise CheckpointError(f"{path / name} is damaged: its checksum is not that of {MANIFEST}; train again")
        files[name] = data
    return files


def _why_no_run(path: Path) -> str:
    """Say what a path without a manifest is, and what was probably meant."""
    if path.is_file():
        return f"{path} is a file, not the folder of a run; train on it with: ness train {path}"
    if not path.is_dir():
        return f"There is no run folder {path}; train one with: ness train FILE --out {path}"
    if any((path / name).exists() for name in (METRICS, STATE, CONFIG)):
        return f"no finished run in {path}: its training was stopped; go on with: ness train FILE --out {path} --resume"
    runs = sorted(str(manifest.parent) for manifest in path.glob(f"*/{MANIFEST}"))
    if runs:
        return f"{path} is not a run but holds {len(runs)}; name one of them, such as {runs[0]}"
    return f"no run in {path}; train one with: ness train FILE --out {path if _is_empty(path) else path / 'my'}"


def _is_empty(path: Path) -> bool:
    return next(path.iterdir(), None) is None


def _listed(path: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    listed = manifest.get("files")
    known = {CONFIG, VOCABULARY, RULES, WEIGHTS, TRACES, SUMMARY}
    if not isinstance(listed, dict) or not set(listed) <= known or not {CONFIG, VOCABULARY, RULES} <= set(listed):
        raise CheckpointError(f"{path / MANIFEST} does not list the files of a run; train again")
    return listed


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"Cannot read {path}: {error.strerror}; restore it or train again") from error


def _trace_bytes(traces: Iterable[tuple[tuple[Word, ...], Program]]) -> bytes:
    lines = [
        json.dumps({"source": list(source), "program": format_program(program)}, ensure_ascii=False)
        for source, program in traces
    ]
    return gzip.compress("".join(f"{line}\n" for line in lines).encode(), compresslevel=6, mtime=0)
