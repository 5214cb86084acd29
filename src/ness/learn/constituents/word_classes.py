"""Classes of content words: words that stand in the same places of the same patterns."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations

from ness.learn.constituents.patterns import CLASS, OpenPattern
from ness.machine import Word

Place = tuple[OpenPattern, int]  # a pattern and a place in its source

_SHARED = 0.5  # share of a word's places that a class has
_OVERLAP = 0.05  # share of the places of the smaller of two classes that are one
_LEAST = 2  # places that two such classes share
_SCATTERED = 0.1  # classes, as a share of the words, beyond which they may be none
_SURE = 0.9  # share of the neighbourhoods of a lone word that speak for a class


def guess_word_classes(places: Mapping[Word, set[Place]], prefix: str = CLASS) -> list[dict[Word, str]]:
    """Name the class of each content word: by sources alone, too, where what they make may tell too much apart."""
    if not places:
        return [{}]
    fine = _merge_groups(_group_by_places(places))
    if len(fine) <= _SCATTERED * len(places):
        return [_named(fine, places, prefix)]
    in_sources = {word: _places_in_sources(found) for word, found in places.items()}
    guesses = [_named(groups, places, prefix) for groups in (_merge_groups(_group_by_places(in_sources)), fine)]
    return guesses if guesses[0] != guesses[1] else guesses[:1]


def _named(
    groups: Sequence[tuple[list[Word], set[Place]]], places: Mapping[Word, set[Place]], prefix: str
) -> dict[Word, str]:
    named = _add_lone_words([words for words, _ in groups], places)
    return {word: f"{prefix}{min(words)}" for words in named for word in words}


def _places_in_sources(places: set[Place]) -> set[Place]:
    return {(OpenPattern(source, ()), place) for (source, _), place in places}


def _group_by_places(places: Mapping[Word, set[Place]]) -> list[tuple[list[Word], set[Place]]]:
    groups: list[tuple[list[Word], set[Place]]] = []
    for word in sorted(places, key=lambda word: (-len(places[word]), word)):
        shares = [len(places[word] & known) / len(places[word]) for _, known in groups]
        best = max(shares, default=0.0)
        if best >= _SHARED:
            words, known = groups[shares.index(best)]
            words.append(word)
            known |= places[word]
        else:
            groups.append(([word], set(places[word])))
    return groups


def _merge_groups(groups: list[tuple[list[Word], set[Place]]]) -> list[tuple[list[Word], set[Place]]]:
    """Join groups that share places until none do."""
    while True:
        for (words, known), (others, seen) in combinations(groups, 2):
            shared = len(known & seen)
            if shared >= _LEAST and shared >= _OVERLAP * min(len(known), len(seen)):
                words += others
                known |= seen
                groups = [group for group in groups if group[0] is not others]
                break
        else:
            return groups


def _add_lone_words(groups: Sequence[list[Word]], places: Mapping[Word, set[Place]]) -> list[list[Word]]:
    """Put a word that shares no place with others where its neighbours are the same."""
    classes = [list(words) for words in groups if len(words) > 1]
    votes: defaultdict[tuple[str, ...], Counter[int]] = defaultdict(Counter)
    for number, words in enumerate(classes):
        for word in words:
            for around in _neighbourhoods(places[word]):
                votes[around][number] += 1
    for words in groups:
        if len(words) > 1:
            continue
        around_word = _neighbourhoods(places[words[0]])
        shares: Counter[int] = Counter()
        for around in around_word:
            for number, count in votes[around].items():
                shares[number] += count / votes[around].total()  # type: ignore[assignment]
        best = max(shares, key=lambda number: (shares[number], -number), default=None)
        if best is not None and shares[best] >= _SURE * len(around_word):
            classes[best].append(words[0])
        else:
            classes.append(list(words))
    return classes


def _neighbourhoods(places: set[Place]) -> set[tuple[str, ...]]:
    """What stands before and after a word, and before its token."""
    found: set[tuple[str, ...]] = set()
    for (source, target), place in places:
        token = target.index(place) if place in target else 0
        padded = ("", *source, "")
        found.add((padded[place], padded[place + 2], str(target[token - 1]) if token else ""))
    return found
