"""Seq2tree: trees as levels and back, forced scores against greedy decoding, long trees."""

import random

import pytest
import torch

from ness.data.example import Example, example_of
from ness.data.parsing import LANGUAGES, prefix_of, sampler_of, source_of, training_set
from ness.data.vocabulary import Vocabulary
from ness.errors import DataError
from ness.experiments.systems.coding import END
from ness.experiments.systems.interface import Training
from ness.experiments.systems.seq2tree import Seq2tree, Seq2treeSettings
from ness.experiments.systems.seq2tree_levels import NODE, Symbols
from ness.experiments.systems.trees import arities_of, language_of, read_tree

SMALL = Seq2treeSettings(steps=100, size=32, dropout=0.0, evaluate_every=100, batch_size=20, rate=0.02)


def symbols_of(name: str, target: tuple[str, ...]) -> Symbols:
    return Symbols(Vocabulary(sorted(set(target))), arities_of(LANGUAGES[name]))


def examples_of(name: str, length: int, count: int) -> list[Example]:
    rng = random.Random(length)
    trees = [sampler_of(name).draw(rng, length) for _ in range(count)]
    return [Example(source_of(tree), prefix_of(tree)) for tree in trees]


def test_a_node_is_its_label_and_its_children() -> None:
    _, target = example_of("y = 1 if x == y", "If Eq Identifier x Identifier y Assign Identifier y Literal 1")
    levels = symbols_of("while", target).rows(target)
    assert [[len(row.symbols) for row in level] for level in levels] == [[4], [4, 4], [3, 3, 3, 3]]
    assert levels[0][0].symbols[1:] == [NODE, NODE, END]
    assert [(row.parent, row.step) for row in levels[2]] == [(0, 1), (0, 2), (1, 1), (1, 2)]


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize("length", [1, 2, 9, 51, 3001])
def test_trees_come_back_from_their_levels(name: str, length: int) -> None:
    if name == "while" and length < 3:
        length = 3
    for _, target in examples_of(name, length, 5):
        symbols = symbols_of(name, target)
        levels = [[row.symbols[:-1] for row in level] for level in symbols.rows(target)]
        assert symbols.read(levels) == target


def test_a_target_of_another_kind_is_one_sequence() -> None:
    targets = [("RED", "BLUE"), ("GREEN",)]
    assert language_of(targets) is None
    symbols = Symbols(Vocabulary(["BLUE", "GREEN", "RED"]), None)
    (level,) = symbols.rows(targets[0])
    assert symbols.read([[row.symbols[:-1] for row in level]]) == targets[0]


@pytest.mark.parametrize("target", ["Op+ Identifier x", "Literal 1 1", ""])
def test_what_is_no_tree_is_told(target: str) -> None:
    with pytest.raises(DataError, match="not one tree"):
        read_tree(target.split(), arities_of(LANGUAGES["while"]))


@pytest.mark.slow
def test_decoding_agrees_with_forced_scores_and_learns() -> None:
    examples = training_set("while", "curriculum", 0)[:20]
    system = Seq2tree(SMALL)
    fit = system.fit(Training(examples))
    answers = system.predict([example.source for example in examples])
    right = [answer == example.target for answer, example in zip(answers, examples, strict=True)]
    assert system.correct(examples) == right
    assert fit.accuracy == sum(right) / len(right) > 0.25


def test_a_tree_of_thousands_of_nodes_is_decoded_to_its_end() -> None:
    """A network that is forced to answer right writes all nodes: nothing stops it at the original's 100."""
    (example,) = examples_of("while", 4001, 1)
    system = Seq2tree(SMALL.changed(["steps=1"]))
    system.fit(Training(training_set("while", "curriculum", 0)))
    wanted = [[row.symbols for row in level] for level in system._symbols.rows(example.target)]
    network = system._trained()
    depth = 0

    def write(states: object, padding: object, state: object, owners: list[int], longest: int) -> object:
        nonlocal depth
        rows = [row + [END] * (4 - len(row)) for row in wanted[depth]]
        depth += 1
        assert len(owners) == len(rows)
        return rows, torch.zeros(len(rows), 4, 1), torch.zeros(len(rows), 4, 1)

    network._write_level = write  # type: ignore[method-assign, assignment]
    assert sum(map(len, wanted)) > 1000
    assert system.predict([example.source]) == [example.target]


def test_a_tree_that_never_ends_has_no_answer() -> None:
    examples = [example_of("x", "Identifier x"), example_of("x + y", "Op+ Identifier x Identifier y")]
    system = Seq2tree(SMALL.changed(["steps=1"]))
    system.fit(Training(examples))
    network = system._trained()
    with torch.no_grad():
        network.output.bias[NODE] = 100.0  # each node announces nodes without end
    assert system.predict([("x",)]) == [None]
