"""Invented tasks about lists, calls and nested structures."""

from random import Random

from ness.data.invented.invention import Invention, Words

_COLUMNS = ("id", "name", "age", "city")
_TABLES = ("users", "orders", "items")
_FUNCTIONS = ("f", "g", "h")
_LETTERS = ("a", "b", "c", "d")
_KEYS = ("name", "age", "city", "size")
_VALUES = ("one", "two", "red", "blue")


def _joined(items: list[Words], separator: str) -> Words:
    """Join lists of words with a separator between them."""
    return [word for number, item in enumerate(items) for word in (*([separator] if number else ()), *item)]


def _cut(rng: Random, size: int, most: int) -> list[int]:
    """Cut a size into at most that many positive parts."""
    borders = sorted(rng.sample(range(1, size), rng.randint(0, min(most, size) - 1))) if size > 1 else []
    return [end - start for start, end in zip([0, *borders], [*borders, size], strict=True)]


def _select(rng: Random, size: int) -> tuple[Words, Words]:
    columns = rng.choices(_COLUMNS, k=rng.randint(1, size))
    table = rng.choice(_TABLES)
    tests = [(rng.choice(_COLUMNS), rng.choice("=<"), rng.choice("123")) for _ in range(rng.randint(0, size // 2))]
    source = ["select", *_joined([[column] for column in columns], ","), "from", table]
    target = ["scan", table]
    for number, (column, sign, value) in enumerate(tests):
        source += ["and" if number else "where", column, sign, value]
        target = ["filter", {"=": "eq", "<": "lt"}[sign], column, value, *target]
    return source, ["project", *columns, "of", *target]


def _condition(rng: Random, size: int) -> tuple[Words, Words]:
    if size <= 1:
        letter = rng.choice(_LETTERS)
        return [letter], [letter.upper()]
    test = rng.choice(("p", "q", "r"))
    first = rng.randrange(1, size)
    (yes, yes_out), (no, no_out) = _condition(rng, first), _condition(rng, size - first)
    return ["if", test, "then", *yes, "else", *no], ["IF", test.upper(), *yes_out, *no_out]


def _call(rng: Random, size: int) -> tuple[Words, Words]:
    if size <= 1:
        letter = rng.choice(_LETTERS)
        return [letter], [f"var_{letter}"]
    name = rng.choice(_FUNCTIONS)
    arguments = [_call(rng, part) for part in _cut(rng, size - 1, 3)]
    source = [name, "(", *_joined([words for words, _ in arguments], ","), ")"]
    return source, [f"call_{name}", *(word for _, words in arguments for word in words), "end"]


def _pairs(rng: Random, size: int) -> tuple[Words, Words]:
    chosen = [(rng.choice(_KEYS), rng.choice(_VALUES)) for _ in range(size)]
    source = _joined([[key, "is", value] for key, value in chosen], "and")
    return source, ["{", *_joined([[f'"{key}"', ":", value] for key, value in chosen], ","), "}"]


def _record(rng: Random, size: int) -> tuple[Words, Words]:
    if size <= 1:
        value = rng.choice(_VALUES)
        return [value], [value.upper()]
    fields = [(rng.choice(_KEYS), _record(rng, part)) for part in _cut(rng, size - 1, 3)]
    source = ["begin", *_joined([[key, "is", *words] for key, (words, _) in fields], ";"), "end"]
    return source, ["{", *_joined([[f'"{key}"', ":", *words] for key, (_, words) in fields], ","), "}"]


def _reversal(rng: Random, size: int) -> tuple[Words, Words]:
    words = rng.choices(_LETTERS, k=size)
    return words, [word.upper() for word in reversed(words)]


def _mirror(rng: Random, size: int) -> tuple[Words, Words]:
    words = rng.choices(_LETTERS, k=size)
    half = [word.upper() for word in words]
    return words, half + half[:-1][::-1]


def _tags(rng: Random, size: int) -> tuple[Words, Words]:
    source: Words = []
    target: Words = []
    for part in _cut(rng, size, 2):
        name, text = rng.choice(("b", "i", "p", "u")), rng.choice(("word", "line"))
        inner, inner_out = ([text], [text.upper()]) if part == 1 else _tags(rng, part - 1)
        source += [name, "[", *inner, "]"]
        target += [f"<{name}>", *inner_out, f"</{name}>"]
    return source, target


INVENTIONS = (
    Invention("select", "SQL-like column lists and conditions to projections and filters", _select, (4, 8), (13, 32)),
    Invention("if_then_else", "nested if/then/else to prefix", _condition, (3, 7), (11, 31)),
    Invention("calls", "function calls with argument lists to nested calls", _call, (5, 12), (9, 31)),
    Invention("pairs", "key is value pairs to a JSON-like object", _pairs, (3, 8), (11, 31)),
    Invention("records", "nested begin/end records to JSON-like objects", _record, (4, 9), (9, 31)),
    Invention("reversal", "a list reversed: each item goes before what is there", _reversal, (5, 14), (5, 14)),
    Invention("mirror", "a list to a palindrome around its last item", _mirror, (5, 12), (5, 12)),
    Invention(
        "closing_tag",
        "nested elements to tags: one word makes two different tokens, far apart",
        _tags,
        (4, 8),
        (10, 28),
        train=200,
        expressible=False,
    ),
)
