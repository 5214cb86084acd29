"""Constituents: stretches that can replace each other, with what they make, found by counting contexts.

`a <girl>` -> `1`, `the <girl>` -> `* 1` and `<Emma>` -> `0` stand in the same contexts, so they are of one type; with
the type in their place, `● in ●` -> `0 ( nmod . in = 2 )` stands where ● does, so it is of this type too; and so on, as
long as the patterns get shorter by more than the rules take.
"""

from collections import Counter

from ness.learn.constituents.clusters import ClusterSearch
from ness.learn.constituents.deciding_words import words_decide_target
from ness.learn.constituents.patterns import PHRASE_TYPE, OpenPattern, pairs_of_tokens, spans_made_by
from ness.learn.constituents.rules import Constituents, Patterns, Rules, apply_rules
from ness.learn.deadline import NEVER, Deadline

_ROUNDS = 12  # clusters that are found, at most


def induce_constituents(patterns: Patterns, deadline: Deadline = NEVER) -> Constituents:
    """Find the constituents of patterns."""
    pairs = pairs_of_tokens([pattern.target for pattern in patterns])
    rules: Rules = {}
    for _ in range(_ROUNDS):
        best = ClusterSearch(patterns, rules, pairs, deadline).best()
        if best is None:
            break
        rules = {**rules, **best.rules}
        patterns = best.patterns
    for added in (_wholes_inside, _nested_wholes):
        if found := added(rules, patterns):
            rules = {**rules, **found}
            patterns = apply_rules(patterns, rules)
    return Constituents(rules, patterns)


def _wholes_inside(rules: Rules, whole: Patterns) -> Rules:
    """Give a type to the shortest wholes that stand inside others: all of a source, if its words say which is meant."""
    label = f"{PHRASE_TYPE}{len(set(rules.values()))}"
    for inner in sorted(whole, key=lambda each: (len(each.source), repr(each))):
        if inner in rules or not any(_stands_in(inner, other) for other in whole):
            continue
        rivals = [each for each in whole if each.source == inner.source]
        if len(rivals) == 1 or words_decide_target(inner.source, [whole[each] for each in rivals]):
            return dict.fromkeys(rivals, label)
    return {}


def _stands_in(inner: OpenPattern, other: OpenPattern) -> bool:
    length = len(inner.source)
    places = range(len(other.source) - length + 1) if 1 < length < len(other.source) else ()
    return any(
        other.source[begin : begin + length] == inner.source and bool(spans_made_by(other, begin, inner))
        for begin in places
    )


def _nested_wholes(rules: Rules, whole: Patterns) -> Rules:
    """Find types all of which may stand alone as wholes: then wholes that hold them are of these types, too."""
    plain = [(rule, label) for rule, label in rules.items() if label not in rule.source]
    alone = {label for _, label in plain} - {label for rule, label in plain if rule not in whole}
    known = Counter([source for source, _ in {*rules, *whole}])
    return {
        pattern: label
        for pattern in whole
        for label in alone
        if pattern not in rules and label in pattern.source and known[pattern.source] == 1
    }
