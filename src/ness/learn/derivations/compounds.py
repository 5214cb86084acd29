"""Words that say side by side what none says alone: `extra large` is `XL`, `first name` is `first_name`.

Found by counting: a token that no word has to itself, but a few words in a row. They become one word, so that they can
be content; in traces they are read one by one.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from ness.learn.coding import CodedSource, Sample
from ness.learn.cooccurrence import count_occurrences
from ness.learn.deadline import NEVER, Deadline
from ness.learn.derivations.content import context_classes, places_of_words
from ness.learn.lexical_words import lexical_phrases

_LONGEST = 3  # words
_LEAST = 3  # examples
_GIVEN = 0.95  # share of the examples with the words that have the token, and the other way round
_COMMON = 0.5  # share of all examples: a token of more is no word's own

_Words = tuple[int, ...]


class Compounds:
    """Words in a row, each row with a number of its own, as if it were a word."""

    def __init__(self, numbers: Mapping[_Words, int] = MappingProxyType({})) -> None:
        self._numbers = dict(numbers)
        self._words = {number: words for words, number in self._numbers.items()}
        self._lengths: dict[int, list[int]] = {}  # of those that begin with a word, long ones first
        for words in sorted(self._numbers, key=len, reverse=True):
            lengths = self._lengths.setdefault(words[0], [])
            if len(words) not in lengths:
                lengths.append(len(words))

    def __bool__(self) -> bool:
        return bool(self._numbers)

    def join(self, sample: Sample) -> Sample:
        """The example with one number in place of each of these rows."""
        source, target = sample
        return (self._joined(source), target) if self else sample

    def _joined(self, source: CodedSource) -> CodedSource:
        found: list[int] = []
        place = 0
        while place < len(source):
            for length in self._lengths.get(source[place], ()):
                number = self._numbers.get(source[place : place + length])
                if number is not None:
                    found.append(number)
                    place += length
                    break
            else:
                found.append(source[place])
                place += 1
        return tuple(found)

    def is_single(self, number: int) -> bool:
        """Tell whether a number is a word's own."""
        return number not in self._words

    def words(self, number: int) -> _Words:
        """The words that a number stands for; a word stands for itself."""
        return self._words.get(number, (number,))


NONE = Compounds()


def find_compounds(samples: Sequence[Sample], deadline: Deadline = NEVER) -> Compounds:
    """Find the rows of words that have a token of their own, where no single word has it.

    These words stand nowhere else, or the row stands where single words with a token of their own do.
    """
    rows = _rows_with_tokens(samples)
    if not rows:
        return NONE
    known = Compounds(_numbered(rows, samples))
    joined = list(map(known.join, samples))
    lexical = lexical_phrases(joined)
    classes = context_classes(places_of_words([source for source, _ in joined]), lexical, True, deadline)
    like_words = {word for each in classes if any(known.is_single(word) for word in each) for word in each}
    left = {word for source, _ in joined for word in source if known.is_single(word)}
    kept = [row for row, number in _numbered(rows, samples).items() if number in like_words or left.isdisjoint(row)]
    return Compounds(_numbered(kept, samples))


def _numbered(rows: Iterable[_Words], samples: Sequence[Sample]) -> dict[_Words, int]:
    first = 1 + max([word for source, _ in samples for word in source], default=0)
    return {row: first + number for number, row in enumerate(rows)}


def _rows_with_tokens(samples: Sequence[Sample]) -> list[_Words]:
    """The rows of words that have a token which no single word has: the shortest, with all words that go with it."""
    owners = _owners_of_tokens(samples)
    with_token: defaultdict[str, list[CodedSource]] = defaultdict(list)
    for source, target in samples:
        for token in set(target):
            if len(owners.get(token, ())) != 1:
                with_token[token].append(source)
    rare = {token: found for token, found in with_token.items() if _LEAST <= len(found) <= _COMMON * len(samples)}
    candidates = {token: _rows_in_most(sources) for token, sources in rare.items()}
    counts = _count_rows([source for source, _ in samples], {row for rows in candidates.values() for row in rows})
    chosen: dict[_Words, None] = {}
    for token, rows in candidates.items():
        own = [
            row for row in rows if len(rare[token]) >= _GIVEN * counts[row] and owners.get(token, set()).issubset(row)
        ]
        shortest = [row for row in own if len(row) == min(map(len, own))]
        if len(shortest) == 1:
            chosen[shortest[0]] = None
    return list(chosen)


def _owners_of_tokens(samples: Sequence[Sample]) -> dict[str, set[int]]:
    """The words that a token goes with."""
    with_word, with_token, together = count_occurrences(samples)
    owners: defaultdict[str, set[int]] = defaultdict(set)
    for (word, token), count in together.items():
        if count >= _GIVEN * with_word[word] and count >= _GIVEN * with_token[token]:
            owners[token].add(word)
    return owners


def _rows_in_most(sources: Collection[CodedSource]) -> list[_Words]:
    """The rows of words that most of these have."""
    counts: Counter[_Words] = Counter()
    for source in sources:
        counts.update(set(_rows(source)))
    return [row for row, count in counts.items() if count >= _GIVEN * len(sources)]


def _count_rows(sources: Iterable[CodedSource], wanted: Collection[_Words]) -> Counter[_Words]:
    counts: Counter[_Words] = Counter()
    for source in sources:
        counts.update({row for row in _rows(source) if row in wanted})
    return counts


def _rows(source: CodedSource) -> Iterator[_Words]:
    for length in range(2, _LONGEST + 1):
        for start in range(len(source) - length + 1):
            yield source[start : start + length]
