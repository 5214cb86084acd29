"""Semantic equivalence of French answers: English "you" is "tu" or "vous", and both are right.

The references keep one of the two. The other is made by substitution: the subject, its verb, and the pronouns and
possessives that go with it.
"""

from collections.abc import Iterator, Sequence
from itertools import product

Tokens = tuple[str, ...]

_YOU = frozenset(["you", "your", "yours", "yourself"])
# What may stand between the subject and its verb.
_BETWEEN = frozenset(["ne", "n", "me", "m", "te", "t", "vous", "le", "la", "l", "les", "lui", "nous", "y", "en"])
_VOWELS = frozenset("aeiouhy")

# Familiar and formal; verbs beyond these follow their endings.
_VERBS = {
    "es": "etes",
    "as": "avez",
    "sois": "soyez",
    "aies": "ayez",
    "fais": "faites",
    "vas": "allez",
    "dis": "dites",
    "dois": "devez",
    "peux": "pouvez",
    "veux": "voulez",
    "sais": "savez",
    "viens": "venez",
    "tiens": "tenez",
    "mets": "mettez",
    "mens": "mentez",
    "prends": "prenez",
    "rends": "rendez",
    "perds": "perdez",
}
_ENDINGS = (("ais", "iez"), ("ras", "rez"), ("es", "ez"))
_POSSESSIVES = {"ton": "votre", "ta": "votre", "tes": "vos", "toi": "vous", "te": "vous"}
_FAMILIAR = {"votre": ("ton", "ta"), "vos": ("tes",), "vous": ("te", "t", "toi")}


def accepted(source: Sequence[str], reference: Sequence[str]) -> set[Tokens]:
    """Return the answers that mean the same as the reference: itself, and for "you" its tu and vous forms."""
    answers = {tuple(reference)}
    if not _YOU.isdisjoint(source):
        answers |= set(_formal(tuple(reference)))
        for answer in list(answers):
            answers |= set(_familiar(answer))
    return answers


def _formal(answer: Tokens) -> Iterator[Tokens]:
    """Turn the tu of an answer into vous."""
    for subject, token in enumerate(answer):
        if token == "tu" or (token == "t" and answer[subject + 1 : subject + 2] in (("es",), ("as",))):
            verb = _verb_after(answer, subject)
            conjugated = _conjugate(answer[verb]) if verb < len(answer) else None
            if conjugated:
                others = [_POSSESSIVES.get(word, word) for word in answer]
                others = ["vous" if word == "t" else word for word in others]
                others[subject], others[verb] = "vous", conjugated
                yield tuple(others)


def _familiar(answer: Tokens) -> Iterator[Tokens]:
    """Turn the vous of an answer into tu, and into t before a vowel."""
    for subject, token in enumerate(answer):
        verb = _verb_after(answer, subject)
        verbs = _conjugate_back(answer[verb]) if token == "vous" and verb < len(answer) else ()
        for conjugated in verbs:
            choices = [_FAMILIAR.get(word, (word,)) for word in answer]
            choices[subject], choices[verb] = ("tu",), (conjugated,)
            for words in product(*choices):
                yield words
                if verb == subject + 1 and conjugated[0] in _VOWELS:
                    yield (*words[:subject], "t", *words[subject + 1 :])


def _verb_after(answer: Tokens, subject: int) -> int:
    verb = subject + 1
    while verb < len(answer) and answer[verb] in _BETWEEN:
        verb += 1
    return verb


def _conjugate(verb: str) -> str | None:
    if verb in _VERBS:
        return _VERBS[verb]
    for familiar, formal in _ENDINGS:
        if verb.endswith(familiar):
            return verb.removesuffix(familiar) + formal
    return None


def _conjugate_back(verb: str) -> Tokens:
    irregular = tuple(familiar for familiar, formal in _VERBS.items() if formal == verb)
    if irregular:
        return irregular
    return tuple(verb.removesuffix(formal) + familiar for familiar, formal in _ENDINGS if verb.endswith(formal))
