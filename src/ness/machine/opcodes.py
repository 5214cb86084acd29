"""Operators as small numbers, in the paper's order, where speed counts."""

from typing import Final

from ness.machine.instructions import Operator

SHIFT, REDUCE, PUSH, POP, CONCAT_M, CONCAT_S, FINAL = range(7)
CODES: Final = {operator: code for code, operator in enumerate(Operator)}
