"""Rules as text for people: the categories, then one line per rule with its words and counts.

    <jump>  []  none  [] => SHIFT {jump 12, look 9}

reads: when the next word is of jump's category, the top frame is empty, there is no second frame and the
memory is empty, then SHIFT; seen in 12 traces with "jump" and in 9 with "look". `ness.rules.parse` reads it
back. Words that could be mistaken for something else are written as JSON strings.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ness.machine import (
    ConcatM,
    ConcatS,
    Instruction,
    Next,
    Operator,
    Part,
    Parts,
    Reduce,
    Seen,
    Status,
    View,
    Word,
    format_parts,
    kind_of,
    show_phrase,
    without_kind,
)
from ness.machine.instructions import quote
from ness.rules.hand import NO_RULES, HandRules
from ness.rules.serialise import in_order, preferred, second_order, status_order, view_order
from ness.rules.table import Categories, ConcatKey, RuleTable

SECTIONS = {
    "categories": "words that are treated alike",
    "operators": "next word, top frame, second frame, memory => operator, traces",
    "reduce": "words of the top frame => phrase, traces",
    "concat_m": "top frame, memory => items joined into the memory, traces",
    "concat_s": "top frame, memory => items joined into the top frame, traces",
    "tokens": "of equally frequent rules, the one whose tokens stand first here is taken",
    "argument_categories": "words that are treated alike in the arguments of CONCAT",
    "imagined": "as under operators, in places that no example shows",
}
OPTIONAL = ("argument_categories", "imagined")  # sections that few tables have
CONCAT = {"concat_m": Operator.CONCAT_M, "concat_s": Operator.CONCAT_S}
LEGEND = "# <word> any word of its category | ● a phrase | end: of the input | none: no second frame"
_KINDS = "# ●1 a phrase of the first kind; behind => what is made is of that kind"
ABOVE = "above"  # before a second frame
RESERVED = ("end", "none", *SECTIONS)
MARKS = r"\[\]{}<>=,●#"
NO_TABLE = RuleTable()
_PINNED = "  # pinned"
_WIDTH = 110
_COLUMN = 36


class _Rule(NamedTuple):
    """One line: columns by category, what to do, and the words behind it with their counts."""

    columns: tuple[str, ...]
    action: str
    cases: list[tuple[tuple[Word, ...], int]]
    mark: str = ""  # a comment


def format_rules(table: RuleTable, hand: HandRules = NO_RULES) -> str:
    """Write a table so that a person, and `parse_rules`, can read it; what stands there by hand says so."""
    legend = f"{LEGEND}\n{_KINDS}" if table.kinds else LEGEND
    text = "\n\n".join((legend, *_sections(table, hand.pinned).values())) + "\n"
    forbidden = [line for part in _forbidden(hand).values() for line in part]
    return text + "".join(f"\n# forbidden:{line}" for line in forbidden)


def format_hand(hand: HandRules) -> str:
    """Write rules by hand as `parse_hand` reads them."""
    pinned, forbidden = _sections(hand.pinned), _forbidden(hand)
    parts = ["\n".join((pinned[name], *forbidden.get(name, ()))) for name in pinned]
    return "\n\n".join((LEGEND, *parts)) + "\n"


def _forbidden(hand: HandRules) -> dict[str, list[str]]:
    """The lines of forbidden rules."""
    table = RuleTable({}, hand.forbidden.reduce, hand.forbidden.concat, hand.pinned.categories)
    sections = _sections(table, arrow="=> not")
    return {name: sections[name].split("\n")[1:] for name in ("reduce", *CONCAT)}


def format_step(top: View, memory: View, instruction: Instruction) -> str:
    """Write the rule behind a step, without counts."""
    show = _Writer(Categories())
    if isinstance(instruction, Reduce):
        return f"{show.view(top)} => [{show.words(instruction.phrase)}]" + show.kind(instruction.kind)
    if isinstance(instruction, ConcatM | ConcatS):
        return f"{show.view(top)} {show.view(memory)} => {show.parts(instruction.parts)}"
    return f"{show.view(top)} {show.view(memory)} => {instruction.operator}"


def _sections(table: RuleTable, pinned: RuleTable = NO_TABLE, arrow: str = "=>") -> dict[str, str]:
    """Write the parts of a table, each under its name."""
    show = _Writer(table.categories)
    lines = {
        "categories": _category_lines(table.categories, show),
        "operators": _layout(_operator_rules(table, show, pinned), show),
        "reduce": _layout(_reduce_rules(table, show, pinned), show, arrow),
        **{name: _layout(_concat_rules(table, kind, show, pinned), show, arrow) for name, kind in CONCAT.items()},
        "tokens": show.lines(table.tokens),
        "argument_categories": _category_lines(table.argument_categories, show),
        "imagined": _layout(_imagined_rules(table, show), show),
    }
    shown = [name for name in SECTIONS if lines[name] or name not in OPTIONAL]
    return {name: "\n".join((f"{name}  # {SECTIONS[name]}", *lines[name])) for name in shown}


def _category_lines(categories: Categories, show: "_Writer") -> list[str]:
    return [f"  <{show.word(members[0])}> = {show.words(members)}" for members in categories.classes]


class _Writer:
    """Writes words and views, with categories in place of their members."""

    def __init__(self, categories: Categories) -> None:
        self._categories = categories
        self._shared = {word for members in categories.classes if len(members) > 1 for word in members}

    def word(self, word: Word) -> str:
        mistakable = word in RESERVED or re.search(f"[{MARKS}]", word)
        return json.dumps(word, ensure_ascii=not word.isprintable()) if mistakable else quote(word)

    def words(self, words: Iterable[Word]) -> str:
        return " ".join(map(self.word, words))

    def lines(self, words: Iterable[Word]) -> list[str]:
        """Write many words on lines that are not too long."""
        rows = [""]
        for word in map(self.word, words):
            if len(rows[-1]) + len(word) > _WIDTH:
                rows.append("")
            rows[-1] += f" {word}"
        return [f" {row}" for row in rows if row]

    def item(self, item: Seen) -> str:
        if not isinstance(item, str):
            return show_phrase(item)
        return f"<{self.word(self._categories.of(item))}>" if item in self._shared else self.word(item)

    def next(self, word: Next) -> str:
        return self.item(word) if isinstance(word, str) else "end"

    def parts(self, parts: Parts) -> str:
        """Write the parts of a CONCAT: `2,0`, or `[( 0 AND 2 )]` for a template; a token of digits is quoted."""
        kind, parts = self.kind(kind_of(parts)), without_kind(parts)
        if all(isinstance(part, int) for part in parts):
            return format_parts(parts) + kind
        return f"[{' '.join(map(self._part, parts))}]" + kind

    def kind(self, kind: int) -> str:
        """Write the kind of the phrase that is made."""
        return f" ●{kind}" if kind else ""

    def _part(self, part: Part) -> str:
        if isinstance(part, int):
            return str(part)
        return json.dumps(part) if part.isdecimal() else self.word(part)

    def view(self, items: View) -> str:
        return "[" + " ".join(map(self.item, items)) + "]"

    def second(self, items: View | None) -> str:
        return "none" if items is None else self.view(items)

    def status(self, status: Status) -> tuple[str, ...]:
        return self.next(status.next), self.view(status.top), self.second(status.second), self.view(status.memory)

    def hidden(self, items: Iterable[object]) -> tuple[Word, ...]:
        """Return the words that a category stands for."""
        return tuple(item for item in items if isinstance(item, str) and item in self._shared)


def _operator_rules(table: RuleTable, show: _Writer, pinned: RuleTable) -> list[_Rule]:
    general = table.categories.status
    rules: dict[tuple[str, ...], _Rule] = {}
    for status in sorted(table.operators, key=lambda status: (status_order(general(status)), status_order(status))):
        columns = show.status(status)
        words = show.hidden((status.next, *status.top, *(status.second or ())))
        for operator, count in in_order(table.operators[status]):
            mark = _PINNED if status in pinned.operators else ""
            rule = rules.setdefault((*columns, operator.value, mark), _Rule(columns, operator.value, [], mark))
            rule.cases.append((words, count))
    return list(rules.values())


def _imagined_rules(table: RuleTable, show: _Writer) -> list[_Rule]:
    rules = []
    for status in sorted(table.imagined, key=status_order):
        words = show.hidden((status.next, *status.top, *(status.second or ())))
        rules.append(_Rule(show.status(status), table.imagined[status].value, [(words, 1)]))
    return rules


def _reduce_rules(table: RuleTable, show: _Writer, pinned: RuleTable) -> list[_Rule]:
    return [
        _Rule(
            (f"[{show.words(frame)}]",),
            f"[{show.words(phrase)}]" + show.kind(table.reduce_kinds.get(frame, 0)),
            [((), count)],
            _PINNED if frame in pinned.reduce else "",
        )
        for frame, counts in sorted(table.reduce.items())
        for phrase, count in preferred(counts)
    ]


def _concat_rules(table: RuleTable, operator: Operator, show: _Writer, pinned: RuleTable) -> list[_Rule]:
    general = table.categories.view
    rules: dict[tuple[str, ...], _Rule] = {}
    keys = [(top, memory) for kind, top, memory in table.concat if kind is operator]
    for top, memory in sorted(keys, key=lambda key: (view_order(general(key[0])), *map(view_order, key))):
        key = (operator, top, memory)
        mark = _PINNED if key in pinned.concat else ""
        for above, words, counts in _by_second(table, key, show):
            columns = (show.view(top), show.view(memory) + above)
            for parts, count in in_order(counts):
                action = show.parts(parts)
                rule = rules.setdefault((*columns, action, mark), _Rule(columns, action, [], mark))
                rule.cases.append(((*show.hidden(top), *words), count))
    return list(rules.values())


def _by_second(
    table: RuleTable, key: ConcatKey, show: _Writer
) -> list[tuple[str, tuple[Word, ...], Mapping[Parts, int]]]:
    """The arguments of a frame, by second frame where that tells which, with the words that its categories hide."""
    rows = table.contexts.get(key)
    if rows is None:
        return [("", (), table.concat[key])]
    return [
        (f" {ABOVE} {show.second(second)}", show.hidden(second or ()), rows[second])
        for second in sorted(
            rows, key=lambda second: (second_order(table.categories.second(second)), second_order(second))
        )
    ]


def _layout(rules: list[_Rule], show: _Writer, arrow: str = "=>") -> list[str]:
    """Align the columns of rules, and break long lists of words."""
    widths = [min(_COLUMN, max(map(len, column))) for column in zip(*(rule.columns for rule in rules), strict=True)]
    lines: list[str] = []
    for rule in rules:
        cells = [cell.ljust(width) for cell, width in zip(rule.columns, widths, strict=True)]
        line = f"  {'  '.join(cells)} {arrow} {rule.action}"
        if not rule.cases[0][0]:
            lines.append(f"{line} {rule.cases[0][1]}{rule.mark}")
            continue
        cases = [f"{show.words(words)} {count}" for words, count in rule.cases]
        line += " {" + cases[0]
        for case in cases[1:]:
            if len(line) + len(case) > _WIDTH:
                lines.append(line + ",")
                line = " " * 8 + case
            else:
                line += f", {case}"
        lines.append(line + "}" + rule.mark)
    return lines
