"""Noisy data: unknown words named or copied."""

from itertools import product

from ness.answer.engine import translate
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
