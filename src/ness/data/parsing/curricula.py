"""Curricula of 100 to 150 samples that show everything a language has, short samples first."""

import heapq
from collections import Counter
from itertools import count
from math import fsum, inf
from random import Random

from ness.data.example import Example
from ness.data.parsing.grammar import Language, Node, Tokens, nodes_of, prefix_of, source_of
from ness.data.parsing.sampler import sampler_of

Feature = tuple[object, ...]

_POOL = 200  # samples drawn for each length, of which the most instructive are kept
SIZE = 150

# Length: how many samples of it. Bare atoms and expressions come first.
_PLANS = {
    "while": {1: 4, 3: 12, 5: 16, 7: 16, 9: 18, 11: 22, 13: 22, 15: 14, 17: 8, 19: 4},
    "lambda": {1: 26, 2: 4, 3: 4, 4: 14, 5: 6, 6: 8, 7: 8, 8: 8, 10: 10, 12: 14, 14: 14, 17: 14, 20: 14},
}
_FILL = (9, 11)  # lengths of the random samples that make the curriculum complete
_BARE = {"while": (1, 3, 5), "lambda": ()}
_BARE_LABELS = ("Identifier", "Literal", "Op*", "Op+", "Eq")


def features(tree: Node) -> set[Feature]:
    """Collect a tree's productions and its chains of parent, child and grandchild with their places."""
    found: set[Feature] = {("root", tree.label)}
    for node in nodes_of(tree):
        found.add(node.production)
        for place, child in enumerate(node.parts):
            if isinstance(child, Node):
                for inner, grandchild in enumerate(child.parts):
                    if isinstance(grandchild, Node):
                        found.add((node.label, place, child.label, inner, grandchild.label))
    return found


def all_features(language: Language) -> set[Feature]:
    """Collect every feature that a tree of the language can have, but for those of the root."""
    found: set[Feature] = set(language.productions)
    for production in language.productions:
        for place, label in enumerate(production.parts):
            for child in language.by_label.get(label, ()):
                for inner, grandchild in enumerate(child.parts):
                    if grandchild in language.by_label:
                        found.add((production.label, place, label, inner, grandchild))
    return found


def curriculum(language: Language, seed: int) -> list[Example]:
    """Draw a curriculum that has every feature of the language."""
    rng = Random(f"curriculum {language.name} {seed}")
    shown: Counter[Feature] = Counter()
    chosen: dict[Tokens, Node] = {}
    for length, samples in _PLANS[language.name].items():
        pool = {source_of(tree): tree for tree in _draw_pool(language, rng, length)}
        _choose(pool, samples, shown, chosen)
    missing = all_features(language) - shown.keys()
    while missing:
        # A sample for one missing feature often shows others too: keep the best of a few.
        wanted = min(missing, key=repr)
        best = max(
            (_draw_with(language, rng, wanted) for _ in range(2)),
            key=lambda tree: (len(features(tree) & missing), -len(source_of(tree))),
        )
        chosen[source_of(best)] = best
        missing -= features(best)
    while len(chosen) < SIZE:
        tree = sampler_of(language.name).draw(rng, rng.choice(_FILL))
        chosen.setdefault(source_of(tree), tree)
    return [Example(source, prefix_of(tree)) for source, tree in sorted(chosen.items(), key=lambda item: len(item[0]))]


def _draw_pool(language: Language, rng: Random, length: int) -> list[Node]:
    draw = sampler_of(language.name).draw
    if length not in _BARE[language.name]:
        return [draw(rng, length) for _ in range(_POOL)]
    labels = [*_BARE_LABELS[:2]] if length == 1 else [*_BARE_LABELS[2:], *["Assign", "If"][: length // 2], "Assign"]
    return [draw(rng, length, label) for label in labels for _ in range(_POOL // 4)]


def _choose(pool: dict[Tokens, Node], wanted: int, shown: Counter[Feature], chosen: dict[Tokens, Node]) -> None:
    """Move the samples with the rarest features from the pool; gains only fall, so old ones are upper bounds."""
    samples = [(source, tree, features(tree)) for source, tree in pool.items()]
    queue = [(-inf, number) for number in range(len(samples))]
    taken = 0
    while queue and taken < wanted:
        _, number = heapq.heappop(queue)
        source, tree, has = samples[number]
        gain = fsum(1 / (1 + shown[feature]) ** 2 for feature in has)  # exact, so the set's order does not matter
        if queue and -gain > queue[0][0]:
            heapq.heappush(queue, (-gain, number))
            continue
        chosen[source] = tree
        shown.update(has)
        taken += 1


def _draw_with(language: Language, rng: Random, wanted: Feature) -> Node:
    """Draw longer and longer samples until one has a feature that the shorter lessons missed."""
    draw = sampler_of(language.name).draw
    for length in count(13, 2):
        for _ in range(_POOL):
            tree = draw(rng, length)
            if wanted in features(tree):
                return tree
    raise AssertionError("the lengths never end")
