"""Words with several forms: `the` is `el`, `la`, `los` or `las`, as its noun asks for; `red` is `rojo`, `roja`, …

Such a word has no token of its own, but a set of tokens that come with no other word, one for each time it occurs. With
the forms taken for one token, phrases of all genders and numbers are one pattern.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ness.data.example import Example
from ness.learn.cooccurrence import count_occurrences
from ness.machine import Word

_GIVEN_TOKEN = 0.95  # share of a form's examples that have the word
_AS_OFTEN = 0.98  # share of a word's examples that have as many of its forms as of the word
_MARK = "\0"  # between a word and its form


class Content(NamedTuple):
    """The content words of a corpus: those with a token of their own, and those with several forms."""

    own: Mapping[Word, str]
    word_of: Mapping[str, Word]  # forms, and the words that have them

    @property
    def formed(self) -> set[Word]:
        """The words with forms."""
        return set(self.word_of.values())

    def __contains__(self, word: object) -> bool:
        return word in self.own or word in self.formed

    def forms_at(self, example: Example) -> dict[int, int]:
        """Map the places of formed words to those of their forms, in the order of both; {} if their numbers differ."""
        places: defaultdict[Word, list[int]] = defaultdict(list)
        for place, word in enumerate(example.source):
            places[word].append(place)
        made: defaultdict[Word, list[int]] = defaultdict(list)
        for place, token in enumerate(example.target):
            if token in self.word_of:
                made[self.word_of[token]].append(place)
        if any(len(found) != len(places[word]) for word, found in made.items()):
            return {}
        return {place: token for word, found in made.items() for place, token in zip(places[word], found, strict=True)}

    def words(self, example: Example) -> tuple[str | None, ...]:
        """The content words of an example, place by place, formed ones with their forms."""
        forms = self.forms_at(example)
        return tuple(
            [
                with_form(word, example.target[forms[place]]) if place in forms else word if word in self.own else None
                for place, word in enumerate(example.source)
            ]
        )


def with_form(word: Word, form: str) -> str:
    """Write a word with its form."""
    return f"{word}{_MARK}{form}"


def form_in(word: str) -> tuple[Word, str]:
    """Read what `with_form` returned."""
    name, _, form = word.partition(_MARK)
    return name, form


def word_forms(examples: Sequence[Example], own: Mapping[Word, str]) -> dict[str, Word]:
    """Map each form to its word: of the words that always come with it, the rarest."""
    with_word, with_token, together = count_occurrences(examples)
    owned = set(own.values())
    word_of: dict[str, Word] = {}
    for (word, token), count in together.items():
        if word in own or token in owned or count < _GIVEN_TOKEN * with_token[token]:
            continue
        known = word_of.get(token)
        if known is None or (with_word[word], word) < (with_word[known], known):
            word_of[token] = word
    forms: defaultdict[Word, set[str]] = defaultdict(set)
    for token, word in word_of.items():
        forms[word].add(token)
    as_often = dict.fromkeys(forms, 0)
    for source, target in examples:
        for word in set(source) & forms.keys():
            as_often[word] += source.count(word) == sum(token in forms[word] for token in target)
    return {
        token: word
        for token, word in word_of.items()
        if len(forms[word]) > 1 and as_often[word] >= _AS_OFTEN * with_word[word]
    }
