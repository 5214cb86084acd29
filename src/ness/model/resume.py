"""Going on from the folder of an earlier run: the same training, or one whose examples were added to. No torch here."""

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data.example import Example
from ness.errors import CheckpointError
from ness.model.model import Model, seeing_enough
from ness.model.run_folder import MANIFEST, METRICS, STATE, load_run
from ness.rules.hand import NO_RULES, HandRules
from ness.rules.table import RuleTable
from ness.rules.text import format_hand
from ness.settings import to_mapping

_UNSAVED = ("time_limit", "workers")  # learner settings that may change when a run is resumed


class EarlierRun(NamedTuple):
    """What an earlier run left: its model, where nothing has to be searched, or its rules to begin with."""

    model: Model | None = None
    known: RuleTable | None = None
    rivals: Sequence[RuleTable] = ()  # other rules that fitted its examples


def digest_of(examples: Sequence[Example], config: Config, hand: HandRules = NO_RULES) -> str:
    """Tell apart trainings that must not be continued from each other's folders."""
    digest = hashlib.sha256(json.dumps(_settings(config), sort_keys=True).encode())
    if not hand.empty:
        digest.update(format_hand(hand).encode())
    for example in examples:
        digest.update(json.dumps(example).encode())
    return digest.hexdigest()


def _settings(config: Config) -> dict[str, Any]:
    """The settings that what is learned depends on."""
    settings = to_mapping(config)
    for name in _UNSAVED:
        settings["learner"].pop(name, None)
    for name in ("controller", "training"):
        settings.pop(name)
    return settings


def check_folder(out: Path, resume: bool) -> None:
    """Refuse to write a run among other files, or where it cannot be written."""
    if out.exists() and not out.is_dir():
        raise CheckpointError(f"{out} is a file; choose a folder for the run")
    if out.is_dir() and not os.access(out, os.R_OK | os.W_OK | os.X_OK):
        raise CheckpointError(f"{out} is not yours to write to; choose another folder for the run")
    # What is appended to or read without a checksum: a pipe would hang, a link lead elsewhere.
    for path in (out / METRICS, out / STATE, *(out / STATE).glob("*")):
        if path.is_symlink() or (path.exists() and not path.is_file() and not path.is_dir()):
            raise CheckpointError(f"{path} is a link or no regular file; remove it, or choose another folder")
    ours = (MANIFEST, METRICS, STATE)
    if not resume and out.is_dir() and any(out.iterdir()) and not any((out / name).exists() for name in ours):
        raise CheckpointError(f"{out} holds other files; choose an empty or new folder for the run")


def read_earlier_run(out: Path, examples: Sequence[Example], config: Config, hand: HandRules = NO_RULES) -> EarlierRun:
    """Read what an earlier run learned from these examples, or from some of them, with the same settings."""
    if not (out / MANIFEST).exists():
        return EarlierRun()
    earlier = load_run(out)
    if earlier.summary.digest == digest_of(examples, config, hand):
        return EarlierRun(_as_before(earlier, config) if earlier.summary.complete else None)
    if _settings(earlier.config) != _settings(config):
        raise CheckpointError(
            f"{out} was trained with other settings; leave out --resume and add --force to start afresh"
        )
    suspicious = [suspect.example for suspect in earlier.summary.suspicious]
    before = {*earlier.examples(), *earlier.summary.unsolved, *earlier.summary.contradictory, *suspicious}
    if not before <= set(examples):
        raise CheckpointError(
            f"{out} was trained on other examples; --resume goes on where lines were added, --force starts afresh"
        )
    return EarlierRun(known=earlier.table, rivals=earlier.survivors())


def tables_that_fit(rivals: Sequence[RuleTable], examples: Sequence[Example]) -> list[RuleTable]:
    """The rules that still fit when there are more examples: what they say otherwise remains to be asked."""
    sources, targets = [example.source for example in examples], [example.target for example in examples]
    return [each for each in rivals if [answer.output for answer in translate(RuleEngine(each), sources)] == targets]


def _as_before(earlier: Model, config: Config) -> Model:
    """Keep what is there; a network only if it was trained to its end with the same settings."""
    wanted = seeing_enough(config, earlier.table)
    same_network = (earlier.config.controller, earlier.config.training) == (wanted.controller, wanted.training)
    keep = earlier.has_controller and same_network and earlier.summary.trained
    return Model(
        config,
        earlier.vocabularies,
        earlier.table,
        earlier.summary,
        earlier.traces(),
        earlier.survivors(),
        examples=earlier.examples(),
        weighed=earlier.weighed,
        spelling=earlier.spelling,
        hand=earlier.hand,
        network=earlier.controller("cpu") if keep else None,
    )
