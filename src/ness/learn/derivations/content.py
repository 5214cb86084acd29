"""Classes of content words by where they occur in the inputs, found by counting alone."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from ness.learn.coding import Sample
from ness.learn.constituents.patterns import is_balanced, pairs_of_tokens
from ness.learn.deadline import NEVER, Deadline
from ness.learn.readings import common_prefix

_EDGE = -1  # beside the first and the last word
_CLASS = -2  # the class 0 as a neighbour; the next ones count down
_ROUNDS = 10
_ALIKE = 0.5  # of the contexts of one must be contexts of the other
_LEAST_SAMPLES = 8  # of a word, for what always stands beside its token to be no accident
_ATTACHED = 0.95  # of the places of a class are beside a content word, on the same side
_MOST_ODD = 0.25  # of the words of a set may be none
_VOTES = 2520  # for each lot of words, shared out among them
_TAKEN = chr(0)
_MOST = 0.9  # of the examples must write each content word

Context = tuple[int, int]
Places = Mapping[tuple[int, int, int], int]  # how often a word, in the middle, stands between two others


def content_sets(
    samples: Sequence[Sample], lexical: Mapping[int, str], deadline: Deadline = NEVER
) -> list[dict[int, str]]:
    """Sets of words that may be phrases by themselves, with their phrases, the most likely first.

    Not every word with a token of its own is one: an operator with a token must stay visible in its frame, so that
    others can bind tighter. A word that no other is like is no content; beyond that, several sets are worth a try
    (words that open what something else closes may be visible, too, and those that ask for another output than words
    like them), and phrases with or without the tokens that always stand beside them.
    """
    targets = _targets(samples, lexical)
    last = {source[-1] for source, _ in samples}
    alone = {source[0] for source, _ in samples if len(source) == 1}
    pairs = pairs_of_tokens([target for _, target in samples])
    whole = {word for word, phrase in lexical.items() if is_balanced(tuple(phrase), pairs)}  # closes what it opens
    chosen: list[list[list[int]]] = []
    places = places_of_words([source for source, _ in samples])
    for by_kind in (True, False):
        classes = [each for each in context_classes(places, lexical, by_kind, deadline) if len(each) > 1]
        for words in (lexical.keys(), last, alone, whole):
            some = [each for each in classes if not words.isdisjoint(each)]
            if some and some not in chosen:
                chosen.append(some)
    bare = [{word: lexical[word] for each in some for word in each} for some in chosen]
    enclosed = [{w: _enclosed(phrase, targets[w], pairs) for w, phrase in content.items()} for content in bare]
    apart = [without_attached_words(places, content, some) for some, content in zip(chosen, bare, strict=True)]
    apart += [{word: content[word] for word in some} for some, content in zip(apart, enclosed, strict=True)]
    sure = [{word: phrase for word, phrase in some.items() if word in ends} for some in bare for ends in (alone, last)]
    alike = [without_odd_words(samples, content) for content in (*bare, *enclosed)]
    own = [{word: phrase for each in some for word, phrase in _own(each, lexical, targets).items()} for some in chosen]
    wide = [_grown_set(content, content, targets) for content in bare]
    mixed = [
        content | _grown_set(content, each, targets)
        for some, content in zip(chosen, own, strict=True)
        for each in some
        if len(some) > 1
    ]
    less = [
        {word: phrase for word, phrase in content.items() if word not in left_out}
        for content in enclosed[:1]
        for left_out in chosen[0]
    ]
    found: list[dict[int, str]] = []
    for content in (*bare, *enclosed, *apart, *sure, *alike, *own, *wide, *mixed, *less):
        if content not in found and is_written(samples, content):
            found.append(content)
    return found


def content_sets_beside(
    samples: Sequence[Sample], lexical: Mapping[int, str], visible: Collection[int], deadline: Deadline = NEVER
) -> list[dict[int, str]]:
    """The same where some words stay visible: at first without any words that occur in the same places as these.

    Of the classes of the others each alone comes first, those with more words before others.
    """
    phrases = {word: phrase for word, phrase in lexical.items() if word not in visible}
    everything = phrases | dict.fromkeys(visible, "")
    classes = context_classes(places_of_words([source for source, _ in samples]), everything, True, deadline)
    open_ = [each for each in classes if len(each) > 1 and not set(each).intersection(visible)]
    sets = content_sets(samples, phrases, deadline)
    single = [{word: phrases[word] for word in each} for each in sorted(open_, key=len, reverse=True)]
    words = {word for each in open_ for word in each}
    several = [{word: phrase for word, phrase in content.items() if word in words} for content in (phrases, *sets)]
    found: list[dict[int, str]] = []
    for content in (*single, *several, *sets):
        if content and content not in found:
            found.append(content)
    return found


def without_attached_words(
    places: Places, content: Mapping[int, str], classes: Iterable[Collection[int]]
) -> dict[int, str]:
    """The content words less the classes that always stand beside another content word, as operators do.

    In `price missing` and `name descending` the second word should stay visible; small classes go first.
    """
    left = dict(content)
    for words in map(frozenset, sorted(classes, key=len)):
        own = [(before, after, times) for (before, word, after), times in places.items() if word in words]
        behind = sum([times for before, _, times in own if before in left])
        ahead = sum([times for _, after, times in own if after in left])
        if max(behind, ahead) >= _ATTACHED * sum([times for *_, times in own]):
            left = {word: phrase for word, phrase in left.items() if word not in words}
    return left


def without_odd_words(samples: Sequence[Sample], content: Mapping[int, str]) -> dict[int, str]:
    """The content words less those that ask for other outputs than others in the same place.

    Where `size is red` becomes `size = red` and `size is missing` becomes `size IS NULL`, `missing` must stay visible.
    """
    left = dict(content)
    while len(left) >= (1 - _MOST_ODD) * len(content):
        votes: Counter[int] = Counter()
        for words in _clashes(samples, left):
            votes.update(dict.fromkeys(words, _VOTES // len(words)))  # rather one odd word than several
        if not votes:
            return left
        del left[max(sorted(votes), key=votes.__getitem__)]
    return dict(content)


def _clashes(samples: Sequence[Sample], content: Mapping[int, str]) -> Iterator[set[int]]:
    """Words of which one lot must be odd: those of two outputs of a pattern, in places that have none in common."""
    outputs: dict[tuple[int, ...], dict[str, list[list[int]]]] = {}  # by pattern and output: the content words
    for source, target in samples:
        words = [word for word in source if word in content]
        if words and len(set(words)) == len(words):
            for place, word in enumerate(words):
                target = target.replace(content[word], chr(place))
            pattern = tuple([_CLASS if word in content else word for word in source])
            outputs.setdefault(pattern, {}).setdefault(target, []).append(words)
    for by_output in outputs.values():
        usual, *others = sorted(by_output.values(), key=len, reverse=True)
        for unusual in others:
            for pair in zip(zip(*unusual, strict=True), zip(*usual, strict=True), strict=True):
                one, other = map(set, pair)
                if one.isdisjoint(other):
                    yield from (one, other)


def _targets(samples: Sequence[Sample], words: Container[int]) -> dict[int, list[str]]:
    """The outputs of the samples with each word."""
    targets: dict[int, list[str]] = defaultdict(list)
    for source, target in samples:
        for word in set(source):
            if word in words:
                targets[word].append(target)
    return targets


def _own(words: Sequence[int], lexical: Mapping[int, str], targets: Mapping[int, list[str]]) -> dict[int, str]:
    """The phrases of the words of a class, with the tokens always beside them, up to those beside all of the class."""
    wide = {w: _grown(lexical[w], targets[w]) for w in words if len(targets[w]) >= _LEAST_SAMPLES}
    before = [phrase[: phrase.index(lexical[word])] for word, phrase in wide.items()]
    after = [phrase[phrase.index(lexical[word]) + len(lexical[word]) :] for word, phrase in wide.items()]
    first, last = len(common_prefix(before)), len(common_prefix([tokens[::-1] for tokens in after]))
    return {word: lexical[word] for word in words} | {w: wide[w][first : len(wide[w]) - last] for w in wide}


def _enclosed(phrase: str, targets: Sequence[str], pairs: Collection[tuple[str, str]] = ()) -> str:
    """A phrase with the quotes or brackets that always enclose it in the outputs."""
    while True:
        before, after = (_always_beside(phrase, targets, side) for side in (True, False))
        if not before or not (before == after or (before, after) in pairs):
            return phrase
        phrase = before + phrase + after


def _grown_set(content: Mapping[int, str], words: Iterable[int], targets: Mapping[int, list[str]]) -> dict[int, str]:
    """The phrases of the words with all tokens that always stand beside them in the outputs."""
    return {word: _grown(content[word], targets[word]) for word in words}


def _grown(phrase: str, targets: Sequence[str]) -> str:
    grows = True
    while grows:
        phrase = _enclosed(phrase, targets)  # else of two quotes one would be left
        grows = False
        for before in (True, False):
            token = _always_beside(phrase, targets, before)
            if token:
                phrase = token + phrase if before else phrase + token
                grows = True
    return phrase


def _always_beside(phrase: str, targets: Sequence[str], before: bool) -> str:
    """The token that always stands before or after a phrase; nothing if there is none."""
    beside = {_beside(phrase, target, before) for target in targets if phrase in target}
    return beside.pop() if len(beside) == 1 and not beside & set(phrase) else ""


def _beside(phrase: str, target: str, before: bool) -> str:
    """The token beside the first place of a phrase; nothing at the edge."""
    start = target.index(phrase)
    return target[max(0, start - 1) : start] if before else target[start + len(phrase) : start + len(phrase) + 1]


def is_written_once(samples: Sequence[Sample], content: Mapping[int, str]) -> bool:
    """Tell whether most outputs have the phrase of each content word as often as the input has such words."""
    return _share(samples, content, int.__eq__) >= _MOST


def is_written(samples: Sequence[Sample], content: Mapping[int, str]) -> bool:
    """Tell whether most outputs have the phrase of each content word as often, or more often."""
    return _share(samples, content, int.__ge__) >= _MOST


def _share(samples: Sequence[Sample], content: Mapping[int, str], holds: Callable[[int, int], bool]) -> float:
    """Of how many examples it holds for each content word that its phrase is written so often, for so many words."""
    right = total = 0
    for source, target in samples:
        phrases = Counter([content[word] for word in source if word in content])
        if phrases:
            total += 1
            left = target
            for phrase in sorted(phrases, key=len, reverse=True):  # what is part of a longer one is not counted
                if not holds(left.count(phrase), phrases[phrase]):
                    break
                left = left.replace(phrase, _TAKEN)
            else:
                right += 1
    return right / total if total else 0.0


def places_of_words(sources: Iterable[Sequence[int]]) -> Places:
    """How often each word stands between which two others."""
    edged = [(_EDGE, *source, _EDGE) for source in sources]
    return Counter(chain.from_iterable([zip(line, line[1:], line[2:], strict=False) for line in edged]))


def context_classes(
    places: Places, words: Mapping[int, str], by_kind: bool, deadline: Deadline = NEVER
) -> list[list[int]]:
    """Classes of the words by their neighbours, refined until the classes of the neighbours tell nothing more.

    `by_kind`: which neighbours a word has; else also how often it has them.
    """
    label = dict.fromkeys(words, _CLASS)
    groups: list[_Group] = []
    for _ in range(_ROUNDS):
        contexts = _contexts(places, label)
        before, groups = len(groups), []
        for word in sorted(contexts, key=lambda word: (-sum(contexts[word].values()), word)):
            deadline.check()
            own = contexts[word]
            group = next((each for each in groups if each.takes(label[word], own, by_kind)), None)
            if group is None:
                groups.append(group := _Group(label[word]))
            group.add(word, own)
        label = {word: _CLASS - number for number, group in enumerate(groups) for word in group.words}
        if len(groups) == before:
            break
    return [group.words for group in groups]


class _Group:
    """Words with similar contexts."""

    def __init__(self, label: int) -> None:
        self.label = label
        self.words: list[int] = []
        self._contexts: Counter[Context] = Counter()

    def takes(self, label: int, contexts: Counter[Context], by_kind: bool) -> bool:
        """Tell whether a word with these contexts is like the words of this group."""
        if label != self.label:
            return False
        shared = contexts.keys() & self._contexts.keys()
        if by_kind:
            return len(shared) >= _ALIKE * min(len(contexts), len(self._contexts))
        own, all_ = sum(contexts.values()), sum(self._contexts.values())
        return sum(min(contexts[each] / own, self._contexts[each] / all_) for each in shared) >= _ALIKE

    def add(self, word: int, contexts: Counter[Context]) -> None:
        self.words.append(word)
        self._contexts.update(contexts)


def _contexts(places: Places, label: Mapping[int, int]) -> dict[int, Counter[Context]]:
    """The neighbours of each labelled word, labels in the place of labelled words; words come between theirs."""
    contexts: dict[int, Counter[Context]] = defaultdict(Counter)
    for (before, word, after), times in places.items():
        if word in label:
            contexts[word][label.get(before, before), label.get(after, after)] += times
    return contexts
