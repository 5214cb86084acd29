"""Lines that analogous lines contradict or confirm: many wrong ones can be told before anything is learned.

Lines that differ only in words that are used alike, each with a token of its own, are analogous: their outputs should
differ in these tokens only. Where they do not, the line that stands alone against many is probably wrong.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, product, repeat
from math import prod
from operator import eq
from typing import NamedTuple

from ness.data.example import Example
from ness.learn.cooccurrence import count_occurrences
from ness.learn.deadline import NEVER, Deadline, OutOfTime
from ness.learn.derivations.content import context_classes, places_of_words
from ness.learn.suspects import SUPPORT, Reasons, is_small_edit

_GIVEN = 0.8  # share of the lines with a word, or with a token, that have both
_COMMON = 0.9  # share of all lines beyond which a word goes with everything
_SHARED = 0.1  # an output that so many do not share (of those of the most frequent one) may be an accident
_OUTLINES = 8  # looked at, of one output and of analogous ones
_DISAGREEING = 0.01  # share of lines that may say together what others do not, where words are used alike

Outline = tuple[str | int, ...]  # words or tokens, numbers in place of exchangeable words and their tokens


class _Opinion(NamedTuple):
    """What some analogous lines say: an outline of the output."""

    target: Outline
    lines: list[Example]


class Analogies(NamedTuple):
    """What analogous lines say about each other."""

    contradicted: dict[Example, tuple[str, ...]]  # probably wrong, with the outputs that analogous lines speak for
    confirmed: list[Example]  # which another line agrees with, and hardly one disagrees
    disputed: bool  # whether some line says something else than all that are like it


def compare_by_analogy(examples: Sequence[Example], deadline: Deadline = NEVER) -> Analogies:
    """Compare analogous lines: which are probably wrong, and which confirm each other; nothing, if time is over."""
    tokens: dict[str, str] = {}
    opinions = _Opinions(examples)
    with suppress(OutOfTime):
        tokens = _exchangeable_words(examples, opinions, deadline)
    if not tokens:
        return Analogies({}, [], disputed=False)
    expected: dict[Example, tuple[str, ...]] = {}
    outputs: list[tuple[Example, tuple[str, ...]]] = []  # of those that speak for or against a reason
    confirmed: list[Example] = []
    disputed = False
    for usual, *others in opinions.by(tokens):
        outputs += [(line, line.target) for line in usual.lines]
        if len(usual.lines) < SUPPORT * sum(len(opinion.lines) for opinion in others):
            continue
        disputed |= bool(others)
        if len(usual.lines) > 1:
            confirmed += usual.lines
        lonely = [each for each in others if not _is_shared(each, usual) and _is_opposed(each, usual, tokens)]
        for line in (line for opinion in lonely for line in opinion.lines):
            output = _fill_outline(usual.target, line.source, tokens)
            outputs.append((line, output))
            if is_small_edit(output, line.target):
                expected[line] = output
    reasons = Reasons(set(tokens.values()))
    for line, output in outputs if expected else ():
        reasons.add(*line, output)
    contradicted = {line: output for line, output in expected.items() if not reasons.explain(*line, output)}
    return Analogies(contradicted, confirmed, disputed)


class _Opinions:
    """What analogous lines say, for any exchangeable words: looked at once for each set of them."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self._examples = examples
        self._known: dict[frozenset[str], list[list[_Opinion]]] = {}

    def by(self, tokens: Mapping[str, str]) -> list[list[_Opinion]]:
        """The opinions of each group of lines whose sources differ in exchangeable words only."""
        key = frozenset(tokens)
        if key not in self._known:
            self._known[key] = [_opinions(lines, tokens) for lines in _group_analogous(self._examples, tokens).values()]
        return self._known[key]


def _exchangeable_words(examples: Sequence[Example], opinions: _Opinions, deadline: Deadline) -> dict[str, str]:
    """Words that are used alike, each with its token: sets of them are left out until analogous lines agree."""
    own = _own_tokens(examples)
    words = list(dict.fromkeys(chain.from_iterable([source for source, _ in examples])))
    numbers = {word: number for number, word in enumerate(words)}
    places = places_of_words([tuple(map(numbers.__getitem__, source)) for source, _ in examples])
    lexical = {numbers[word]: token for word, token in own.items()}
    best: dict[str, str] = {}
    for by_kind in (True, False):
        found = [[words[number] for number in each] for each in context_classes(places, lexical, by_kind, deadline)]
        several = [{word: own[word] for word in each} for each in found if len(each) > 1]
        chosen = _agreeing_classes(several, opinions, len(examples), deadline)
        best = max(best, chosen, key=len)
    return best


def _agreeing_classes(
    classes: list[dict[str, str]], opinions: _Opinions, lines: int, deadline: Deadline
) -> dict[str, str]:
    """Leave out classes until analogous lines agree: an operator may stand where others do, and bind otherwise."""

    def rank(some: list[dict[str, str]]) -> tuple[int, int]:
        deadline.check()
        merged = _merge_classes(some)
        return _disagreement(opinions.by(merged)), -len(merged)

    while rank(classes)[0] > _DISAGREEING * lines:
        classes = min([[each for each in classes if each is not left_out] for left_out in classes], key=rank)
    return _merge_classes(classes)


