"""Rules by hand: what a person pins is the only rule in its place, what a person forbids is none.

They guide the search for the other rules (`ness.learn.pins`) and are part of the table that answers.
"""

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple, TypeVar

from ness.machine import ConcatM, ConcatS, Instruction, Parts, Reduce, Status, Word
from ness.machine.boundaries import BEGIN, END
from ness.rules.table import Categories, ContextRows, RuleTable, words_of

K = TypeVar("K")
V = TypeVar("V")


class HandRules(NamedTuple):
    """Rules that a person wants, and rules that a person does not want; the counts mean nothing."""

    pinned: RuleTable = RuleTable()
    forbidden: RuleTable = RuleTable()

    @property
    def empty(self) -> bool:
        return not any(table.operators or table.reduce or table.concat for table in self)

    @property
    def allow_boundaries(self) -> bool:
        """Whether begin and end of the input may be words: not where rules say how words are put together without."""
        tops = [status.top for status in self.pinned.operators] + [top for _, top, _ in self.pinned.concat]
        return not tops or any(BEGIN in words_of(top) for top in tops)

    def vocabulary(self) -> tuple[tuple[Word, ...], tuple[str, ...]]:
        """The words and the target tokens of the rules."""
        words: dict[Word, None] = {}
        tokens: dict[str, None] = {}
        for table in self:
            for status in table.operators:
                items = (status.next, *status.top, *(status.second or ()))
                words.update((item, None) for item in items if isinstance(item, str))
            for (_, top, _), arguments in table.concat.items():
                words.update((word, None) for word in words_of(top))
                tokens.update((part, None) for parts in arguments for part in parts if isinstance(part, str))
            for frame, phrases in table.reduce.items():
                words.update((word, None) for word in frame)
                tokens.update((token, None) for phrase in phrases for token in phrase)
        return tuple([word for word in words if word not in (BEGIN, END)]), tuple(tokens)

    def pins(self, status: Status, instruction: Instruction) -> bool:
        """Tell whether a step follows a pinned rule."""
        if isinstance(instruction, Reduce) and words_of(status.top) in self.pinned.reduce:
            return True
        if isinstance(instruction, ConcatM | ConcatS):
            return (instruction.operator, status.top, status.memory) in self.pinned.concat
        return status in self.pinned.operators


NO_RULES = HandRules()


def obeying(table: RuleTable, hand: HandRules) -> RuleTable:
    """Return a table in which pinned rules are the only ones in their places, and forbidden ones are missing."""
    if hand.empty:
        return table
    pinned, forbidden = hand
    concat = dict(table.concat)
    for operator, top, memory in forbidden.concat:  # words of a category are treated alike
        view = table.categories.view(top)
        for key in [k for k in concat if (k[0], table.categories.view(k[1]), k[2]) == (operator, view, memory)]:
            _forbid(concat, key, forbidden.concat[operator, top, memory])
    reduce = dict(table.reduce)
    for frame, phrases in forbidden.reduce.items():
        _forbid(reduce, frame, phrases)
    concat = _pin(concat, pinned.concat)
    # A learned kind is that of a learned phrase.
    kinds = {
        frame: kind
        for frame, kind in table.reduce_kinds.items()
        if frame in reduce and reduce[frame].keys() >= pinned.reduce.get(frame, {}).keys()
    }
    return RuleTable(
        _pin(table.operators, pinned.operators),
        _pin(reduce, pinned.reduce),
        concat,
        _with_new_words(table, pinned.categories),
        tuple(dict.fromkeys((*table.tokens, *hand.vocabulary()[1]))),
        contexts={
            key: _only(rows, concat[key])
            for key, rows in table.contexts.items()
            if key in concat and key not in pinned.concat
        },
        reduce_kinds=kinds | pinned.reduce_kinds,
    )


def _pin(rules: Mapping[K, Counter[V]], pinned: Mapping[K, Counter[V]]) -> dict[K, Counter[V]]:
    """Keep the pinned arguments alone, with the traces that used them."""
    found = dict(rules)
    for key, arguments in pinned.items():
        before = rules.get(key, Counter())
        found[key] = Counter({argument: before.get(argument) or 1 for argument in arguments})
    return found


def _only(rows: ContextRows, allowed: Container[Parts]) -> ContextRows:
    """Keep the arguments that are allowed, by second frame."""
    kept = {second: Counter({p: n for p, n in row.items() if p in allowed}) for second, row in rows.items()}
    return {second: row for second, row in kept.items() if row}


def _forbid(rules: dict[K, Counter[V]], key: K, arguments: Iterable[V]) -> None:
    if key in rules:
        unwanted = set(arguments)
        left = Counter({argument: count for argument, count in rules[key].items() if argument not in unwanted})
        if left:
            rules[key] = left
        else:
            del rules[key]


def _with_new_words(table: RuleTable, wanted: Categories) -> Categories:
    """Let words that no example has behave as the known words of the category that they were put into."""
    known = {item for status in table.operators for item in (status.next, *status.top) if isinstance(item, str)}
    groups = [set(members) for members in table.categories.classes]
    for members in wanted.classes:
        old, new = [word for word in members if word in known], {word for word in members if word not in known}
        if old and new:
            group = next((group for group in groups if old[0] in group), None)
            if group is None:
                groups.append({old[0]} | new)
            else:
                group |= new
    return Categories(groups)
