"""Random syntax-directed translation schemes: fresh tasks of many kinds, to choose settings by and to test with.

A scheme has leaves and a few constructs: prefix, infix and postfix operators, keyword forms that end with a word
of their own, brackets, lists. Each says in which order its parts come out, how often, and with which tokens of its
own. The source grammar is unambiguous: operators have levels, infix ones associate to the left. A wide scheme is closer
to what people have: tokens around and between the parts, leaves of several tokens, up to hundreds of leaves, tokens
around the whole output.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain, count
from random import Random

from ness.data.example import Example
from ness.data.invented.invention import Words

_TRAINING, _TESTS = 250, 100
_LONGEST, _LONGEST_TEST = 9, 24  # words
_MOST_TOKENS = 4  # of an output, for each word of the input
_DRAWS = 20_000
_LEAVES = ("ox", "elk", "hen", "bee", "ram", "cod")
_WORDS = ("dax", "wif", "lug", "zup", "fep", "kiki", "tufa", "gaz", "wug", "nop", "mib", "rok", "sef", "tol")

Pair = tuple[Words, Words]


@dataclass(frozen=True, slots=True)
class Construct:
    """Source words around and between `parts`; `order` mixes numbers of parts and tokens of the output."""

    form: str  # "prefix", "postfix", "infix", "keywords" or "list"
    words: tuple[str, ...]
    parts: int
    order: tuple[int | str, ...]

    def join(self, parts: list[Words]) -> Words:
        """Put the output together."""
        return [token for item in self.order for token in (parts[item] if isinstance(item, int) else [item])]


@dataclass(frozen=True, slots=True)
class Scheme:
    """Leaves with their tokens, and constructs; infix ones from loose to tight."""

    leaves: dict[str, Words]
    constructs: tuple[Construct, ...]

    def of(self, form: str) -> list[Construct]:
        """List the constructs of a form."""
        return [one for one in self.constructs if one.form == form]


def random_scheme(seed: int) -> tuple[list[Example], list[Example]]:
    """Draw a scheme; return its training examples, the leaves among them, and longer tests."""
    rng = Random(f"translation scheme {seed}")
    return _examples(draw_scheme(rng), rng)


def wide_scheme(seed: int) -> tuple[list[Example], list[Example]]:
    """Draw a scheme with templates, long leaves and many of them; return training examples and longer tests."""
    rng = Random(f"wide translation scheme {seed}")
    scheme = draw_scheme(rng)
    scheme = Scheme(_wide_leaves(rng), tuple([_decorated(one, rng) for one in scheme.constructs]))
    train, tests = _examples(scheme, rng)
    if rng.random() < 0.7:
        return train, tests
    before, after = rng.choice((("[", "]"), ("", "."), ("return", ";")))
    enclosed = [
        [example._replace(target=(*before.split(), *example.target, after)) for example in part]
        for part in (train, tests)
    ]
    return enclosed[0], enclosed[1]


def _examples(scheme: Scheme, rng: Random) -> tuple[list[Example], list[Example]]:
    """Training examples, the leaves among them, and longer tests."""
    found: dict[tuple[str, ...], Example] = {}
    for word, tokens in scheme.leaves.items():
        found[word,] = Example((word,), tuple(tokens))
    wanted = max(_TRAINING, _TRAINING // 2 + len(found))
    train = _collect(scheme, rng, wanted, range(1, 4), range(1, _LONGEST + 1), found)
    tests = _collect(scheme, rng, _TESTS, range(3, 9), range(_LONGEST + 1, _LONGEST_TEST + 1), {})
    words = {word for example in train for word in example.source}
    known = [example for example in tests if words.issuperset(example.source)]
    return sorted(train, key=lambda example: len(example.source)), known


def _collect(
    scheme: Scheme, rng: Random, wanted: int, sizes: range, lengths: range, found: dict[tuple[str, ...], Example]
) -> list[Example]:
    for _ in range(_DRAWS):
        source, target = sentence(scheme, rng, rng.choice(sizes))
        if len(source) in lengths and len(target) <= _MOST_TOKENS * len(source):
            found.setdefault(tuple(source), Example(tuple(source), tuple(target)))
            if len(found) >= wanted:
                break
    return list(found.values())


# ---------------------------------------------------------------- sentences


def sentence(scheme: Scheme, rng: Random, size: int) -> Pair:
    """Draw a sentence of about `size` constructs."""
    return _level(scheme, rng, size, 0)


def _level(scheme: Scheme, rng: Random, size: int, level: int) -> Pair:
    """An expression of about `size` constructs whose infix operators are of this level or tighter."""
    infix = scheme.of("infix")
    if level == len(infix):
        return _unary(scheme, rng, size)
    if size > 0 and rng.random() < 0.5:
        left = rng.randrange(size)
        one = infix[level]
        first, second = _level(scheme, rng, left, level), _level(scheme, rng, size - 1 - left, level + 1)
        return [*first[0], one.words[0], *second[0]], one.join([first[1], second[1]])
    return _level(scheme, rng, size, level + 1)


def _unary(scheme: Scheme, rng: Random, size: int) -> Pair:
    """Prefix operators take what follows with its postfix operators."""
    if size > 0 and (prefix := scheme.of("prefix")) and rng.random() < 0.4:
        one = rng.choice(prefix)
        source, target = _unary(scheme, rng, size - 1)
        return [one.words[0], *source], one.join([target])
    return _postfix(scheme, rng, size)


def _postfix(scheme: Scheme, rng: Random, size: int) -> Pair:
    if size > 0 and (postfix := scheme.of("postfix")) and rng.random() < 0.4:
        one = rng.choice(postfix)
        source, target = _postfix(scheme, rng, size - 1)
        return [*source, one.words[0]], one.join([target])
    return _closed(scheme, rng, size)


def _closed(scheme: Scheme, rng: Random, size: int) -> Pair:
    """A leaf, or a construct with a last word of its own."""
    closed = scheme.of("keywords") + scheme.of("list")
    if size == 0 or not closed:
        word = rng.choice(list(scheme.leaves))
        return [word], list(scheme.leaves[word])
    one = rng.choice(closed)
    count = one.parts if one.form == "keywords" else rng.randint(1, 3)
    sizes = [0] * count
    for _ in range(size - 1):
        sizes[rng.randrange(count)] += 1
    parts = [_level(scheme, rng, part, 0) for part in sizes]
    if one.form == "keywords":
        source = [one.words[0]]
        for word, (words, _) in zip(one.words[1:], parts, strict=True):
            source += [*words, word]
        return source, one.join([target for _, target in parts])
    opener, comma, closer = one.words
    source = [opener]
    items: list[Words] = []
    for number, (words, target) in enumerate(parts):
        source += [*([comma] if number else []), *words]
        items = [*items, target] if one.order[0] == 0 else [target, *items]
    return [*source, closer], [token for item in items for token in item]


# ---------------------------------------------------------------- schemes


def draw_scheme(rng: Random) -> Scheme:
    """Draw leaves and constructs."""
    words = chain(rng.sample(_WORDS, len(_WORDS)), (f"word{n}" for n in count(1)))  # a large scheme needs more
    names = rng.sample(_LEAVES, rng.choice((3, 4, 5)))
    leaves = {name: [name.upper()] for name in names}
    drawn = {
        "prefix": rng.choice((0, 0, 1, 2)),
        "postfix": rng.choice((0, 0, 1, 2)),
        "infix": rng.choice((0, 1, 1, 2)),
        "keywords": rng.choice((0, 1, 1, 2)),
        "list": rng.choice((0, 0, 0, 1)),
    }
    if not drawn["infix"] + drawn["keywords"] + drawn["list"]:
        drawn["infix"] = 1
    constructs = [_DRAW[form](rng, lambda: next(words)) for form, count in drawn.items() for _ in range(count)]
    return Scheme(leaves, tuple(constructs))


def _wide_leaves(rng: Random) -> dict[str, Words]:
    """From five leaves to hundreds, each of one to four tokens."""
    number = rng.choice((5, 8, 20, 100, 400))
    longest = rng.choice((1, 1, 2, 4))
    return {
        f"leaf{n}": [f"L{n}", *(f"L{n}.{part}" for part in range(1, rng.randint(1, longest)))] for n in range(number)
    }


def _decorated(one: Construct, rng: Random) -> Construct:
    """A construct with more tokens of its own around and between its parts; lists stay as they are."""
    if one.form == "list" or rng.random() < 0.3:
        return one
    order: list[int | str] = []
    for number, item in enumerate(one.order):
        if number and rng.random() < 0.5:
            order.append(rng.choice((",", ";", "|", ":", f"{_token(one.words[0])}{number}")))
        order.append(item)
    opener, closer = rng.choice((("(", ")"), ("{", "}"), (f"begin_{one.words[0]}", "end"), ("", "")))
    return replace(one, order=tuple([part for part in (opener, *order, closer) if part != ""]))


def _token(word: str) -> str:
    return f"<{word}>"


def _unary_construct(form: str) -> Callable[[Random, Callable[[], str]], Construct]:
    def draw(rng: Random, word: Callable[[], str]) -> Construct:
        name = word()
        label = _token(name)
        orders: list[tuple[int | str, ...]] = [(label, 0), (label, 0), (0, label), (0, 0), (0, 0, 0), (0,)]
        return Construct(form, (name,), 1, rng.choice(orders))

    return draw


def _infix(rng: Random, word: Callable[[], str]) -> Construct:
    name = word()
    label = _token(name)
    orders: list[tuple[int | str, ...]] = [(label, 0, 1), (label, 1, 0), (0, 1, label), (0, 1), (1, 0), (1, 0, 1)]
    return Construct("infix", (name,), 2, rng.choice(orders))


def _keywords(rng: Random, word: Callable[[], str]) -> Construct:
    parts = rng.choice((1, 1, 2, 2, 3))
    names = tuple(word() for _ in range(parts + 1))
    label = _token(names[0])
    children: list[int | str] = list(rng.sample(range(parts), parts))
    order: tuple[int | str, ...]
    match rng.choice(("plain", "front", "front", "back", "repeat", "middle", "around")):
        case "plain":
            order = tuple(children)
        case "front":
            order = (label, *children)
        case "back":
            order = (*children, label)
        case "repeat":
            order = (*children, *children)
        case "middle":
            order = (*children[:1], label, *children[1:])
        case _:
            order = (label, *children, f"{label}'")
    return Construct("keywords", names, parts, order)


def _list(rng: Random, word: Callable[[], str]) -> Construct:
    return Construct("list", (word(), word(), word()), 0, rng.choice(((0, 1), (1, 0))))


_DRAW: dict[str, Callable[[Random, Callable[[], str]], Construct]] = {
    "prefix": _unary_construct("prefix"),
    "postfix": _unary_construct("postfix"),
    "infix": _infix,
    "keywords": _keywords,
    "list": _list,
}
