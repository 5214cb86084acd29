"""Rules edited by hand: validated as they are on disk, and taken into the model. No torch here."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from ness.answer.engine import translate
from ness.answer.noisy_engine import engine_of_rules
from ness.errors import CheckpointError
from ness.files import json_bytes, read_json, read_regular, sha256, write_atomically
from ness.machine import Word, run
from ness.model.run_folder import MANIFEST, RULES, WEIGHTS, Listed, RunFolder
from ness.rules.serialise import from_json


class CheckedRules(NamedTuple):
    """Rules that can be read, and what they change."""

    path: Path
    traces: int
    changed: Sequence[tuple[Word, ...]]  # sources of training examples that are now answered in another way

    @property
    def as_before(self) -> int:
        return self.traces - len(self.changed)


def check_rules(path: Path) -> CheckedRules:
    """Read the rules as they are now, whatever the manifest says; ask them for the training examples."""
    folder = RunFolder(path)
    table = from_json(read_json(path / RULES, _content(path)))
    traces = folder.traces()
    answers = translate(engine_of_rules(table, folder.manifest.weighed), [source for source, _ in traces])
    targets = [run(source, program)[0] for source, program in traces]
    changed = [a.source for a, target in zip(answers, targets, strict=True) if a.output != target]
    return CheckedRules(path / RULES, len(traces), changed)


def accept_rules(path: Path) -> bool:
    """Make the rules on disk those of the model; tell whether a network was left out, which imitates others."""
    folder, data = RunFolder(path), _content(path)
    manifest = folder.manifest
    if manifest.files[RULES] == Listed(sha256(data), len(data)):
        return False
    manifest.files[RULES] = Listed(sha256(data), len(data))
    left_out = manifest.files.pop(WEIGHTS, None) is not None
    write_atomically(path / MANIFEST, json_bytes(msgspec.to_builtins(manifest)))
    return left_out


def _content(path: Path) -> bytes:
    data = read_regular(path / RULES)
    if data is None:
        raise CheckpointError(f"{path / RULES} is too large; restore it or train again")
    return data
