"""Clusters of stretches that share contexts: constituents of one type."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from heapq import nsmallest
from itertools import combinations
from typing import NamedTuple

from ness.learn.constituents.deciding_words import (
    sources_of_undecided_forms,
    undecided_sources,
    word_decides_form,
    word_decides_target,
    words_decide_form,
    words_decide_target,
)
from ness.learn.constituents.forms import form_in
from ness.learn.constituents.patterns import PHRASE_TYPE, OpenPattern, is_formed, is_open, is_type
from ness.learn.constituents.rules import Patterns, RuleIndex, Rules, Words, apply_rules, count_symbols
from ness.learn.constituents.stretches import ALONE, stretches
from ness.learn.deadline import NEVER, Deadline

_AROUND = 2  # tokens of a constituent before and after those of its words
_FAR_AROUND = 6  # the same, where there are few patterns
_FEW = 100  # patterns: then all clusters are tried
_TRIED = 12  # clusters, where there are more patterns
_SHARED = 2  # contexts of the two constituents that a cluster begins with
_PART = 0.1  # of the contexts of a cluster, and of a constituent that joins it
_SURE = 0.5  # share of a context's constituents that are of the cluster, where there is only one context
_NEIGHBOURS = 3  # items of a stretch in which one word decides what is made
_WORDS = 3  # that decide it
_LOOKED_AT = 200  # examples of a pattern whose words are compared


class Gain(NamedTuple):
    """What a cluster saves, its rules, and the patterns by them."""

    symbols: int
    rules: Rules
    patterns: Patterns


class ClusterSearch:
    """The contexts of all stretches of the patterns, and the clusters of those that share contexts."""

    def __init__(
        self, patterns: Patterns, rules: Rules, pairs: Sequence[tuple[str, str]], deadline: Deadline = NEVER
    ) -> None:
        self._deadline = deadline
        self._patterns = patterns
        self._rules = rules
        self._open = undecided_sources(patterns), sources_of_undecided_forms(patterns)
        self._in_context: defaultdict[OpenPattern, set[OpenPattern]] = defaultdict(set)
        self._contexts: defaultdict[OpenPattern, set[OpenPattern]] = defaultdict(set)
        self._words: defaultdict[OpenPattern, set[Words]] = defaultdict(set)
        around = _AROUND if len(patterns) > _FEW else _FAR_AROUND
        for pattern, examples in patterns.items():
            deadline.check()
            whole = [(pattern, ALONE, 0)] if len(patterns) <= _FEW else []
            looked_at = nsmallest(_LOOKED_AT, examples, key=repr)  # sets have no order to rely on
            for stretch, context, begin in (*whole, *stretches(pattern, pairs, around)):
                self._in_context[context].add(stretch)
                self._contexts[stretch].add(context)
                end = begin + len(stretch.source)
                self._words[stretch].update([words[begin:end] for words in looked_at])

    def best(self) -> Gain | None:
        """The cluster that makes the patterns shorter by most; None if none pays."""
        shared: Counter[tuple[OpenPattern, OpenPattern]] = Counter()
        for alike in self._in_context.values():
            self._deadline.check()
            shared.update(combinations(sorted(alike, key=repr), 2))

        def rank(pair: tuple[OpenPattern, OpenPattern]) -> tuple[int, int, str]:
            self._deadline.check()  # there may be millions of pairs
            return -shared[pair], sum(len(each.target) for each in pair), repr(pair)

        seeds = sorted(shared, key=rank)
        limit = _TRIED if len(self._patterns) > _FEW else len(seeds)
        best: Gain | None = None
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
            self._deadline.check()
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

    def _gain(self, cluster: set[OpenPattern]) -> Gain | None:
        types = {each.source[0] for each in cluster if len(each.source) == 1 and is_type(each.source[0])}
        if len(types) > 1:
            return None
        known = set(self._rules.values())
        label = types.pop() if types else f"{PHRASE_TYPE}{len(known)}"
        added = self._shortest({each for each in cluster if each.source != (label,)}, label)
        added = dict.fromkeys(self._decided_by_words(added), label)
        if not added or self._hides(added) or self._leaves_rivals(added):
            return None
        patterns = apply_rules(self._patterns, {**self._rules, **added})
        if self._hides_a_decision(patterns, RuleIndex({**self._rules, **added})):
            return None
        symbols = count_symbols(self._patterns) - count_symbols(patterns) - sum(len(s) + len(t) for s, t in added)
        return Gain(symbols, added, patterns)

    def _leaves_rivals(self, rules: Rules) -> bool:
        """Tell whether a whole would be a phrase, while wholes of the same source have targets that are none."""
        sources = {rule.source for rule in rules if rule in self._patterns}
        return any(pattern.source in sources and pattern not in rules for pattern in self._patterns)

    def _hides_a_decision(self, patterns: Patterns, index: RuleIndex) -> bool:
        """Tell whether phrases would hide the words that say which target a source has, or which form a word."""
        now = undecided_sources(patterns), sources_of_undecided_forms(patterns)
        if not any(now):
            return False
        before: defaultdict[tuple[int, tuple[str, ...]], set[bool]] = defaultdict(set)
        for pattern in self._patterns:
            *_, last = (pattern, *[step.pattern for step in index.steps(pattern)])
            for kind, open_now in enumerate(now):
                if last.source in open_now:
                    before[kind, last.source].add(pattern.source in self._open[kind])
        return any(True not in known for known in before.values())

    def _shortest(self, cluster: set[OpenPattern], label: str) -> Rules:
        """Leave out what shorter rules make, and shorten by them what is left."""
        added: Rules = {}
        for stretch in sorted(cluster, key=lambda each: (len(each.source), len(each.target), repr(each))):
            self._deadline.check()
            words = self._words[stretch]
            for step in RuleIndex({**self._rules, **added}).steps(stretch):
                words = {(*each[: step.begin], None, *each[step.end :]) for each in words}
                stretch = step.pattern
            if stretch.source != (label,) and stretch not in self._rules:
                added[stretch] = label
                self._words[stretch] |= words
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
            if len(rivals) == 1 or words_decide_target(source, self._examples(rivals))
            for rule in rivals
            if all(
                words_decide_form(source, p, self._words.get(rule, ()))
                for p, item in enumerate(source)
                if is_formed(item)
            )
        ]

    def _hides(self, rules: Iterable[OpenPattern]) -> bool:
        """Tell whether rules would put a phrase in the place of a word that others have to see."""
        return any(len(rule.source) == 1 and rule.source[0] in self._deciding_classes for rule in rules)

    @cached_property
    def _deciding_classes(self) -> set[str]:
        """Classes whose words, alone among their neighbours, decide which tokens are made."""
        groups: defaultdict[tuple[tuple[str, ...], tuple[int | None, ...]], list[OpenPattern]] = defaultdict(list)
        telling: set[str] = set()
        for stretch in self._words:
            plain = [place for place, item in enumerate(stretch.source) if is_open(item) and not is_formed(item)]
            if not 1 < len(stretch.source) <= _NEIGHBOURS or len(plain) != 1:
                continue
            formed = [place for place, item in enumerate(stretch.source) if is_formed(item)]
            if any(self._varies_by(stretch, plain[0], place) for place in formed):
                telling.add(stretch.source[plain[0]])
            if not formed:
                layout = tuple([item if isinstance(item, int) else None for item in stretch.target])
                groups[stretch.source, layout].append(stretch)
        for (source, _), rivals in groups.items():
            place = next(place for place, item in enumerate(source) if is_open(item))
            many = [rule for rule in rivals if len({words[place] for words in self._words[rule]}) >= _WORDS]
            if source[place] not in telling and len(many) > 1 and word_decides_target(place, self._examples(many)):
                telling.add(source[place])
        return telling

    def _varies_by(self, stretch: OpenPattern, place: int, formed: int) -> bool:
        """Tell whether the form of a word changes with the word at a place, and with nothing else."""
        pairs = self._words[stretch]
        forms = {words[formed] for words in pairs}
        names = {form_in(form)[0] for form in forms if form is not None}
        return len(forms) > len(names) and word_decides_form(pairs, place, formed)

    def _examples(self, rivals: Iterable[OpenPattern]) -> list[set[Words]]:
        return [self._words.get(rule, set()) for rule in rivals]
