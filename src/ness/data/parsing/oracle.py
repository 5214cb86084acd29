"""The oracle parsers. They keep their own stacks, so depth is not limited."""

from collections.abc import Sequence

from ness.data.parsing.grammar import LAMBDA, WHILE, Language, Node, Tokens, prefix_of
from ness.errors import DataError

# From the loosest to the tightest; all associate to the left.
_BINDS = {";": 1, "if": 2, "=": 3, "==": 4, "+": 5, "*": 6}
_LABELS = {";": "Seq", "if": "If", "=": "Assign", "==": "Eq", "+": "Op+", "*": "Op*"}
_WHILE_ATOMS = {"x": "Identifier", "y": "Identifier", "0": "Literal", "1": "Literal"}


def parse(language: Language, source: Sequence[str]) -> Tokens:
    """Return the parse tree of an input in prefix order; what is no sentence is a DataError."""
    return prefix_of(parse_tree(language, source))


def parse_tree(language: Language, source: Sequence[str]) -> Node:
    """Return the parse tree of an input."""
    return {"while": _parse_while, "lambda": _parse_lambda}[language.name](tuple(source))


def _build(language: Language, position: int, label: str, *parts: str | Node) -> Node:
    node = language.node(label, *parts)
    if node is None:
        shown = " ".join(part if isinstance(part, str) else part.label for part in parts)
        raise _wrong(language, position, f"no {label} is made of '{shown}'")
    return node


def _wrong(language: Language, position: int, reason: str) -> DataError:
    return DataError(f"not a sentence of the {language.name} language at token {position + 1}: {reason}")


def _parse_while(source: Tokens) -> Node:
    """Parse by operator precedence; `while` and `{` wait on the stack of operators."""
    operands: list[Node] = []
    waiting: list[str] = []
    operand_next = True
    for position, token in enumerate(source):
        if operand_next != (token in _WHILE_ATOMS or token == "while"):
            raise _wrong(WHILE, position, f"unexpected '{token}'")
        if token in _WHILE_ATOMS:
            operands.append(_build(WHILE, position, _WHILE_ATOMS[token], token))
            operand_next = False
        elif token == "while":
            waiting.append(token)
        elif token in _BINDS:
            _reduce(operands, waiting, position, _BINDS[token])
            waiting.append(token)
            operand_next = True
        elif token in ("{", "}"):
            _reduce(operands, waiting, position)
            opener = waiting[-1] if waiting else ""
            if opener != {"{": "while", "}": "{"}[token]:
                raise _wrong(WHILE, position, f"'{token}' closes nothing")
            if token == "{":
                waiting.append(token)
                operand_next = True
            else:
                del waiting[-2:]
                block = _build(WHILE, position, "Block", "{", operands.pop(), "}")
                operands.append(_build(WHILE, position, "While", "while", operands.pop(), block))
        else:
            raise _wrong(WHILE, position, f"unknown token '{token}'")
    if operand_next:
        raise _wrong(WHILE, len(source), "the input ends too early")
    _reduce(operands, waiting, len(source))
    if waiting:
        raise _wrong(WHILE, len(source), f"'{waiting[-1]}' is not closed")
    return operands[0]


def _reduce(operands: list[Node], waiting: list[str], position: int, loosest: int = 1) -> None:
    """Apply the waiting operators that bind at least as tightly as `loosest`."""
    while waiting and _BINDS.get(waiting[-1], 0) >= loosest:
        operator = waiting.pop()
        right, left = operands.pop(), operands.pop()
        operands.append(_build(WHILE, position, _LABELS[operator], left, operator, right))


def _parse_lambda(source: Tokens) -> Node:
    """Parse left to right; open lambdas and lets wait on a stack until their bodies end."""
    opened: list[tuple[str, Node]] = []  # ("lam", Bind), ("=", Var) or ("in", LetExpr)
    term: Node | None = None
    position = 0
    while position < len(source):
        token = source[position]
        if token in ("lam", "let"):
            closing = "." if token == "lam" else "="
            if term is not None or source[position + 2 : position + 3] != (closing,):
                raise _wrong(LAMBDA, position, f"unexpected '{token}'")
            letter = source[position + 1]
            if token == "lam":
                opened.append(("lam", _build(LAMBDA, position, "Bind", "lam", letter)))
            else:
                opened.append(("=", _build(LAMBDA, position, "Var", letter)))
            position += 3
        elif token == "in":
            term = _close(opened, term, position)
            if not opened:
                raise _wrong(LAMBDA, position, "'in' without 'let'")
            opened[-1] = ("in", _build(LAMBDA, position, "LetExpr", opened[-1][1], "=", term))
            term = None
            position += 1
        else:
            variable = _build(LAMBDA, position, "Var", token)
            term = variable if term is None else _build(LAMBDA, position, "App", term, variable)
            position += 1
    term = _close(opened, term, position)
    if opened:
        raise _wrong(LAMBDA, position, "'let' without 'in'")
    return term


def _close(opened: list[tuple[str, Node]], term: Node | None, position: int) -> Node:
    """End all bodies down to the innermost `let` that still waits for its `in`."""
    if term is None:
        raise _wrong(LAMBDA, position, "a term is missing")
    while opened and opened[-1][0] != "=":
        kind, head = opened.pop()
        parts = (head, ".", term) if kind == "lam" else ("let", head, "in", term)
        term = _build(LAMBDA, position, "Lam" if kind == "lam" else "Let", *parts)
    return term
