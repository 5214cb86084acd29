"""What was learned, from codes back to words."""

from collections.abc import Mapping

from ness.data.example import Example
from ness.learn.coding import Codec, CodedTrace, Sample, Step, own_of
from ness.learn.constituents.argument_classes import argument_classes
from ness.learn.costs import RuleCosts
from ness.learn.separators import tell_separators
from ness.learn.uses import SharedSteps
from ness.machine import Instruction, Program, without_boundaries
from ness.rules import Categories, RuleTable


def decode_rules(
    codec: Codec, rules: RuleCosts, traces: dict[Sample, CodedTrace]
) -> tuple[RuleTable, dict[Example, Program]]:
    """Rules with counts and programs, in words."""
    steps = SharedSteps(traces.values())
    used = steps.count(lambda step: step)  # in their order, which decides among equally frequent rules
    members: dict[int, list[str]] = {}
    for word, representative in rules.classes.items():
        members.setdefault(representative, []).append(codec.word(word))
    classes = Categories(group for group in members.values() if len(group) > 1)
    table = RuleTable(categories=classes, tokens=tuple(codec.tokens))
    uses = {}
    for step, count in sorted(used.items(), key=lambda kv: kv[0][0]):
        status, instruction = codec.status(step[0]), _instruction(codec, step, rules.own)
        table.add(status, instruction, count)
        uses[status, instruction] = count
    if rules.contextual:
        table.tell_contexts(uses)
    if not rules.own:
        tell_separators(table, [codec.source(source) for source, _ in traces])
    table.index()
    if table.names_words:
        table.argument_categories = argument_classes(table.concat, classes)
        table.index()
    programs = steps.map(lambda step: _instruction(codec, step, rules.own))
    examples = [Example(*text_of(codec, sample)) for sample in traces]
    return table, dict(zip(examples, programs, strict=True))


def _instruction(codec: Codec, step: Step, own: Mapping[int, str]) -> Instruction:
    status, operator, argument = step
    return codec.instruction(operator, argument, own_of(status, argument, own))


def text_of(codec: Codec, sample: Sample) -> tuple[tuple[str, ...], tuple[str, ...]]:
    source, target = sample
    return without_boundaries(codec.source(source)), codec.phrase(target)


def decode_suspects(codec: Codec, suspicious: Mapping[Sample, str]) -> dict[Example, tuple[str, ...]]:
    """Suspicious examples with the output that the rules expect, in words."""
    return {Example(*text_of(codec, sample)): codec.phrase(output) for sample, output in suspicious.items()}
