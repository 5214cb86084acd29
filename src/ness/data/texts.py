"""Examples given in Python: lists, mappings, data frames, or the path of a file."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

from ness.data.example import Example
from ness.data.files import fitted_to, read_pairs, source_tokens, target_tokens
from ness.data.formats import SOURCE_NAMES, TARGET_NAMES, Pair
from ness.data.spelling import Spelling
from ness.errors import DataError

Text = str | Sequence[str]  # a string, to be cut, or a list of tokens


def examples_in(
    X: Any, y: Iterable[Text] | None, spelling: Spelling, fit: bool = False
) -> tuple[list[Example], Spelling]:
    """Cut sources and targets into tokens, and return how; with `fit`, learn from them how they are spelled."""
    sources, targets = (column(X, SOURCE_NAMES), column(y, TARGET_NAMES)) if y is not None else _both(X)
    if len(sources) != len(targets):
        raise DataError(
            f"there are {len(sources)} sources, but {len(targets)} targets; give one target for each source"
        )
    for source, target in zip(sources, targets, strict=True):
        _check_filled(source, "a source")
        _check_filled(target, "a target")
    if fit:
        spelling = fitted_to([Pair(0, *pair) for pair in zip(sources, targets, strict=True)], spelling)
    examples = [
        Example(source_tokens(source, spelling), target_tokens(target, spelling))
        for source, target in zip(sources, targets, strict=True)
    ]
    return examples, spelling


def sources_in(X: Any, spelling: Spelling) -> list[tuple[str, ...]]:
    """Cut sources into tokens."""
    sources = column(X, SOURCE_NAMES)
    for source in sources:
        _check(source, "a source")
    return [source_tokens(source, spelling) for source in sources]


def column(X: Any, names: Sequence[str] = SOURCE_NAMES) -> list[Any]:
    """Return a list as it is; of a data frame, the column with such a name, or the only one."""
    if isinstance(X, str):
        raise DataError(f"a list of sources is expected, not one string; write [{X[:40]!r}]")
    if not hasattr(X, "columns"):
        return list(X)
    known = {str(name).strip().lower(): name for name in X.columns}
    found = next((known[name] for name in names if name in known), None)
    if found is None:
        if len(X.columns) != 1:
            raise DataError(f"the data frame has no column {names[0]!r}; name it so, or give the column itself")
        found = X.columns[0]
    return list(X[found])


def _both(X: Any) -> tuple[list[Any], list[Any]]:
    """Sources and targets of a frame, a mapping, a file, or pairs."""
    if isinstance(X, PathLike):
        rows = read_pairs(X)  # type: ignore[arg-type]
        return [row.source for row in rows], [row.target for row in rows]
    if hasattr(X, "columns"):
        if len(X.columns) == 2 and not {str(name).strip().lower() for name in X.columns} & {
            *SOURCE_NAMES,
            *TARGET_NAMES,
        }:
            return list(X[X.columns[0]]), list(X[X.columns[1]])
        return column(X, SOURCE_NAMES), column(X, TARGET_NAMES)
    pairs = list(X.items() if isinstance(X, Mapping) else column(X))
    for pair in pairs:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise DataError(f"a pair of source and target is expected, not {pair!r:.60}; or give the targets apart")
    return [source for source, _ in pairs], [target for _, target in pairs]


def _check_filled(text: Any, what: str) -> None:
    _check(text, what)
    if not len(text) or (isinstance(text, str) and not text.strip()):
        raise DataError(f"{what} is empty; every example needs at least one token on both sides")


def _check(text: Any, what: str) -> None:
    if isinstance(text, str):
        return
    if not isinstance(text, Iterable) or not all(isinstance(token, str) for token in text):
        raise DataError(f"{what} is neither a string nor a list of strings: {text!r:.60}")
    if odd := [token for token in text if token.split() != [token]]:
        raise DataError(f"{what} has a token that is empty or holds white space: {odd[0]!r:.60}")
