"""How texts are cut into tokens, and tokens put together to texts again.

A token holds no white space. Texts are normalised (NFC): what looks the same is the same. Standard library only,
Python 3.9: an exported file holds this text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from unicodedata import category, normalize

KINDS = ("words", "characters", "punctuation")  # cut at spaces; everywhere; at spaces and around punctuation marks
SPACE = "␣"  # a space among characters; where it stands in a text itself, the token has it twice


class Spelling(NamedTuple):
    """How a model reads its inputs and writes its outputs; the last four are learned from examples."""

    source: str = "words"  # one of KINDS
    target: str = "words"
    lowercase: bool = False  # inputs in capitals are read as others; outputs keep their case
    unread: str = ""  # marks that may end an input and are then left out, since no example has them
    before: tuple[str, ...] = ()  # marks without a space before them, in outputs
    after: tuple[str, ...] = ()  # and without a space after them
    odd: tuple[tuple[str, str], ...] = ()  # neighbours for which it is the other way round

    def split(self, text: str) -> tuple[str, ...]:
        """Cut an input into words."""
        tokens = cut(text.lower() if self.lowercase else text, self.source)
        while self.unread and len(tokens) > 1 and tokens[-1] in self.unread:
            tokens.pop()
        return tuple(tokens)

    def split_target(self, text: str) -> tuple[str, ...]:
        """Cut an output into tokens."""
        return tuple(cut(text, self.target))

    def given(self, tokens: Iterable[str]) -> tuple[str, ...]:
        """Take the words of an input that somebody else has cut."""
        return tuple([_normal(token.lower() if self.lowercase else token) for token in tokens])

    def join(self, tokens: Iterable[str]) -> str:
        """Put the tokens of an output together."""
        if self.target == "words":
            return " ".join(tokens)
        if self.target == "characters":
            return "".join([{SPACE: " ", SPACE * 2: SPACE}.get(token, token) for token in tokens])
        text, last, odd = "", "", set(map(tuple, self.odd))
        for token in tokens:
            tight = last in self.after or token in self.before
            text += token if not text or tight != ((last, token) in odd) else f" {token}"
            last = token
        return text

    def join_source(self, words: Iterable[str]) -> str:
        """Put the words of an input together, as it may be asked again."""
        return self._replace(target=self.source).join(words)


PLAIN = Spelling()  # cut at spaces


def cut(text: str, kind: str) -> list[str]:
    """Cut a text into tokens."""
    text = _normal(text)
    if kind == "words":
        return text.split()
    if kind == "punctuation":
        return [token for token, _ in pieces(text)]
    tokens: list[str] = []
    for chunk in text.split():
        tokens += [SPACE] if tokens else []
        tokens += [SPACE * 2 if character == SPACE else character for character in _characters(chunk)]
    return tokens


def is_word(token: str) -> bool:
    """Tell a word from a punctuation mark."""
    return token[0].isalnum() or token[0] == "_" or category(token[0])[0] == "M"


def _normal(text: str) -> str:
    return text if text.isascii() else normalize("NFC", text)


def pieces(text: str) -> list[tuple[str, bool]]:
    """Cut at spaces and around punctuation marks; tell of each token whether a space stands before it."""
    return [(token, place == 0) for chunk in _normal(text).split() for place, token in enumerate(_words(chunk))]


def _words(chunk: str) -> list[str]:
    """Cut around marks, but not at the apostrophe in a word or the point in a number."""
    tokens: list[str] = []
    characters = _characters(chunk)
    inside = False  # a word that goes on
    for place, character in enumerate(characters):
        around = characters[place - 1 : place] + characters[place + 1 : place + 2]
        linking = (character in "'’" and all(map(str.isalpha, around))) or (
            character in ".," and all(map(str.isdecimal, around))
        )
        wordy = is_word(character) or (inside and linking and len(around) == 2)
        if wordy and inside:
            tokens[-1] += character
        else:
            tokens.append(character)
        inside = wordy
    return tokens


def _characters(chunk: str) -> list[str]:
    """Cut into characters as people see them: accents and parts of an emoji stay with what they belong to."""
    if chunk.isascii():
        return list(chunk)
    found: list[str] = []
    for character in chunk:
        joined = category(character)[0] == "M" or character == "\u200d" or "\U0001f3fb" <= character <= "\U0001f3ff"
        if found and (joined or found[-1].endswith("\u200d")):
            found[-1] += character
        else:
            found.append(character)
    return found
