"""A separator that means different things by what encloses it is learned, and only as far as examples tell."""

from itertools import product
from random import Random

import pytest

from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data.example import Example, example_of
from ness.learn.coding import PHRASE_MARK as P
from ness.learn.derivations.attempt import is_unrolled
from ness.learn.learner import learn
from ness.learn.result import LearningResult
from ness.rules.advice import advise
from ness.rules.table import RuleTable

ROWS = ("ann", "bob", "eve", "rome", "oslo", "one", "two", "age")


def cells(names: tuple[str, ...], tag: str) -> str:
    return " ".join(f"<{tag}> {name} </{tag}>" for name in names)


def table_of(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Example:
    body = " ".join(f"<tr> {cells(row, 'td')} </tr>" for row in rows)
    source = " row ".join([f"table {' , '.join(head)}", *(" , ".join(row) for row in rows)])
    return example_of(f"{source} end", f"<table> <tr> {cells(head, 'th')} </tr> {body} </table>")


def examples() -> list[Example]:
    """Tables of one to three columns and one or two rows."""
    random = Random(0)
    found = []
    for width, height in (*product((1, 2), (1, 2)), (3, 1)):
        for _ in range(25):
            names = random.sample(ROWS, width * (height + 1))
            lines = [tuple(names[start : start + width]) for start in range(0, len(names), width)]
            found.append(table_of(lines[0], lines[1:]))
    return found


@pytest.fixture(scope="module")
def learned() -> LearningResult:
    return learn(examples(), Config())


def answers(table: RuleTable, wanted: list[Example]) -> list[tuple[str, ...] | None]:
    return [answer.output for answer in translate(RuleEngine(table), [example.source for example in wanted])]


def test_longer_tables_have_cells_of_both_kinds(learned: LearningResult) -> None:
    longer = [table_of(ROWS, [ROWS[::-1]] * size) for size in (1, 2, 5)]
    assert answers(learned.table, longer) == [example.target for example in longer]
    assert learned.table.contexts


def test_a_separator_above_nothing_that_was_seen_is_refused(learned: LearningResult) -> None:
    (answer,) = translate(RuleEngine(learned.table), [("ann", ",", "bob")])
    assert answer.output is None
    assert "depends on the words before them" in (answer.error or "")


def test_rules_without_one_trace_are_still_rules(learned: LearningResult) -> None:
    """Each rule has several examples behind it, in contexts, too: without any one of them the others decide alike."""
    assert advise(learned.table, [(example.source, program) for example, program in learned.traces.items()]) == []


def test_known_rules_are_extended(learned: LearningResult) -> None:
    """Columns named otherwise: the same rules serve, and keep what second frames tell."""
    more = [*examples(), *(table_of((name, "kim"), [("kim", name)]) for name in ROWS)]
    extended = learn(more, Config(), known=learned.table)
    wider = [table_of(("kim",) * 4, [("kim", *ROWS[:3])] * 3)]
    assert answers(extended.table, wider) == [example.target for example in wider]


def test_a_list_written_out_is_told_from_a_rule_with_two_phrases() -> None:
    pair, three = (1, P, 2, P, 3), (1, P, 2, P, 2, P, 3)
    assert is_unrolled(three, {pair, three})
    assert not is_unrolled(pair, {pair, three})
    assert not is_unrolled(three, {three})
    assert not is_unrolled((1, P, P, P), {(1, P, P), (1, P, P, P)})  # no word repeats
