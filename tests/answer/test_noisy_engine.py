"""Noisy data: longest match as the baseline, unknown words named or copied."""

from collections import Counter
from itertools import product

from ness.answer.engine import translate
from ness.answer.longest_match import LongestMatch
from ness.answer.noisy_engine import CopyAlone, ProbabilisticEngine
from ness.answer.rule_engine import RuleEngine
from ness.learn.phrases.search import phrase_traces
from ness.rules import Categories, RuleTable
from ness.rules.probabilistic import ProbabilisticTable

SUBJECTS = {"i am": "je suis", "he is": "il est", "we are": "nous sommes"}
ADJECTIVES = {"tall": "grand", "happy": "heureux", "tired": "fatigue", "ready": "pret"}


def table() -> RuleTable:
    pairs = [
        (tuple(f"{subject} {adjective} .".split()), tuple(f"{verb} {target} .".split()))
        for (subject, verb), (adjective, target) in product(SUBJECTS.items(), ADJECTIVES.items())
    ]
    traces = phrase_traces(pairs)
    return RuleTable.from_traces(((source, program) for (source, _), program in traces.items()), Categories())


def test_an_unknown_word_is_an_error_that_names_it() -> None:
    (answer,) = translate(ProbabilisticEngine(ProbabilisticTable(table())), [("he", "is", "blorp", ".")])
    assert answer.output is None
    assert answer.error is not None
    assert "'blorp'" in answer.error


def test_an_unknown_word_can_be_copied() -> None:
    rules = table()
    for engine in (ProbabilisticEngine(ProbabilisticTable(rules)), RuleEngine(rules)):
        first, second = translate(CopyAlone(engine), [("he", "is", "blorp", "."), ("he", "is", "tall", ".")])
        assert first.output == ("il", "est", "blorp", ".")
        assert first.support == 0
        assert second.output == ("il", "est", "grand", ".")


def test_the_longest_phrase_wins() -> None:
    rules: dict[tuple[str, ...], Counter[tuple[str, ...]]] = {
        ("you", "are"): Counter({("tu", "es"): 2, ("vous", "etes"): 3}),
        ("you",): Counter({("toi",): 9}),
        ("here",): Counter({("ici",): 1, ("la",): 1}),
    }
    baseline = LongestMatch(rules)
    assert baseline.translate(("you", "are", "here")) == ("vous", "etes", "ici")
    assert baseline.translate(("you", "here")) == ("toi", "ici")
    assert baseline.translate(("are", "you")) is None


def test_equally_frequent_translations_are_taken_by_alphabet_or_as_the_table_has_them() -> None:
    rules: dict[tuple[str, ...], Counter[tuple[str, ...]]] = {("here",): Counter({("la",): 1, ("ici",): 1})}
    assert LongestMatch(rules).translate(("here",)) == ("ici",)
    assert LongestMatch(rules, as_ordered=True).translate(("here",)) == ("la",)
