"""Fresh few-shot grammars: primitives and function words with random order, repetition, precedence, associativity.

A grammar is an operator-precedence grammar over pseudowords. Where a function word to the left and one to the right
both want the operand between them, a *conflict*, the grammar says which of them takes it. Training shows every
conflict by itself, so every test has one answer; a test whose answer depends on a conflict that training cannot
decide (because both readings of it give the same output) is left out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random

from ness.data.example import Example

WORDS = ("dax", "lug", "wif", "zup", "fep", "blicket", "kiki", "tufa", "gazzer", "wug", "blick", "nop")
COLOURS = ("RED", "BLUE", "GREEN", "YELLOW", "PINK", "BLACK", "WHITE")
BINARY_ORDERS = ((1, 0), (0, 1), (0, 1, 0), (1, 0, 1), (0, 1, 1), (0, 0, 1), (1, 1, 0), (1, 0, 0))
TESTS = 15
LONGEST_OUTPUT = 40

Phrase = tuple[str, ...]
Conflict = tuple[str, str]  # the word on the left, the word on the right


@dataclass(frozen=True, slots=True)
class Function:
    """A function word; `order` lists its arguments as they appear in the output."""

    word: str
    form: str  # "prefix", "postfix" or "binary"
    order: tuple[int, ...]
    binds: float  # how tightly; no two words of a grammar bind equally
    associates: str = "left"


@dataclass(frozen=True, slots=True)
class Grammar:
    """Primitives with their colours, and function words."""

    colours: Mapping[str, str]
    functions: Mapping[str, Function]

    def conflicts(self) -> list[Conflict]:
        """List the pairs of function words that can compete for an operand."""
        takes_right = [f.word for f in self.functions.values() if f.form != "postfix"]
        takes_left = [f.word for f in self.functions.values() if f.form != "prefix"]
        return [(left, right) for left in takes_right for right in takes_left]

    def left_wins(self, conflict: Conflict) -> bool:
        """Say whether the word on the left takes the operand of a conflict."""
        left, right = (self.functions[word] for word in conflict)
        return left.associates == "left" if left is right else left.binds > right.binds

    def meaning(self, words: Phrase, flipped: frozenset[Conflict] = frozenset()) -> Phrase:
        """Evaluate a command; conflicts in `flipped` are read the other way round."""
        operands: list[Phrase] = []
        pending: list[str] = []
        for word in words:
            function = self.functions.get(word)
            if function is None:
                operands.append((self.colours[word],))
            elif function.form == "prefix":
                pending.append(word)
            else:
                while pending and self.left_wins((pending[-1], word)) != ((pending[-1], word) in flipped):
                    self._apply(pending.pop(), operands)
                if function.form == "binary":
                    pending.append(word)
                else:
                    self._apply(word, operands)
        while pending:
            self._apply(pending.pop(), operands)
        return operands[0]

    def _apply(self, word: str, operands: list[Phrase]) -> None:
        function = self.functions[word]
        count = 2 if function.form == "binary" else 1
        arguments = operands[-count:]
        operands[-count:] = [tuple(token for number in function.order for token in arguments[number])]


def random_grammar(seed: int) -> tuple[list[Example], list[Example]]:
    """Draw a grammar; return its training examples (14 to 35) and longer tests.

    The last primitive occurs in training only by itself, and in every test.
    """
    rng = Random(f"few-shot grammar {seed}")
    while True:
        grammar = _draw_grammar(rng)
        train = _training(grammar, rng)
        tests = _tests(grammar, rng, train)
        if 14 <= len(train) <= 35 and len(tests) >= TESTS:
            return train, tests


def _draw_grammar(rng: Random) -> Grammar:
    primitives, functions = rng.choice((4, 4, 5, 6)), rng.choice((2, 3, 3, 4))
    words = rng.sample(WORDS, primitives + functions)
    colours = dict(zip(words, rng.sample(COLOURS, primitives), strict=False))
    forms = ["binary", *rng.choices(("binary", "prefix", "postfix"), weights=(3, 1, 2), k=functions - 1)]
    drawn = [_draw_function(rng, word, form) for word, form in zip(words[primitives:], forms, strict=True)]
    return Grammar(colours, {function.word: function for function in drawn})


def _draw_function(rng: Random, word: str, form: str) -> Function:
    if form == "binary":
        return Function(word, form, rng.choice(BINARY_ORDERS), rng.random(), rng.choice(("left", "left", "right")))
    # Unary words mostly bind tightest, as fep does; sometimes they take a whole phrase.
    tightness = rng.random() + rng.choice((0, 1, 1, 1))
    return Function(word, form, (0,) * rng.choice((2, 3, 3, 4)), tightness)


def _training(grammar: Grammar, rng: Random) -> list[Example]:
    """Show each primitive alone, each function word twice and each conflict and nesting once."""
    usual = list(grammar.colours)[:-1]
    shapes = [_shape(function) for function in grammar.functions.values() for _ in range(2)]
    shapes += [shape for conflict in grammar.conflicts() for shape in _conflict_shapes(grammar, conflict)]
    shapes += list(_nestings(grammar))
    commands: list[Phrase] = [(word,) for word in grammar.colours]
    for shape in shapes:
        for _ in range(20):
            letters = dict(zip("abc", rng.sample(usual, 3), strict=True))
            command = tuple(letters.get(word, word) for word in shape)
            if command not in commands:
                commands.append(command)
                break
    return [Example(command, grammar.meaning(command)) for command in commands]


def _shape(function: Function, left: Phrase = ("a",), right: Phrase = ("b",)) -> Phrase:
    match function.form:
        case "prefix":
            return (function.word, *right)
        case "postfix":
            return (*left, function.word)
        case _:
            return (*left, function.word, *right)


def _conflict_shapes(grammar: Grammar, conflict: Conflict) -> Iterator[Phrase]:
    """Yield the smallest command in which two function words compete for an operand."""
    left, right = (grammar.functions[word] for word in conflict)
    yield _shape(left, right=_shape(right, left=("b",), right=("c",)))


def _nestings(grammar: Grammar) -> Iterator[Phrase]:
    """Yield commands that put a unary word where it competes with nothing."""
    for outer in grammar.functions.values():
        for inner in grammar.functions.values():
            if outer.form == "binary" and inner.form == "prefix":
                yield _shape(outer, right=_shape(inner, right=("b",)))
            if outer.form == "binary" and inner.form == "postfix":
                yield _shape(outer, left=_shape(inner))


def _tests(grammar: Grammar, rng: Random, train: list[Example]) -> list[Example]:
    held_out = list(grammar.colours)[-1]
    shown = {example.source for example in train}
    undecided = [conflict for conflict in grammar.conflicts() if not _decided(grammar, conflict)]
    readings = [
        frozenset(conflict for conflict, flip in zip(undecided, flips, strict=True) if flip)
        for flips in product((False, True), repeat=len(undecided))
    ]
    tests: dict[Phrase, Phrase] = {}
    for _ in range(400):
        command = _draw_command(grammar, rng)
        outputs = {grammar.meaning(command, reading) for reading in readings}
        if held_out in command and command not in shown and len(outputs) == 1:
            output = outputs.pop()
            if len(output) <= LONGEST_OUTPUT:
                tests.setdefault(command, output)
        if len(tests) == TESTS:
            break
    return [Example(command, output) for command, output in tests.items()]


def _decided(grammar: Grammar, conflict: Conflict) -> bool:
    """Say whether the two readings of a conflict differ, so that its training example decides between them."""
    colours = {letter: letter for letter in "abc"}
    by_letters = Grammar(colours, grammar.functions)
    return all(
        by_letters.meaning(shape) != by_letters.meaning(shape, frozenset([conflict]))
        for shape in _conflict_shapes(grammar, conflict)
    )


def _draw_command(grammar: Grammar, rng: Random) -> Phrase:
    primitives = list(grammar.colours)
    weights = [1] * (len(primitives) - 1) + [2]
    prefixes, postfixes, binaries = (
        [f.word for f in grammar.functions.values() if f.form == form] for form in ("prefix", "postfix", "binary")
    )
    command: list[str] = []
    for number in range(rng.choice((2, 2, 3, 3, 4))):
        if number:
            command.append(rng.choice(binaries))
        if prefixes and rng.random() < 0.35:
            command.append(rng.choice(prefixes))
        command += rng.choices(primitives, weights)
        if postfixes and rng.random() < 0.35:
            command.append(rng.choice(postfixes))
    return tuple(command)
