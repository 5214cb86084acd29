"""An `Example`: a source and its target, both sequences of tokens."""

from collections.abc import Iterable
from typing import NamedTuple
from unicodedata import normalize


class Example(NamedTuple):
    """One training or test pair; tokens are strings without meaning of their own."""

    source: tuple[str, ...]
    target: tuple[str, ...]


def example_of(source: str, target: str) -> Example:
    """Make an example of two strings by splitting them on white space."""
    return Example(tuple(source.split()), tuple(target.split()))


def canonical(tokens: Iterable[str]) -> tuple[str, ...]:
    """Return tokens in their canonical form: what looks the same is the same token, however it is encoded."""
    return tuple([token if token.isascii() else normalize("NFC", token) for token in tokens])


def tokens_of(text: str) -> tuple[str, ...]:
    """Cut a text at white space into tokens in their canonical form."""
    return canonical(text.split())
