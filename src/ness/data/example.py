"""An `Example`: a source and its target, both sequences of tokens."""

from typing import NamedTuple


class Example(NamedTuple):
    """One training or test pair; tokens are strings without meaning of their own."""

    source: tuple[str, ...]
    target: tuple[str, ...]
