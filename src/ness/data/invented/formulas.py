"""Invented tasks about formulas: infix to prefix, to postfix and to brackets."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from ness.data.invented.invention import Invention, Words


@dataclass(frozen=True, slots=True)
class Term:
    """A word with its operands; a leaf has none."""

    word: str
    operands: "tuple[Term, ...]" = ()


Leaf = Callable[[Random, int], Term]
Levels = list[list[str]]

_NAMES = {"+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow"}


def _letter(rng: Random, size: int) -> Term:
    return Term(rng.choice("abcd"))


def _parts(rng: Random, size: int) -> list[int]:
    """Cut a size into random parts."""
    parts = [size]
    while parts[-1] > 1 and rng.random() < 0.7:
        first = rng.randrange(1, parts[-1])
        parts[-1:] = [first, parts[-1] - first]
    return parts


def _chain(rng: Random, size: int, levels: Levels, leaf: Leaf) -> Term:
    """Draw operators of the loosest level first; all associate to the left. The size counts leaves."""
    if not levels:
        return leaf(rng, size)
    first, *others = _parts(rng, size)
    term = _chain(rng, first, levels[1:], leaf)
    for part in others:
        term = Term(rng.choice(levels[0]), (term, _chain(rng, part, levels[1:], leaf)))
    return term


def _grouped(rng: Random, size: int, levels: Levels) -> Term:
    """Draw a formula in which parentheses hold what is too large for a leaf."""

    def leaf(rng: Random, size: int) -> Term:
        return _letter(rng, size) if size == 1 else Term("(", (_grouped(rng, size, levels),))

    return _chain(rng, size, levels, leaf)


def _infix(term: Term) -> Words:
    match term.operands:
        case (left, right):
            return [*_infix(left), term.word, *_infix(right)]
        case (inner,):
            return [term.word, *_infix(inner), *([")"] if term.word == "(" else [])]
        case _:
            return [term.word]


def _prefix(term: Term) -> Words:
    operands = [word for operand in term.operands for word in _prefix(operand)]
    return operands if term.word == "(" else [_NAMES.get(term.word, term.word), *operands]


def _postfix(term: Term) -> Words:
    operands = [word for operand in term.operands for word in _postfix(operand)]
    return operands if term.word == "(" else [*operands, _NAMES.get(term.word, term.word)]


def _bracketed(term: Term) -> Words:
    if not term.operands:
        return [term.word.upper()]
    return ["(", term.word.upper(), *(word for operand in term.operands for word in _bracketed(operand)), ")"]


def _postfix_arithmetic(rng: Random, size: int) -> tuple[Words, Words]:
    term = _chain(rng, size, [["+", "-"], ["*", "/"]], _letter)
    return _infix(term), _postfix(term)


def _tower(rng: Random, size: int) -> Term:
    term = _letter(rng, 1)
    for _ in range(size - 1):
        term = Term("^", (_letter(rng, 1), term))
    return term


def _power(rng: Random, size: int) -> tuple[Words, Words]:
    term = _chain(rng, size, [["*"]], _tower)
    return _infix(term), _prefix(term)


def _literal(rng: Random, size: int) -> Term:
    term = Term(rng.choice("pqrs"))
    while rng.random() < 0.3:
        term = Term("not", (term,))
    return term


def _boolean(rng: Random, size: int) -> tuple[Words, Words]:
    term = _chain(rng, size, [["or"], ["and"]], _literal)
    return _infix(term), _bracketed(term)


def _parentheses_to_prefix(rng: Random, size: int) -> tuple[Words, Words]:
    term = _grouped(rng, size, [["+", "-"], ["*"]])
    return _infix(term), _prefix(term)


def _parentheses_to_postfix(rng: Random, size: int) -> tuple[Words, Words]:
    term = _grouped(rng, size, [["+", "-"], ["*"]])
    return _infix(term), _postfix(term)


def _lisp_to_infix(rng: Random, size: int) -> tuple[Words, Words]:
    if size == 1:
        letter = rng.choice("abcd")
        return [letter], [letter]
    first, sign = rng.randrange(1, size), rng.choice("+*-")
    (left, left_out), (right, right_out) = _lisp_to_infix(rng, first), _lisp_to_infix(rng, size - first)
    return ["(", _NAMES[sign], *left, *right, ")"], ["(", *left_out, sign, *right_out, ")"]


def _statements(rng: Random, size: int) -> tuple[Words, Words]:
    source: Words = []
    target: Words = []
    for number in range((size + 1) // 2):
        name = rng.choice("xyz")
        term = _chain(rng, rng.choice((1, 2, 2, 3)), [["+", "-"], ["*"]], _letter)
        source += [*([";"] if number else []), name, ":=", *_infix(term)]
        code = [f"load_{word}" if len(word) == 1 else word for word in _postfix(term)]
        target += [*code, f"store_{name}"]
    return source, target


INVENTIONS = (
    Invention("postfix_arithmetic", "infix + - * / to postfix", _postfix_arithmetic, (4, 9), (7, 19)),
    Invention("power", "* and the right-associative ^ to prefix", _power, (4, 9), (7, 19)),
    Invention("boolean", "not, and, or to bracketed s-expressions", _boolean, (4, 9), (7, 21), expressible=None),
    Invention("parentheses_to_prefix", "parenthesised arithmetic to prefix", _parentheses_to_prefix, (4, 9), (9, 31)),
    Invention("parentheses_to_postfix", "the same to postfix", _parentheses_to_postfix, (4, 9), (9, 31)),
    Invention("lisp_to_infix", "bracketed prefix formulas to bracketed infix", _lisp_to_infix, (3, 8), (9, 31)),
    Invention("statements", "assignments of formulas to stack-machine code", _statements, (4, 9), (9, 29)),
)
