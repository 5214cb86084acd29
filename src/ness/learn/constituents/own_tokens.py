"""The content words of a corpus, by counting: a word with a target token of its own, which several words may share.

`ate` and `eaten` both come with `eat`, and `eat` hardly ever without one of them. What is left are the words that build
structure, such as `the`, `by` and `was`.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from ness.data.example import Example
from ness.learn.cooccurrence import count_occurrences
from ness.machine import Word

_GIVEN_WORD = 0.95  # share of a word's examples that have the token
_COVERED = 0.9  # share of a token's examples that have one of its words


def own_tokens(examples: Sequence[Example], share: float) -> dict[Word, str]:
    """Map each content word to its token; what more than this share of the examples have belongs to the structure."""
    with_word, with_token, together = count_occurrences(examples)
    common = share * len(examples)
    options: defaultdict[Word, list[tuple[float, int, str]]] = defaultdict(list)
    for (word, token), count in together.items():
        if with_word[word] <= common and with_token[token] <= common and count >= _GIVEN_WORD * with_word[word]:
            share = count / with_word[word] * count / with_token[token]
            options[word].append((share, _count_same_letters(word, token), token))
    best = {word: max(found)[2] for word, found in options.items()}
    covered = _count_covered(examples, best)
    own = {word: token for word, token in best.items() if covered[token] >= _COVERED * with_token[token]}
    known = set(own.values())
    for word, found in options.items():  # rare words whose token is better known by others
        shared = [option for option in found if option[2] in known]
        if word not in own and shared:
            own[word] = max(shared)[2]
    return own


def _count_covered(examples: Sequence[Example], token_of: dict[Word, str]) -> Counter[str]:
    """Count the examples in which a token comes with one of its words."""
    covered: Counter[str] = Counter()
    for source, target in examples:
        covered.update(set(target) & {token_of[word] for word in source if word in token_of})
    return covered


def _count_same_letters(word: Word, token: str) -> int:
    """Count the letters that a word and a token share at their beginning: this decides where counting cannot."""
    same = 0
    for one, other in zip(word.lower(), token.lower(), strict=False):
        if one != other:
            break
        same += 1
    return same
