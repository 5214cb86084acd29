"""Small tasks in which words agree with a noun that stands in another frame, at any distance."""

from random import Random

from ness.data.invented.invention import Invention, Words

_NOUNS = {
    "house": ("casa", "f"), "door": ("porta", "f"), "street": ("strada", "f"), "rose": ("rosa", "f"),
    "wall": ("muro", "m"), "garden": ("giardino", "m"), "boat": ("battello", "m"), "book": ("libro", "m"),
}  # fmt: skip
_ARTICLES = {
    "the": {"m": "il", "f": "la"},
    "a": {"m": "un", "f": "una"},
    "this": {"m": "questo", "f": "questa"},
}
_ADJECTIVES = {"red": "ross", "new": "nuov", "dear": "car", "small": "piccol", "high": "alt"}
_ENDINGS = {"m": "o", "f": "a"}


def _noun(rng: Random) -> tuple[Words, Words, str]:
    """An article, perhaps an adjective, a noun; and its gender."""
    noun, article = rng.choice(list(_NOUNS)), rng.choice(list(_ARTICLES))
    translation, gender = _NOUNS[noun]
    adjectives = [rng.choice(list(_ADJECTIVES))] if rng.random() < 0.3 else []
    source, target = [article, *adjectives, noun], [_ARTICLES[article][gender], translation]
    return source, target + [_inflected(adjective, gender) for adjective in adjectives], gender


def _inflected(adjective: str, gender: str) -> str:
    return _ADJECTIVES[adjective] + _ENDINGS[gender]


def _predicates(rng: Random, size: int) -> tuple[Words, Words]:
    """Clauses whose last words, one adjective or several, agree with their first noun."""
    source: Words = []
    target: Words = []
    for clause in range(size):
        words, tokens, gender = _noun(rng)
        source += [*(["but"] if clause else []), *words, "is"]
        target += [*(["ma"] if clause else []), *tokens, "è"]
        for number in range(rng.choice((1, 1, 2, 3))):
            adjective = rng.choice(list(_ADJECTIVES))
            source += [*(["and"] if number else []), adjective]
            target += [*(["e"] if number else []), _inflected(adjective, gender)]
    return source, target


def _nearby(rng: Random, size: int) -> tuple[Words, Words]:
    """A predicate that agrees with the first of any number of nouns."""
    source, target, gender = _noun(rng)
    for _ in range(rng.randint(1, size) - 1):
        words, tokens, _ = _noun(rng)
        source += ["beside", *words]
        target += ["presso", *tokens]
    adjective = rng.choice(list(_ADJECTIVES))
    return [*source, "is", adjective], [*target, "è", _inflected(adjective, gender)]


INVENTIONS = (
    Invention("predicates", "words that agree with a noun in another frame", _predicates, (2, 5), (13, 50), train=250),
    Invention("nearby", "a word that agrees with the first of many nouns", _nearby, (3, 8), (13, 40), train=250),
)
