"""The seven instructions, as values.

An argument is part of its instruction: `Reduce(("JUMP",))`, `ConcatM((2, 0))`. In the extended machine the parts of a
CONCAT are positions and target tokens, mixed: `ConcatS(("(", "AND", 0, 2, ")"))`, a template. A position of a CONCAT_S
may also hold a word: it stands for the word's own phrase, what REDUCE makes of the word alone, and the instruction
carries that phrase, so that it can be executed by itself: `ConcatS((1, "(", 0, ")"), own=(("paint",),))`.
What REDUCE and CONCAT_S make may be of a kind, which later decisions see: `Reduce(("casa",), kind=1)`, and
`ConcatS(("la", 1, -1))`, where a last negative part is the kind.
`str(instruction)` is the text form that `ness.machine.text` parses.
"""

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

Word = str  # a token of the source language
Phrase = tuple[str, ...]  # a sequence in the target language
Item = Word | Phrase
Frame = tuple[Item, ...]
Part = int | str  # of a CONCAT: a position among the candidates, a target token of its own, or last -KIND
Parts = tuple[Part, ...]

OWN = "own:"  # in text: the own phrase of a word follows
KIND = "kind:"  # in text: the kind of the phrase that is made follows
MAX_KIND = 9999
_PLAIN = re.compile(r'[^\s;"]+')
_POSITIONS = re.compile(r"[0-9,]+")


class Operator(StrEnum):
    """The names of the instructions, in the paper's order."""

    SHIFT = "SHIFT"
    REDUCE = "REDUCE"
    PUSH = "PUSH"
    POP = "POP"
    CONCAT_M = "CONCAT_M"
    CONCAT_S = "CONCAT_S"
    FINAL = "FINAL"


def quote(token: str) -> str:
    """Write a target token so that it reads back: as it is, or as a JSON string if it holds odd characters."""
    if _PLAIN.fullmatch(token) and token.isprintable():
        return token
    return json.dumps(token, ensure_ascii=not token.isprintable())


def format_parts(parts: Parts) -> str:
    """Write the argument of a CONCAT: positions as numbers, tokens so that they are not mistaken for numbers."""
    kind, parts = kind_of(parts), without_kind(parts)
    tokens = any(isinstance(part, str) for part in parts)
    shown = [str(part) if isinstance(part, int) else _quote_token(part) for part in parts]
    return (" " if tokens else ",").join(shown) + _format_kind(kind)


def _format_kind(kind: int) -> str:
    return f" {KIND} {kind}" if kind else ""


def _quote_token(token: str) -> str:
    mistakable = _POSITIONS.fullmatch(token) or token in (OWN, KIND)
    return json.dumps(token, ensure_ascii=not token.isprintable()) if mistakable else quote(token)


def positions(parts: Parts) -> tuple[int, ...]:
    """The positions among the parts of a CONCAT, in their order."""
    return tuple([part for part in parts if isinstance(part, int) and part >= 0])


def kind_of(parts: Parts) -> int:
    """The kind of the phrase that a CONCAT makes; 0: none."""
    return -parts[-1] if parts and isinstance(parts[-1], int) and parts[-1] < 0 else 0


def kind_made(instruction: "Instruction") -> int:
    """The kind of the phrase that an instruction makes; 0: none."""
    if isinstance(instruction, Reduce):
        return instruction.kind
    return kind_of(instruction.parts) if isinstance(instruction, ConcatS) else 0


def without_kind(parts: Parts) -> Parts:
    """The parts that a CONCAT joins."""
    return parts[:-1] if kind_of(parts) else parts


class _WithoutArgument:
    __slots__ = ()
    operator: ClassVar[Operator]

    def __str__(self) -> str:
        return self.operator.value


@dataclass(frozen=True, slots=True)
class Shift(_WithoutArgument):
    """Read the next input word onto the end of the top frame."""

    operator: ClassVar[Operator] = Operator.SHIFT


@dataclass(frozen=True, slots=True)
class Reduce:
    """Replace the words of the top frame by one target phrase."""

    phrase: Phrase
    kind: int = 0  # of the phrase; 0: none
    operator: ClassVar[Operator] = Operator.REDUCE

    def __str__(self) -> str:
        tokens = [json.dumps(token) if token == KIND else quote(token) for token in self.phrase]
        return " ".join(("REDUCE", *tokens)) + _format_kind(self.kind)


@dataclass(frozen=True, slots=True)
class Push(_WithoutArgument):
    """Open an empty frame."""

    operator: ClassVar[Operator] = Operator.PUSH


@dataclass(frozen=True, slots=True)
class Pop(_WithoutArgument):
    """Close the top frame and append its phrase to the frame below."""

    operator: ClassVar[Operator] = Operator.POP


@dataclass(frozen=True, slots=True)
class ConcatM:
    """Concatenate phrases of the top frame and the memory, and tokens, into the memory."""

    parts: Parts
    operator: ClassVar[Operator] = Operator.CONCAT_M

    def __str__(self) -> str:
        return f"CONCAT_M {format_parts(self.parts)}"


@dataclass(frozen=True, slots=True)
class ConcatS:
    """Concatenate phrases of the top frame and the memory, and tokens, into the top frame."""

    parts: Parts
    own: tuple[Phrase, ...] = ()  # the phrases of the words among the positions, each word once, in their order
    operator: ClassVar[Operator] = Operator.CONCAT_S

    def __str__(self) -> str:
        own = [" ".join((OWN, *map(_quote_token, phrase))) for phrase in self.own]
        return " ".join(("CONCAT_S", format_parts(self.parts), *own))


@dataclass(frozen=True, slots=True)
class Final(_WithoutArgument):
    """Stop; the top frame's phrase is the output."""

    operator: ClassVar[Operator] = Operator.FINAL


Instruction = Shift | Reduce | Push | Pop | ConcatM | ConcatS | Final
BARE: dict[Operator, Instruction] = {bare.operator: bare for bare in (Shift(), Push(), Pop(), Final())}
