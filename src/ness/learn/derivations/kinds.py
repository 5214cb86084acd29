"""Kinds of phrases: what a rule makes of phrases may depend on their kinds, as `red` is `roja` after `casa`.

Two phrases are of one kind if exchanging them keeps what rules make of them wherever both are known: operational
equivalence of target phrases. At first each content word makes a kind of its own, and so does each rule with each
choice of kinds for its phrases. Kinds are merged, those with most evidence first, as long as no two outputs of one rule
come to depend on the same kinds. To merge two merges what rules make of them, too. What is asked for nowhere has no
kind.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from ness.learn.coding import LITERAL, PHRASE_MARK, CodedParts, CodedView, literal, shape
from ness.learn.deadline import NEVER, Deadline
from ness.learn.derivations.rules import Derivation, FrameRule

_MOST = 200  # kinds; more tell nothing
PLAIN = 0  # the kind of what is asked for nowhere

Made = tuple[CodedView, tuple[int, ...]]  # the frame of a rule with the kinds of its phrases
Use = tuple[Made, CodedParts]  # and how these are joined


@dataclass
class Kinds:
    """The kind of each content word, and of what rules make of phrases of which kinds."""

    words: dict[int, int] = field(default_factory=dict)
    made: dict[Made, int] = field(default_factory=dict)

    def of(self, tree: Derivation, source: Sequence[int]) -> int:
        """The kind of what a derivation makes."""
        return self._note(tree, source, set())

    def uses(self, tree: Derivation, source: Sequence[int]) -> set[Use]:
        """The rules of a derivation, with the kinds of their phrases."""
        found: set[Use] = set()
        self._note(tree, source, found)
        return found

    def _note(self, tree: Derivation, source: Sequence[int], found: set[Use]) -> int:
        if tree.rule is None:
            return self.words.get(source[tree.span[0]], PLAIN)
        frame, parts = tree.rule
        key = frame, tuple([self._note(phrase, source, found) for phrase in tree.phrases])
        found.add((key, parts))
        return self.made.get(key, PLAIN)


class _Contradiction(Exception):
    """Two outputs of a rule would depend on the same kinds."""


class _Rules:
    """What rules make of which kinds, while kinds are merged."""

    def __init__(self) -> None:
        self.made: dict[Made, tuple[int, CodedParts]] = {}  # the kind of what is made, and how
        self.askers: defaultdict[int, set[Made]] = defaultdict(set)  # by kind: what is made of it
        self._merged: dict[int, int] = {}  # a kind that is another one by now

    def find(self, kind: int) -> int:
        """What a kind is called by now."""
        while kind in self._merged:
            kind = self._merged[kind]
        return kind

    def add(self, key: Made, kind: int, parts: CodedParts) -> None:
        self.made[key] = kind, parts
        for each in key[1]:
            self.askers[each].add(key)

    def merge(self, one: int, other: int, told: Container[CodedView]) -> int:
        """Merge two kinds and what follows from that; return in how many places they agree where kinds tell something.

        Where they disagree, nothing is changed, and the answer is negative.
        """
        trial = _Trial(self)
        try:
            agreed = trial.merge(one, other, told)
        except _Contradiction:
            return -1
        trial.keep()
        return agreed

    def would_agree(self, one: int, other: int, told: Container[CodedView]) -> int:
        """What merging would return; nothing is changed."""
        try:
            return _Trial(self).merge(one, other, told)
        except _Contradiction:
            return -1

    def take_over(self, changes: "_Trial") -> None:
        """Take over what was tried."""
        for key in changes.gone:
            self.made.pop(key, None)
            for kind in key[1]:
                self.askers[kind].discard(key)
        self._merged.update(changes.merged)
        for key, (kind, parts) in changes.made.items():
            self.add(key, kind, parts)

    def asked(self, told: Container[CodedView]) -> set[int]:
        """The kinds that make a difference: to what a rule makes, or to a kind that does."""
        makers: defaultdict[int, set[int]] = defaultdict(set)
        found: set[int] = set()
        for (frame, kinds), (kind, _) in self.made.items():
            makers[self.find(kind)].update(kinds)
            if frame in told:
                found.update(kinds)
        waiting = list(found)
        while waiting:
            for kind in makers[waiting.pop()] - found:
                found.add(kind)
                waiting.append(kind)
        return found


class _Trial:
    """Rules after a merger that can still be dropped."""

    def __init__(self, rules: _Rules) -> None:
        self._rules = rules
        self.merged: dict[int, int] = {}
        self.made: dict[Made, tuple[int, CodedParts]] = {}
        self.gone: set[Made] = set()
        self._askers: defaultdict[int, set[Made]] = defaultdict(set)

    def find(self, kind: int) -> int:
        kind = self._rules.find(kind)
        while kind in self.merged:
            kind = self.merged[kind]
        return kind

    def merge(self, one: int, other: int, told: Container[CodedView]) -> int:
        """Merge two kinds and what follows; return in how many places they agree where kinds tell something."""
        agreed = 0
        waiting = [(one, other)]
        while waiting:
            kept, gone = sorted(map(self.find, waiting.pop()))
            if kept == gone:
                continue
            self.merged[gone] = kept
            for key in [*self._rules.askers.get(gone, ()), *self._askers.pop(gone, ())]:
                if key in self.gone and key not in self.made:
                    continue
                kind, parts = self.made.pop(key) if key in self.made else self._rules.made[key]
                self.gone.add(key)
                new = key[0], tuple(map(self.find, key[1]))
                known = self.made.get(new) or (None if new in self.gone else self._rules.made.get(new))
                if known is None:
                    self.made[new] = kind, parts
                    for each in new[1]:
                        self._askers[each].add(new)
                elif known[1] != parts:
                    raise _Contradiction
                else:
                    agreed += key[0] in told
                    waiting.append((known[0], kind))
        return agreed

    def keep(self) -> None:
        self._rules.take_over(self)


def find_kinds(trees: Iterable[tuple[Derivation, Sequence[int]]], deadline: Deadline = NEVER) -> Kinds | None:
    """The kinds of phrases that tell what rules make of them; None where none are needed."""
    numbers: dict[object, int] = {}  # by content word, or by rule with the kinds of its phrases
    times: Counter[int] = Counter()
    outputs: defaultdict[Made, Counter[CodedParts]] = defaultdict(Counter)

    def note(tree: Derivation, source: Sequence[int]) -> int:
        name: object = source[tree.span[0]]
        if tree.rule is not None:
            name = key = tree.rule.frame, tuple([note(phrase, source) for phrase in tree.phrases])
            outputs[key][tree.rule.parts] += 1
        kind = numbers.setdefault(name, len(numbers) + 1)
        times[kind] += 1
        return kind

    for tree, source in trees:
        note(tree, source)
    rules = _Rules()
    templates: defaultdict[CodedView, set[CodedParts]] = defaultdict(set)
    for key, row in outputs.items():
        usual = max(sorted(row), key=row.__getitem__)
        rules.add(key, numbers[key], usual)
        templates[key[0]].add(usual)
    told = {frame for frame, found in templates.items() if len(found) > 1 and PHRASE_MARK in frame}
    if not told:
        return None
    words = {word: kind for word, kind in numbers.items() if isinstance(word, int)}
    _merge_all(rules, words.values(), told, times, deadline)
    found = _named(rules, words, told)
    return found if max(found.made.values()) <= _MOST else None


def _merge_all(
    rules: _Rules, words: Iterable[int], told: Container[CodedView], times: Mapping[int, int], deadline: Deadline
) -> None:
    """Merge the kinds of words, then what is made with what it is made of, then what else is alike."""
    kept = _merged(rules, set(words), set(), told, times, deadline)
    _inherit(rules, told, deadline)
    while True:
        kept = {rules.find(kind) for kind in kept}
        waiting = {
            kind
            for (_, kinds), (made, _) in rules.made.items()
            if kept.issuperset(kinds) and (kind := rules.find(made)) not in kept
        }
        if not waiting:
            break
        kept = _merged(rules, waiting, kept, told, times, deadline)


def _merged(
    rules: _Rules,
    waiting: set[int],
    kept: set[int],
    told: Container[CodedView],
    times: Mapping[int, int],
    deadline: Deadline,
) -> set[int]:
    """Merge kinds with those that are kept, or keep them, too.

    Those that agree in most places come first, then those that are made alike. One that disagrees with all is kept.
    """
    while waiting:
        alike = _made_alike(rules, kept)
        odd: list[int] = []
        unknown: list[int] = []
        scored: list[tuple[float, int, int]] = []
        for kind in sorted(waiting & rules.asked(told), key=lambda kind: (-times[kind], kind)):
            deadline.check()
            votes = alike(kind)
            agreed = [(rules.would_agree(one, kind, told), one) for one in sorted(kept)]
            scores = [(found + votes[one], one) for found, one in agreed if found >= 0]
            most, one = max(scores, default=(0.0, 0))
            if most > 0:
                scored.append((most, one, kind))
            else:
                (unknown if scores else odd).append(kind)
        if odd:
            kept.add(odd[0])
        elif scored:
            enough = max(scored)[0] / 2  # what agrees in fewer places may agree better with what is merged now
            for most, one, kind in sorted(scored, key=lambda each: -each[0]):
                if most >= enough:
                    rules.merge(one, kind, told)
        elif unknown:
            kept.add(unknown[0])
        else:  # what nothing asks for is alike
            kept |= waiting
        kept = {rules.find(kind) for kind in kept}
        waiting = {rules.find(kind) for kind in waiting} - kept
    return kept


def _inherit(rules: _Rules, told: Container[CodedView], deadline: Deadline) -> None:
    """Let what a frame makes be of the kind of one of its phrases, where nothing contradicts that.

    Where several of them may tell it, the one that agrees in more places does; where none does, none of them.
    """
    frames = sorted({frame for frame, _ in rules.made}, key=lambda frame: (frame.count(PHRASE_MARK), frame))
    for frame in frames:
        deadline.check()
        asked = rules.asked(told)
        made = [(kinds, kind) for (each, kinds), (kind, _) in rules.made.items() if each == frame]
        if frame not in told and not any(rules.find(kind) in asked for _, kind in made):
            continue
        trials: list[tuple[int, int, _Trial]] = []
        for place in range(frame.count(PHRASE_MARK)):
            trial = _Trial(rules)
            with suppress(_Contradiction):
                agreed = sum([trial.merge(kinds[place], kind, told) for kinds, kind in made])
                trials.append((agreed, place, trial))
        trials.sort(key=lambda trial: -trial[0])
        if len(trials) == 1 or (trials and trials[0][0] > trials[1][0]):
            trials[0][2].keep()


def _made_alike(rules: _Rules, kept: Container[int]) -> Callable[[int], Mapping[int, float]]:
    """How many rules make each of the kept kinds of the same kinds, in frames of the same shape, as another kind."""
    made: defaultdict[Made, Counter[int]] = defaultdict(Counter)
    makers: defaultdict[int, set[Made]] = defaultdict(set)
    for (frame, kinds), (each, _) in rules.made.items():
        kind = rules.find(each)
        makers[kind].add((shape(frame), kinds))
        if kind in kept:
            made[shape(frame), kinds][kind] += 1

    def votes(kind: int) -> Mapping[int, float]:
        found: defaultdict[int, float] = defaultdict(float)
        for maker in makers[kind]:
            row = made[maker]
            for one, count in row.items():
                found[one] += count / sum(row.values())
        return found

    return votes


def _named(rules: _Rules, words: Mapping[int, int], told: Container[CodedView]) -> Kinds:
    """Number the kinds that make a difference, from 1 on."""
    asked = rules.asked(told)
    names: dict[int, int] = {}

    def name(kind: int) -> int:
        found = rules.find(kind)
        return names.setdefault(found, len(names) + 1) if found in asked else PLAIN

    found = Kinds({word: name(kind) for word, kind in sorted(words.items())})
    for (frame, kinds), (made, _) in rules.made.items():
        found.made[frame, tuple([name(kind) for kind in kinds])] = name(made)
    return found


def inflected(tree: Derivation, target: str) -> Derivation:
    """A derivation with the tokens that an output has in the places of those that stand for several forms."""
    if tree.rule is None:
        return tree
    phrases = tuple([inflected(phrase, target) for phrase in tree.phrases])
    sizes = {place: phrase.made[1] - phrase.made[0] for place, phrase in zip(tree.rule.places, phrases, strict=True)}
    parts: list[int] = []
    at = tree.made[0]
    for part in tree.rule.parts:
        parts.append(literal(target[at]) if part >= LITERAL else part)
        at += 1 if part >= LITERAL else sizes[part]
    return tree._replace(rule=FrameRule(tree.rule.frame, tuple(parts)), phrases=phrases)
