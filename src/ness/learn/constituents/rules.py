"""Rules of constituents: what a stretch of a pattern may be, and its type; how they are applied."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ness.learn.constituents.patterns import OpenPattern, replace_spans, spans_made_by
from ness.machine import Word

Rules = dict[OpenPattern, str]  # what a constituent may be made of, and its type
Words = tuple[Word | None, ...]  # the content words of an example, place by place
Patterns = dict[OpenPattern, set[Words]]


class Constituents(NamedTuple):
    """Rules of constituents, and the patterns that are left when they are applied."""

    rules: Rules
    whole: Patterns


class RuleApplication(NamedTuple):
    """One application of a rule to a pattern."""

    begin: int
    end: int
    rule: OpenPattern
    label: str
    pattern: OpenPattern  # afterwards


class RuleIndex:
    """Rules by the first item of their source, long ones first."""

    def __init__(self, rules: Rules) -> None:
        self._by_first: defaultdict[str, list[tuple[OpenPattern, str]]] = defaultdict(list)
        for rule, label in rules.items():
            self._by_first[rule.source[0]].append((rule, label))
        for found in self._by_first.values():
            found.sort(key=lambda each: (-len(each[0].source), -len(each[0].target), repr(each)))

    def steps(self, pattern: OpenPattern) -> Iterator[RuleApplication]:
        """Apply rules to a pattern, from its end, until none applies."""
        while (found := self._first(pattern)) is not None:
            yield found
            pattern = found.pattern

    def _first(self, pattern: OpenPattern) -> RuleApplication | None:
        source = pattern.source
        for begin in range(len(source) - 1, -1, -1):
            for rule, label in self._by_first.get(source[begin], ()):
                end = begin + len(rule.source)
                if source[begin:end] != rule.source or len(rule.source) == len(source):
                    continue
                if spans := spans_made_by(pattern, begin, rule):
                    return RuleApplication(begin, end, rule, label, replace_spans(pattern, begin, end, spans, label))
        return None


def apply_rules(patterns: Mapping[OpenPattern, set[Words]], rules: Rules) -> Patterns:
    """Put types in the place of constituents wherever rules allow it."""
    index = RuleIndex(rules)
    left: defaultdict[OpenPattern, set[Words]] = defaultdict(set)
    for pattern, examples in patterns.items():
        steps = list(index.steps(pattern))
        short = examples
        for begin, end, *_ in steps:
            short = {(*words[:begin], None, *words[end:]) for words in short}
        left[steps[-1].pattern if steps else pattern] |= short
    return dict(left)


def count_symbols(patterns: Iterable[OpenPattern]) -> int:
    """Count the symbols that it takes to write patterns down."""
    return sum(len(source) + len(target) + 1 for source, target in patterns)
