"""Operational equivalence: words that may replace each other without changing the operator."""

from itertools import product
from random import Random

import pytest

from ness.data import scan
from ness.machine import EOS, PHRASE, Next, Operator, Seen, Status, View, Word, drive, status_of
from ness.rules.categories import equivalence_classes
from oracles import scan as scan_oracle

S, R, C = Operator.SHIFT, Operator.REDUCE, Operator.CONCAT_S
Decisions = dict[Status, Operator]


def status(following: Next, *top: Seen, second: View | None = None) -> Status:
    return Status(following, top, second, ())


def groups(decisions: Decisions, least_share: float = 0.5) -> set[frozenset[Word]]:
    """The categories of several words."""
    words = {item for s in decisions for item in (s.next, *s.top, *(s.second or ())) if isinstance(item, str)}
    members: dict[Word, set[Word]] = {}
    for word, representative in equivalence_classes(decisions, words, least_share).items():
        members.setdefault(representative, set()).add(word)
    return {frozenset(group) for group in members.values() if len(group) > 1}


def test_words_that_always_get_the_same_operator_are_equivalent() -> None:
    decisions = {
        status("a"): S,
        status("b"): S,
        status(EOS, "a"): R,
        status(EOS, "b"): R,
        status("twice", PHRASE): S,
        status(EOS, PHRASE, "twice"): C,
    }
    assert groups(decisions) == {frozenset("ab")}


def test_substitution_must_keep_the_operator() -> None:
    decisions = {status("a"): S, status("b"): S, status("a", PHRASE): S, status("b", PHRASE): C}
    assert groups(decisions) == set()


def test_what_is_unknown_does_not_contradict() -> None:
    """The rarer word was seen in one context only, and there the operator is the same."""
    decisions = {status("a"): S, status("b"): S, status(EOS, "a"): R}
    assert groups(decisions) == {frozenset("ab")}


def test_the_rarer_word_must_share_enough_contexts() -> None:
    decisions: Decisions = {status("a"): S, status("b"): S}
    decisions |= {status("a", *[PHRASE] * size): C for size in (1, 2, 3)}
    decisions |= {status("b", *[PHRASE] * size): C for size in (4, 5, 6)}
    assert frozenset("ab") not in groups(decisions, least_share=0.5)  # one of four
    assert frozenset("ab") in groups(decisions, least_share=0.25)


def test_a_shared_context_is_needed_in_each_role_that_both_play() -> None:
    """Both are next words and stand in the top frame; as next words they were never seen alike."""
    decisions = {
        status(EOS, "a"): R,
        status(EOS, "b"): R,
        status("x", "a"): R,
        status("x", "b"): R,
        status("a", PHRASE): S,
        status("b", PHRASE, PHRASE): C,
    }
    assert frozenset("ab") not in groups(decisions)


def test_a_conflict_elsewhere_prevents_merging() -> None:
    """Word by word nothing speaks against it, but two statuses that hold both words would become one."""
    decisions = {status("a"): S, status("b"): S, status("a", "b"): S, status("b", "a"): R}
    assert groups(decisions) == set()


def test_merging_respects_categories_made_before() -> None:
    """c is like a and like b where it was seen; but a and b differ, so it can join only one of them."""
    decisions = {
        status("a"): S,
        status("b"): S,
        status("c"): S,
        status("a", PHRASE): S,
        status("b", PHRASE): C,
    }
    (group,) = groups(decisions)
    assert len(group) == 2
    assert "c" in group


def test_large_groups_merge_completely() -> None:
    words = [f"word {number}" for number in range(100)]
    decisions = {status(word): S for word in words} | {status(EOS, word): R for word in words}
    assert groups(decisions) == {frozenset(words)}


def scan_decisions(commands: int) -> Decisions:
    """The decisions of the hand-written SCAN policy on some commands."""
    decisions = {}
    for source, _ in Random(0).sample(scan.commands(), commands):
        for state, instruction in drive(source, scan_oracle)[1]:
            decisions[status_of(state)] = instruction.operator
    return decisions


SCAN = {
    frozenset(words.split())
    for words in ("walk run look jump", "left right", "twice thrice", "and after", "around opposite")
}


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return scan_decisions(1500)


def test_the_categories_of_scan(decisions: Decisions) -> None:
    assert groups(decisions) == SCAN


@pytest.mark.parametrize("seed", range(3))
def test_names_and_order_do_not_matter(decisions: Decisions, seed: int) -> None:
    rng = Random(seed)
    words = sorted({item for s in decisions for item in (s.next, *s.top) if isinstance(item, str)})
    names = dict(zip(words, rng.sample(words, len(words)), strict=True))

    def rename(items: View) -> View:
        return tuple(names[item] if isinstance(item, str) else PHRASE for item in items)

    renamed = []
    for s, operator in decisions.items():
        second = None if s.second is None else rename(s.second)
        renamed.append(
            (Status(names[s.next] if isinstance(s.next, str) else EOS, rename(s.top), second, s.memory), operator)
        )
    rng.shuffle(renamed)
    assert groups(dict(renamed)) == {frozenset(names[word] for word in group) for group in SCAN}


def test_equivalent_words_can_be_exchanged_everywhere(decisions: Decisions) -> None:
    """The definition itself: exchange any two words of a category in any known status."""
    met = 0
    for group in groups(decisions):
        for (known, operator), (old, new) in product(decisions.items(), product(group, group)):
            exchanged = Status(
                new if known.next == old else known.next,
                tuple(new if item == old else item for item in known.top),
                None if known.second is None else tuple(new if item == old else item for item in known.second),
                known.memory,
            )
            assert decisions.get(exchanged, operator) == operator
            met += exchanged != known and exchanged in decisions
    assert met > 100
