"""Which words say what is made: the target of a source that has several, the form of a word that has several."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence, Set
from itertools import combinations

from ness.learn.constituents.forms import form_in
from ness.learn.constituents.patterns import is_formed, is_open
from ness.learn.constituents.rules import Patterns, Words
from ness.machine import Word

_MIXED = 0.05  # share of words that may go with two targets
_DENSE = 0.6  # share of all pairs of words that were seen


def undecided_sources(patterns: Patterns) -> set[tuple[str, ...]]:
    """List the sources that have several targets, while no word or two of them say which."""
    by_source: defaultdict[tuple[str, ...], list[set[Words]]] = defaultdict(list)
    for pattern, examples in patterns.items():
        by_source[pattern.source].append(examples)
    return {
        source for source, rivals in by_source.items() if len(rivals) > 1 and not words_decide_target(source, rivals)
    }


def sources_of_undecided_forms(patterns: Patterns) -> set[tuple[str, ...]]:
    """List the sources with a word of several forms, while no other word of them says which is taken."""
    by_source: defaultdict[tuple[str, ...], list[Words]] = defaultdict(list)
    for pattern, examples in patterns.items():
        if any(map(is_formed, pattern.source)):
            by_source[pattern.source] += examples
    return {
        source
        for source, examples in by_source.items()
        if not all(words_decide_form(source, place, examples) for place, item in enumerate(source) if is_formed(item))
    }


def words_decide_form(source: tuple[str, ...], place: int, examples: Collection[Words]) -> bool:
    """Tell whether a word of a source decides the form of the word at a place."""
    deciding = [other for other, item in enumerate(source) if is_open(item) and not is_formed(item)]
    return any(word_decides_form(examples, other, place) for other in deciding)


def words_decide_target(source: tuple[str, ...], rivals: Sequence[Collection[Words]]) -> bool:
    """Tell whether a word or two of a source say which of its targets is meant; rivals are the examples of each."""
    places = [place for place, item in enumerate(source) if is_open(item)]
    return any(word_decides_target(place, rivals) for place in places) or any(
        _two_words_decide_target(one, other, rivals) for one, other in combinations(places, 2)
    )


def word_decides_target(place: int, rivals: Sequence[Collection[Words]]) -> bool:
    """Tell whether the word at a place says which target is meant."""
    return _share_nothing([{words[place] for words in examples} for examples in rivals])


def _two_words_decide_target(one: int, other: int, rivals: Sequence[Collection[Words]]) -> bool:
    """The same of two words, where most pairs were seen: few pairs tell anything apart."""
    pairs = [{(words[one], words[other]) for words in examples} for examples in rivals]
    everything = set().union(*pairs)
    most = len({pair[0] for pair in everything}) * len({pair[1] for pair in everything})
    return len(everything) >= _DENSE * most and _share_nothing(pairs)


def _share_nothing(words: Sequence[Set[object]]) -> bool:
    """Tell whether sets of words have next to nothing in common."""
    both = sum(len(one & other) for one, other in combinations(words, 2))
    return both <= _MIXED * min(map(len, words))


def word_decides_form(examples: Iterable[Words], place: int, formed: int) -> bool:
    """Tell whether the word at a place says which form of another word is taken."""
    forms: defaultdict[tuple[Word | None, str], Counter[str]] = defaultdict(Counter)
    for words in examples:
        name, form = form_in(words[formed] or "")
        forms[words[place], name][form] += 1
    wrong = sum(counts.total() - max(counts.values()) for counts in forms.values())
    return wrong <= _MIXED * sum(counts.total() for counts in forms.values())
