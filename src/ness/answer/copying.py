"""Unknown words written as they are, read as members of the category whose place they take. No torch here.

Rules say what the words of a category have in common. A word that no example has is taken for a member of the category
that fits where it stands, categories whose words are copied first, then large ones; what the members' own tokens are in
a rule, the word itself is for it. Nothing of this has support.
"""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import islice, product

from ness.answer.engine import DecisionCache, Engine
from ness.answer.noisy_engine import AnyWord, CopyAlone
from ness.answer.rule_engine import known_words
from ness.machine import ConcatM, ConcatS, Instruction, Operator, Parts, Reduce, Seen, Status, View, Word
from ness.machine.boundaries import BEGIN, END
from ness.rules.backoff import most_used
from ness.rules.table import Decision, RuleTable, words_of

_MOST = 400  # ways to read the unknown words of one status
StandIns = Mapping[Word, Word]  # unknown words, and the known ones that are read in their place


class CopyAsMember:
    """Asks another engine; where an unknown word is seen, asks exact rules about a word that could stand there."""

    def __init__(self, engine: Engine, table: RuleTable) -> None:
        self.engine = engine
        self.cache = DecisionCache()
        self.words: Container[Word] = AnyWord(engine.words)
        self.unlearned: Container[Word] = frozenset()
        self._table = table
        self._categories = _categories(table)

    def decide(self, statuses: Sequence[Status]) -> list[Decision | None]:
        """Decide in each status; what shows no unknown word is the other engine's decision."""
        unknown = [self._unknown(status) for status in statuses]
        known = [status for status, words in zip(statuses, unknown, strict=True) if not words]
        asked = iter(self.engine.decide(known) if known else ())
        return [
            self._as_members(status, words) if words else next(asked)
            for status, words in zip(statuses, unknown, strict=True)
        ]

    def support(self, status: Status, instruction: Instruction) -> int:
        """Count the training traces behind a step; what shows an unknown word has none."""
        return 0 if self._unknown(status) else self.engine.support(status, instruction)

    def why_undecided(self, status: Status) -> str:
        """Say what leaves a decision open; of unknown words nothing is known."""
        return "" if self._unknown(status) else self.engine.why_undecided(status)

    def _unknown(self, status: Status) -> list[Word]:
        seen = dict.fromkeys((status.next, *status.top, *(status.second or ())))
        return [word for word in seen if isinstance(word, str) and word not in self.engine.words]

    def _as_members(self, status: Status, unknown: Sequence[Word]) -> Decision | None:
        """Take the first reading whose decision examples support, else the first that leads to any."""
        extrapolated = None
        for known in islice(product(self._categories, repeat=len(unknown)), _MOST):
            stand_ins = dict(zip(unknown, known, strict=True))
            decision = self._table.decide(_with_stand_ins(status, stand_ins))
            written = decision and self._written(status, stand_ins, decision.instruction)
            if decision and written:
                copied = Decision(written, 0, decision.probability, "copied")
                if decision.support:
                    return copied
                extrapolated = extrapolated or copied
        return extrapolated

    def _written(self, status: Status, stand_ins: StandIns, instruction: Instruction) -> Instruction | None:
        """Put an unknown word where the arguments of its category differ; None where it would be lost."""
        unknown = [word for word in status.top if word in stand_ins]
        if not unknown or not isinstance(instruction, Reduce | ConcatM | ConcatS):
            return instruction
        if len(unknown) > 1:
            return None
        (word,) = unknown
        members = self._categories[stand_ins[str(word)]]
        variants = list(self._arguments(status, word, members, instruction.operator))
        if isinstance(instruction, ConcatM) and len(set(variants)) == 1:
            return instruction  # the word stays in its frame
        around = ((), ()) if len(status.top) == 1 and len(variants) == 1 else _around(variants)
        if around is None:
            return None
        before, after = around
        return type(instruction)((*before, str(word), *after))  # type: ignore[arg-type]  # REDUCE has tokens only

    def _arguments(self, status: Status, word: Seen, members: Sequence[Word], operator: Operator) -> Iterator[Parts]:
        """The argument that each member of a category has in a frame."""
        for member in members:
            top = tuple([member if item == word else item for item in status.top])
            rules = self._table.reduce.get(words_of(top)) if operator is Operator.REDUCE else None
            found = most_used(rules or self._table.concat.get((operator, top, status.memory)), self._table.order)
            if (operator, top, status.memory) in self._table.contexts:
                second = self._table.categories.second(status.second)
                told = self._table.arguments.find(operator, top, status.memory, second)
                found = told and told.argument
            if found is not None:
                yield found


def copy_unknown_words(engine: Engine, table: RuleTable, weighed: bool) -> Engine:
    """Make an engine write unknown words as they are; weighed rules know no categories and read them alone."""
    return CopyAlone(engine) if weighed else CopyAsMember(engine, table)


def _categories(table: RuleTable) -> dict[Word, tuple[Word, ...]]:
    """The categories that an unknown word may belong to, each by the member that most rules have, the likeliest first.

    Words that are in no category count as one each, if they are translated alone.
    """
    used: Counter[Word] = Counter()
    for frame in (*table.reduce, *(words_of(top) for _, top, _ in table.concat)):
        used.update(frame)
    lone = {frame[0]: most_used(phrases) for frame, phrases in table.reduce.items() if len(frame) == 1}
    several = [members for members in table.categories.classes if len(members) > 1]
    single = known_words(table).difference(*several, (BEGIN, END)) & lone.keys()
    categories = [*several, *((word,) for word in sorted(single))]
    categories.sort(key=lambda members: (any(lone.get(word) != (word,) for word in members), -len(members), members))
    return {max(members, key=lambda word: (used[word], word)): members for members in categories}


def _around(variants: Sequence[Parts]) -> tuple[Parts, Parts] | None:
    """What arguments have in common before and after tokens of their own; None where some have none of their own."""
    if len(variants) < 2:
        return None
    before = _common_beginning(variants)
    backwards = _common_beginning([variant[len(before) :][::-1] for variant in variants])
    own = [variant[len(before) : len(variant) - len(backwards)] for variant in variants]
    if not all(tokens and all(isinstance(token, str) for token in tokens) for tokens in own):
        return None
    return before, backwards[::-1]


def _common_beginning(variants: Sequence[Parts]) -> Parts:
    different = (len(set(parts)) > 1 for parts in zip(*variants, strict=False))
    return variants[0][: next((length for length, differs in enumerate(different) if differs), min(map(len, variants)))]


def _with_stand_ins(status: Status, stand_ins: StandIns) -> Status:
    def view(items: View) -> View:
        return tuple([stand_ins.get(item, item) if isinstance(item, str) else item for item in items])

    following = stand_ins.get(status.next, status.next) if isinstance(status.next, str) else status.next
    return Status(following, view(status.top), None if status.second is None else view(status.second), status.memory)
