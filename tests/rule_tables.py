"""Random rule tables for property-based tests: legal rules over awkward words."""

from collections import Counter
from collections.abc import Mapping
from itertools import product
from random import Random

from hypothesis import strategies as st

from ness.machine import (
    BARE,
    EOS,
    PHRASE,
    ConcatM,
    ConcatS,
    Instruction,
    Next,
    Operator,
    Parts,
    Reduce,
    Status,
    View,
    legal_operators,
    phrase_mark,
)
from ness.rules import Categories, RuleTable

AWKWARD = [
    "a",
    "b",
    "c",
    "end",
    "none",
    "above",
    "●",
    "two words",
    'quo"te',
    "semi;colon",
    "\\",
    "🦘",
    "שלום",
    "",
    "<a>",
    "#",
    "7",
]


def words() -> st.SearchStrategy[str]:
    """Mostly a few words, so that rules meet; sometimes any text."""
    return st.one_of(st.sampled_from(AWKWARD[:3]), st.sampled_from(AWKWARD), st.text(max_size=3))


def views(max_size: int = 3) -> st.SearchStrategy[View]:
    marks = st.sampled_from([PHRASE, PHRASE, *map(phrase_mark, (1, 2, 12))])
    return st.lists(st.one_of(marks, words()), max_size=max_size).map(tuple)


def statuses() -> st.SearchStrategy[Status]:
    """Statuses in which the machine can go on."""
    memories: st.SearchStrategy[View] = st.sampled_from([(), (PHRASE,)])
    status = st.builds(Status, next=st.just(EOS) | words(), top=views(), second=st.none() | views(2), memory=memories)
    return status.filter(lambda status: bool(legal_operators(status)))


@st.composite
def rules(draw: st.DrawFn) -> tuple[Status, Instruction]:
    """A status and an instruction that is legal in it."""
    status = draw(statuses())
    operator = draw(st.sampled_from(legal_operators(status)))
    if operator in BARE:
        return status, BARE[operator]
    if operator is Operator.REDUCE:
        kind = len(" ".join(word for word in status.top if isinstance(word, str))) % 3  # the same for the same words
        return status, Reduce(tuple(draw(st.lists(words(), min_size=1, max_size=3))), kind)
    phrases = [index for index, item in enumerate(status.top + status.memory) if not isinstance(item, str)]
    part = st.one_of(st.sampled_from(phrases), st.sampled_from(phrases), words())
    parts: Parts = tuple(draw(st.lists(part, max_size=3)))
    if operator is Operator.CONCAT_S:
        kinds = draw(st.sampled_from([(), (-1,), (-2,)]))
        return status, ConcatS((draw(st.sampled_from(phrases)), *parts, *kinds))
    return status, ConcatM((*parts, phrases[0]))  # the first candidate phrase lies in the top frame


@st.composite
def categories(draw: st.DrawFn) -> Categories:
    vocabulary = draw(st.lists(words(), unique=True, max_size=8))
    numbers = draw(st.lists(st.integers(0, 3), min_size=len(vocabulary), max_size=len(vocabulary)))
    classes: dict[int, list[str]] = {}
    for word, number in zip(vocabulary, numbers, strict=True):
        classes.setdefault(number, []).append(word)
    return Categories(classes.values())


@st.composite
def rule_tables(draw: st.DrawFn) -> RuleTable:
    """A table of up to 15 rules, ambiguous ones among them."""
    table = RuleTable(categories=draw(categories()), tokens=tuple(draw(st.lists(words(), unique=True, max_size=3))))
    uses: Counter[tuple[Status, Instruction]] = Counter()
    for rule in draw(st.lists(rules(), max_size=15)):
        uses[rule] += draw(st.integers(1, 9))
    _add_all(table, uses)
    return table


def _add_all(table: RuleTable, uses: Mapping[tuple[Status, Instruction], int]) -> None:
    """Put rules into a table; second frames tell arguments where they can."""
    for (status, instruction), count in uses.items():
        table.add(status, instruction, count)
    table.tell_contexts(uses)
    table.index()


def crowded_table(seed: int) -> RuleTable:
    """A table in which a few words meet often: conflicts, exceptions and ties are common, unlike in a sparse one."""
    random = Random(seed)
    table = RuleTable(categories=Categories(random.choice([[["a", "b"]], [["a", "b", "c"]], [["a", "c"], ["b", "d"]]])))
    known = crowded_statuses()
    uses: Counter[tuple[Status, Instruction]] = Counter()
    for _ in range(random.randint(5, 120)):
        status = random.choice(known)
        operator = random.choice(legal_operators(status))
        phrases = [index for index, item in enumerate(status.top + status.memory) if not isinstance(item, str)]
        arguments: list[Parts] = []
        if phrases:
            arguments = [(phrases[0],), tuple(phrases), tuple(phrases[::-1]), (phrases[0],) * 2, ("0", *phrases, "X")]
        instruction = BARE.get(operator)
        if operator is Operator.REDUCE:
            instruction = Reduce((random.choice(["X", "Y", "x y"]),) * random.randint(1, 2))
        elif operator is Operator.CONCAT_M:
            instruction = ConcatM(random.choice(arguments))
        elif instruction is None:
            instruction = ConcatS((*random.choice(arguments), *random.choice([(), (), (-1,), (-2,)])))
        uses[status, instruction] += random.randint(1, 3)
    _add_all(table, uses)
    return table


def crowded_statuses() -> list[Status]:
    """All statuses of four words with up to two items a frame, some of which `crowded_table` has rules for."""
    letters = ("a", "b", "c", "d")
    first, second = phrase_mark(1), phrase_mark(2)
    tops: list[View] = [(), (PHRASE,), *((w,) for w in letters), *((PHRASE, w) for w in letters), (PHRASE, PHRASE)]
    tops += [(second,), *((mark, w) for mark in (first, second) for w in letters)]
    seconds: list[View | None] = [None, (PHRASE,), ("a",), ("b",), (PHRASE, "a"), ("c", PHRASE, "a")]
    memories: list[View] = [(), (PHRASE,)]
    following: tuple[Next, ...] = (EOS, *letters)
    statuses = [Status(*parts) for parts in product(following, tops, seconds, memories)]
    return [status for status in statuses if legal_operators(status)]
