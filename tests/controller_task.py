"""A small command language with an oracle's traces, and a controller trained on them once for all tests."""

from functools import cache
from itertools import product

import torch

import oracles
from ness.config import ControllerConfig, TrainingConfig
from ness.data.example import Example
from ness.machine import Program, drive
from ness.network.controller import Controller, make_controller
from ness.network.imitation import TrainingResult, train_controller
from ness.network.vocabularies import Vocabularies
from ness.rules.table import Categories, RuleTable

torch.set_num_threads(1)  # small networks run best on one; several only wait for each other

VERBS = ("walk", "run", "jump")
CATEGORIES = Categories([VERBS, ("twice", "thrice"), ("and", "after")])
SMALL = ControllerConfig(embedding_size=24, hidden_size=24)
FAST = TrainingConfig(learning_rate=5e-3, max_steps=300, evaluate_every=20)
Trace = tuple[tuple[str, ...], Program]


def verb_phrases() -> list[tuple[str, ...]]:
    return [*((verb,) for verb in VERBS), *product(VERBS, ("twice", "thrice"))]


def commands() -> list[Example]:
    """All commands of the language: verb phrases, and two of them joined."""
    joined = [(*a, word, *b) for a, word, b in product(verb_phrases(), ("and", "after"), verb_phrases())]
    return [Example(source, drive(source, oracles.scan)[0]) for source in [*verb_phrases(), *joined]]


def training_commands() -> list[Example]:
    """The short ones; `jump` appears alone and with one other construct only."""
    short = [example for example in commands() if len(example.source) <= 4]
    return [example for example in short if "jump" not in example.source or len(example.source) <= 2]


def held_out_commands() -> list[Example]:
    known = {example.source for example in training_commands()}
    return [example for example in commands() if example.source not in known]


def traces(examples: list[Example] | None = None) -> list[Trace]:
    examples = training_commands() if examples is None else examples
    return [(e.source, tuple(step.instruction for step in drive(e.source, oracles.scan)[1])) for e in examples]


def vocabularies() -> Vocabularies:
    examples = training_commands()
    return Vocabularies.of((e.source for e in examples), (e.target for e in examples))


def table() -> RuleTable:
    return RuleTable.from_traces(traces(), CATEGORIES)


def fresh(config: ControllerConfig = SMALL, seed: int = 0) -> Controller:
    return make_controller(vocabularies(), config, seed, "cpu")


@cache
def trained() -> tuple[Controller, TrainingResult]:
    controller = fresh()
    return controller, train_controller(controller, traces(), CATEGORIES, FAST)
