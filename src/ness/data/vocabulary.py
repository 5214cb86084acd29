"""A vocabulary: tokens and their numbers, in a fixed order."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from ness.data.example import Example
from ness.errors import DataError


class Vocabulary:
    """Numbers distinct tokens from 0 on, in the order given."""

    def __init__(self, tokens: Iterable[str]) -> None:
        self.tokens = tuple(dict.fromkeys(tokens))
        self._numbers = {token: number for number, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def __iter__(self) -> Iterator[str]:
        return iter(self.tokens)

    def __contains__(self, token: object) -> bool:
        return token in self._numbers

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.tokens == other.tokens

    def __hash__(self) -> int:
        return hash(self.tokens)

    def __repr__(self) -> str:
        return f"Vocabulary({list(self.tokens)!r})"

    def number(self, token: str) -> int:
        """Return the number of a token; an unknown one is an error that names it."""
        try:
            return self._numbers[token]
        except KeyError:
            near = get_close_matches(token, self.tokens, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise DataError(f"the word {token!r} does not occur in the training data{hint}") from None

    def encode(self, tokens: Iterable[str]) -> list[int]:
        """Return the numbers of tokens."""
        return [self.number(token) for token in tokens]

    def decode(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """Return the tokens of numbers."""
        return tuple(self.tokens[number] for number in numbers)


def source_vocabulary(examples: Iterable[Example]) -> Vocabulary:
    """Collect the source words in alphabetical order."""
    return Vocabulary(sorted({word for example in examples for word in example.source}))


def target_vocabulary(examples: Iterable[Example]) -> Vocabulary:
    """Collect the target tokens in alphabetical order."""
    return Vocabulary(sorted({token for example in examples for token in example.target}))
