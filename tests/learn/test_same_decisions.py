"""What judged a hypothesis is what answers: the learner's rules, the rule table and the export decide alike.

But for arguments with exchanged tokens: an answer may have them, a hypothesis is not believed for them.
"""

import json
from collections.abc import Iterator, Sequence
from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ness.config import CostConfig
from ness.data.example import Example
from ness.errors import StepLimitReached
from ness.export import runtime
from ness.export.script import compact_rules
from ness.learn.coded_rules import CodedRules
from ness.learn.coding import Codec
from ness.learn.costs import RuleCosts
from ness.learn.cues import Cues
from ness.learn.decoding import decode_rules
from ness.machine import ConcatM, ConcatS, Instruction, Program, Status, drive, status_of
from ness.rules import RuleTable
from ness.rules.backoff import LEVELS
from ness.rules.serialise import plain_status
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


def check_all_decide_alike(
    executions: dict[Example, tuple[Program, list[Status]]], alike: bool, contextual: bool = False
) -> Iterator[str]:
    """Ask about the statuses of executions, and about mixtures of them; yield the levels that decide."""
    codec = Codec([*executions, Example(WORDS, TOKENS)])  # outputs need not hold all tokens that programs make
    rules = RuleCosts(CostConfig(), Cues())
    rules.contextual = contextual
    if alike and {"a", "b"} <= codec.words.keys():
        first, second = sorted((codec.words["a"], codec.words["b"]))
        rules.classes = {first: first, second: first}
    traces = {codec.encode(*pair): codec.trace(pair.source, program) for pair, (program, _) in executions.items()}
    rules.rebuild(traces.values())
    table, _ = decode_rules(codec, rules, traces)
    exported = runtime.Rules(json.loads(json.dumps(compact_rules(table, "examples"))))
    seen = [status for _, statuses in executions.values() for status in statuses]
    mixed = [one._replace(next=other.next, second=other.second) for one in seen[:12] for other in seen[:12]]
    longer = [one._replace(second=("b", *one.second)) for one in seen if one.second]  # ends as one that was seen
    for status in [*seen, *mixed, *longer]:
        expected = rules.decide(codec.code_status(status))
        decision = table.decide(status)
        found = exported.decide(runtime._status(*plain_status(status).values()))
        if decision is None:
            assert expected is None
            assert found is None
        else:
            instruction = decision.instruction
            if expected is None:
                assert is_made(table, status, instruction)
            else:
                assert instruction == codec.instruction(*expected)
            argument = getattr(instruction, "phrase", getattr(instruction, "parts", ()))
            assert found == (instruction.operator, argument, decision.support == 0)
            yield decision.level


def is_made(table: RuleTable, status: Status, instruction: Instruction) -> bool:
    """Tell whether an argument is one that no frame of its kind has: with exchanged tokens, as only answers have it."""
    assert isinstance(instruction, ConcatM | ConcatS)
    view = table.categories.view
    kind = (instruction.operator, view(status.top), status.memory)
    frames = [
        counts for (operator, top, memory), counts in table.concat.items() if (operator, view(top), memory) == kind
    ]
    return not any(instruction.parts in counts for counts in frames)


@settings(max_examples=60)
@given(
    st.lists(sources, min_size=1, max_size=6),
    st.lists(st.integers(0, 5), min_size=6, max_size=6),
    st.booleans(),
    st.booleans(),
)
def test_learner_table_and_export_decide_alike(
    drawn: list[tuple[str, ...]], seeds: list[int], alike: bool, contextual: bool
) -> None:
    executions = executions_of(drawn, seeds)
    assume(executions)
    assert list(check_all_decide_alike(executions, alike, contextual))


def test_every_level_has_its_say() -> None:
    """What the property says is said of each level: none of them is left out for want of cases."""
    rng = Random(0)
    levels: set[str] = set()
    for _ in range(40):
        drawn = [tuple(rng.choices(WORDS, k=rng.randint(2, 8))) for _ in range(6)]
        levels.update(check_all_decide_alike(executions_of(drawn, [rng.randrange(6)] * 6), alike=True))
    assert levels == {level.name for level in LEVELS if level.decides}


def test_ties_go_to_the_first_operator_and_to_the_token_that_came_first() -> None:
    codec = Codec([(("a",), ("Y", "X"))])
    rules = CodedRules()
    y, x = codec.tokens["Y"], codec.tokens["X"]
    status = (-1, (0,), (-3,), 0)
    rules.rebuild([((status, 1, x),), ((status, 1, y),)])
    assert rules.decide(status) == (1, y)
