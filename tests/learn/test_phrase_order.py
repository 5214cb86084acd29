"""Which pairs to learn from first: literal translations before free ones."""

import random

from ness.learn.phrases.lexicon import Pair
from ness.learn.phrases.order import likeliest_first
from ness.learn.phrases.search import Segment, compile_program
from ness.rules import Categories, RuleTable
from ness.rules.probabilistic import ProbabilisticTable
from ness.rules.serialise import from_json, to_json


def cut(*parts: tuple[str, str]) -> tuple[Pair, list[Segment]]:
    segments = [Segment(tuple(words.split()), tuple(phrase.split())) for words, phrase in parts]
    source = tuple(word for segment in segments for word in segment.words)
    return (source, tuple(token for segment in segments for token in segment.phrase)), segments


FREE = cut(("they are", "ils n ont pas froid"), ("brave", "aux yeux"))
LITERAL = cut(("they are", "ils sont"), ("brave", "courageux"))
CUTS = [
    FREE,
    LITERAL,
    cut(("they are", "ils sont"), ("late", "en retard")),
    cut(("they are", "ils sont"), ("tall", "grands")),
    cut(("he is", "il est"), ("tall", "grand")),
]


def test_a_free_translation_comes_after_the_literal_one_of_its_source() -> None:
    order = likeliest_first(CUTS)
    assert sorted(order) == sorted(pair for pair, _ in CUTS)
    assert order[-1] == FREE[0]


def test_the_order_does_not_depend_on_that_of_the_pairs() -> None:
    shuffled = list(CUTS)
    for seed in range(5):
        random.Random(seed).shuffle(shuffled)
        assert likeliest_first(shuffled) == likeliest_first(CUTS)


def test_of_equally_frequent_rules_the_first_pair_has_the_preferred_one_and_a_file_keeps_it() -> None:
    segments = dict(CUTS)
    traces = [(pair[0], compile_program(segments[pair])) for pair in likeliest_first(CUTS)]
    table = RuleTable.from_traces(traces, Categories())
    assert set(table.reduce["brave",].values()) == {1}
    status = next(status for status in table.operators if status.top == ("brave",))
    for rules in (table, from_json(to_json(table))):
        decision = ProbabilisticTable(rules).decide(status)
        assert decision is not None
        assert str(decision.instruction) == "REDUCE courageux"
