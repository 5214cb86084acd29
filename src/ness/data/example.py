"""An `Example`: a source and its target, both sequences of tokens."""

from typing import NamedTuple


class Example(NamedTuple):
    """One training or test pair; tokens are strings without meaning of their own."""

    source: tuple[str, ...]
    target: tuple[str, ...]


def example_of(source: str, target: str) -> Example:
    """Make an example of two strings by splitting them on white space."""
    return Example(tuple(source.split()), tuple(target.split()))
