"""Invented tasks that sound like English: dates, numbers, robots, polite requests, clauses."""

from random import Random

from ness.data.invented.invention import Invention, Words

_MONTHS = {"january": "m1", "march": "m3", "may": "m5", "july": "m7", "october": "m10"}
_UNITS = ("one", "two", "three", "four", "five", "six")
_TEENS = ("ten", "eleven", "twelve", "thirteen", "fourteen")
_TENS = {"twenty": 2, "thirty": 3, "forty": 4}
_ACTIONS = ("walk", "run", "look", "jump", "wave")
_NOUNS = ("cat", "dog", "boy", "girl")
_VERBS = {"saw": "see", "helped": "help", "liked": "like"}


def _number(rng: Random) -> tuple[Words, Words]:
    """Draw a number below 50 as words and as two digits."""
    kind = rng.random()
    if kind < 0.35:
        unit = rng.randrange(len(_UNITS))
        return [_UNITS[unit]], ["0", str(unit + 1)]
    if kind < 0.55:
        teen = rng.randrange(len(_TEENS))
        return [_TEENS[teen]], ["1", str(teen)]
    ten = rng.choice(list(_TENS))
    if kind < 0.7:
        return [ten], [str(_TENS[ten]), "0"]
    unit = rng.randrange(len(_UNITS))
    return [ten, _UNITS[unit]], [str(_TENS[ten]), str(unit + 1)]


# A unit alone and a unit after a ten differ ("five" is 0 5), so the machine has to know each pair of words; there are
# few enough for training to show them all.
def _numbers(rng: Random, size: int) -> tuple[Words, Words]:
    source, target = _number(rng)
    for _ in range(size - 1):
        words, digits = _number(rng)
        source += ["then", *words]
        target += [";", *digits]
    return source, target


def _dates(rng: Random, size: int) -> tuple[Words, Words]:
    source: Words = []
    target: Words = []
    for number in range(size):
        month = rng.choice(list(_MONTHS))
        words, digits = _number(rng)
        joint = rng.choice(("and", "to")) if number else ""
        source += [*([joint] if joint else []), *words, "of", month]
        target += [*([{"and": ",", "to": ".."}[joint]] if joint else []), _MONTHS[month], "/", *digits]
    return source, target


def _robot(rng: Random, size: int) -> tuple[Words, Words]:
    kind = rng.random()
    if size <= 1:
        word = rng.choice(("go", "stop", "beep"))
        return [word], [word.upper()]
    if kind < 0.4:
        words, actions = _robot(rng, size - 1)
        name, times = rng.choice((("twice", 2), ("thrice", 3)))
        return [name, "(", *words, ")"], actions * times
    first = rng.randrange(1, size)
    (left, left_actions), (right, right_actions) = _robot(rng, first), _robot(rng, size - first)
    if kind < 0.6:
        return ["swap", "(", *left, ",", *right, ")"], right_actions + left_actions
    return ["(", *left, "then", *right, ")"], left_actions + right_actions


def _polite(rng: Random, size: int) -> tuple[Words, Words]:
    source: Words = []
    target: Words = []
    for number in range(size):
        action = rng.choice(_ACTIONS)
        source += ["and"] if number else []
        source += rng.choice(([], [], ["please"], ["kindly"], ["would", "you"]))
        source += [action]
        target += [action.upper()]
        source += rng.choice(([], [], [], ["now"], ["thanks"]))
    return source, target


def _repeats(rng: Random, size: int) -> tuple[Words, Words]:
    source: Words = []
    target: Words = []
    counts = {"once": 1, "twice": 2, "thrice": 3}
    for number in range(size):
        action, direction = rng.choice(_ACTIONS), rng.choice(("", "", "north", "south"))
        phrase = [action.upper()] if not direction else [direction.upper(), action.upper()]
        count = rng.choice(("", *counts))
        words = [action, *([direction] if direction else []), *([count] if count else [])]
        repeated = phrase * counts.get(count, 1)
        before = number > 0 and rng.random() < 0.4
        source += [*(["before" if before else "following"] if number else []), *words]
        # "x following y" does y first; chains associate to the left.
        target = target + repeated if before or not number else repeated + target
    return source, target


def _noun_phrase(rng: Random, depth: int) -> tuple[Words, Words]:
    noun = rng.choice(_NOUNS)
    source, target = ["the", noun], [noun.upper()]
    if depth > 0:
        verb = rng.choice(list(_VERBS))
        inner, inner_out = _noun_phrase(rng, depth - 1)
        source += ["that", verb, *inner]
        target = ["WHICH", *target, _VERBS[verb], *inner_out]
    return source, target


def _clauses(rng: Random, size: int) -> tuple[Words, Words]:
    subject, subject_out = _noun_phrase(rng, 0)
    verb = rng.choice(list(_VERBS))
    other, other_out = _noun_phrase(rng, rng.randint(0, size - 1))
    if rng.random() < 0.4:
        return [*subject, "was", verb, "by", *other], [_VERBS[verb], *other_out, *subject_out]
    return [*subject, verb, *other], [_VERBS[verb], *subject_out, *other_out]


INVENTIONS = (
    Invention("numbers", "lists of number words to two digits each", _numbers, (3, 8), (6, 18)),
    Invention("dates", "lists and ranges of dates, day before month, to month / day", _dates, (2, 6), (9, 28)),
    Invention("robot", "commands with brackets, repetition and swapped parts", _robot, (4, 7), (11, 36)),
    Invention("polite", "requests whose polite words vanish", _polite, (3, 8), (8, 24)),
    Invention("repeats", "repeated actions joined by before and following", _repeats, (3, 7), (8, 22)),
    Invention("clauses", "active and passive sentences with relative clauses to prefix", _clauses, (3, 6), (11, 25)),
)
