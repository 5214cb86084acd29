"""Rules that have much in common, taken apart: what they share becomes a rule of its own.

Patterns are derived one after the other, so `ask whether ● is ●` and `ask whether ● has ●` may both be rules before
anything tells that `ask whether ●` is one. Taken apart, the same derivations cost less, and `● is ●` can stand where
no example shows it.
"""

from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from ness.learn.coding import LITERAL, PHRASE_MARK, CodedParts, literal
from ness.learn.derivations.rules import CONFLICT, USE, Derivation, FrameRule, Span, cost_of

_WORDS_MAKE = 4  # tokens that a half without phrases makes, at most
_WIDEST = 24  # tokens around the phrases of a part that it may take along, at most
_LEAST_GAIN = 1.0  # nats
_ENCLOSED = 1.0  # nats, for an inner rule with words on either side


class Split(NamedTuple):
    """A rule as two: an outer one with a phrase that the inner one makes."""

    outer: FrameRule
    inner: FrameRule
    start: int  # where the inner one begins in the frame
    made: Span  # the stretch of the template that it makes

    @property
    def is_enclosed(self) -> bool:
        return 0 < self.start < len(self.outer.frame) - 1


def taken_apart(
    uses: Mapping[FrameRule, int],
    closing: Mapping[str, str],
    visible: Collection[int] = (),
    conflict: float = CONFLICT,
    undivided: Container[tuple[int, int]] = (),
) -> dict[FrameRule, Split]:
    """The rules to take apart, such that all rules together cost as little as can be reached step by step.

    `conflict` is what another template of a frame costs; undivided words stay in one frame. Visible words stand in no
    frame without a phrase, and what stands side by side with them belongs together.
    """
    brackets = [(literal(opens), literal(closes)) for opens, closes in closing.items()]
    left = Counter(uses)
    apart: dict[FrameRule, Split] = {}
    found = {rule: list(_splits(rule, brackets, visible, undivided)) for rule in left}
    while True:
        best = _best_half(left, found, apart, _ENCLOSED if visible else 0.0, conflict)
        if not best:
            return apart
        for rule, split in best.items():
            apart[rule] = split
            times = left.pop(rule)
            found.pop(rule)
            for half in (split.outer, split.inner):
                left[half] += times
                if half not in found:
                    found[half] = list(_splits(half, brackets, visible, undivided))


def rewritten(tree: Derivation, apart: Mapping[FrameRule, Split]) -> Derivation:
    """A derivation with its rules taken apart."""
    phrases = tuple([rewritten(phrase, apart) for phrase in tree.phrases])
    split = None if tree.rule is None else apart.get(tree.rule)
    return tree._replace(phrases=phrases) if split is None else rewritten(_halved(tree, phrases, split), apart)


def _halved(tree: Derivation, phrases: Sequence[Derivation], split: Split) -> Derivation:
    """A derivation by the outer rule of a split, with a phrase by the inner one."""
    assert tree.rule is not None
    frame, parts = tree.rule
    phrase_at = dict(zip([at for at, item in enumerate(frame) if item == PHRASE_MARK], phrases, strict=True))
    stop = split.start + len(split.inner.frame)
    # Where the items of the frame and the parts of the template begin, and where the last one ends.
    items = _places(tree.span[0], [phrase_at[at].span if at in phrase_at else (0, 1) for at in range(len(frame))])
    tokens = _places(tree.made[0], [(0, 1) if part >= LITERAL else phrase_at[part].made for part in parts])
    inside = tuple([phrase for at, phrase in phrase_at.items() if split.start <= at < stop])
    first, last = split.made
    inner = Derivation((items[split.start], items[stop]), (tokens[first], tokens[last]), 0.0, split.inner, inside)
    before = [phrase for at, phrase in phrase_at.items() if at < split.start]
    behind = [phrase for at, phrase in phrase_at.items() if at >= stop]
    return tree._replace(rule=split.outer, phrases=(*before, inner, *behind))


def _places(start: int, spans: Iterable[Span]) -> list[int]:
    """Where stretches as long as these begin, side by side, and where the last one ends."""
    return list(accumulate([last - first for first, last in spans], initial=start))


