"""Words with a token of their own, found by counting alone: content words, as against those that build structure."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile

from ness.learn.coding import Sample
from ness.learn.cooccurrence import count_occurrences

_GIVEN_WORD = 0.95  # share of a word's samples that have the token
_GIVEN_TOKEN = 0.95  # share of the token's samples that have the word
_WITHOUT_WORD = 0.5  # share of the samples without the word that may have the token
_OPEN = -1  # any content word
_WITNESSES = 20  # outputs that tell where the phrase of a word ends
_COMMON = 0.9  # share of all samples beyond which nothing can be told: a word goes with everything there


def lexical_words(samples: Sequence[Sample]) -> dict[int, str]:
    """Map each word to the one target token that occurs in just the samples with this word."""
    pairs = _pairs(samples)
    tokens_of_word = Counter(word for word, _ in pairs)
    words_of_token = Counter(token for _, token in pairs)
    return {word: token for word, token in pairs if tokens_of_word[word] == words_of_token[token] == 1}


def lexical_phrases(samples: Sequence[Sample], alone: bool = True) -> dict[int, str]:
    """Map each word to the tokens that occur in just the samples with this word: the first that stand side by side.

    Not `alone`: tokens that always occur with the word, and without it far less often: `march` and `third` are 03.
    """
    pairs = _pairs(samples, _GIVEN_TOKEN if alone else 0.0)
    words_of_token = Counter(token for _, token in pairs)
    owned: dict[int, set[str]] = defaultdict(set)
    for word, token in pairs:
        if words_of_token[token] == 1 or not alone:
            owned[word].add(token)
    found: dict[int, str] = {}
    for source, target in samples:
        for word in source:
            if word in owned and word not in found:
                phrase = _first_run(target, owned[word])
                if phrase:
                    found[word] = phrase
    return found


def shared_phrases(samples: Sequence[Sample]) -> dict[int, str]:
    """Map words to phrases that they share with others: `soup` and `soups` are both `soup`.

    A token that no word has to itself belongs to several if it is written as often as one of them stands there. Of the
    tokens of a word the one with the fewest other words tells where its phrase is; tokens beside it may be part of it.
    """
    with_word, with_token, together = count_occurrences(samples)
    words_of_token: defaultdict[str, set[int]] = defaultdict(set)
    for (word, token), count in together.items():
        if count >= _GIVEN_WORD * with_word[word] and with_word[word] < _COMMON * len(samples):
            words_of_token[token].add(word)
    single = {token for _, token in _pairs(samples)}
    shared = {
        token: words
        for token, words in words_of_token.items()
        if len(words) > 1 and token not in single and _is_counted(token, words, samples, with_token[token])
    }
    owned: defaultdict[int, list[str]] = defaultdict(list)
    for token in sorted(shared, key=lambda token: (len(shared[token]), token)):
        for word in shared[token]:
            owned[word].append(token)
    targets: defaultdict[int, list[str]] = defaultdict(list)
    for source, target in samples:
        for word in owned.keys() & set(source):
            if len(targets[word]) < _WITNESSES and owned[word][0] in target:
                targets[word].append(target)
    return {word: _usual_run(targets[word], tokens) for word, tokens in owned.items() if targets[word]}


def _is_counted(token: str, words: Collection[int], samples: Sequence[Sample], occurrences: int) -> bool:
    """Tell whether a token is written as often as one of the words stands there, in nearly all examples."""
    wrong = 0
    for source, target in samples:
        wrong += target.count(token) != sum(map(source.count, words))
        if wrong > (1 - _GIVEN_TOKEN) * occurrences:
            return False
    return True


def _usual_run(targets: Sequence[str], tokens: Sequence[str]) -> str:
    """The stretch of these tokens around the first of them that most outputs have, the shortest of equals."""
    runs: Counter[str] = Counter()
    for target in targets:
        start = target.index(tokens[0])
        behind = _distinct_run(target[start:], tokens)
        left = [token for token in tokens if token not in behind]
        runs[_distinct_run(target[:start][::-1], left)[::-1] + behind] += 1
    return min(runs, key=lambda run: (-runs[run], len(run), run))


def _distinct_run(text: str, tokens: Collection[str]) -> str:
    """What a text begins with of these tokens, up to one that comes again."""
    run = ""
    for token in text:
        if token in run or token not in tokens:
            break
        run += token
    return run


def _first_run(target: str, tokens: set[str]) -> str:
    """The first stretch of these tokens in an output, none of them twice."""
    start = next((place for place, token in enumerate(target) if token in tokens), len(target))
    run = "".join(takewhile(tokens.__contains__, target[start:]))
    return run[:1] if len(set(run)) < len(run) else run


def _pairs(samples: Sequence[Sample], given_token: float = _GIVEN_TOKEN) -> list[tuple[int, str]]:
    """Words and the tokens that occur with them, and hardly without them.

    `given_token` of a token's samples have the word.
    """
    with_word, with_token, together = count_occurrences(samples)
    return [
        (word, token)
        for (word, token), count in together.items()
        if with_word[word] < _COMMON * len(samples)
        and count >= _GIVEN_WORD * with_word[word]
        and count >= given_token * with_token[token]
        and with_token[token] - count <= _WITHOUT_WORD * (len(samples) - with_word[word])
    ]


def words_decide(samples: Sequence[Sample], lexical: Mapping[int, str]) -> bool:
    """Tell whether samples that differ in their content words alone have outputs that differ in more than their tokens.

    Samples with a content word twice, or without its token, say nothing.
    """
    outputs: dict[tuple[int, ...], str] = {}
    for source, target in samples:
        content = [word for word in source if word in lexical]
        number = {lexical[word]: chr(place) for place, word in enumerate(content)}
        if len(number) < len(content) or not set(number).issubset(target):
            continue
        pattern = tuple([_OPEN if word in lexical else word for word in source])
        output = "".join([number.get(token, token) for token in target])
        if outputs.setdefault(pattern, output) != output:
            return True
    return False
