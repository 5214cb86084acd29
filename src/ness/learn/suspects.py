"""The rule or the line? Which samples that the rules get wrong are probably wrong themselves.

A line is suspicious where every step of the rules on its input is well supported by lines that are right, and the
output of the rules is a small edit away from the line's. Where a rule is as often wrong as right, the rule is to blame;
where several wrong lines share a word, or two words side by side, that hardly a right line has, these are the reason.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from ness.data.example import Example
from ness.learn.coded_rules import CodedRules
from ness.learn.coding import CodedTrace, Sample, Step, without_kinds
from ness.learn.constituents.writing import answers
from ness.learn.replay import Replay
from ness.learn.uses import SharedSteps
from ness.machine.opcodes import REDUCE
from ness.rules import RuleTable

SUPPORT = 3  # lines at least that are right by a rule, for each that is wrong by it
_RARE = 2  # lines at most that are wrong by a rule: too few to blame it
_EDITS = 4  # one token of so many may differ, or one at all


class Verdict(NamedTuple):
    """What the rules get wrong: by their own fault, and by that of a line, with the output that they expect."""

    errors: list[Sample]
    suspects: dict[Sample, str]

    @property
    def failed(self) -> int:
        return len(self.errors) + len(self.suspects)


def find_suspects(
    rules: CodedRules,
    samples: Sequence[Sample],
    others: Iterable[Sample] = (),
    solved: Mapping[Sample, CodedTrace] | None = None,
) -> Verdict:
    """Run the samples; tell errors of the rules from suspicious lines. Others can only speak for a rule.

    `solved` are the traces of the samples that the rules solve, if these are known already.
    """
    replay = Replay(rules)
    if solved is None:
        traces = [replay.trace(sample) for sample in samples]
    else:
        traces = [solved.get(sample) for sample in samples]
    failed = [sample for sample, trace in zip(samples, traces, strict=True) if trace is None]
    if not failed:
        return Verdict([], {})
    traces += [replay.trace(sample) for sample in others]
    solved_ones = [trace for trace in traces if trace is not None]
    right = _count_rules(rules, solved_ones)
    shown = set(SharedSteps(solved_ones).count(partial(_decision_of, rules)))
    expected = {sample: replay.steps(sample[0]) for sample in failed}
    wrong = _count_rules(rules, [steps for _, steps in expected.values()])

    def is_supported(key: Hashable, wider: Hashable) -> bool:
        """Tell whether lines enough are right by a rule; a rare one is judged by the wider rule behind it.

        What no right line shows is extrapolated: then the rules may be wrong, not the line.
        """
        own = right[key] >= SUPPORT * wrong[key]
        return own or (right[key] > 0 and wrong[key] <= _RARE and right[wider] >= SUPPORT * wrong[wider])

    suspects = {
        sample: output
        for sample, (output, steps) in expected.items()
        if output is not None
        and all(_decision_of(rules, step) in shown and is_supported(*_rule_of(rules, step)) for step in steps)
        and is_small_edit(output, sample[1])
    }
    if suspects:
        content = {token for phrases in rules.reduce.values() for phrase in phrases for token in phrase}
        reasons = Reasons(content)
        for sample, trace in zip(samples, traces, strict=False):
            reasons.add(sample[0], sample[1], sample[1] if trace is not None else expected[sample][0])
        suspects = {sample: output for sample, output in suspects.items() if not reasons.explain(*sample, output)}
    return Verdict([sample for sample in failed if sample not in suspects], suspects)


class Reasons:
    """What wrong lines may have in common: words; or words side by side, and what is odd about the output."""

    def __init__(self, content: set[str]) -> None:
        self._content = content  # tokens that differ from line to line for good reasons
        self._right: Counter[Hashable] = Counter()
        self._wrong: Counter[Hashable] = Counter()

    def add(self, source: Sequence[Hashable], target: Sequence[str], output: Sequence[str] | None) -> None:
        """Note a line with the output that is expected, if there is one."""
        if output == target:
            self._right.update({*source, *pairwise(source)})
        else:
            edit = self._edit(target, output or ())
            self._wrong.update({*source, *[(*pair, edit) for pair in pairwise(source)]})

    def explain(self, source: Sequence[Hashable], target: Sequence[str], output: Sequence[str]) -> bool:
        """Tell whether something of a wrong line may be the reason: its words, or what it shares with another one."""
        edit = self._edit(target, output)
        return any(self._right[word] < SUPPORT * self._wrong[word] for word in source) or any(
            1 < self._wrong[*pair, edit] > self._right[pair] / SUPPORT for pair in pairwise(source)
        )

    def _edit(self, target: Sequence[str], output: Sequence[str]) -> Hashable:
        """What is too much in an output, and what is missing; tokens of its own content words without their names."""
        have, want = Counter(target), Counter(output)
        own = self._content & want.keys()
        parts = (have - want, want - have)
        return tuple([frozenset("" if token in own else token for token in part) for part in parts])


def contradicted_by_table(table: RuleTable, examples: Sequence[Example]) -> dict[Example, tuple[str, ...]]:
    """Map examples to the outputs of rules that were learned without them, where nothing explains the difference."""
    outputs = dict(zip(examples, answers(table, [example.source for example in examples]), strict=True))
    reasons = Reasons({token for phrases in table.reduce.values() for phrase in phrases for token in phrase})
    for example, output in outputs.items():
        reasons.add(*example, output)
    return {
        example: output
        for example, output in outputs.items()
        if output is not None and is_small_edit(output, example.target) and not reasons.explain(*example, output)
    }


def is_contradicted(rules: CodedRules, sample: Sample, replay: Replay) -> bool:
    """Tell whether rules that several other traces use give nearly the output of a sample, but not quite."""
    source, target = sample
    output, steps = replay.steps(source)
    if output is None or not is_small_edit(output, target):
        return False
    return all(_uses(rules, step) >= SUPPORT for step in steps)


def _uses(rules: CodedRules, step: Step) -> int:
    status, operator, argument = step
    if operator == REDUCE:
        assert isinstance(argument, str)
        return rules.reduce.get(status[1], {}).get(argument, 0)
    return rules.by_category.get(rules.category_status(status), {}).get(operator, 0)


def _count_rules(rules: CodedRules, executions: Iterable[Sequence[Step]]) -> Counter[Hashable]:
    """How many executions use each rule, and each wider one behind it."""
    counts: Counter[Hashable] = Counter()
    for pair, times in SharedSteps(executions).count(lambda step: _rule_of(rules, step)).items():
        for key in pair:
            counts[key] += times
    return counts


def _rule_of(rules: CodedRules, step: Step) -> tuple[Hashable, Hashable]:
    """The rule that a step uses, and the wider rule behind it.

    By category, and behind that without the second frame; REDUCE by its very words alone.
    """
    status, operator, argument = step
    if operator == REDUCE:
        return (status[1], operator, argument), (status[1], operator, argument)
    by_category = rules.category_status(status)
    return (by_category, operator, argument), (by_category[0], by_category[1], by_category[3], operator, argument)


def _decision_of(rules: CodedRules, step: Step) -> Hashable:
    """The decision that a step takes: words with a phrase of their own by category, all others as they are.

    Two words that join phrases may be of one category and yet bind differently where they meet: only a line on which
    they meet so tells.
    """
    (next_word, top, second, memory), operator, _ = step

    def as_shown(word: int) -> int:
        return rules.classes.get(word, word) if (word,) in rules.reduce else word

    views = [tuple(map(as_shown, view)) for view in (top, second)]
    return as_shown(next_word), *map(without_kinds, views), memory, operator


def is_small_edit(output: Sequence[str], target: Sequence[str]) -> bool:
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
