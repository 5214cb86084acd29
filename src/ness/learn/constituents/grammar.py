"""Constituents: stretches that can replace each other, with what they make, found by counting contexts.

`a <girl>` -> `1`, `the <girl>` -> `* 1` and `<Emma>` -> `0` stand in the same contexts, so they are of one type; with
the type in their place, `● in ●` -> `0 ( nmod . in = 2 )` stands where ● does, so it is of this type too; and so on, as
long as the patterns get shorter by more than the rules take.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, islice, pairwise
from typing import NamedTuple

from ness.learn.constituents.patterns import (
    PHRASE_TYPE,
    OpenPattern,
    Span,
    is_balanced,
    is_open,
    is_type,
    occurrences,
    pairs_of_tokens,
    replace_spans,
)
from ness.machine import Word

Rules = dict[OpenPattern, str]  # what a constituent may be made of, and its type
Words = tuple[Word | None, ...]  # the content words of an example, place by place
Patterns = dict[OpenPattern, set[Words]]

_HOLE = "\0hole"  # the place of a constituent in its context
_LONGEST = 8  # items of a constituent
_AROUND = 2  # tokens of a constituent before and after those of its words
_FAR_AROUND = 6  # the same, where there are few patterns
_ROUNDS = 12  # clusters that are found, at most
_FEW = 100  # patterns: then all clusters are tried
_TRIED = 12  # clusters, where there are more patterns
_SHARED = 2  # contexts of the two constituents that a cluster begins with
_PART = 0.1  # of the contexts of a cluster, and of a constituent that joins it
_SURE = 0.5  # share of a context's constituents that are of the cluster, where there is only one context
_NEIGHBOURS = 3  # items of a stretch in which one word decides what is made
_WORDS = 3  # that decide it
_MIXED = 0.05  # share of words that may go with two targets
_LOOKED_AT = 200  # examples of a pattern whose words are compared


class Constituents(NamedTuple):
    """Rules of constituents, and the patterns that are left when they are applied."""

    rules: Rules
    whole: Patterns


class RuleApplication(NamedTuple):
    """One application of a rule to a pattern."""

    begin: int
    end: int
    rule: OpenPattern
    label: str
    pattern: OpenPattern  # afterwards


class RuleIndex:
    """Rules by the first item of their source, long ones first."""

    def __init__(self, rules: Rules) -> None:
        self._by_first: defaultdict[str, list[tuple[OpenPattern, str]]] = defaultdict(list)
        for rule, label in rules.items():
            self._by_first[rule.source[0]].append((rule, label))
        for found in self._by_first.values():
            found.sort(key=lambda each: (-len(each[0].source), -len(each[0].target), repr(each)))

    def steps(self, pattern: OpenPattern) -> Iterator[RuleApplication]:
        """Apply rules to a pattern, from its end, until none applies."""
        while (found := self._first(pattern)) is not None:
            yield found
            pattern = found.pattern

    def _first(self, pattern: OpenPattern) -> RuleApplication | None:
        source = pattern.source
        for begin in range(len(source) - 1, -1, -1):
            for rule, label in self._by_first.get(source[begin], ()):
                end = begin + len(rule.source)
                if source[begin:end] != rule.source or len(rule.source) == len(source):
                    continue
                if spans := occurrences(pattern, begin, rule):
                    return RuleApplication(begin, end, rule, label, replace_spans(pattern, begin, end, spans, label))
        return None


def induce(patterns: Patterns) -> Constituents:
    """Find the constituents of patterns."""
    pairs = pairs_of_tokens([pattern.target for pattern in patterns])
    rules: Rules = {}
    for _ in range(_ROUNDS):
        best = _ClusterSearch(patterns, rules, pairs).best()
        if best is None:
            break
        rules = {**rules, **best.rules}
        patterns = best.patterns
    return Constituents(rules, patterns)


class _Gain(NamedTuple):
    symbols: int
    rules: Rules
    patterns: Patterns


class _ClusterSearch:
    """The contexts of all stretches of the patterns, and the clusters of those that share contexts."""

    def __init__(self, patterns: Patterns, rules: Rules, pairs: Sequence[tuple[str, str]]) -> None:
        self._patterns = patterns
        self._rules = rules
        self._in_context: defaultdict[OpenPattern, set[OpenPattern]] = defaultdict(set)
        self._contexts: defaultdict[OpenPattern, set[OpenPattern]] = defaultdict(set)
        self._words: defaultdict[OpenPattern, set[Words]] = defaultdict(set)
        around = _AROUND if len(patterns) > _FEW else _FAR_AROUND
        for pattern, examples in patterns.items():
            for stretch, context, begin in _stretches(pattern, pairs, around):
                self._in_context[context].add(stretch)
                self._contexts[stretch].add(context)
                end = begin + len(stretch.source)
                self._words[stretch].update([words[begin:end] for words in islice(examples, _LOOKED_AT)])

    def best(self) -> _Gain | None:
        """The cluster that makes the patterns shorter by most; None if none pays."""
        shared: Counter[tuple[OpenPattern, OpenPattern]] = Counter()
        for stretches in self._in_context.values():
            shared.update(combinations(sorted(stretches, key=repr), 2))
        seeds = sorted(shared, key=lambda pair: (-shared[pair], sum(len(each.target) for each in pair), repr(pair)))
        limit = _TRIED if len(self._patterns) > _FEW else len(seeds)
        best: _Gain | None = None
        clusters: list[set[OpenPattern]] = []
        for seed in seeds:
            if shared[seed] < _SHARED or len(clusters) == limit:
                break
            if any(seed[0] in cluster and seed[1] in cluster for cluster in clusters):
                continue
            clusters.append(self._cluster(seed))
            found = self._gain(clusters[-1])
            if found is not None and found.symbols > (best.symbols if best else 0):
                best = found
        return best

    def _cluster(self, seed: tuple[OpenPattern, OpenPattern]) -> set[OpenPattern]:
        """All that stands in the contexts of two stretches, and in the contexts of what joins them."""
        members = set(seed)
        reached = self._contexts[seed[0]] | self._contexts[seed[1]]
        while True:
            core = [context for context in reached if len(self._in_context[context] & members) > 1]
            outside = Counter(each for context in core for each in self._in_context[context] - members)
            joining = [each for each, count in outside.items() if self._joins(each, count, len(core), reached, members)]
            if not joining:
                return members
            members.update(joining)
            reached = reached.union(*(self._contexts[each] for each in joining))

    def _joins(
        self, stretch: OpenPattern, count: int, core: int, reached: set[OpenPattern], members: set[OpenPattern]
    ) -> bool:
        if count < _PART * core:
            return False
        contexts = [self._in_context[context] for context in self._contexts[stretch] & reached]
        shares = [len(each & members) / len(each) for each in contexts]
        # A context that nothing else stands in says nothing.
        telling = sum(len(self._in_context[context]) > 1 for context in self._contexts[stretch])
        return sum(shares) >= _PART * telling and (count > 1 or max(shares) >= _SURE)

    def _gain(self, cluster: set[OpenPattern]) -> _Gain | None:
        types = {each.source[0] for each in cluster if len(each.source) == 1 and is_type(each.source[0])}
        if len(types) > 1:
            return None
        known = set(self._rules.values())
        label = types.pop() if types else f"{PHRASE_TYPE}{len(known)}"
        added = self._shortest({each for each in cluster if each.source != (label,)}, label)
        added = dict.fromkeys(self._decided_by_words(added), label)
        if not added or self._hides(added):
            return None
        patterns = apply(self._patterns, {**self._rules, **added})
        symbols = size(self._patterns) - size(patterns) - sum(len(s) + len(t) for s, t in added)
        return _Gain(symbols, added, patterns)

    def _shortest(self, cluster: set[OpenPattern], label: str) -> Rules:
        """Leave out what shorter rules make, and shorten by them what is left."""
        added: Rules = {}
        for stretch in sorted(cluster, key=lambda each: (len(each.source), len(each.target), repr(each))):
            for step in RuleIndex({**self._rules, **added}).steps(stretch):
                stretch = step.pattern
            if stretch.source != (label,) and stretch not in self._rules:
                added[stretch] = label
        return added

    def _decided_by_words(self, rules: Iterable[OpenPattern]) -> list[OpenPattern]:
        """Leave out rules whose source has several targets, and no word of it says which."""
        by_source: defaultdict[tuple[str, ...], list[OpenPattern]] = defaultdict(list)
        for rule in rules:
            by_source[rule.source].append(rule)
        for old in self._rules:
            by_source.pop(old.source, None)  # what decided then cannot be seen any more
        return [
            rule
            for source, rivals in by_source.items()
            if len(rivals) == 1 or any(self._tells(rivals, place) for place, item in enumerate(source) if is_open(item))
            for rule in rivals
        ]

    def _hides(self, rules: Iterable[OpenPattern]) -> bool:
        """Tell whether rules would put a phrase in the place of a word that others have to see."""
        return any(len(rule.source) == 1 and rule.source[0] in self._telling for rule in rules)

    @cached_property
    def _telling(self) -> set[str]:
        """Classes whose words, alone among their neighbours, decide which tokens are made."""
        groups: defaultdict[tuple[tuple[str, ...], tuple[int | None, ...]], list[OpenPattern]] = defaultdict(list)
        for stretch in self._words:
            if 1 < len(stretch.source) <= _NEIGHBOURS and sum(map(is_open, stretch.source)) == 1:
                layout = tuple([item if isinstance(item, int) else None for item in stretch.target])
                groups[stretch.source, layout].append(stretch)
        telling = set()
        for (source, _), rivals in groups.items():
            place = next(place for place, item in enumerate(source) if is_open(item))
            many = [rule for rule in rivals if len({words[place] for words in self._words[rule]}) >= _WORDS]
            if source[place] not in telling and len(many) > 1 and self._tells(many, place):
                telling.add(source[place])
        return telling

    def _tells(self, rivals: Sequence[OpenPattern], place: int) -> bool:
        words = [{each[place] for each in self._words.get(rule, ())} for rule in rivals]
        both = sum(len(one & other) for one, other in combinations(words, 2))
        return both <= _MIXED * min(map(len, words))


def apply(patterns: Mapping[OpenPattern, set[Words]], rules: Rules) -> Patterns:
    """Put types in the place of constituents wherever rules allow it."""
    index = RuleIndex(rules)
    left: defaultdict[OpenPattern, set[Words]] = defaultdict(set)
    for pattern, examples in patterns.items():
        steps = list(index.steps(pattern))
        short = examples
        for begin, end, *_ in steps:
            short = {(*words[:begin], None, *words[end:]) for words in short}
        left[steps[-1].pattern if steps else pattern] |= short
    return dict(left)


def size(patterns: Iterable[OpenPattern]) -> int:
    """Count the symbols that it takes to write patterns down."""
    return sum(len(source) + len(target) + 1 for source, target in patterns)


def _stretches(
    pattern: OpenPattern, pairs: Sequence[tuple[str, str]], around: int
) -> Iterator[tuple[OpenPattern, OpenPattern, int]]:
    """Yield what may be a constituent, its context and where it begins."""
    source, target = pattern
    where: defaultdict[int, list[int]] = defaultdict(list)
    for place, item in enumerate(target):
        if isinstance(item, int):
            where[item].append(place)
    for begin in range(len(source)):
        for end in range(begin + 1, min(len(source), begin + _LONGEST) + 1):
            if end - begin == len(source):
                continue
            # A single item makes no tokens but its own.
            for spans in _target_spans(target, where, begin, end, around if end - begin > 1 else 0):
                body = target[slice(*spans[0])]
                if is_balanced(body, pairs):
                    made = tuple([item - begin if isinstance(item, int) else item for item in body])
                    context = replace_spans(pattern, begin, end, spans, _HOLE)
                    yield OpenPattern(source[begin:end], made), context, begin


def _target_spans(
    target: tuple[int | str, ...], where: Mapping[int, list[int]], begin: int, end: int, around: int
) -> Iterator[list[Span]]:
    """Yield the parts of the target that source items may make: equal ones, where they make something twice."""
    inside = [place for place in range(begin, end) if place in where]
    if not inside:
        return
    copies = len(where[inside[0]])
    if any(len(where[place]) != copies for place in inside):
        copies = 1
    places = sorted(place for item in inside for place in where[item])
    size = len(places) // copies
    hulls = [(places[copy * size], places[copy * size + size - 1] + 1) for copy in range(copies)]
    if not all(_only(target[start:stop], begin, end) for start, stop in hulls):
        return
    for before in range(around + 1):
        for behind in range(around + 1):
            spans = [(start - before, stop + behind) for start, stop in hulls]
            if spans[0][0] < 0 or spans[-1][1] > len(target):
                continue
            if any(one[1] > other[0] for one, other in pairwise(spans)):
                continue
            bodies = {target[start:stop] for start, stop in spans}
            if len(bodies) == 1 and _only(bodies.pop(), begin, end):
                yield spans


def _only(body: tuple[int | str, ...], begin: int, end: int) -> bool:
    """Tell whether all numbers are of these source items."""
    return all(begin <= item < end for item in body if isinstance(item, int))
