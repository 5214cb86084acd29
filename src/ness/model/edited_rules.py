"""Rules edited by hand: validated as they are on disk, and taken into the model. No torch here."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from ness.answer.engine import translate
from ness.answer.noisy_engine import engine_of_rules
from ness.errors import CheckpointError
from ness.files import json_bytes, read_regular, sha256, write_atomically
from ness.machine import Phrase, Word, run, without_boundaries
from ness.model.model import Model, Traces
from ness.model.run_folder import MANIFEST, RULES, WEIGHTS, ListedFile, RunFolder, load_run, save_run
from ness.network.vocabularies import Vocabularies
from ness.rules.hand import HandRules, obeying
from ness.rules.serialise import read_rules
from ness.rules.table import RuleTable


class ChangedAnswer(NamedTuple):
    """A training example that edited rules answer in another way."""

    source: tuple[Word, ...]
    before: Phrase
    after: Phrase | None

    def __str__(self) -> str:
        after = "no answer" if self.after is None else " ".join(self.after)
        source, before = (" ".join(without_boundaries(part)) for part in (self.source, self.before))
        return f"{source:.60}: {after:.60} instead of {before:.60}"


class CheckedRules(NamedTuple):
    """Rules that can be read, and what they change."""

    path: Path
    traces: int
    changed: Sequence[ChangedAnswer]

    @property
    def as_before(self) -> int:
        return self.traces - len(self.changed)


def check_rules(path: Path) -> CheckedRules:
    """Read the rules as they are now, whatever the manifest says; ask them for the training examples."""
    folder = RunFolder(path)
    table = read_rules(path / RULES, _content(path))
    return _checked(path, table, folder.traces(), folder.manifest.weighed)


def use_rules(path: Path, hand: HandRules) -> tuple[CheckedRules, bool]:
    """Take rules by hand into a model; also tell whether a network was left out, which imitates others.

    A file as it was written has a section of tokens and is the whole table; a few rules are put over what was learned.
    """
    model = load_run(path)
    if hand.pinned.operators and hand.pinned.tokens:
        table = obeying(hand.pinned, HandRules(forbidden=hand.forbidden))
    else:
        table = obeying(model.table, hand)
    words, tokens = hand.vocabulary()
    known = model.vocabularies
    used = Model(
        model.config,
        Vocabularies.of([known.source, words], [known.target, tokens], table.kinds),
        table,
        model.summary,
        model.traces(),
        weighed=model.weighed,
        spelling=model.spelling,
        hand=hand,
    )
    checked = _checked(path, table, model.traces(), model.weighed)
    save_run(path, used)
    return checked, model.has_controller


def _checked(path: Path, table: RuleTable, traces: Traces, weighed: bool) -> CheckedRules:
    """Ask rules for the training examples."""
    answers = translate(engine_of_rules(table, weighed), [source for source, _ in traces])
    targets = [run(source, program)[0] for source, program in traces]
    changed = [
        ChangedAnswer(answer.source, target, answer.output)
        for answer, target in zip(answers, targets, strict=True)
        if answer.output != target
    ]
    return CheckedRules(path / RULES, len(traces), changed)


def accept_rules(path: Path) -> bool:
    """Make the rules on disk those of the model; tell whether a network was left out, which imitates others."""
    folder, data = RunFolder(path), _content(path)
    manifest = folder.manifest
    if manifest.files[RULES] == ListedFile(sha256(data), len(data)):
        return False
    manifest.files[RULES] = ListedFile(sha256(data), len(data))
    left_out = manifest.files.pop(WEIGHTS, None) is not None
    write_atomically(path / MANIFEST, json_bytes(msgspec.to_builtins(manifest)))
    return left_out


def _content(path: Path) -> bytes:
    data = read_regular(path / RULES)
    if data is None:
        raise CheckpointError(f"{path / RULES} is too large; restore it or train again")
    return data
