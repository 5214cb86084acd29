"""Targets as trees: the systems that build trees are told how many children each label has."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ness.data.parsing.grammar import LANGUAGES, Language
from ness.errors import DataError

Tokens = tuple[str, ...]


@dataclass(frozen=True)
class Tree:
    """A tree as its tokens in prefix order, and the places of each token's children; depth is no limit."""

    tokens: Tokens
    children: tuple[tuple[int, ...], ...]


@cache
def arities_of(language: Language) -> Mapping[str, int]:
    """Count the children of each label; tokens have none."""
    return {production.label: len(production.children) for production in language.productions}


def read_tree(tokens: Sequence[str], arities: Mapping[str, int]) -> Tree:
    """Read a tree in prefix order; what is no single tree is a DataError."""
    children: list[list[int]] = [[] for _ in tokens]
    waiting: list[int] = []  # the places of labels that lack children
    for place, token in enumerate(tokens):
        if place:
            if not waiting:
                raise DataError(f"not one tree: token {place + 1}, '{token}', comes after its end")
            parent = waiting[-1]
            children[parent].append(place)
            if len(children[parent]) == arities[tokens[parent]]:
                waiting.pop()
        if arities.get(token, 0):
            waiting.append(place)
    if waiting or not tokens:
        raise DataError("not one tree: children are missing at its end")
    return Tree(tuple(tokens), tuple(map(tuple, children)))


def language_of(targets: Sequence[Sequence[str]]) -> Language | None:
    """Find the language whose trees all the targets are; None if there is none."""
    for language in LANGUAGES.values():
        arities = arities_of(language)
        try:
            for target in targets:
                read_tree(target, arities)
        except DataError:
            continue
        # Without any label each token would be a tree by itself.
        if any(target[0] in arities for target in targets):
            return language
    return None
