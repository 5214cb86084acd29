"""All systems by name. Importing this does not import torch; loading a system does."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING

from ness.errors import ConfigError

if TYPE_CHECKING:
    from ness.experiments.systems.interface import System

_PACKAGE = "ness.experiments.systems"


@dataclass(frozen=True, slots=True)
class SystemEntry:
    """One line of the list of systems."""

    name: str
    title: str
    module: str  # in this package
    cls: str
    knows_more: str = ""  # what it is told beyond the training set
    source: str = ""  # who published it

    def load(self) -> "type[System]":
        """Import the class."""
        loaded: type[System] = getattr(import_module(f"{_PACKAGE}.{self.module}"), self.cls)
        return loaded


ENTRIES = (
    SystemEntry("lstm", "LSTM (ours)", "lstm", "Lstm"),
    SystemEntry("transformer", "Transformer (ours)", "transformer", "Transformer"),
    SystemEntry("seq2seq", "Seq2seq", "seq2seq", "Seq2seq", source="Lake & Baroni 2018; Chen et al. 2018"),
    SystemEntry("cnn", "CNN", "cnn", "Cnn", source="Dessì & Baroni 2019"),
    SystemEntry("stack", "Stack LSTM", "memory", "StackLstm", source="Grefenstette et al. 2015"),
    SystemEntry("queue", "Queue LSTM", "memory", "QueueLstm", source="Grefenstette et al. 2015"),
    SystemEntry("deque", "DeQue LSTM", "memory", "DequeLstm", source="Grefenstette et al. 2015"),
    SystemEntry(
        "syntactic", "Syntactic Attention", "syntactic_attention", "SyntacticAttention", source="Russin et al. 2019"
    ),
    SystemEntry(
        "primitive",
        "Primitive Substitution",
        "primitive_substitution",
        "PrimitiveSubstitution",
        source="Li et al. 2019",
    ),
    SystemEntry(
        "equivariant",
        "Equivariant Seq2seq",
        "equivariant",
        "Equivariant",
        "is told which words permute, and their actions",
        "Gordon et al. 2020",
    ),
    SystemEntry("geca", "GECA", "geca", "Geca", "", "Andreas 2020"),
    SystemEntry(
        "meta",
        "Meta Seq2seq (perm)",
        "meta",
        "MetaSeq2seq",
        "sees all of SCAN, test commands among it, under other meanings of words",
        "Lake 2019",
    ),
    SystemEntry(
        "seq2tree",
        "Seq2tree",
        "seq2tree",
        "Seq2tree",
        "on parsing is told how many children each label has",
        "Dong & Lapata 2016",
    ),
    SystemEntry(
        "neural-parser",
        "Neural Parser",
        "neural_parser.system",
        "NeuralParser",
        "is told how many children each label has and how long a frame gets",
        "Chen et al. 2018",
    ),
    SystemEntry(
        "synth-greedy",
        "Synth (no search)",
        "synth.system",
        "SynthGreedy",
        "random grammars by the thousand",
        "Nye et al. 2020",
    ),
    SystemEntry(
        "synth", "Synth (with search)", "synth.system", "Synth", "random grammars by the thousand", "Nye et al. 2020"
    ),
)
_BY_NAME = {one.name: one for one in ENTRIES}


def entry(name: str) -> SystemEntry:
    """Return a system's line; an unknown name is told with the nearest one."""
    if name not in _BY_NAME:
        near = get_close_matches(name, _BY_NAME, n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"systems: {', '.join(_BY_NAME)}"
        raise ConfigError(f"there is no system '{name}'; {hint}")
    return _BY_NAME[name]


def knows_more(name: str) -> str:
    """Return what a system, NeSS among them, is told beyond the training set."""
    return _BY_NAME[name].knows_more if name in _BY_NAME else ""


def make(name: str, task: str = "", changes: Sequence[str] = ()) -> "System":
    """Make a system with its settings for a task, changed where asked for."""
    system = entry(name).load()
    return system(system.settings_for(task).changed(changes))
