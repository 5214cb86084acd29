"""Programs as text that round-trips: `SHIFT; REDUCE JUMP; CONCAT_M 2,0; FINAL`.

Tokens with spaces, semicolons, quotes or nothing in them are written as JSON strings.
"""

import json
import re
from collections.abc import Iterable

from ness.errors import DataError
from ness.machine.instructions import ConcatM, ConcatS, Final, Instruction, Operator, Pop, Push, Reduce, Shift

_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|;|[^\s;"\\]+)')
_INDICES = re.compile(r"[0-9]{1,9}(?:[ ,]+[0-9]{1,9})*")
_BARE: dict[str, Instruction] = {"SHIFT": Shift(), "PUSH": Push(), "POP": Pop(), "FINAL": Final()}


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
    if name in _BARE:
        if arguments:
            raise DataError(f"{name} takes no argument, but got '{given}'")
        return _BARE[name]
    if name == "REDUCE":
        if not arguments:
            raise DataError("REDUCE needs the target tokens, as in 'REDUCE JUMP'")
        return Reduce(tuple(map(_unquote, arguments)))
    if name in ("CONCAT_M", "CONCAT_S"):
        if not _INDICES.fullmatch(given):
            raise DataError(f"{name} needs indices separated by commas, as in '{name} 2,0', not '{given}'")
        indices = tuple(map(int, re.findall("[0-9]+", given)))
        return ConcatM(indices) if name == "CONCAT_M" else ConcatS(indices)
    raise DataError(f"Unknown instruction '{name}'; expected one of {', '.join(Operator)}")


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
