"""Larger tests for English-French translation than the eight official sentences.

`extended_daxy` asks for "daxy" with every subject form, plain, with not, with very, and with both. `held_out`
takes words away from all but one of their prefixes ("you are very ...") in training, and asks for them with the
others. An answer is right if it is among a question's references, as it stands or up to what French leaves open.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ness.data.equivalence import accepted
from ness.data.example import Example

Tokens = tuple[str, ...]


class TranslationQuestion(NamedTuple):
    """A source and all the answers that are accepted."""

    source: Tokens
    references: frozenset[Tokens]


class HeldOutSet(NamedTuple):
    """A training set without some combinations of words and prefixes, and questions about these."""

    train: list[Example]
    validation: list[TranslationQuestion]  # for choosing settings
    test: list[TranslationQuestion]  # for reporting


_SUBJECTS: dict[str, list[tuple[str, str]]] = {  # English: French, plain and negated
    "i am": [("je suis", "je ne suis pas")],
    "you are": [("tu es", "tu n es pas"), ("vous etes", "vous n etes pas")],
    "he is": [("il est", "il n est pas")],
    "she is": [("elle est", "elle n est pas")],
    "we are": [("nous sommes", "nous ne sommes pas")],
    "they are": [("ils sont", "ils ne sont pas"), ("elles sont", "elles ne sont pas")],
}
_SHORT = {
    "i m": "i am",
    "you re": "you are",
    "he s": "he is",
    "she s": "she is",
    "we re": "we are",
    "they re": "they are",
}
_MODIFIERS = ("", "not", "very", "not very")
_VERY = ("tres", "fort", "vraiment")


def extended_daxy() -> list[TranslationQuestion]:
    """ "daxy" with the 12 subject forms, each plain, with not, with very and with not very: 48 questions."""
    questions = []
    for subject in (*_SUBJECTS, *_SHORT):
        for modifier in _MODIFIERS:
            references = frozenset(
                tuple(f"{negated if 'not' in modifier else plain} {very} daxiste .".split())
                for plain, negated in _SUBJECTS[_SHORT.get(subject, subject)]
                for very in (_VERY if "very" in modifier else ("",))
            )
            questions.append(TranslationQuestion(tuple(f"{subject} {modifier} daxy .".split()), references))
    return questions


def held_out(examples: Iterable[Example], seed: int = 0, words: int = 160, prefixes: int = 3) -> HeldOutSet:
    """Keep each of `words` random words with one prefix only, among those that occur with at least `prefixes`.

    All other sentences with such a word leave the training set; those of the form "PREFIX word ." are asked.
    Every other word's questions are for validation, the rest for the test.
    """
    rng = random.Random(seed)
    distinct = sorted(set(examples))
    seen: dict[str, set[Tokens]] = defaultdict(set)
    for source, _ in distinct:
        if (split := _split(source)) and split[1] != "daxy":
            seen[split[1]].add(split[0])
    chosen = sorted(word for word, found in seen.items() if len(found) >= prefixes)
    rng.shuffle(chosen)
    kept = {word: rng.choice(sorted(seen[word])) for word in chosen[:words]}
    train: list[Example] = []
    asked: dict[str, dict[Tokens, set[Tokens]]] = {word: defaultdict(set) for word in kept}
    for example in distinct:
        held = [word for word in example.source if word in kept]
        split = _split(example.source)
        if not held or (split == (kept[held[0]], held[0]) and len(held) == 1):
            train.append(example)
        elif split and [split[1]] == held:
            asked[held[0]][example.source].add(example.target)
    halves: tuple[list[TranslationQuestion], list[TranslationQuestion]] = ([], [])
    for place, questions in enumerate(asked.values()):
        halves[place % 2].extend(TranslationQuestion(source, frozenset(found)) for source, found in questions.items())
    return HeldOutSet(train, sorted(halves[0]), sorted(halves[1]))


def _split(source: Sequence[str]) -> tuple[Tokens, str] | None:
    """Cut "PREFIX word ." into the prefix, written in full, and the word; None for other sentences."""
    subject = " ".join(source[:2])
    subject = _SHORT.get(subject, subject)
    if subject not in _SUBJECTS or source[-1] != ".":
        return None
    *modifier, word = source[2:-1] or ("",)
    if tuple(modifier) not in ((), ("not",), ("very",)) or word in ("", "not", "very"):
        return None
    return (*subject.split(), *modifier), word


def is_recombination(question: TranslationQuestion, train: Sequence[Example]) -> bool:
    """Tell whether one cut makes some reference out of training targets.

    Its left part must begin a target whose source has the question's prefix, its right part must end a target
    whose source has the question's word. Other references hold something that training does not show.
    """
    split = _split(question.source)
    if split is None:
        return False
    left = [target for source, target in train if _starts_with(source, split[0])]
    right = [target for source, target in train if split[1] in source]
    return any(
        any(target[:cut] == reference[:cut] for target in left)
        and any(target[cut - len(reference) :] == reference[cut:] for target in right)
        for reference in question.references
        for cut in range(1, len(reference) - 1)  # the word is translated by something, and punctuation is not it
    )


def _starts_with(source: Tokens, prefix: Tokens) -> bool:
    subject = " ".join(source[:2])
    return (*_SHORT.get(subject, subject).split(), *source[2:])[: len(prefix)] == prefix


class Score(NamedTuple):
    """Shares of the questions that were answered right."""

    n: int
    exact: float  # the answer is a reference
    semantic: float  # or differs in the form of "you" only
    uninflected: float  # or also in gender, number and the word for "very", which the English leaves open
    unanswered: float


def score(questions: Sequence[TranslationQuestion], answers: Iterable[Tokens | None]) -> Score:
    """Compare answers with the references."""
    exact = semantic = loose = unanswered = 0
    for (source, references), answer in zip(questions, answers, strict=True):
        if answer is None:
            unanswered += 1
            continue
        same = {equal for reference in references for equal in accepted(source, reference)}
        exact += answer in references
        semantic += answer in same
        loose += uninflected(answer) in set(map(uninflected, same))
    n = max(1, len(questions))
    return Score(len(questions), exact / n, semantic / n, loose / n, unanswered / n)


_ENDINGS = (  # feminine, masculine; the first that fits
    ("euses", "eux"), ("euse", "eux"), ("elles", "el"), ("elle", "el"), ("ives", "if"), ("ive", "if"),
    ("ennes", "en"), ("enne", "en"), ("onnes", "on"), ("onne", "on"), ("eres", "er"), ("ere", "er"),
    ("es", ""), ("s", ""), ("e", ""),
)  # fmt: skip


def uninflected(answer: Sequence[str]) -> Tokens:
    """Drop gender, number and the choice among words for "very"."""
    return tuple(_stem(token) for token in answer)


def _stem(token: str) -> str:
    if token in _VERY:
        return _VERY[0]
    if token in ("elle", "elles", "ils"):
        return "il"
    if len(token) > 4:
        for feminine, masculine in _ENDINGS:
            if token.endswith(feminine):
                return token.removesuffix(feminine) + masculine
    return token
