"""Decisions that a failed hypothesis may do without: what its traces contradict, or do oddly."""

from collections.abc import Callable
from typing import TypeVar

from ness.learn.coded_rules import Ban, CodedRules
from ness.learn.coding import CodedStatus, CodedView, outline
from ness.machine.opcodes import FINAL

K = TypeVar("K")


def contradicted_decisions(rules: CodedRules) -> list[frozenset[Ban]]:
    """Decisions that others contradict in the same status by category."""
    return [group for key, group in _decisions(rules, rules.category_status) if len(rules.by_category[key]) > 1]


def odd_decisions(rules: CodedRules) -> list[frozenset[Ban]]:
    """Decisions that differ from others with the same next word, top frame and memory, and a second frame alike."""
    return [group for key, group in _decisions(rules, rules.category_status) if len(rules.by_outline[outline(key)]) > 1]


def frame_decisions(rules: CodedRules) -> list[frozenset[Ban]]:
    """All decisions, those of the same top frame by category and memory together."""

    def frame(status: CodedStatus) -> tuple[CodedView, int]:
        return rules.categorise(status[1]), status[3]

    return [group for _, group in _decisions(rules, frame)]


def _decisions(rules: CodedRules, key_of: Callable[[CodedStatus], K]) -> list[tuple[K, frozenset[Ban]]]:
    groups: dict[tuple[K, int], list[Ban]] = {}
    for status, counts in rules.by_status.items():
        for operator in counts:
            if operator != FINAL:
                groups.setdefault((key_of(status), operator), []).append((status, operator))
    return [(key, frozenset(groups[key, operator])) for key, operator in sorted(groups)]
