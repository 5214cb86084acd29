"""Decisions from the rule table. No torch here."""

from collections.abc import Sequence

from ness.answer.engine import DecisionCache
from ness.machine import Status
from ness.rules.table import Decision, RuleTable


class RuleEngine:
    """Follows the rules that the traces taught."""

    def __init__(self, table: RuleTable) -> None:
        self.table = table
        self.cache = DecisionCache()
        self.words = known_words(table)

    def decide(self, statuses: Sequence[Status]) -> list[Decision | None]:
        """Look each status up; None where no rule covers it."""
        return [self.table.decide(status) for status in statuses]


def known_words(table: RuleTable) -> frozenset[str]:
    """Collect the source words that occur in rules and categories."""
    words = {word for members in table.categories.classes for word in members}
    words.update(word for frame in table.reduce for word in frame)
    for status in table.operators:
        words.update(word for word in (status.next, *status.top, *(status.second or ())) if isinstance(word, str))
    return frozenset(words)
