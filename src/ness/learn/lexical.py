"""Words with a token of their own, found by counting alone: content words, as against those that build structure."""

from collections import Counter
from collections.abc import Sequence

from ness.learn.coding import Sample

_GIVEN_WORD = 0.95  # share of a word's samples that have the token
_GIVEN_TOKEN = 0.95  # share of the token's samples that have the word
_COMMON = 0.9  # share of all samples beyond which nothing can be told: a word goes with everything there


def lexical_words(samples: Sequence[Sample]) -> dict[int, str]:
    """Map each word to the one target token that occurs in just the samples with this word."""
    with_word: Counter[int] = Counter()
    with_token: Counter[str] = Counter()
    together: Counter[tuple[int, str]] = Counter()
    for source, target in samples:
        words, tokens = set(source), set(target)
        with_word.update(words)
        with_token.update(tokens)
        together.update([(word, token) for word in words for token in tokens])
    pairs = [
        (word, token)
        for (word, token), count in together.items()
        if with_word[word] < _COMMON * len(samples)
        and count >= _GIVEN_WORD * with_word[word]
        and count >= _GIVEN_TOKEN * with_token[token]
    ]
    tokens_of_word = Counter(word for word, _ in pairs)
    words_of_token = Counter(token for _, token in pairs)
    return {word: token for word, token in pairs if tokens_of_word[word] == words_of_token[token] == 1}
