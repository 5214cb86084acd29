"""The Neural Parser: the machine under an oracle's policy, the two phases on a small language."""

import random
import string

import pytest

from ness.data.example import Example
from ness.data.parsing import LANGUAGES, prefix_of, sampler_of, source_of
from ness.errors import DataError
from ness.experiments.systems.interface import Training
from ness.experiments.systems.neural_parser import machine
from ness.experiments.systems.neural_parser.machine import END, Op, ParserAction, ParserStatus
from ness.experiments.systems.neural_parser.phase_one import TreeSample, find_traces
from ness.experiments.systems.neural_parser.phase_two import Candidates, settle
from ness.experiments.systems.neural_parser.system import _FRAME_LIMITS, NeuralParser, ParserSettings
from ness.experiments.systems.trees import arities_of

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


def while_policy(status: ParserStatus) -> ParserAction:
    """Decide by operator precedence."""
    token, top, below, _ = status
    match top:
        case ():
            return ParserAction(Op.SHIFT)
        case (atom,) if atom in ATOMS:
            return ParserAction(Op.REDUCE, ATOMS[atom], (0,))
        case ("while",) | ("{",) | ("while", _):
            return ParserAction(Op.CALL)
        case ("{", _):
            return ParserAction(Op.SHIFT)
        case ("{", _, "}"):
            return ParserAction(Op.REDUCE, "Block", (1,))
        case ("while", _, _):
            return ParserAction(Op.REDUCE, "While", (1, 2))
        case (_, _):
            return ParserAction(Op.CALL)
        case (_, operator, _):
            return ParserAction(Op.REDUCE, *BINARY[operator])
        case (label,):
            if below is None:
                return ParserAction(Op.FINAL if token == END else Op.SHIFT)
            tighter = BINDS.get(token, -1) > BINDS.get(below[-1], 0)
            return ParserAction(Op.SHIFT if tighter and label != "Block" else Op.RETURN)
    raise AssertionError(status)


def lambda_policy(status: ParserStatus) -> ParserAction:
    """Decide by the shape of the frames."""
    token, top, below, _ = status
    match top:
        case () | ("lam",) | ("Bind",) | ("let", "LetExpr"):
            return ParserAction(Op.SHIFT)
        case ("let",) | ("Bind", ".") | ("Var", "=") | ("let", "LetExpr", "in"):
            return ParserAction(Op.CALL)
        case ("lam", _):
            return ParserAction(Op.REDUCE, "Bind", (1,))
        case ("Bind", ".", _):
            return ParserAction(Op.REDUCE, "Lam", (0, 2))
        case ("Var", "=", _):
            return ParserAction(Op.REDUCE, "LetExpr", (0, 2))
        case ("let", "LetExpr", "in", _):
            return ParserAction(Op.REDUCE, "Let", (1, 3))
        case (_, "Var"):
            return ParserAction(Op.REDUCE, "App", (0, 1))
        case (letter,) if letter in string.ascii_lowercase:
            return ParserAction(Op.REDUCE, "Var", (0,))
        case ("Var",) if below == ("let",):
            return ParserAction(Op.SHIFT)
        case ("Var" | "App",) if token in string.ascii_lowercase and below not in (("Var",), ("App",)):
            return ParserAction(Op.CALL)
        case (_,):
            return ParserAction(Op.RETURN if below is not None else Op.FINAL)
    raise AssertionError(status)


POLICIES = {"while": while_policy, "lambda": lambda_policy}


@pytest.mark.slow
@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize("length", [9, 51, 5001])
def test_an_oracles_policy_that_sees_the_local_status_parses_everything(name: str, length: int) -> None:
    rng = random.Random(length)
    for _ in range(3 if length > 1000 else 100):
        tree = sampler_of(name).draw(rng, length)
        source = source_of(tree)
        for _, status, action in machine.run(source, POLICIES[name]):
            assert machine.is_legal(action.op, status, _FRAME_LIMITS[name])
        assert machine.parse(source, POLICIES[name]) == prefix_of(tree)


def sample_of(name: str, source: str, target: str) -> TreeSample:
    return TreeSample(tuple(source.split()), tuple(target.split()), arities_of(LANGUAGES[name]))


def test_traces_are_found_from_the_pair_alone() -> None:
    sample = sample_of("while", "x + y", "Op+ Identifier x Identifier y")
    traces = find_traces(sample, lambda _: lambda _: -1.0, 3, 10)
    wanted = "SHIFT REDUCE SHIFT CALL SHIFT REDUCE RETURN REDUCE FINAL"
    assert wanted in {" ".join(action.op.name for _, action in one.trace) for one in traces}
    for one in traces:
        policy = dict(one.trace)
        assert machine.parse(sample.source, policy.__getitem__) == sample.target


def test_reduce_drops_only_what_the_tree_has_no_place_for() -> None:
    sample = sample_of("while", "x + y", "Op+ Identifier x Identifier y")
    x, y = ("Identifier", ("x",)), ("Identifier", ("y",))
    assert list(sample.reduces((x, "+", y))) == [ParserAction(Op.REDUCE, "Op+", (0, 2))]
    assert list(sample.reduces(("x", "+"))) == [ParserAction(Op.REDUCE, "Identifier", (0,))]
    assert list(sample.reduces((x, "+", "y"))) == []  # the tree needs x
    assert list(sample.reduces((y, "+", x))) == [ParserAction(Op.REDUCE, "Op+", (2, 0))]


def test_settling_moves_weight_away_from_traces_that_contradict_the_others() -> None:
    sums = ["x + y", "x * y", "x == y", "x = y", "y + x", "y * x", "y == x", "y = x"]
    labels = {"+": "Op+", "*": "Op*", "==": "Eq", "=": "Assign"}
    candidates = []
    for source in sums:
        left, operator, right = source.split()
        sample = sample_of("while", source, f"{labels[operator]} Identifier {left} Identifier {right}")
        found = find_traces(sample, lambda _: lambda _: -1.0, 3, 4)
        candidates.append(Candidates(sample, [one.trace for one in found], [0.0] * len(found)))
    settle(candidates, 400, 1.0, random.Random(0))
    rules: dict[object, set[str]] = {}
    for one in candidates:
        for status, action in one.traces[one.likeliest()]:
            if action.label:
                rules.setdefault(status.top, set()).add(action.label)
    assert all(len(found) == 1 for found in rules.values())  # the operator is still there when its label is chosen


@pytest.mark.slow
def test_both_phases_learn_a_small_curriculum_and_parse_what_is_longer() -> None:
    settings = ParserSettings(size=24, steps=300)
    rng = random.Random(0)
    trees = [sampler_of("while").draw(rng, length, "Assign") for length in (3, 5, 5, 7) for _ in range(8)]
    train = [Example(source_of(tree), prefix_of(tree)) for tree in trees]
    system = NeuralParser(settings)
    fit = system.fit(Training(train))
    assert fit.accuracy == 1.0
    assert fit.ended == "converged"
    longer = [sampler_of("while").draw(rng, 31, "Assign") for _ in range(20)]
    answers = system.predict([source_of(tree) for tree in longer])
    assert sum(answer == prefix_of(tree) for answer, tree in zip(answers, longer, strict=True)) > 10


def test_targets_that_are_no_trees_are_refused_in_words() -> None:
    with pytest.raises(DataError, match="needs trees of while or lambda"):
        NeuralParser(ParserSettings()).fit(Training([Example(("jump",), ("JUMP",))]))