def _best_half(
    uses: Mapping[FrameRule, int],
    found: Mapping[FrameRule, list[Split]],
    apart: Mapping[FrameRule, Split],
    enclosed: float,
    conflict: float,
) -> dict[FrameRule, Split]:
    """The rules that have a half in common which pays best as a rule of its own, with their splits."""
    frames = {rule.frame for rule in uses}

    def cost_of_adding(rule: FrameRule) -> float:
        """A frame should become the same everywhere."""
        return 0.0 if rule in uses else cost_of(rule) + (conflict if rule.frame in frames else 0.0)

    gains: dict[FrameRule, dict[FrameRule, tuple[float, Split]]] = {}
    for rule, splits in found.items():
        whole = cost_of(rule) - USE * uses[rule]
        for split in splits:
            if split.outer in apart or split.inner in apart:
                continue
            for half, other in ((split.outer, split.inner), (split.inner, split.outer)):
                gain = whole - (0.0 if other == half else cost_of_adding(other)) - enclosed * split.is_enclosed
                if gain > 0:
                    of_half = gains.setdefault(half, {})
                    if rule not in of_half or gain > of_half[rule][0]:
                        of_half[rule] = gain, split
    best: FrameRule | None = None
    most = _LEAST_GAIN
    for half, of_half in gains.items():
        total = sum([gain for gain, _ in of_half.values()]) - cost_of_adding(half)
        if total > most:
            best, most = half, total
    return {} if best is None else {rule: split for rule, (_, split) in gains[best].items() if rule != best}


def _splits(
    rule: FrameRule,
    brackets: Sequence[tuple[int, int]],
    visible: Collection[int],
    undivided: Container[tuple[int, int]],
) -> Iterator[Split]:
    """All ways to take a rule apart.

    Both parts have a word, no phrase comes to stand beside another one (no word would tell what these have to do with
    each other), and brackets keep their partners.
    """
    frame, parts = rule
    opened = _opened(parts, brackets)
    for start in range(len(frame)):
        if frame[start - 1 : start + 1] in undivided:
            continue
        for stop in range(start + 1, len(frame) + 1):
            rest = frame[:start] + frame[stop:]
            inside = frame[start:stop]
            if set(inside) == {PHRASE_MARK} or set(rest) <= {PHRASE_MARK}:
                continue
            if PHRASE_MARK in (*frame[:start][-1:], *frame[stop : stop + 1]):
                continue
            if PHRASE_MARK not in inside and not set(inside).isdisjoint(visible):
                continue
            for first, last in _stretches(rule, start, stop):
                if opened[first] == opened[last]:
                    yield _split(rule, start, stop, (first, last))


def _stretches(rule: FrameRule, start: int, stop: int) -> Iterator[Span]:
    """Stretches of a template which one part of the frame may make: they have all of its phrases and no others."""
    frame, parts = rule
    inside = [number for number, part in enumerate(parts) if start <= part < stop]
    others = [number for number, part in enumerate(parts) if part < LITERAL and not start <= part < stop]
    if PHRASE_MARK in frame[start:stop]:
        if not inside or len({parts[number] for number in inside}) < frame[start:stop].count(PHRASE_MARK):
            return
        lower = max([number for number in others if number < inside[0]], default=-1) + 1
        upper = min([number for number in others if number > inside[0]], default=len(parts))
        if upper <= inside[-1]:
            return
        for first in range(max(lower, inside[0] - _WIDEST), inside[0] + 1):
            for last in range(inside[-1] + 1, min(upper, inside[-1] + 1 + _WIDEST) + 1):
                yield first, last
    else:
        taken = set(others)
        for first in range(len(parts)):
            for last in range(first + 1, min(len(parts), first + _WORDS_MAKE) + 1):
                if last - 1 in taken:
                    break
                yield first, last


def _split(rule: FrameRule, start: int, stop: int, made: Span) -> Split:
    frame, parts = rule
    first, last = made

    def moved(part: int) -> int:
        return part if part >= LITERAL or part < start else part - (stop - start) + 1

    outer = FrameRule(
        (*frame[:start], PHRASE_MARK, *frame[stop:]),
        (*map(moved, parts[:first]), start, *map(moved, parts[last:])),
    )
    inner_parts = [part if part >= LITERAL else part - start for part in parts[first:last]]
    return Split(outer, FrameRule(frame[start:stop], tuple(inner_parts)), start, made)


def _opened(parts: CodedParts, brackets: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
    """How many brackets of each kind are open before each place of a template."""
    now = [0] * len(brackets)
    found = [tuple(now)]
    for part in parts:
        for kind, (opens, closes) in enumerate(brackets):
            now[kind] += (part == opens) - (part == closes)
        found.append(tuple(now))
    return found
