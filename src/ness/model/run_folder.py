"""The run folder: settings, vocabulary, rules, weights and traces of a trained model. Nothing in it is executed.

manifest.json lists each file with its size and checksum and is written last; a file is read when it is needed, and
what is damaged is refused then: rules answer though the network is damaged. metrics.jsonl and state/ are not part of
the model and not listed. No torch here; the weights are read when the controller is asked for.
"""

import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, TypeVar

import msgspec

from ness import __version__
from ness.config import Config, ControllerConfig
from ness.data.example import Example
from ness.data.spelling import KINDS, PLAIN, Spelling
from ness.errors import CheckpointError, ConfigError, DataError
from ness.files import MAX_BYTES, json_bytes, read_as, read_json, read_regular, sha256, write_atomically
from ness.machine import format_program, parse_program, without_boundaries
from ness.model.model import Model, Traces, example_of_trace
from ness.model.summary import Summary
from ness.network.vocabularies import Vocabularies
from ness.rules.hand import NO_RULES, HandRules
from ness.rules.parse import parse_hand
from ness.rules.serialise import from_json, read_rules, to_json
from ness.rules.table import RuleTable
from ness.rules.text import format_hand
from ness.settings import from_mapping, to_mapping

if TYPE_CHECKING:
    from ness.network.controller import Controller

T = TypeVar("T")

FORMAT = "ness-run"
VERSION = 2
MANIFEST = "manifest.json"
_LEARNING = ("costs", "search", "learner", "training", "loop")  # sections that are of no use once it is learned
CONFIG, VOCABULARY, RULES = "config.json", "vocabulary.json", "rules.json"
SUMMARY, WEIGHTS, TRACES = "summary.json", "controller.safetensors", "traces.jsonl.gz"
SURVIVORS = "survivors.json.gz"
HAND = "by_hand.txt"  # rules that a person pinned or forbade
SPELLING = "spelling.json"  # where texts are not just cut at spaces
METRICS, STATE = "metrics.jsonl", "state"
NEEDED = {CONFIG, VOCABULARY, RULES, SUMMARY}
_MANIFEST_BYTES = 100_000


class ListedFile(msgspec.Struct):
    """A file of a run."""

    sha256: str
    bytes: int


class Manifest(msgspec.Struct):
    """What a run consists of."""

    files: dict[str, ListedFile]
    weighed: bool  # how the rules answer, see `Model`
    format: str = FORMAT
    version: int = VERSION
    ness: str = __version__


class _Trace(msgspec.Struct):
    source: tuple[str, ...]
    program: str
    target: tuple[str, ...] | None = None  # spares running the program; runs of earlier versions lack it


class _Spelling(msgspec.Struct):
    source: str
    target: str
    lowercase: bool
    unread: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    odd: tuple[tuple[str, str], ...]


class RunFolder:
    """The files of a run; each is checked against the manifest when it is read."""

    def __init__(self, path: Path) -> None:
        """Read the manifest."""
        self.path = path
        if not (path / MANIFEST).exists():
            raise CheckpointError(_why_no_run(path))
        self.manifest = _manifest(path / MANIFEST)

    @property
    def has_controller(self) -> bool:
        return WEIGHTS in self.manifest.files

    def read(self, name: str) -> bytes:
        """Read a file that the manifest lists."""
        path, listed = self.path / name, self.manifest.files[name]
        data = read_regular(path, exactly=listed.bytes)
        if data is None or sha256(data) != listed.sha256:
            raise CheckpointError(
                f"{path} is damaged: it is not the file that {MANIFEST} lists; {_what_to_do(self.path, name)}"
            )
        return data

    def config(self) -> Config:
        """Read the settings."""
        path = self.path / CONFIG
        values = read_as(dict[str, object], path, self.read(CONFIG))
        try:
            config: Config = from_mapping(_still_known(values), origin=str(path))
        except ConfigError as error:
            raise CheckpointError(f"{path} does not fit this version of NeSS: {error}") from error
        return config

    def summary(self) -> Summary:
        """Read how learning went."""
        return read_as(Summary, self.path / SUMMARY, self.read(SUMMARY))

    def hand(self) -> HandRules:
        """Read the rules by hand."""
        return parse_hand(self.read(HAND).decode(errors="replace")) if HAND in self.manifest.files else NO_RULES

    def spelling(self) -> Spelling:
        """Read how texts become words, and tokens texts."""
        if SPELLING not in self.manifest.files:
            return PLAIN
        path = self.path / SPELLING
        stored = read_as(_Spelling, path, self.read(SPELLING))
        if not {stored.source, stored.target} <= set(KINDS):
            raise CheckpointError(f"{path} has unknown kinds of tokens; train again")
        return Spelling(**msgspec.structs.asdict(stored))

    def traces(self) -> Traces:
        """Read the training traces."""
        return self._each_trace(lambda trace: (trace.source, parse_program(trace.program)))

    def examples(self) -> list[Example]:
        """Read the examples of the training traces."""
        return self._each_trace(_example)

    def _each_trace(self, read: Callable[[_Trace], T]) -> list[T]:
        if TRACES not in self.manifest.files:
            return []
        path = self.path / TRACES
        found = []
        for number, line in enumerate(self._unpacked(TRACES).splitlines(), 1):
            try:
                found.append(read(read_as(_Trace, path, line)))
            except (CheckpointError, DataError) as error:
                raise CheckpointError(f"{path}, line {number}: no trace ({error}); train again") from error
        return found

    def survivors(self) -> list[RuleTable]:
        """Read the other rules that fit the examples; only questions need them."""
        if SURVIVORS not in self.manifest.files:
            return []
        tables = read_as(list[dict[str, object]], self.path / SURVIVORS, self._unpacked(SURVIVORS))
        return [from_json(each) for each in tables]

    def _unpacked(self, name: str) -> bytes:
        path = self.path / name
        try:
            with gzip.open(io.BytesIO(self.read(name))) as file:
                data = file.read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise CheckpointError(f"{path} is damaged ({error}); restore it or train again") from error
        if len(data) > MAX_BYTES:
            raise CheckpointError(f"{path} unpacks to more than {MAX_BYTES:,} bytes; restore it or train again")
        return data

    def controller(self, config: Config, vocabularies: Vocabularies, device: str) -> "Controller":
        """Build the network and load its weights."""
        _check_sizes(self.path / CONFIG, config.controller, self.manifest.files[WEIGHTS].bytes)
        from ness.network.weights import read_weights

        return read_weights(self.read(WEIGHTS), vocabularies, config.controller, device, self.path / WEIGHTS)


