"""Long inputs: 20,000 tokens in a chain, 20,000 levels of nesting; no recursion, no growth beyond linear.

The checks count steps and parts instead of seconds: a step costs as much as its frames are wide and its argument is
long, and flattening costs as much as the rope has parts.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from ness.machine import EOS, PHRASE, Decisions, Execution, Final, Phrase, Status, Word, entry, flatten
from oracles import Oracle, lambda_lang, translate, while_lang

N = 20_000

CHAIN = ("f", *("x",) * (N - 1))
CHAIN_TREE = (*("App",) * (N - 1), "Var", "f", *("Var", "x") * (N - 1))
LAMBDAS = (*("lam", "x", ".") * N, "x")
LAMBDA_TREE = (*("Lam", "Bind", "x") * N, "Var", "x")
LOOPS = (*("while", "x", "{") * N, "x", "=", "0", *("}",) * N)
LOOP_TREE = (*("While", "Identifier", "x", "Block") * N, "Assign", "Identifier", "x", "Literal", "0")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("oracle", "source", "target", "steps"),
    [
        # f: SHIFT REDUCE; each x: PUSH SHIFT REDUCE POP CONCAT_M REDUCE CONCAT_S; FINAL
        pytest.param(lambda_lang, CHAIN, CHAIN_TREE, 2 + 7 * (N - 1) + 1, id="application chain"),
        # each lam x .: SHIFT SHIFT REDUCE SHIFT PUSH; x: SHIFT REDUCE; each end: POP CONCAT_M REDUCE CONCAT_S; FINAL
        pytest.param(lambda_lang, LAMBDAS, LAMBDA_TREE, 9 * N + 2 + 1, id="nested lambdas"),
        # each while x {: SHIFT PUSH SHIFT REDUCE POP PUSH SHIFT PUSH; x = 0: 10 steps; each }: POP SHIFT,
        # CONCAT_M REDUCE CONCAT_S for Block, POP, the same three for While, 9 in all; FINAL
        pytest.param(while_lang, LOOPS, LOOP_TREE, 8 * N + 10 + 9 * N + 1, id="nested loops"),
    ],
)
def test_long_inputs_take_linear_time(oracle: Oracle, source: tuple[Word, ...], target: Phrase, steps: int) -> None:
    table = Decisions()
    output, execution = translate(oracle, source, table)
    assert output == target
    assert execution.steps == steps
    assert max(len(status.top) + len(status.second or ()) for status in table) <= 8
    assert len(table) < 100


def lists_in(rope: Any) -> Iterator[list[Any]]:
    pending = [rope]
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            yield part
            pending.extend(part)


def test_every_rope_has_two_parts_or_more() -> None:
    """Even after CONCATs of one phrase, as Block's: so a rope has fewer inner parts than tokens."""
    table = Decisions()
    translate(while_lang, LOOPS, table)
    status = Status(EOS, (PHRASE,), None, ())
    lacking = Decisions(table)
    assert lacking.pop(status) == entry(status, Final())
    execution = Execution(LOOPS)
    assert execution.advance(lacking) == status
    (rope,) = execution._frame
    assert min(map(len, lists_in(rope))) == 2
    assert flatten(rope) == LOOP_TREE


def test_support_is_the_least_on_the_way() -> None:
    table = Decisions()
    translate(lambda_lang, ("f", "x"), table)
    supported = {status: (code, argument, 10 - n) for n, (status, (code, argument, _)) in enumerate(table.items())}
    execution = Execution(("f", "x"))
    assert execution.support is None
    execution.advance(supported)
    assert execution.support == 10 - (len(table) - 1)
    lone = Execution(("f",))
    lone.advance(supported)
    assert lone.steps == 1
    assert lone.support == 10
