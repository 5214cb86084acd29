"""The rule or the line? Which samples that the rules get wrong are probably wrong themselves.

A line is suspicious where every step of the rules on its input is well supported by lines that are right, and the
output of the rules is a small edit away from the line's. Where a rule is as often wrong as right, the rule is to blame.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ness.learn.coded_rules import CodedRules
from ness.learn.coding import Sample, Step
from ness.learn.replay import Memo, follow_steps, greedy_trace
from ness.machine.opcodes import REDUCE

SUPPORT = 3  # lines at least that are right by a rule, for each that is wrong by it
_EDITS = 4  # one token of so many may differ, or one at all


class Verdict(NamedTuple):
    """What the rules get wrong: by their own fault, and by that of a line, with the output that they expect."""

    errors: list[Sample]
    suspects: dict[Sample, str]

    @property
    def failed(self) -> int:
        return len(self.errors) + len(self.suspects)


def tell_apart(rules: CodedRules, samples: Sequence[Sample], others: Iterable[Sample] = ()) -> Verdict:
    """Run the samples; tell errors of the rules from suspicious lines. Others can only speak for a rule."""
    memo: Memo = {}
    traces = [greedy_trace(rules, sample, memo) for sample in samples]
    failed = [sample for sample, trace in zip(samples, traces, strict=True) if trace is None]
    if not failed:
        return Verdict([], {})
    traces += [greedy_trace(rules, sample, memo) for sample in others]
    right = Counter(key for trace in traces if trace is not None for key in _keys(rules, trace))
    expected = {sample: follow_steps(rules, sample[0], memo) for sample in failed}
    wrong = Counter(key for _, steps in expected.values() for key in _keys(rules, steps))
    suspects = {
        sample: output
        for sample, (output, steps) in expected.items()
        if output is not None
        and all(right[key] >= SUPPORT * wrong[key] for key in _keys(rules, steps))
        and is_near(output, sample[1])
    }
    return Verdict([sample for sample in failed if sample not in suspects], suspects)


def is_contradicted(rules: CodedRules, sample: Sample, memo: Memo) -> bool:
    """Tell whether rules that several other traces use give nearly the output of a sample, but not quite."""
    source, target = sample
    output, steps = follow_steps(rules, source, memo)
    if output is None or not is_near(output, target):
        return False
    return all(_uses(rules, step) >= SUPPORT for step in steps)


def _uses(rules: CodedRules, step: Step) -> int:
    status, operator, argument = step
    if operator == REDUCE:
        assert isinstance(argument, str)
        return rules.reduce.get(status[1], {}).get(argument, 0)
    return rules.by_category.get(rules.category_status(status), {}).get(operator, 0)


def _keys(rules: CodedRules, steps: Iterable[Step]) -> list[tuple[object, ...]]:
    """The rules that an execution uses: by category, but REDUCE by its very words; each once."""
    found: dict[tuple[object, ...], None] = {}
    for status, operator, argument in steps:
        found[status[1] if operator == REDUCE else rules.category_status(status), operator, argument] = None
    return list(found)


def is_near(output: Sequence[str], target: Sequence[str]) -> bool:
    """Tell whether two outputs differ by a small edit: a few tokens dropped, exchanged or inserted."""
    most = max(1, len(output) // _EDITS)
    return output != target and abs(len(output) - len(target)) <= most and _distance(output, target) <= most


def _distance(left: Sequence[str], right: Sequence[str]) -> int:
    row = list(range(len(right) + 1))
    for place, mine in enumerate(left, 1):
        before, row[0] = row[0], place
        for other, theirs in enumerate(right, 1):
            before, row[other] = row[other], min(row[other] + 1, row[other - 1] + 1, before + (mine != theirs))
    return row[-1]