def load_run(path: Path) -> Model:
    """Read a model: settings, vocabulary and rules at once, the rest when it is asked for."""
    folder = RunFolder(path)
    vocabularies = Vocabularies.from_json(read_as(dict[str, object], path / VOCABULARY, folder.read(VOCABULARY)))
    table = read_rules(path / RULES, folder.read(RULES))
    return Model(
        folder.config(),
        vocabularies,
        table,
        weighed=folder.manifest.weighed,
        spelling=folder.spelling(),
        hand=folder.hand(),
        stored=folder,
    )


def save_run(path: Path, model: Model) -> None:
    """Write a model to its folder, each file atomically, the manifest last."""
    files = {
        CONFIG: json_bytes(to_mapping(model.config)),
        VOCABULARY: json_bytes(model.vocabularies.to_json()),
        RULES: json_bytes(to_json(model.table)),
        SUMMARY: json_bytes(msgspec.to_builtins(model.summary)),
        TRACES: _trace_bytes(model.traces(), model.examples()),
    }
    if survivors := model.survivors():
        files[SURVIVORS] = _packed(json_bytes([to_json(each) for each in survivors]))
    if model.spelling != PLAIN:
        files[SPELLING] = json_bytes(model.spelling._asdict())
    if not model.hand.empty:
        files[HAND] = format_hand(model.hand).encode()
    if model.has_controller:
        controller = model.controller("cpu")
        from ness.network.weights import weight_bytes

        if controller.config != model.config.controller or controller.vocabularies != model.vocabularies:
            raise CheckpointError("The controller was made with other settings or another vocabulary than the run")
        files[WEIGHTS] = weight_bytes(controller)
    for name, data in files.items():
        write_atomically(path / name, data)
    write_manifest(path, files, model.weighed)
    for name in {WEIGHTS, SURVIVORS} - set(files):
        (path / name).unlink(missing_ok=True)


def write_manifest(path: Path, files: Mapping[str, bytes], weighed: bool) -> None:
    """List the files of a run; from then on they are the run."""
    listed = {name: ListedFile(sha256(data), len(data)) for name, data in files.items()}
    write_atomically(path / MANIFEST, json_bytes(msgspec.to_builtins(Manifest(listed, weighed))))


def remove_state(path: Path) -> None:
    """Remove what only a training that goes on needs."""
    rmtree(path / STATE, ignore_errors=True)


def _manifest(path: Path) -> Manifest:
    data = read_regular(path, most=_MANIFEST_BYTES)
    facts = data and read_json(path, data)
    if data is None or not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise CheckpointError(f"{path} is not that of a NeSS run; choose another folder")
    if facts.get("version") != VERSION:
        found = facts.get("version")
        raise CheckpointError(
            f"{path.parent} has format version {found}, this NeSS reads version {VERSION}; train again"
        )
    manifest = read_as(Manifest, path, data)
    if not NEEDED <= set(manifest.files) <= NEEDED | {WEIGHTS, TRACES, SURVIVORS, SPELLING, HAND}:
        raise CheckpointError(f"{path} does not list the files of a run; train again")
    return manifest


def _still_known(values: dict[str, object]) -> dict[str, object]:
    """Leave out settings of learning that this version no longer has: they say nothing about the answers."""
    found = dict(values)
    for name in _LEARNING:
        settings, section = values.get(name), getattr(Config(), name)
        if isinstance(settings, dict):
            found[name] = {key: value for key, value in settings.items() if hasattr(section, key)}
    return found


def _check_sizes(path: Path, config: ControllerConfig, size: int) -> None:
    """Refuse settings for a network larger than its weights, before any of it is allocated."""
    hidden = config.hidden_size
    least = {
        "hidden_size": hidden * hidden,
        "embedding_size": config.embedding_size,
        "lexical_size": config.lexical_size,
    }
    for name, numbers in least.items():
        if 4 * numbers > size:
            raise CheckpointError(f"{path}: the network of {size:,} bytes has another {name} than that; train again")


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


def _what_to_do(path: Path, name: str) -> str:
    """Say how to go on without a file."""
    if name == RULES:
        return f"if you edited it: ness rules {path} --accept; else train again"
    if name in (WEIGHTS, SUMMARY, TRACES, SURVIVORS):
        return "--engine rules answers without it; restore it or train again"
    return "restore it or train again"


def _example(trace: _Trace) -> Example:
    if trace.target is None:
        return example_of_trace(trace.source, parse_program(trace.program))
    return Example(without_boundaries(trace.source), trace.target)


def _trace_bytes(traces: Traces, examples: Iterable[Example]) -> bytes:
    lines = [
        json.dumps({"source": source, "program": format_program(program), "target": example.target}, ensure_ascii=False)
        for (source, program), example in zip(traces, examples, strict=True)
    ]
    return _packed("".join(f"{line}\n" for line in lines).encode())


def _packed(data: bytes) -> bytes:
    return gzip.compress(data, compresslevel=6, mtime=0)
