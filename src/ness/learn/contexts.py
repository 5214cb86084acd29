"""Classes of content words by where they occur in the inputs, found by counting alone."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from ness.learn.coding import Sample

_EDGE = -1  # beside the first and the last word
_CLASS = -2  # the class 0 as a neighbour; the next ones count down
_ROUNDS = 10
_ALIKE = 0.5  # of the contexts of one must be contexts of the other
_LINEAR = 0.9  # of the examples must write each content word once

Context = tuple[int, int]


def content_sets(samples: Sequence[Sample], lexical: Mapping[int, str]) -> list[dict[int, str]]:
    """Sets of words that may be phrases by themselves, with their phrases, the largest first.

    Not every word with a token of its own is one: an operator with a token must stay visible in its frame, so that
    others can bind tighter. A word that no other is like is no content; beyond that, several sets are worth a try.
    """
    last = {source[-1] for source, _ in samples}
    found: list[dict[int, str]] = []
    for by_kind in (True, False):
        classes = [each for each in context_classes(samples, lexical, by_kind) if len(each) > 1]
        for chosen in (classes, [each for each in classes if last.intersection(each)]):
            content = {word: lexical[word] for each in chosen for word in each}
            if content and content not in found and is_linear(samples, content):
                found.append(content)
    return found


def with_neighbours(samples: Sequence[Sample], content: Mapping[int, str]) -> dict[int, str]:
    """The phrases of the words with all tokens that always stand beside them in the outputs."""
    targets: dict[int, list[str]] = defaultdict(list)
    for source, target in samples:
        for word in set(source):
            if word in content:
                targets[word].append(target)
    return {word: _grown(phrase, targets[word]) for word, phrase in content.items()}


def _grown(phrase: str, targets: Sequence[str]) -> str:
    grows = True
    while grows:
        grows = False
        for before in (True, False):
            beside = {_beside(phrase, target, before) for target in targets if phrase in target}
            if len(beside) == 1 and (token := beside.pop()):
                phrase = token + phrase if before else phrase + token
                grows = True
    return phrase


def _beside(phrase: str, target: str, before: bool) -> str:
    """The token beside the first place of a phrase; nothing at the edge."""
    start = target.index(phrase)
    return target[max(0, start - 1) : start] if before else target[start + len(phrase) : start + len(phrase) + 1]


def is_linear(samples: Sequence[Sample], content: Mapping[int, str]) -> bool:
    """Tell whether most outputs have each content word of the input once, where the input has it once."""
    right = total = 0
    for source, target in samples:
        words = [word for word in source if word in content]
        if words and len(set(words)) == len(words):
            total += 1
            right += all(target.count(content[word]) == 1 for word in words)
    return right >= _LINEAR * total > 0


def context_classes(samples: Sequence[Sample], words: Mapping[int, str], by_kind: bool) -> list[list[int]]:
    """Classes of the words by their neighbours, refined until the classes of the neighbours tell nothing more.

    `by_kind`: which neighbours a word has; else also how often it has them.
    """
    label = dict.fromkeys(words, _CLASS)
    groups: list[_Group] = []
    for _ in range(_ROUNDS):
        contexts = _contexts(samples, label)
        before, groups = len(groups), []
        for word in sorted(contexts, key=lambda word: (-sum(contexts[word].values()), word)):
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


def _contexts(samples: Sequence[Sample], label: Mapping[int, int]) -> dict[int, Counter[Context]]:
    """The neighbours of each labelled word, labels in the place of labelled words."""
    contexts: dict[int, Counter[Context]] = defaultdict(Counter)
    for source, _ in samples:
        labels = [_EDGE, *[label.get(word, word) for word in source], _EDGE]
        for place, word in enumerate(source):
            if word in label:
                contexts[word][labels[place], labels[place + 2]] += 1
    return contexts
