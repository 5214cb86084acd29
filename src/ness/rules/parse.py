"""Reads the text form of rules that `ness.rules.text` writes. Line breaks and comments mean nothing."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple, NoReturn, TypeVar

from ness.errors import CheckpointError
from ness.machine import EOS, PHRASE, Next, Operator, Part, Parts, PhraseMark, Status, View, Word, phrase_mark
from ness.rules.hand import HandRules
from ness.rules.serialise import check_parts, check_status
from ness.rules.table import Categories, RuleTable
from ness.rules.text import ABOVE, CONCAT, MARKS, OPTIONAL, RESERVED, SECTIONS

_TOKEN = re.compile(rf'(?:\s|#[^\n]*)*(=>|●[1-9][0-9]*|[{MARKS}]|"(?:[^"\\]|\\.)*"|[^\s{MARKS}"]+|$)')
_KIND = re.compile("●[1-9][0-9]{0,3}")
_BY_HAND = "a rule by hand holds above every second frame"
K = TypeVar("K")
V = TypeVar("V")


class _AnyMember(NamedTuple):
    """Any word of a category."""

    representative: Word


_Item = Word | _AnyMember | PhraseMark
_Pattern = list[_Item]


def parse_rules(text: str) -> RuleTable:
    """Read a table as `format_rules` writes it; raise CheckpointError where it cannot be read."""
    return _Parser(text).table()


def parse_hand(text: str) -> HandRules:
    """Read rules by hand: the same, with sections, counts and words left out; `=> not` forbids a REDUCE or CONCAT."""
    parser = _Parser(text, by_hand=True)
    return HandRules(parser.table(), parser.forbidden)


class _Parser:
    def __init__(self, text: str, by_hand: bool = False) -> None:
        self._by_hand = by_hand
        self.forbidden = RuleTable()
        self._tokens: list[tuple[str, int]] = []  # with the place, for messages
        self._text = text
        position = 0
        while position < len(text):
            found = _TOKEN.match(text, position)
            if not found:
                self._fail("a quote is missing", position)
            self._tokens.append((found[1], found.start(1)))
            position = found.end()
        self._tokens.append(("", len(text)))
        self._next = 0
        self._above: int | None = None  # the place of the first second frame in a CONCAT rule
        self._categories = Categories()

    def table(self) -> RuleTable:
        table = RuleTable()
        imagined: dict[Status, Counter[Operator]] = {}
        for section in SECTIONS:
            if (self._by_hand or section in OPTIONAL) and self._peek() != section:
                continue
            self._expect(section)
            while self._peek() not in ("", *SECTIONS):
                if section == "tokens":
                    table.tokens += (self._word(),)
                elif section == "categories":
                    self._categories = self._category(self._categories)
                elif section == "argument_categories":
                    table.argument_categories = self._category(table.argument_categories)
                elif section == "operators":
                    self._operator_rule(table.operators)
                elif section == "imagined":
                    self._operator_rule(imagined)
                elif section == "reduce":
                    self._reduce_rule(table)
                else:
                    self._concat_rule(table, CONCAT[section])
        if self._peek() in SECTIONS:
            self._fail(f"section '{self._take()}' comes twice, or after one that stands behind it")
        if self._peek():
            self._take()
            self._fail(f"expected a section: {', '.join(SECTIONS)}")
        if self._by_hand and self._above is not None and not table.tokens:  # with tokens it is a whole table
            self._fail(_BY_HAND, self._above)
        if len(set(table.tokens)) < len(table.tokens):
            self._fail("a token is listed twice")
        table.categories = self._categories
        table.imagined = {status: max(operators) for status, operators in imagined.items()}
        try:
            table.count_contexts()
        except CheckpointError as error:
            self._fail(str(error), self._above)
        table.index()
        return table

    def _category(self, known: Categories) -> Categories:
        """Read one more category."""
        self._expect("<")
        representative = self._word()
        self._expect(">")
        self._expect("=")
        members = [self._word()]
        while self._peek() not in ("<", "", *SECTIONS):
            members.append(self._word())
        classes = known.classes
        if len(set(members)) < len(members) or any(word in others for others in classes for word in members):
            self._fail("a word has one category, and is listed there once")
        if representative not in members:
            self._fail(f"a category is named after one of its words, not {representative!r}")
        if representative != min(members) and not self._by_hand:
            self._fail(f"a category is named after its first word in order, here {min(members)!r}")
        return Categories([*classes, members])

    def _operator_rule(self, rules: dict[Status, Counter[Operator]]) -> None:
        if self._peek() == "●":
            self._fail("the next word cannot be a phrase")
        following = [] if self._accept("end") else [self._item()]
        top = self._view()
        second = self._second()
        memory = self._memory()
        self._expect("=>")
        if self._by_hand and self._peek() == "not":
            self._fail("an operator can be pinned, not forbidden; pin the one that is right here")
        name = self._take()
        if name not in Operator.__members__:
            self._fail(f"expected an operator, one of {', '.join(Operator)}")
        operator = Operator(name)
        for words, count in self._cases([*following, *top, *(second or [])]):
            status = Status(
                self._following(self._fill(following, words)),
                self._fill(top, words),
                None if second is None else self._fill(second, words),
                memory,
            )
            self._check(check_status, status, [operator])
            self._count(rules, status, operator, count)

    def _reduce_rule(self, table: RuleTable) -> None:
        frame = self._words()
        self._expect("=>")
        table = self._wanted(table)
        phrase = self._words()
        if not phrase:
            self._fail("REDUCE needs at least one target token")
        kind = self._kind()
        if frame in table.reduce and kind != table.reduce_kinds.get(frame, 0):
            self._fail("the phrases of the same words are of one kind")
        self._count(table.reduce, frame, phrase, self._traces())
        if kind:
            table.reduce_kinds[frame] = kind

    def _concat_rule(self, table: RuleTable, operator: Operator) -> None:
        top, memory = self._view(), self._memory()
        is_above = self._accept(ABOVE)
        if is_above and self._above is None:
            self._above = self._tokens[self._next - 1][1]
        second = self._second() if is_above else []
        self._expect("=>")
        if is_above and self._by_hand and self._peek() == "not":
            self._fail(_BY_HAND)
        table = self._wanted(table)
        parts = self._parts()
        if kind := self._kind():
            parts = (*parts, -kind)
        for words, count in self._cases([*top, *(second or ())]):
            filled = self._fill(top, words)
            self._check(check_parts, operator, filled, memory, parts)
            key = (operator, filled, memory)
            if is_above:
                rows = table.contexts.setdefault(key, {})
                self._count(rows, None if second is None else self._fill(second, words), parts, count)
            else:
                self._count(table.concat, key, parts, count)

    def _parts(self) -> Parts:
        """Read the parts of a CONCAT: `2,0`, or a template in brackets."""
        parts: list[Part] = []
        if self._accept("["):
            while not self._accept("]"):
                parts.append(self._number() if self._peek().isdecimal() else self._word())
        else:
            parts.append(self._number())
            while self._accept(","):
                parts.append(self._number())
        return tuple(parts)

    def _cases(self, items: _Pattern) -> Iterator[tuple[Iterator[Word], int]]:
        """Yield the words for each category among `items`, in order, with their count."""
        wanted = [item.representative for item in items if isinstance(item, _AnyMember)]
        if not wanted:
            yield iter(()), self._traces()
            return
        if self._by_hand and self._peek() != "{":  # all words of the categories
            for chosen in product(*map(self._categories.members, wanted)):
                yield iter(chosen), 1
            return
        self._expect("{")
        while True:
            words = []
            for representative in wanted:
                words.append(self._word())
                if self._categories.of(words[-1]) != representative:
                    self._fail(f"{words[-1]!r} is not in the category of {representative!r}")
            yield iter(words), self._traces()
            if not self._accept(","):
                break
        self._expect("}")

    def _fill(self, items: _Pattern, words: Iterator[Word]) -> View:
        return tuple(next(words) if isinstance(item, _AnyMember) else item for item in items)

    def _following(self, items: View) -> Next:
        """The next word, or the end where there is none."""
        return next((item for item in items if isinstance(item, str)), EOS)

    def _view(self) -> _Pattern:
        self._expect("[")
        items = []
        while not self._accept("]"):
            items.append(self._item())
        return items

    def _second(self) -> _Pattern | None:
        return None if self._accept("none") else self._view()

    def _memory(self) -> View:
        items = self._view()
        if items not in ([], [PHRASE]):
            self._fail("the memory is [] or [●]")
        return (PHRASE,) * len(items)

    def _words(self) -> tuple[Word, ...]:
        self._expect("[")
        words = []
        while not self._accept("]"):
            words.append(self._word())
        return tuple(words)

    def _item(self) -> _Item:
        if self._accept("●"):
            return PHRASE
        if kind := self._kind():
            return phrase_mark(kind)
        if not self._accept("<"):
            return self._word()
        word = self._word()
        self._expect(">")
        if self._categories.members(word) == (word,):
            self._fail(f"there is no category <{word}> of several words")
        return _AnyMember(self._categories.of(word))

    def _kind(self) -> int:
        """Read the mark of a phrase of a kind, if there is one; 0: none."""
        return int(self._take()[1:]) if _KIND.fullmatch(self._peek()) else 0

    def _word(self) -> Word:
        token = self._take()
        if token.startswith('"'):
            try:
                return str(json.loads(token))
            except ValueError:
                self._fail("this is not a JSON string")
        if not token or token in RESERVED or re.fullmatch(f"=>|[{MARKS}]", token):
            self._fail("expected a word; write it in quotes if it is one")
        return token

    def _wanted(self, table: RuleTable) -> RuleTable:
        """Where a rule goes: to the others, or to those that are forbidden."""
        return self.forbidden if self._by_hand and self._accept("not") else table

    def _traces(self) -> int:
        """Read a count, which rules by hand may leave out."""
        return 1 if self._by_hand and not self._peek().isdecimal() else self._number()

    def _number(self) -> int:
        token = self._take()
        if not (token.isascii() and token.isdigit()):
            self._fail("expected a number")
        return int(token)

    def _count(self, rules: dict[K, Counter[V]], key: K, value: V, count: int) -> None:
        counts = rules.setdefault(key, Counter())
        if count < 1 or value in counts:
            self._fail("a count is at least 1" if count < 1 else "the same rule is listed twice")
        counts[value] = count

    def _check(self, check: Any, *values: Any) -> None:
        try:
            check(*values, where="")
        except CheckpointError as error:
            self._fail(str(error).removeprefix(": "))

    def _peek(self) -> str:
        return self._tokens[self._next][0]

    def _take(self) -> str:
        token = self._peek()
        self._next = min(self._next + 1, len(self._tokens) - 1)
        return token

    def _accept(self, token: str) -> bool:
        accepted = self._peek() == token
        if accepted:
            self._take()
        return accepted

    def _expect(self, token: str) -> None:
        if not self._accept(token):
            self._next += 1
            self._fail(f"expected '{token}'")

    def _fail(self, reason: str, position: int | None = None) -> NoReturn:
        """Raise an error that names the line and the token last read."""
        if position is None:
            position = self._tokens[max(0, self._next - 1)][1]
        line = self._text.count("\n", 0, position) + 1
        near = self._text[position : position + 20].split("\n")[0]
        raise CheckpointError(f"Rules, line {line}, at '{near}': {reason}")
