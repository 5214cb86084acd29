"""The baseline of translation: longest match."""

from collections import Counter

from ness.experiments.longest_match import LongestMatch


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
