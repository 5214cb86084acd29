"""Programs as text that round-trips: `SHIFT; REDUCE JUMP; CONCAT_M 2,0; CONCAT_S ( 0 ); FINAL`.

Tokens with spaces, semicolons, quotes or nothing in them are written as JSON strings. Where a CONCAT_S names words,
their own phrases follow: `CONCAT_S 1 ( agent = 0 ) own: paint`. The kind of the phrase that is made stands behind what
makes it: `REDUCE casa kind: 1`.
"""

import json
import re
from collections.abc import Iterable

from ness.errors import DataError
from ness.machine.instructions import (
    BARE,
    KIND,
    MAX_KIND,
    OWN,
    ConcatM,
    ConcatS,
    Instruction,
    Operator,
    Part,
    Parts,
    Reduce,
    positions,
)

_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|;|[^\s;"]+)')
_POSITIONS = re.compile(r"[0-9,]+")
_MAX_DIGITS = 9  # of a position


def format_program(program: Iterable[Instruction]) -> str:
    """Write a program on one line."""
    return "; ".join(map(str, program))


def parse_program(text: str) -> tuple[Instruction, ...]:
    """Read a program as `format_program` writes it."""
    return tuple(parse_instruction(part) for part in _split(text))


def parse_instruction(tokens: list[str]) -> Instruction:
    """Read one instruction from its tokens, e.g. `["CONCAT_M", "2,0"]`."""
    name, *arguments = tokens
    given = " ".join(arguments)
    if name in BARE:
        if arguments:
            raise DataError(f"{name} takes no argument, but got '{given}'")
        return BARE[Operator(name)]
    if name == "REDUCE":
        if not arguments:
            raise DataError("REDUCE needs the target tokens, as in 'REDUCE JUMP'")
        arguments, kind = _kind(arguments)
        return Reduce(tuple(map(_unquote, arguments)), kind)
    if name in ("CONCAT_M", "CONCAT_S"):
        cuts = [place for place, argument in enumerate(arguments) if argument == OWN]
        joined, kind = _kind(arguments[: cuts[0]] if cuts else arguments)
        parts = (*parse_parts(joined), *([-kind] if kind else ()))
        if not positions(parts):
            raise DataError(f"{name} needs the positions of phrases, as in '{name} 2,0', not '{given}'")
        if name == "CONCAT_M":
            if cuts or kind:
                raise DataError("only CONCAT_S may name words or a kind; CONCAT_M joins phrases and tokens")
            return ConcatM(parts)
        ends = [*cuts[1:], len(arguments)]
        own = [tuple(map(_unquote, arguments[cut + 1 : end])) for cut, end in zip(cuts, ends, strict=False)]
        return ConcatS(parts, tuple(own))
    raise DataError(f"Unknown instruction '{name}'; expected one of {', '.join(Operator)}")


def _kind(arguments: list[str]) -> tuple[list[str], int]:
    """Take off the kind of the phrase that is made, if there is one."""
    if len(arguments) < 2 or arguments[-2] != KIND:
        return arguments, 0
    digits = arguments[-1]
    if not (digits.isdecimal() and len(digits) <= _MAX_DIGITS and 0 < int(digits) <= MAX_KIND):
        raise DataError(f"'{KIND}' needs a number from 1 to {MAX_KIND}, not '{digits}'")
    return arguments[:-2], int(digits)


def parse_parts(tokens: Iterable[str]) -> Parts:
    """Read the argument of a CONCAT: bare numbers are positions, everything else is a target token."""
    parts: list[Part] = []
    for token in tokens:
        if not _POSITIONS.fullmatch(token):
            parts.append(_unquote(token))
        elif any(len(digits) > _MAX_DIGITS for digits in token.split(",")):
            raise DataError(f"'{token}' is too large for a position; write a token of digits in quotes")
        else:
            parts.extend(int(digits) for digits in token.split(",") if digits)
    return tuple(parts)


def _unquote(token: str) -> str:
    if not token.startswith('"'):
        return token
    try:
        return str(json.loads(token))
    except ValueError:
        raise DataError(f"Cannot read {token}; a quoted token is a JSON string, with \\\\ for a backslash") from None


def _split(text: str) -> list[list[str]]:
    """Cut a program into instructions, each a list of tokens."""
    parts: list[list[str]] = [[]]
    position, text = 0, text.rstrip()
    while position < len(text):
        found = _TOKEN.match(text, position)
        if not found:
            raise DataError(f"Cannot read the program at '{text[position : position + 20]}'; is a quote missing?")
        if found[1] == ";":
            parts.append([])
        else:
            parts[-1].append(found[1])
        position = found.end()
    parts = [part for part in parts if part]
    if not parts:
        raise DataError("The program is empty; write for example 'SHIFT; REDUCE JUMP; FINAL'")
    return parts
