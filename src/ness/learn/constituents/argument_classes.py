"""Categories for arguments: of the words of one category, those that make the same of the same frames.

`burned` and `slept` are read alike, but `[● burned]` makes a theme of its phrase and `[● slept]` an agent. Where all
words make the same of a frame, nothing is to be told apart; where they differ, counting finds the word that says which.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping

from ness.machine import Parts, View, Word
from ness.rules.table import Categories, ConcatKey

_Feature = tuple[ConcatKey, int, View]  # a frame by categories, the place of a word in it, and the words that it takes
_Signs = dict[_Feature, Parts]  # what the frames make with a word in their places

_SURE = 0.95  # share of the frames that one word tells: else it takes all of them


def argument_classes(concat: Mapping[ConcatKey, Counter[Parts]], categories: Categories) -> Categories:
    """Divide the categories by what CONCAT makes of frames with their words."""
    frames: defaultdict[ConcatKey, list[tuple[View, Counter[Parts]]]] = defaultdict(list)
    for (operator, top, memory), counts in concat.items():
        frames[operator, categories.view(top), memory].append((top, counts))
    signs: defaultdict[Word, _Signs] = defaultdict(dict)
    for key, rules in frames.items():
        if len({parts for _, counts in rules for parts in counts}) > 1:
            share, place, made = _deciding_place(key[1], rules)
            for word, parts in made.items() if share >= _SURE else ():
                signs[word][key, place, ()] = parts
            for top, counts in rules if share < _SURE else ():
                for place, item in enumerate(top):
                    if isinstance(item, str):
                        others = (*top[:place], *top[place + 1 :])
                        signs[item][key, place, others] = max(counts, key=lambda parts: (counts[parts], repr(parts)))
    return Categories([group for members in categories.classes for group in _group_words(members, signs)])


def _deciding_place(view: View, rules: list[tuple[View, Counter[Parts]]]) -> tuple[float, int, dict[Word, Parts]]:
    """The place whose word tells best what is made, how well it does, and what each word makes."""
    best: tuple[float, int, dict[Word, Parts]] = (-1.0, 0, {})
    for place, item in enumerate(view):
        if not isinstance(item, str):
            continue
        by_word: defaultdict[Word, Counter[Parts]] = defaultdict(Counter)
        for top, counts in rules:
            word = top[place]
            assert isinstance(word, str)
            by_word[word].update(counts)
        right = sum(max(counts.values()) for counts in by_word.values())
        # Of places that tell it as well as each other, the one with the fewest words.
        share = right / sum(counts.total() for counts in by_word.values()) - len(by_word) * 1e-9
        if share > best[0]:
            best = (
                share,
                place,
                {word: max(counts, key=lambda p: (counts[p], repr(p))) for word, counts in by_word.items()},
            )
    return best


def _group_words(members: tuple[Word, ...], signs: Mapping[Word, _Signs]) -> list[list[Word]]:
    """Put words together that agree wherever both are known, and are both known somewhere."""
    groups: list[tuple[list[Word], _Signs]] = []
    for word in sorted(members, key=lambda word: (-len(signs.get(word, ())), word)):
        known = signs.get(word, {})
        fitting = [group for group in groups if _signs_agree(known, group[1])]
        if fitting:
            group = max(fitting, key=lambda group: (len(known.keys() & group[1].keys()), len(group[0])))
            group[0].append(word)
            group[1].update(known)
        else:
            groups.append(([word], dict(known)))
    return [words for words, _ in groups]


def _signs_agree(one: _Signs, other: _Signs) -> bool:
    shared = one.keys() & other.keys()
    return all(one[feature] == other[feature] for feature in shared) and (bool(shared) or not (one or other))
