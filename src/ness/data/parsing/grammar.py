"""While-Lang and Lambda-Lang as tables of productions (Chen, Liu & Song 2018, appendix)."""

import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

Tokens = tuple[str, ...]


class Production(NamedTuple):
    """A label and what it expands to; `children` are the parts that enter the tree, in the tree's order."""

    label: str
    parts: Tokens
    children: tuple[int, ...]


class Node(NamedTuple):
    """A node of a parse tree; `parts` holds a token or a node for each part of the production."""

    production: Production
    parts: "tuple[str | Node, ...]"

    @property
    def label(self) -> str:
        """Return the label of the node's production."""
        return self.production.label


@dataclass(frozen=True)
class Language:
    """A grammar; parts of a production that are labels of the table are its non-terminals."""

    name: str
    productions: tuple[Production, ...]
    starts: Tokens  # labels of the inputs that are sampled
    by_label: dict[str, tuple[Production, ...]] = field(init=False, repr=False, compare=False)
    by_form: dict[tuple[str, Tokens], Production] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        labels = dict.fromkeys(production.label for production in self.productions)
        by_label = {label: tuple(p for p in self.productions if p.label == label) for label in labels}
        object.__setattr__(self, "by_label", by_label)
        object.__setattr__(self, "by_form", {(p.label, p.parts): p for p in self.productions})

    def node(self, label: str, *parts: "str | Node") -> Node | None:
        """Make a node, or None where the grammar has no such production."""
        form = tuple(part if isinstance(part, str) else part.label for part in parts)
        production = self.by_form.get((label, form))
        return None if production is None else Node(production, parts)


def source_of(tree: Node) -> Tokens:
    """Return the tokens of the input that a tree parses."""
    return _tokens(tree, lambda node: node.parts)


def prefix_of(tree: Node) -> Tokens:
    """Write a tree in prefix order without brackets: the label, then the children."""
    return _tokens(tree, lambda node: (node.production.label, *[node.parts[n] for n in node.production.children]))


def _tokens(tree: Node, written: Callable[[Node], Sequence[str | Node]]) -> Tokens:
    """Write a tree from left to right, without recursion: trees are deep."""
    tokens: list[str] = []
    rest: list[str | Node] = [tree]
    while rest:
        part = rest.pop()
        if isinstance(part, str):
            tokens.append(part)
        else:
            rest.extend(reversed(written(part)))
    return tuple(tokens)


def nodes_of(tree: Node) -> list[Node]:
    """List all nodes of a tree, the root first."""
    nodes = [tree]
    for node in nodes:
        nodes.extend(part for part in node.parts if isinstance(part, Node))
    return nodes


def _forms(label: str, *parts: str | Sequence[str], children: tuple[int, ...]) -> list[Production]:
    """Expand the alternatives of each part; a plain string is a part by itself."""
    forms: list[Tokens] = [()]
    for part in parts:
        choices = [part] if isinstance(part, str) else part
        forms = [(*form, choice) for form in forms for choice in choices]
    return [Production(label, form, children) for form in forms]


_ATOM = ["Identifier", "Literal"]
_EXPRESSION = ["Identifier", "Literal", "Op+", "Op*"]
_CONDITION = [*_EXPRESSION, "Eq"]
_STATEMENT = ["Assign", "If", "While", "Seq"]

WHILE = Language(
    name="while",
    productions=(
        *_forms("Identifier", ["x", "y"], children=(0,)),
        *_forms("Literal", ["0", "1"], children=(0,)),
        *_forms("Op*", [*_ATOM, "Op*"], "*", _ATOM, children=(0, 2)),
        *_forms("Op+", _EXPRESSION, "+", [*_ATOM, "Op*"], children=(0, 2)),
        *_forms("Eq", _EXPRESSION, "==", _EXPRESSION, children=(0, 2)),
        *_forms("Assign", "Identifier", "=", _EXPRESSION, children=(0, 2)),
        *_forms("If", ["Assign", "If"], "if", _CONDITION, children=(2, 0)),
        *_forms("Seq", _STATEMENT, ";", ["Assign", "If", "While"], children=(0, 2)),
        *_forms("Block", "{", _STATEMENT, "}", children=(1,)),
        *_forms("While", "while", _CONDITION, "Block", children=(1, 2)),
    ),
    starts=("Assign", "If", "While", "Seq"),
)

_TERM = ["Var", "App", "Lam", "Let"]

LAMBDA = Language(
    name="lambda",
    productions=(
        *_forms("Var", list(string.ascii_lowercase), children=(0,)),
        *_forms("App", ["Var", "App"], "Var", children=(0, 1)),
        *_forms("Bind", "lam", list(string.ascii_lowercase), children=(1,)),
        *_forms("Lam", "Bind", ".", _TERM, children=(0, 2)),
        *_forms("LetExpr", "Var", "=", _TERM, children=(0, 2)),
        *_forms("Let", "let", "LetExpr", "in", _TERM, children=(1, 3)),
    ),
    starts=("Var", "App", "Lam", "Let"),
)

LANGUAGES = {language.name: language for language in (WHILE, LAMBDA)}
