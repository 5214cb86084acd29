"""What was learned, from codes back to words."""

from collections.abc import Mapping

from ness.data.example import Example
from ness.learn.coding import Codec, CodedTrace, Sample, own_of
from ness.learn.constituents.argument_classes import argument_classes
from ness.learn.costs import RuleCosts
from ness.learn.uses import count_uses, steps_by_id
from ness.machine import Program, without_boundaries
from ness.rules import Categories, RuleTable


def decode_rules(
    codec: Codec, rules: RuleCosts, traces: dict[Sample, CodedTrace]
) -> tuple[RuleTable, dict[Example, Program]]:
    """Rules with counts and programs, in words."""
    used = count_uses(traces.values())  # in their order, which decides among equally frequent rules
    members: dict[int, list[str]] = {}
    for word, representative in rules.classes.items():
        members.setdefault(representative, []).append(codec.word(word))
    classes = Categories(group for group in members.values() if len(group) > 1)
    table = RuleTable(categories=classes, tokens=tuple(codec.tokens))
    for (status, operator, argument), count in sorted(used.items(), key=lambda kv: kv[0][0]):
        instruction = codec.instruction(operator, argument, own_of(status, argument, rules.own))
        table.add(codec.status(status), instruction, count)
    table.index()
    if table.names_words:
        table.argument_categories = argument_classes(table.concat, classes)
        table.index()
    return table, _programs(codec, traces, rules.own)


def _programs(codec: Codec, traces: Mapping[Sample, CodedTrace], own: Mapping[int, str]) -> dict[Example, Program]:
    """The programs of all examples that have a trace."""
    steps = steps_by_id(traces.values())
    decoded = dict(zip(steps, codec.program(tuple(steps.values()), own), strict=True))
    return {
        Example(*text_of(codec, sample)): tuple(map(decoded.__getitem__, map(id, trace)))
        for sample, trace in traces.items()
    }


def text_of(codec: Codec, sample: Sample) -> tuple[tuple[str, ...], tuple[str, ...]]:
    source, target = sample
    return without_boundaries(codec.source(source)), codec.phrase(target)


def decode_suspects(codec: Codec, suspicious: Mapping[Sample, str]) -> dict[Example, tuple[str, ...]]:
    """Suspicious examples with the output that the rules expect, in words."""
    return {Example(*text_of(codec, sample)): codec.phrase(output) for sample, output in suspicious.items()}
