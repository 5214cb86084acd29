"""Words that stand only inside some construct, as a comma between brackets.

No example need show `a plus b` beside such a comma: what stands anywhere binds tighter than what separates the parts of
a construct. So separators are in no category with words that stand anywhere, and what is decided where both meet is
imagined.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Set

from ness.learn.cues import pairs_of_words
from ness.machine import PHRASE, Operator, Status, View, Word, is_one_phrase
from ness.rules import Categories, RuleTable
from ness.rules.table import words_of

_CHANCE = 0.01  # that a word which may stand anywhere was seen only there
_PHRASE_ALONE: View = (PHRASE,)

Pair = tuple[Word, Word]


def tell_separators(table: RuleTable, sources: Collection[tuple[Word, ...]]) -> None:
    """Note in a table what follows from where the words of these inputs stand; call `index` after that."""
    joining = {word for status in table.operators if (word := _read_on(table, status)) is not None}
    framed = {word for _, top, _ in table.concat for word in words_of(top)}
    pairs = sorted((one, other) for one, other, _ in pairs_of_words(list(sources)) if {one, other} <= framed)
    separators = _separators(joining, pairs, sources)
    if separators:
        table.categories = _apart(table.categories, separators)
        table.imagined = dict(_imagined(table, separators, joining))


def _read_on(table: RuleTable, status: Status) -> Word | None:
    """The next word, if it is read after a phrase that stands alone."""
    reads = is_one_phrase(status.top) and table.operators[status][Operator.SHIFT]
    return status.next if reads and isinstance(status.next, str) else None


def _separators(joining: Set[Word], pairs: Iterable[Pair], sources: Collection[tuple[Word, ...]]) -> dict[Word, Pair]:
    """Which of some words stand only between the two of a pair, with these."""
    all_over = Counter([word for source in sources for word in source if word in joining])
    found: dict[Word, Pair] = {}
    for opens, closes in pairs:
        inside: Counter[Word] = Counter()
        for source in sources:
            inside.update(_between(opens, closes, source) if opens in source else ())
        for word in joining - {opens, closes}:
            others = sum(all_over.values()) - all_over[word]
            share = (sum(inside[other] for other in joining if other != word) + 1) / (others + 2)
            if inside[word] == all_over[word] and share ** all_over[word] < _CHANCE:
                found.setdefault(word, (opens, closes))
    return found


def _between(opens: Word, closes: Word, source: tuple[Word, ...]) -> Iterator[Word]:
    """The words of an input that stand between such two words."""
    depth = 0
    for word in source:
        depth += (word == opens) - (word == closes)
        if depth:
            yield word


def _apart(categories: Categories, separators: Mapping[Word, Pair]) -> Categories:
    """Categories in which separators, and the words around what they separate, are without any others."""
    around = _around(separators)
    found: list[list[Word]] = []
    for members in categories.classes:
        kinds: dict[tuple[bool, bool], list[Word]] = {}
        for word in members:
            kinds.setdefault((word in separators, word in around), []).append(word)
        found += kinds.values()
    return Categories(group for group in found if len(group) > 1)


def _around(separators: Mapping[Word, Pair]) -> set[Word]:
    return {word for pair in separators.values() for word in pair}


def _imagined(
    table: RuleTable, separators: Mapping[Word, Pair], joining: Set[Word]
) -> Iterator[tuple[Status, Operator]]:
    """What to do where constructs with separators meet words that stand anywhere.

    These are read on after a separator, and what they join ends before the next one.
    """
    statuses = {table.categories.status(status) for status in table.operators}
    below = {status.second for status in statuses if status.second is not None}
    taken = {*separators, *_around(separators)}
    for second in sorted(below, key=str):
        words = words_of(second)
        if words and words[-1] in taken:
            met = {
                Status(table.categories.of(word), _PHRASE_ALONE, second, ()): Operator.SHIFT for word in joining - taken
            }
        elif words and taken.isdisjoint(words):
            met = {Status(table.categories.of(word), _PHRASE_ALONE, second, ()): Operator.POP for word in separators}
        else:
            continue
        yield from [(status, operator) for status, operator in met.items() if status not in statuses]
