"""Begin and end of the input as words, for tasks whose output has tokens around the whole: `a and b` -> `[ a , b ]`.

The learner chooses whether a model reads them; nobody types them.
"""

from collections.abc import Container, Sequence

from ness.machine.instructions import Word

BEGIN, END = "‹begin›", "‹end›"


def is_wrapped(source: Sequence[Word]) -> bool:
    """Tell whether a source has its boundaries."""
    return len(source) > 2 and source[0] == BEGIN and source[-1] == END


def with_boundaries(source: Sequence[Word]) -> tuple[Word, ...]:
    """Put the boundaries around a source that has none."""
    return tuple(source) if is_wrapped(source) else (BEGIN, *source, END)


def without_boundaries(source: Sequence[Word]) -> tuple[Word, ...]:
    """Take the boundaries off, if there are any."""
    if BEGIN not in source and END not in source:
        return tuple(source)
    return tuple([word for word in source if word not in (BEGIN, END)])


def reads_boundaries(words: Container[Word]) -> bool:
    """Tell by its words whether a model reads the boundaries."""
    return BEGIN in words
