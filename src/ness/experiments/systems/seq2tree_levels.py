"""Trees as Seq2tree writes them: level by level, one short sequence for each node.

A node's sequence holds its label and its children, those with children of their own as NODE, then an end. All nodes
of one depth of all trees of a batch make one `TreeLevel`, so that they are decoded together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ness.data.vocabulary import Vocabulary
from ness.experiments.systems.coding import END, SPECIALS, UNKNOWN, pad
from ness.experiments.systems.trees import read_tree

NODE = SPECIALS  # stands for a child that has a sequence of its own
_FIRST = SPECIALS + 1
Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodeRow:
    """The sequence of one node; its NODE is in the parent's row at a step."""

    symbols: list[int]
    parent: int = 0  # place of the parent in the level above
    step: int = 0


Rows = list[list[NodeRow]]  # one tree: the rows of each depth


class Symbols:
    """Numbers the symbols of trees; without arities a target is one sequence, and its tree has one node."""

    def __init__(self, vocabulary: Vocabulary, arities: Mapping[str, int] | None) -> None:
        self._vocabulary, self._arities = vocabulary, arities
        self.size = _FIRST + len(vocabulary)

    def rows(self, target: Sequence[str]) -> Rows:
        """Write a target as rows; what is no tree is a DataError."""
        if self._arities is None:
            return [[NodeRow([*map(self._number, target), END])]]
        tree = read_tree(target, self._arities)
        levels: Rows = []
        waiting = [(0, 0, 0)]  # the place in the tree, the parent's place in the level above, the step there
        while waiting:
            level: list[NodeRow] = []
            below: list[tuple[int, int, int]] = []
            for place, parent, step in waiting:
                symbols = [self._number(target[place])]
                for child in tree.children[place]:
                    if tree.children[child]:
                        below.append((child, len(level), len(symbols)))
                        symbols.append(NODE)
                    else:
                        symbols.append(self._number(target[child]))
                level.append(NodeRow([*symbols, END], parent, step))
            levels.append(level)
            waiting = below
        return levels

    def read(self, levels: Sequence[Sequence[Sequence[int]]]) -> Tokens:
        """Read the prefix order of a tree from the symbols of its rows, level by level, without their ends."""
        below = [_first_nodes(level) for level in levels]  # where a row's NODEs begin in the level below
        tokens: list[str] = []
        rest: list[tuple[int, int, int]] = [(0, 0, 0)]  # depth, row and place in the row
        while rest:
            depth, row, place = rest.pop()
            symbols = levels[depth][row]
            if place == len(symbols):
                continue
            rest.append((depth, row, place + 1))
            if symbols[place] == NODE:
                rest.append((depth + 1, below[depth][row] + sum(symbol == NODE for symbol in symbols[:place]), 0))
            else:
                tokens.append(self._vocabulary.tokens[symbols[place] - _FIRST])
        return tuple(tokens)

    def _number(self, token: str) -> int:
        return _FIRST + self._vocabulary.number(token) if token in self._vocabulary else UNKNOWN


def _first_nodes(level: Sequence[Sequence[int]]) -> list[int]:
    starts, total = [], 0
    for row in level:
        starts.append(total)
        total += sum(symbol == NODE for symbol in row)
    return starts


@dataclass(frozen=True)
class TreeLevel:
    """All nodes of one depth of a batch."""

    symbols: Tensor  # [nodes, longest]
    owner: Tensor  # [nodes], the tree in the batch
    rank: Tensor  # [nodes], the place among the tree's nodes of this depth
    parent: Tensor  # [nodes], in the level above
    step: Tensor  # [nodes]
    widest: int  # most nodes of one tree


def batch_levels(trees: Sequence[Rows], device: str) -> list[TreeLevel]:
    """Put trees into tensors, depth by depth."""
    levels = []
    above = list(range(len(trees)))  # where each tree's nodes begin in the level above; roots hang on their source
    for depth in range(max(map(len, trees))):
        rows: list[list[int]] = []
        places: list[tuple[int, int, int, int]] = []
        starts: list[int] = []
        for owner, tree in enumerate(trees):
            starts.append(len(rows))
            for rank, row in enumerate(tree[depth] if depth < len(tree) else ()):
                rows.append(row.symbols)
                places.append((owner, rank, above[owner] + row.parent, row.step))
        owner_, rank_, parent, step = torch.tensor(places).T.to(device)
        widest = max(len(tree[depth]) if depth < len(tree) else 0 for tree in trees)
        levels.append(TreeLevel(pad(rows).to(device), owner_, rank_, parent, step, widest))
        above = starts
    return levels
