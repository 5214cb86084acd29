"""Decisions from the rule table. No torch here."""

from collections.abc import Iterable, Sequence

from ness.answer.engine import DecisionCache
from ness.machine import Instruction, Status, Word
from ness.rules.table import Decision, RuleTable


class RuleEngine:
    """Follows the rules that the traces taught."""

    def __init__(self, table: RuleTable, seen: Iterable[Word] = ()) -> None:
        """Take the rules, and the words of all training examples."""
        self.table = table
        self.cache = DecisionCache()
        self.words = known_words(table)
        self.unlearned = frozenset(seen) - self.words

    def decide(self, statuses: Sequence[Status]) -> list[Decision | None]:
        """Look each status up; None where no rule covers it."""
        return [self.table.decide(status) for status in statuses]

    def support(self, status: Status, instruction: Instruction) -> int:
        """Count the training traces behind a step."""
        return self.table.support(status, instruction)

    def why_undecided(self, status: Status) -> str:
        """Say which words leave a decision open."""
        return self.table.why_undecided(status)


def known_words(table: RuleTable) -> frozenset[str]:
    """Collect the source words that occur in rules and categories."""
    words = {word for members in table.categories.classes for word in members}
    words.update(word for frame in table.reduce for word in frame)
    for status in table.operators:
        words.update(word for word in (status.next, *status.top, *(status.second or ())) if isinstance(word, str))
    return frozenset(words)