def _merge_classes(classes: Iterable[Mapping[str, str]]) -> dict[str, str]:
    return {word: token for each in classes for word, token in each.items()}


def _own_tokens(examples: Sequence[Example]) -> dict[str, str]:
    """Words and tokens that occur in the same lines, but for a few wrong ones."""
    with_word, with_token, together = count_occurrences(examples)
    pairs = [
        (word, token)
        for (word, token), count in together.items()
        if count >= _GIVEN * max(with_word[word], with_token[token]) and with_word[word] <= _COMMON * len(examples)
    ]
    words, tokens = Counter(word for word, _ in pairs), Counter(token for _, token in pairs)
    return {word: token for word, token in pairs if words[word] == tokens[token] == 1}


def _group_analogous(examples: Sequence[Example], tokens: Mapping[str, str]) -> dict[Outline, list[Example]]:
    """Analogous lines: those whose sources differ in exchangeable words only."""
    groups: dict[Outline, list[Example]] = defaultdict(list)
    shown: dict[str, str | int] = dict.fromkeys(tokens, 0)
    for example in examples:
        groups[tuple(map(shown.get, example.source, example.source))].append(example)
    return groups


def _opinions(lines: Sequence[Example], tokens: Mapping[str, str]) -> list[_Opinion]:
    """What analogous lines say, what most of them say first; each line belongs to one opinion."""
    for outline in _outlines(_clearest(lines, tokens), tokens):  # mostly all agree
        if _all_agree(lines, outline, tokens):
            return [_Opinion(outline, list(lines))]
    found: list[_Opinion] = []
    left = list(lines)
    while left:
        counts = Counter(outline for line in left for outline in _outlines(line, tokens))
        best = _Opinion((), [])
        for outline, _ in counts.most_common(_OUTLINES):
            agreeing = [line for line in left if line.target == _fill_outline(outline, line.source, tokens)]
            if len(agreeing) > len(best.lines):
                best = _Opinion(outline, agreeing)
            if len(agreeing) == len(left):
                break
        found.append(best)
        agreed = set(best.lines)
        left = [line for line in left if line not in agreed]
    return found


def _clearest(lines: Sequence[Example], tokens: Mapping[str, str]) -> Example:
    """A line in which no exchangeable word occurs twice: its output has one outline. If there is none, the first."""
    for line in lines:
        words = [word for word in line.source if word in tokens]
        if len(set(words)) == len(words):
            return line
    return lines[0]


def _all_agree(lines: Sequence[Example], outline: Outline, tokens: Mapping[str, str]) -> bool:
    """Tell whether the outputs of analogous lines all are what an outline says: column by column, which is fast."""
    if not outline:
        return not any(line.target for line in lines)
    columns = list(zip(*[line.source for line in lines], strict=True))
    written = {item: [tokens[word] for word in columns[item]] for item in set(outline) if isinstance(item, int)}
    parts = [written[item] if isinstance(item, int) else repeat(item, len(lines)) for item in outline]
    return all(map(eq, zip(*parts, strict=True), [line.target for line in lines]))


def _outlines(line: Example, tokens: Mapping[str, str]) -> list[Outline]:
    """The outlines of an output: the token of a word that occurs twice may come from either, up to some choices."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(line.source):
        if word in tokens:
            places[tokens[word]].append(place)
    choices = [places.get(token, [token]) for token in line.target]
    open_ones = [len(each) for each in choices if len(each) > 1]
    if len(open_ones) > _OUTLINES or prod(open_ones) > _OUTLINES:  # of thousands of them the product takes a while
        choices = [each[:1] for each in choices]
    return list(product(*choices))


def _is_shared(opinion: _Opinion, usual: _Opinion) -> bool:
    """Tell whether too many lines share an opinion for an accident."""
    return len(opinion.lines) > max(1, _SHARED * len(usual.lines))


def _is_opposed(opinion: _Opinion, usual: _Opinion, tokens: Mapping[str, str]) -> bool:
    """Tell whether lines enough say something else: `walk and walk` does not tell which word comes first."""
    against = sum(line.target != _fill_outline(opinion.target, line.source, tokens) for line in usual.lines)
    return against >= SUPPORT * len(opinion.lines)


def _disagreement(groups: Iterable[Sequence[_Opinion]]) -> int:
    """Lines that share an output with others, but not with most lines of their outline."""
    return sum(len(each.lines) for usual, *others in groups for each in others if _is_shared(each, usual))


def _fill_outline(outline: Outline, source: Sequence[str], tokens: Mapping[str, str]) -> tuple[str, ...]:
    """The tokens of an outline, for the words of a source."""
    return tuple([tokens[source[item]] if isinstance(item, int) else item for item in outline])
