"""Words that the structure was not learned from, each from examples in which it is the only new one.

A new word is read as a word of a known category whose phrase is not known yet; the rules make the output with a hole
where that phrase stands, and the known output fills it. So what a large vocabulary takes grows with the number of
words, not with their combinations.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from copy import copy
from typing import NamedTuple

from ness.learn.coded_rules import CodedRules
from ness.learn.coding import CodedSource, CodedView, Sample, by_size, kind_character, kind_of
from ness.learn.replay import Replay

_Stranger = tuple[int, int]  # a category, and a kind of phrases
_HOLE = "\0"  # no token's character: those are well above ASCII
_FIRST_STRANGER = -10  # codes below stand for a new word of a category; marks in views are above
_MOST_STRANGERS = 900  # marks of kinds are below
_EXAMPLES = 4  # of each word, the shortest ones
_ROUNDS = 6  # what was learned makes others the only new word of an example


class Meaning(NamedTuple):
    """What a word was found to be: like the words of a category, with a phrase of its own."""

    category: int
    phrase: str  # with its kind


def learn_words(rules: CodedRules, samples: Iterable[Sample], known: set[int]) -> dict[int, Meaning]:
    """Find the category and the phrase of words that are not known; the rules stay as they are."""
    strangers = _strangers(rules)
    learned: dict[int, Meaning] = {}
    waiting = sorted((s for s in samples if not known.issuperset(s[0])), key=by_size)
    with_strangers = _RulesWithStrangers(rules, strangers)
    for _ in range(_ROUNDS if strangers else 0):
        examples: dict[int, list[Sample]] = defaultdict(list)
        for sample in waiting:
            new = set(sample[0]) - known
            if len(new) == 1 and len(examples[word := new.pop()]) < _EXAMPLES:
                examples[word].append(sample)
        found = {word: meaning for word, few in examples.items() if (meaning := with_strangers.meaning(word, few))}
        if not found:
            break
        for word, meaning in found.items():
            with_strangers.add(word, meaning)
        learned |= found
        known = known | found.keys()
        waiting = [sample for sample in waiting if not known.issuperset(sample[0])]
    return learned


def _strangers(rules: CodedRules) -> dict[int, _Stranger]:
    """A code for a new word of each category whose words are phrases by themselves, and of each kind that these have.

    The largest come first.
    """
    sizes: Counter[_Stranger] = Counter()
    for frame, phrases in rules.reduce.items():
        if len(frame) == 1:
            sizes.update({(rules.classes.get(frame[0], frame[0]), kind) for kind in map(kind_of, phrases)})
    ordered = sorted(sizes, key=lambda stranger: (-sizes[stranger], stranger))
    return {_FIRST_STRANGER - number: stranger for number, stranger in enumerate(ordered[:_MOST_STRANGERS])}


class _RulesWithStrangers:
    """The rules, and a word without a phrase in each category."""

    def __init__(self, rules: CodedRules, strangers: dict[int, _Stranger]) -> None:
        self._strangers = strangers
        self._rules = copy(rules)
        self._rules.classes = rules.classes | {code: category for code, (category, _) in strangers.items()}
        holes: dict[CodedView, dict[str, int]] = {
            (code,): {_HOLE + kind_character(kind): 1} for code, (_, kind) in strangers.items()
        }
        self._rules.reduce = {**rules.reduce, **holes}
        if rules.own:
            self._rules.own = {**rules.own, **dict.fromkeys(strangers, _HOLE)}
        self._replay = Replay(self._rules)

    def add(self, word: int, meaning: Meaning) -> None:
        """Know one word more."""
        self._rules.classes[word] = meaning.category
        self._rules.reduce[word,] = {meaning.phrase: 1}
        if self._rules.own:
            self._rules.own = {word: meaning.phrase, **self._rules.own}

    def meaning(self, word: int, samples: Sequence[Sample]) -> Meaning | None:
        """What most of the examples say about a word; None if no category fits any, or if they leave its kind open."""
        votes: Counter[Meaning] = Counter()
        for source, target in samples:
            for stranger, (category, kind) in self._strangers.items():
                replaced: CodedSource = tuple([stranger if each == word else each for each in source])
                pattern = self._replay.output(replaced)
                if pattern is not None and (phrase := _phrase_in_hole(pattern, target)):
                    votes[Meaning(category, phrase + kind_character(kind))] += 1
        best = max(votes, key=lambda meaning: (votes[meaning], -len(meaning.phrase)), default=None)
        if best is None or not kind_of(best.phrase):
            return best
        alike = [meaning for meaning in votes if meaning.phrase[:-1] == best.phrase[:-1]]
        return best if sum(votes[meaning] == votes[best] for meaning in alike) == 1 else None


def _phrase_in_hole(pattern: str, target: str) -> str | None:
    """The phrase that makes a pattern the target, wherever it has a hole."""
    holes = pattern.count(_HOLE)
    if not holes:
        return None
    length, rest = divmod(len(target) - len(pattern) + holes, holes)
    start = pattern.index(_HOLE)
    phrase = target[start : start + length] if length > 0 and not rest else ""
    return phrase if phrase and pattern.replace(_HOLE, phrase) == target else None
