"""What judged a hypothesis is what answers: the learner's rules, the rule table and the export decide alike."""

from collections.abc import Sequence

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ness.config import CostConfig
from ness.data.example import Example
from ness.errors import StepLimitReached
from ness.learn.coded_rules import CodedRules
from ness.learn.coding import Codec
from ness.learn.costs import RuleCosts
from ness.learn.cues import Cues
from ness.learn.decoding import decode_rules
from ness.machine import Program, Status, drive, status_of
from strategies import TOKENS, WORDS, RandomPolicy, sources


def executions_of(
    drawn: Sequence[tuple[str, ...]], seeds: Sequence[int]
) -> dict[Example, tuple[Program, list[Status]]]:
    """Programs of several policies: they contradict each other often."""
    found = {}
    for source, seed in zip(drawn, seeds, strict=False):
        try:
            output, steps = drive(source, RandomPolicy(seed))
        except StepLimitReached:
            continue
        program = tuple(step.instruction for step in steps)
        found[Example(source, output)] = (program, [status_of(step.state) for step in steps])
    return found


@settings(max_examples=60)
@given(st.lists(sources, min_size=1, max_size=6), st.lists(st.integers(0, 5), min_size=6, max_size=6), st.booleans())
def test_learner_and_table_decide_alike(drawn: list[tuple[str, ...]], seeds: list[int], alike: bool) -> None:
    executions = executions_of(drawn, seeds)
    assume(executions)
    codec = Codec([*executions, Example(WORDS, TOKENS)])  # outputs need not hold all tokens that programs make
    rules = RuleCosts(CostConfig(), Cues())
    if alike and {"a", "b"} <= codec.words.keys():
        first, second = sorted((codec.words["a"], codec.words["b"]))
        rules.classes = {first: first, second: first}
    traces = {codec.encode(*pair): codec.trace(pair.source, program) for pair, (program, _) in executions.items()}
    rules.rebuild(traces.values())
    table, _ = decode_rules(codec, rules, traces)
    seen = [status for _, statuses in executions.values() for status in statuses]
    mixed = [one._replace(next=other.next, second=other.second) for one in seen[:12] for other in seen[:12]]
    for status in [*seen, *mixed]:
        expected = rules.decide(codec.code_status(status))
        decision = table.decide(status)
        if expected is None:
            assert decision is None
        else:
            assert decision is not None
            assert decision.instruction == codec.instruction(*expected)


def test_ties_go_to_the_first_operator_and_to_the_token_that_came_first() -> None:
    codec = Codec([(("a",), ("Y", "X"))])
    rules = CodedRules()
    y, x = codec.tokens["Y"], codec.tokens["X"]
    status = (-1, (0,), (-3,), 0)
    rules.rebuild([((status, 1, x),), ((status, 1, y),)])
    assert rules.decide(status) == (1, y)
