"""The Neural Parser: the machine under an oracle's policy, the two phases on a small language."""

import random
import string

import pytest

from ness.data.parsing import LANGUAGES, prefix_of, sampler_of, source_of
from ness.experiments.systems.neural_parser import machine
from ness.experiments.systems.neural_parser.machine import END, Action, Op, Status

BINDS = {";": 1, "if": 2, "=": 3, "==": 4, "+": 5, "*": 6}
BINARY = {
    ";": ("Seq", (0, 2)),
    "if": ("If", (2, 0)),
    "=": ("Assign", (0, 2)),
    "==": ("Eq", (0, 2)),
    "+": ("Op+", (0, 2)),
    "*": ("Op*", (0, 2)),
}
ATOMS = {"x": "Identifier", "y": "Identifier", "0": "Literal", "1": "Literal"}
FRAME_LIMITS = {"while": 3, "lambda": 4}


def while_policy(status: Status) -> Action:
    """Decide by operator precedence."""
    token, top, below = status
    match top:
        case ():
            return Action(Op.SHIFT)
        case (atom,) if atom in ATOMS:
            return Action(Op.REDUCE, ATOMS[atom], (0,))
        case ("while",) | ("{",) | ("while", _):
            return Action(Op.CALL)
        case ("{", _):
            return Action(Op.SHIFT)
        case ("{", _, "}"):
            return Action(Op.REDUCE, "Block", (1,))
        case ("while", _, _):
            return Action(Op.REDUCE, "While", (1, 2))
        case (_, _):
            return Action(Op.CALL)
        case (_, operator, _):
            return Action(Op.REDUCE, *BINARY[operator])
        case (label,):
            if below is None:
                return Action(Op.FINAL if token == END else Op.SHIFT)
            tighter = BINDS.get(token, -1) > BINDS.get(below[-1], 0)
            return Action(Op.SHIFT if tighter and label != "Block" else Op.RETURN)
    raise AssertionError(status)


def lambda_policy(status: Status) -> Action:
    """Decide by the shape of the frames."""
    token, top, below = status
    match top:
        case () | ("lam",) | ("Bind",) | ("let", "LetExpr"):
            return Action(Op.SHIFT)
        case ("let",) | ("Bind", ".") | ("Var", "=") | ("let", "LetExpr", "in"):
            return Action(Op.CALL)
        case ("lam", _):
            return Action(Op.REDUCE, "Bind", (1,))
        case ("Bind", ".", _):
            return Action(Op.REDUCE, "Lam", (0, 2))
        case ("Var", "=", _):
            return Action(Op.REDUCE, "LetExpr", (0, 2))
        case ("let", "LetExpr", "in", _):
            return Action(Op.REDUCE, "Let", (1, 3))
        case (_, "Var"):
            return Action(Op.REDUCE, "App", (0, 1))
        case (letter,) if letter in string.ascii_lowercase:
            return Action(Op.REDUCE, "Var", (0,))
        case ("Var",) if below == ("let",):
            return Action(Op.SHIFT)
        case ("Var" | "App",) if token in string.ascii_lowercase and below not in (("Var",), ("App",)):
            return Action(Op.CALL)
        case (_,):
            return Action(Op.RETURN if below is not None else Op.FINAL)
    raise AssertionError(status)


POLICIES = {"while": while_policy, "lambda": lambda_policy}


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize("length", [9, 51, 5001])
def test_an_oracles_policy_that_sees_the_local_status_parses_everything(name: str, length: int) -> None:
    rng = random.Random(length)
    for _ in range(10 if length > 1000 else 200):
        tree = sampler_of(name).draw(rng, length)
        built = machine.parse(source_of(tree), POLICIES[name], FRAME_LIMITS[name])
        assert built is not None
        assert machine.prefix_of(built) == prefix_of(tree)
