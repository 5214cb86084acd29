"""Generalisation tests of our own for COGS, made from the development set: each output is known by construction.

Words in roles that training never shows them in, modifiers at the subject, modifiers and clauses nested deeper.
"""

from collections.abc import Callable, Iterator, Sequence
from random import Random

from ness.data.example import Example

_SIZE = 300  # examples of a set, at most
_DEEPER = (1, 2, 5)  # levels
_PREPOSITIONS = ("in", "on", "beside")
_SAYING = {"said": "say", "thought": "think", "hoped": "hope", "believed": "believe"}
_ARTICLES = ("The", "A", "the", "a")
# Words that one training example has, in one role or alone.
_NOUNS = ("hedgehog", "cockroach", "shark", "cobra", "hippo")
_NAMES = ("Lina", "Charlie", "Paula")

TEST_NAMES = (
    "own subject-modifier",
    "own new-roles",
    *(f"own {what}+{levels}" for levels in _DEEPER for what in ("modifiers", "clauses")),
)

Part = Callable[[Example, Random], Example | None]


def own_tests(train: Sequence[Example], dev: Sequence[Example]) -> dict[str, list[Example]]:
    """Return the test sets by name."""
    modifiers = [
        (preposition, noun)
        for source, target in dev
        for preposition, noun in zip(source, source[2:], strict=False)
        if preposition in _PREPOSITIONS and noun in target
    ]
    most = max(_modifiers(example) for example in train)
    clauses = max(example.source.count("that") for example in train)
    once = [example for example in train if example.target[0] != "LAMBDA"]

    def subject(example: Example, rng: Random) -> Example | None:
        return _with_subject_modifier(example, *rng.choice(modifiers))

    tests = {"own subject-modifier": _drawn(dev, subject), "own new-roles": _drawn(dev, _in_new_role(once))}
    for levels in _DEEPER:

        def deeper(example: Example, rng: Random, levels: int = levels) -> Example | None:
            found: Example | None = example if _modifiers(example) == most else None
            for _ in range(levels):
                unused = [each for each in rng.choices(modifiers, k=20) if found and each[1] not in found.source]
                found = _with_modifier(found, *unused[0]) if found and unused else None
            return found

        def clause(example: Example, rng: Random, levels: int = levels) -> Example | None:
            if example.source.count("that") < min(clauses, 2):
                return None
            for _ in range(levels):
                example = _said(example, rng)
            return example

        tests[f"own modifiers+{levels}"] = _drawn([*dev, *train], deeper)
        tests[f"own clauses+{levels}"] = _drawn([*dev, *train], clause)
    return tests


def _drawn(examples: Sequence[Example], change: Part) -> list[Example]:
    rng = Random(0)
    found = dict.fromkeys(made for example in examples if (made := change(example, rng)) is not None)
    return rng.sample(list(found), min(_SIZE, len(found)))


def _modifiers(example: Example) -> int:
    """Count the modifiers that end a sentence, one in the other."""
    count, end = 0, len(example.source) - 1
    while end >= 3 and example.source[end - 3] in _PREPOSITIONS:
        count, end = count + 1, end - 3
    return count


def _with_subject_modifier(example: Example, preposition: str, noun: str) -> Example | None:
    source, target = example
    if source[0] not in _ARTICLES or "xcomp" in target or noun in source or target[1:2] != ("(",):
        return None
    place = 4 + (target[4] == "*")
    if target[place] != source[1]:
        return None
    made = ("(", "nmod", ".", preposition, "=", "*", noun, ")")
    changed = (*source[:2], preposition, "the", noun, *source[2:])
    return Example(changed, (*target[: place + 1], *made, *target[place + 1 :]))


def _with_modifier(example: Example, preposition: str, noun: str) -> Example | None:
    """Add a modifier to the last noun, which is the innermost one of the output."""
    source, target = example
    last = source[-2]
    if source.count(last) > 1 or last not in target or noun in source:
        return None
    place = target.index(last)
    made = ("(", "nmod", ".", preposition, "=", "*", noun, ")")
    changed = (*source[:-1], preposition, "the", noun, ".")
    return Example(changed, (*target[: place + 1], *made, *target[place + 1 :]))


def _said(example: Example, rng: Random) -> Example:
    source, target = example
    first = source[0].lower() if source[0] in _ARTICLES else source[0]
    verb, name = rng.choice(list(_SAYING)), rng.choice(("Emma", "Liam", "Ava", "Noah"))
    made = (_SAYING[verb], "(", "agent", "=", name, ",", "ccomp", "=", *target, ")")
    return Example((name, verb, "that", first, *source[1:]), made)


def _in_new_role(train: Sequence[Example]) -> Part:
    """Put a word that training shows in one role at most into another one."""
    shown: dict[str, set[str]] = {
        word: {role for example in train if word in example.source for role in _roles(example, word)}
        for word in (*_NOUNS, *_NAMES)
    }

    def change(example: Example, rng: Random) -> Example | None:
        source, target = example
        options = list(_places(example))
        if not options:
            return None
        place = rng.choice(options)
        old = source[place]
        word = rng.choice(_NOUNS if source[place - 1] in _ARTICLES else _NAMES)
        if shown[word] & _roles(example, old):
            return None
        changed = (*source[:place], word, *source[place + 1 :])
        return Example(changed, tuple([word if token == old else token for token in target]))

    return change


def _places(example: Example) -> Iterator[int]:
    """Where nouns and names stand that occur once."""
    source, target = example
    for place, word in enumerate(source):
        if word in target and source.count(word) == 1 and word not in (*_PREPOSITIONS, ".") and _roles(example, word):
            yield place


def _roles(example: Example, word: str) -> set[str]:
    """The roles of a noun or a name: what stands before `=` and it."""
    target = example.target
    found = set()
    for place, token in enumerate(target):
        before = place - 1 - (target[place - 1] == "*")
        if token == word and before > 0 and target[before] == "=" and target[place + 1 : place + 2] != ("(",):
            found.add(target[before - 1])
    return found
