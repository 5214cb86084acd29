"""Which of several derivations that cost the same: those whose traces decide alike.

`not a and b` may be derived as `not (a and b)` or as `(not a) and b` where both make the same output. Elsewhere the
output tells: `c or not a and b`. The machine sees two frames only, so what is decided there decides here, too. Where no
output tells, words that stand in frames of the same shape should bind alike.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from ness.learn.coding import PHRASE_MARK, CodedSource, CodedStatus, CodedView
from ness.learn.derivations.rules import CONTENT, Derivation
from ness.learn.derivations.writing import TraceWriter

_ROUNDS = 3

Key = tuple[CodedSource, str]


class _Decision(NamedTuple):
    status: Hashable
    shape: Hashable  # of the status
    operator: int


class _Votes:
    """How often traces decide a status, or a shape of statuses, in some way."""

    def __init__(self) -> None:
        self._votes: dict[Hashable, Counter[int]] = {}

    def add(self, decisions: Iterable[_Decision], by: int) -> None:
        for status, shape, operator in decisions:
            self._votes.setdefault(status, Counter())[operator] += by
            self._votes.setdefault(shape, Counter())[operator] += by

    def against(self, decisions: Iterable[_Decision]) -> tuple[int, int]:
        """How many decisions are taken otherwise elsewhere: in the same status, in a status of the same shape."""
        made = list(decisions)
        return (
            sum(self._is_against(status, operator) for status, _, operator in made),
            sum(self._is_against(shape, operator) for _, shape, operator in made),
        )

    def _is_against(self, status: Hashable, operator: int) -> bool:
        votes = self._votes.get(status)
        return votes is not None and votes[operator] < max(votes.values())


class _Shapes:
    """Shows words by the shapes of the frames that they stand in."""

    def __init__(self, words: Mapping[int, Hashable]) -> None:
        numbers: dict[Hashable, int] = {}
        self._words = {word: numbers.setdefault(shape, len(numbers)) for word, shape in words.items()}
        self._known: dict[CodedStatus, Hashable] = {}

    def of(self, status: CodedStatus) -> Hashable:
        found = self._known.get(status)
        if found is None:
            next_word, top, second, _ = status
            # Words without a frame are as they are; pairs tell them from numbers of shapes.
            found = self._known[status] = tuple(
                [
                    tuple([(0, self._words[w]) if w in self._words else (1, w) for w in view])
                    for view in ((next_word,), top, second)
                ]
            )
        return found


class KnownTraces:
    """What the traces of derivations decide, each worked out once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Derivation, set[tuple[CodedStatus, int]]]] = {}

    def of(self, key: Key, tree: Derivation) -> set[tuple[CodedStatus, int]]:
        """The statuses of a derivation with what is decided there; content words are all alike."""
        known = self._known.get(id(tree))
        if known is None or known[0] is not tree:
            source = tuple([CONTENT if word <= CONTENT else word for word in key[0]])
            trace = TraceWriter((source, key[1]), {CONTENT: ""}).trace(tree)
            known = self._known[id(tree)] = tree, {(status, operator) for status, operator, _ in trace}
        return known[1]

    def keep(self, trees: Iterable[Derivation]) -> None:
        """Forget all but these."""
        self._known = {id(tree): self._known[id(tree)] for tree in trees if id(tree) in self._known}


def agreeing(
    alike: Mapping[Key, Sequence[Derivation]],
    traces: KnownTraces,
    so_far: Mapping[Key, Derivation] = MappingProxyType({}),
) -> dict[Key, Derivation]:
    """Take one derivation of each pattern, such that their traces agree as far as they can.

    What all derivations of a pattern decide alike speaks first, with what those decide that were taken so far.
    """
    alike = {key: sorted(trees, key=_weight_right) for key, trees in alike.items()}
    chosen = {key: trees[0] for key, trees in alike.items()}
    shapes = _Shapes(_shapes(chosen.values()))
    votes = _Votes()
    open_ones: dict[Key, list[set[_Decision]]] = {}  # what is still to be decided, by each derivation
    for key, trees in alike.items():
        decisions = [{_Decision(each[0], shapes.of(each[0]), each[1]) for each in traces.of(key, t)} for t in trees]
        common = set.intersection(*decisions)
        votes.add(common, 1)
        if len(trees) > 1:
            open_ones[key] = [each - common for each in decisions]
    current = {key: alike[key].index(so_far[key]) for key in open_ones if key in so_far}
    for key, number in current.items():
        votes.add(open_ones[key][number], 1)
    for _ in range(_ROUNDS):
        before = dict(current)
        for key in sorted(open_ones, key=lambda key: (len(alike[key]), len(key[0]))):
            options = open_ones[key]
            if key in current:
                votes.add(options[current[key]], -1)
            against = [votes.against(option) for option in options]
            least = against.index(min(against))
            current[key] = current[key] if key in so_far and against[current[key]] == against[least] else least
            votes.add(options[current[key]], 1)
        if current == before:
            break
    return chosen | {key: alike[key][number] for key, number in current.items()}


def _weight_right(tree: Derivation) -> int:
    """How much a derivation nests to the right.

    Where nothing tells, `a - b - c` is `(a - b) - c`, and `not a and b` is `(not a) and b`.
    """
    begins_with_phrase = tree.rule is not None and tree.rule.frame[0] == PHRASE_MARK
    right = tree.phrases[1:] if begins_with_phrase else tree.phrases
    return sum([end - start for start, end in [phrase.span for phrase in right]]) + sum(
        map(_weight_right, tree.phrases)
    )


def _shapes(trees: Iterable[Derivation]) -> dict[int, Hashable]:
    """The shapes of the frames that each word stands in, by the word."""
    frames: dict[int, set[CodedView]] = {}
    for frame in {rule.frame for tree in trees for rule in tree.rules()}:
        for place, word in enumerate(frame):
            if word != PHRASE_MARK:
                shape = tuple([PHRASE_MARK if item == PHRASE_MARK else item == word for item in frame])
                frames.setdefault(word, set()).add((place, *shape))
    return {word: frozenset(found) for word, found in frames.items()}
