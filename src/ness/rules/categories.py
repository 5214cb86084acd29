"""Operational equivalence: words that may replace each other in any status without changing the operator.

By the definition, not by pairing samples: two words are merged if exchanging them keeps the operator wherever
both statuses are known, and if the table of decisions by category stays free of conflicts.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping
from itertools import combinations, pairwise
from typing import Any, TypeVar

Word = TypeVar("Word", bound=Hashable)
Key = tuple[Any, tuple[Any, ...], tuple[Any, ...] | None, Any]  # next word, top, second, memory
_HOLE = "*hole*"
_ALL_PAIRS = 40  # words that share a context: up to this many, all pairs are candidates


def equivalence_classes(
    decisions: Mapping[Any, Any], words: Mapping[Word, Word] | set[Word], least_share: float = 0.5
) -> dict[Word, Word]:
    """Map each word to the representative (smallest member) of its category.

    `decisions` gives the operator of each known status. Two words are candidates if they share at least
    `least_share` of the contexts of the rarer one, and a context in each role that both play (next word, in the
    top frame, in the second frame).
    """
    merger = _Merger(decisions, set(words))
    merger.merge_alike()
    while merger.merge_round(least_share):
        pass
    return merger.classes


class _Merger:
    def __init__(self, decisions: Mapping[Key, Any], words: set[Any]) -> None:
        self._words = words
        self._use(dict(decisions))
        self.classes = {word: word for word in sorted(words)}
        self._refused: set[tuple[Any, Any]] = set()

    def _use(self, table: dict[Key, Any]) -> None:
        self._table = table  # by category
        self._keys: dict[Any, dict[Key, None]] = defaultdict(dict)  # the statuses of each word
        for key in table:
            self._index(key)

    def merge_alike(self) -> None:
        """Merge words that have the same contexts with the same operators, all at once: most of a large vocabulary."""
        profiles, _ = self._profiles()
        alike: dict[frozenset[tuple[Key, Any]], Any] = {}
        renamed = {word: alike.setdefault(frozenset(profiles[word].items()), word) for word in sorted(profiles)}
        table: dict[Key, Any] = {}
        for key, operator in self._table.items():
            next_word, top, second, memory = key
            new = (
                renamed.get(next_word, next_word),
                tuple([renamed.get(item, item) for item in top]),
                None if second is None else tuple([renamed.get(item, item) for item in second]),
                memory,
            )
            if table.setdefault(new, operator) != operator:
                return  # together they contradict each other: one by one, then
        self._use(table)
        self.classes |= renamed

    def merge_round(self, least_share: float) -> bool:
        """Merge the best candidate pairs, each category at most once; tell whether any was merged."""
        profiles, roles = self._profiles()
        ranked = []
        for a, b in _candidate_pairs(profiles):
            if (a, b) in self._refused:
                continue
            shared = profiles[a].keys() & profiles[b].keys()
            share = len(shared) / min(len(profiles[a]), len(profiles[b]))
            if share < least_share or any(profiles[a][c] != profiles[b][c] for c in shared):
                continue
            if any(x and y and not x & y for x, y in zip(roles[a], roles[b], strict=True)):
                continue
            ranked.append((-share, -len(shared), a, b))
        touched: set[Any] = set()
        merged = False
        for _, _, a, b in sorted(ranked):
            if a in touched or b in touched:
                continue
            if self._merge(a, b):
                touched |= {a, b}
                merged = True
            else:
                self._refused.add((a, b))
        if merged:  # a grown category may now agree where its parts did not
            self._refused = {pair for pair in self._refused if not touched & set(pair)}
        return merged

    def _profiles(self) -> tuple[dict[Any, dict[Key, Any]], dict[Any, tuple[set[Key], set[Key], set[Key]]]]:
        """The contexts of each word (its statuses with a hole in its place), all and by role."""
        profiles: dict[Any, dict[Key, Any]] = defaultdict(dict)
        roles: dict[Any, tuple[set[Key], set[Key], set[Key]]] = defaultdict(lambda: (set(), set(), set()))
        for key, operator in self._table.items():
            for word in _words_in(key, self._words):
                context = _replaced(key, word, _HOLE)
                profiles[word][context] = operator
                next_word, top, second, _ = context
                for role, here in enumerate((next_word == _HOLE, _HOLE in top, second is not None and _HOLE in second)):
                    if here:
                        roles[word][role].add(context)
        return profiles, roles

    def _index(self, key: Key) -> None:
        for word in _words_in(key, self._words):
            self._keys[word][key] = None

    def _merge(self, a: Any, b: Any) -> bool:
        """Rename b to a throughout, unless two statuses that become equal disagree."""
        moved = {key: _replaced(key, b, a) for key in self._keys[b]}
        new: dict[Key, Any] = {}
        for key, renamed in moved.items():
            operator = self._table[key]
            if new.setdefault(renamed, operator) != operator or self._table.get(renamed, operator) != operator:
                return False
        for key in moved:
            del self._table[key]
            for word in _words_in(key, self._words):
                del self._keys[word][key]
        self._table.update(new)
        for key in new:
            self._index(key)
        for word, representative in self.classes.items():
            if representative == b:
                self.classes[word] = a
        return True


def _candidate_pairs(profiles: Mapping[Any, Mapping[Key, Any]]) -> set[tuple[Any, Any]]:
    """Pairs of words that share a context."""
    sharing: dict[Key, list[Any]] = defaultdict(list)
    for word in sorted(profiles):
        for context in profiles[word]:
            sharing[context].append(word)
    pairs: set[tuple[Any, Any]] = set()
    for group in sharing.values():
        # Neighbours suffice for large groups: merging goes on in rounds.
        pairs.update(combinations(group, 2) if len(group) <= _ALL_PAIRS else pairwise(group))
    return pairs


def _words_in(key: Key, words: set[Any]) -> set[Any]:
    next_word, top, second, _ = key
    return {item for item in (next_word, *top, *(second or ())) if item in words}


def _replaced(key: Key, old: Any, new: Any) -> Key:
    next_word, top, second, memory = key
    return (
        new if next_word == old else next_word,
        tuple([new if item == old else item for item in top]),
        None if second is None else tuple([new if item == old else item for item in second]),
        memory,
    )
