"""The argument of a CONCAT in a frame that no trace joined: what examples tell about exchanging its words for others.

Frames that show the same categories are of one kind. Where frames differ in one word alone, they show what exchanging
it changes: nothing, some tokens (`store_y` for `store_x`), or more than can be foretold. So a new frame takes what the
nearest ones of its kind take, with these tokens exchanged, unless it may hold others of the old word's own. Words that
were never compared may stand for each other unless one of them is peculiar: known to ask for something else than most
words do. The kind of a phrase is like a word here. What is open then is refused, never guessed. Standard library only,
Python 3.9: it goes into exported files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from ness.rules.contexts import Contexts, agreed_above

Frames = Mapping[Any, Any]  # the frames of one kind, with the argument of each
Kinds = Mapping[Any, Frames]  # by operator, frame by category, memory
Place = tuple[int, int]  # in a frame of so many items
Replacements = list[tuple[Any, Any, Place]]  # words of a known frame, with those that a new one has in their places
Comparison = tuple[Replacements, set[Any]]  # what is replaced, and what is kept


class Found(NamedTuple):
    """What rules tell about the argument of a frame."""

    argument: Any  # None: different things, and nothing tells which
    shown: bool  # whether examples show it, in this frame or in all of its kind


OPEN = Found(None, False)


class Exchanges:
    """What changes if a word is exchanged for another, as far as frames show that differ in this word alone."""

    def __init__(
        self, kinds: Kinds, is_token: Callable[[Any], bool], kind_of: Callable[[Any], int] = lambda item: 0
    ) -> None:
        """Compare the words of kinds whose frames have different arguments: others tell no words apart.

        `kind_of` is the kind of a phrase in a frame.
        """
        self._is_token, self._kind_of = is_token, kind_of
        self._rows: dict[Any, dict[Any, Any]] = {}  # kind, place and other items of a frame -> word -> argument
        self._rows_of: dict[Any, set[Any]] = {}
        self._words_with: dict[Any, set[Any]] = {}  # token -> words of frames that have it in their arguments
        for kind, frames in kinds.items():
            for place in _varied(frames):
                for frame, argument in frames.items():
                    row = (kind, place, frame[:place], frame[place + 1 :])
                    self._rows.setdefault(row, {})[frame[place]] = argument
                    self._rows_of.setdefault(frame[place], set()).add(row)
                    for token in filter(is_token, argument):
                        self._words_with.setdefault(token, set()).add(frame[place])
        self.peculiar = {word for row in self._rows.values() for word in _exceptions(row)}

    def differ(self, words: Iterable[Any]) -> bool:
        """Tell whether two of these words are known to ask for different arguments."""
        first: dict[Any, Any] = {}  # row -> argument
        return any(
            first.setdefault(row, self._rows[row][word]) != self._rows[row][word]
            for word in words
            for row in self._rows_of.get(word, ())
        )

    def rivals(self, word: Any) -> set[Any]:
        """The words that are known to ask for other arguments than this one, with all else equal."""
        rows = [self._rows[row] for row in self._rows_of.get(word, ())]
        return {other for row in rows for other, argument in row.items() if argument != row[word]}

    def changes(self, old: Any, new: Any, place: Place) -> Mapping[Any, Any] | None:
        """The tokens to put for others if one word stands for another; None where that is not known.

        What the kind of a phrase tells depends on its place: `● near ●` may agree with the first of them alone.
        """
        shared = self._rows_of.get(old, set()) & self._rows_of.get(new, set())
        if self._kind_of(old) or self._kind_of(new):
            shared = {row for row in shared if place == (row[1], len(row[2]) + 1 + len(row[3]))} or shared
        if not shared and (old in self.peculiar or new in self.peculiar):
            return None
        changes: dict[Any, Any] = {}
        for row in shared:
            before, after = without_kind(self._rows[row][old]), without_kind(self._rows[row][new])
            if len(before) != len(after):
                return None
            for part, other in zip(before, after):  # noqa: B905 # not in Python 3.9
                tokens = self._is_token(part) and self._is_token(other)
                if (part != other and not tokens) or (tokens and changes.setdefault(part, other) != other):
                    return None
        return changes

    def exchanged(self, argument: Any, words: Replacements, kept: Collection[Any]) -> Any:
        """An argument after words of its frame were exchanged and others kept; None where that is not known."""
        replaced: dict[Any, Any] = {}
        joined = without_kind(argument)
        for old, new, place in words:
            changes = self.changes(old, new, place)
            if changes is None or self._is_unexplained(joined, old, changes):
                return None
            changed = _changed(changes)
            if old in kept and not changed.isdisjoint(joined):
                return None  # which of its tokens stay is not known
            for token in changed:
                if replaced.setdefault(token, changes[token]) != changes[token]:
                    return None
        made = [replaced.get(part, part) if self._is_token(part) else part for part in joined]
        kind = self._exchanged_kind(argument[-1], words, kept) if len(joined) < len(argument) else 0
        return tuple([*made, kind] if kind else made)

    def _exchanged_kind(self, kind: int, words: Replacements, kept: Collection[Any]) -> int:
        """The kind of what is made of phrases of other kinds: that of the same phrase; 0 where that is not known."""
        found = {-self._kind_of(new) for old, new, _ in words if -self._kind_of(old) == kind}
        if not found:
            return kind
        return found.pop() if len(found) == 1 and all(-self._kind_of(item) != kind for item in kept) else 0

    def _is_unexplained(self, argument: Any, old: Any, changes: Mapping[Any, Any]) -> bool:
        """Tell whether an argument may hold tokens of the old word's own for which nothing is known to stand."""
        changed = _changed(changes)
        if not changed:
            return False
        accounted = not changed.isdisjoint(argument)
        for part in argument:
            if self._is_token(part) and part not in changes:
                words = self._words_with.get(part, set())
                shared = any(self.differ((old, word)) for word in words)
                if not shared and (old in words or not accounted):
                    return True
        return False


def _changed(changes: Mapping[Any, Any]) -> set[Any]:
    return {token for token, other in changes.items() if token != other}


def is_regular(frames: Iterable[Any], top: Any, peculiar: Collection[Any]) -> bool:
    """Tell whether one of the frames differs from another one in words alone that may stand for each other."""
    odd = [place for place, word in enumerate(top) if word in peculiar]
    return any(
        all(frame[place] == top[place] for place in odd)
        and not any(word in peculiar for place, word in enumerate(frame) if word != top[place])
        for frame in frames
    )


def find(frames: Frames, top: Any, exchanges: Exchanges) -> Found:
    """What the known frames of a kind tell about a new one."""
    made = set(frames.values())
    if len(made) == 1 and is_regular(frames, top, exchanges.peculiar):
        return Found(made.pop(), True)
    for group in _by_distance(frames, top, exchanges):
        said = {exchanges.exchanged(argument, *words) for words, argument in group} - {None}
        if said:
            return Found(_common(said), len(said) == 1 and said == made)
    return OPEN


def _common(arguments: Collection[Any]) -> Any:
    """The one argument that is said; None if several are. Where not all tell the kind of what is made, some do."""
    joined = {without_kind(argument) for argument in arguments}
    of_kinds = [argument for argument in arguments if argument not in joined]
    if len(joined) > 1 or len(of_kinds) > 1:
        return None
    return of_kinds[0] if of_kinds else joined.pop()


def why_refused(frames: Frames, top: Any, exchanges: Exchanges) -> str:
    """Say which words of a frame leave its argument open."""
    nearest = _by_distance(frames, top, exchanges)[0]
    pairs = {(old, new) for (words, _), _ in nearest for old, new, _ in words if isinstance(old, str)}
    if not pairs:
        return "what joins such phrases depends on their kinds, and no example shows phrases of these kinds here"
    for old, new in sorted(pairs):
        for word in (old, new):
            rivals = exchanges.rivals(word)
            if rivals:
                one, other = sorted((word, new if new in rivals else min(rivals)))
                return f"'{one}' and '{other}' ask for different outputs, and no example shows '{new}' in such a place"
    words = " and ".join(f"'{new}'" for new in sorted({new for _, new in pairs}))
    return f"examples with other words have different outputs, and none has {words} in such a place"


def _by_distance(frames: Frames, top: Any, exchanges: Exchanges) -> list[list[tuple[Comparison, Any]]]:
    """What is to be exchanged in each known frame, with its argument, those with the fewest words first."""
    ignored = _ignored(frames, top, exchanges)
    groups: dict[int, list[tuple[Comparison, Any]]] = {}
    for frame, argument in frames.items():
        seen = [(word, top[place], (place, len(top))) for place, word in enumerate(frame) if place not in ignored]
        words = [each for each in seen if each[0] != each[1]]
        kept = {old for old, new, _ in seen if old == new}
        groups.setdefault(len(words), []).append(((words, kept), argument))
    return [groups[distance] for distance in sorted(groups)]


def _ignored(frames: Frames, top: Any, exchanges: Exchanges) -> set[int]:
    """The places whose words do not matter in a kind: words that differ elsewhere have the same argument there."""
    places = _varied(frames)
    if len(set(frames.values())) == 1:
        words = {place: {frame[place] for frame in frames} for place in places}
        return {place for place in places if top[place] in words[place] or exchanges.differ(words[place])}
    return {place for place in places if _is_ignored(frames, place, exchanges)}


def _is_ignored(frames: Frames, place: int, exchanges: Exchanges) -> bool:
    words: dict[Any, list[Any]] = {}
    made: dict[Any, Any] = {}
    for frame, argument in frames.items():
        others = (frame[:place], frame[place + 1 :])
        words.setdefault(others, []).append(frame[place])
        if made.setdefault(others, argument) != argument:
            return False
    return any(exchanges.differ(row) for row in words.values())


def _varied(frames: Frames) -> list[int]:
    """The places in which the frames of a kind have different words."""
    first = next(iter(frames))
    return [place for place, word in enumerate(first) if any(frame[place] != word for frame in frames)]


def _exceptions(row: Mapping[Any, Any]) -> Iterable[Any]:
    """The words that have another argument than at least two thirds of them; all of them if no two thirds agree."""
    argument, words = Counter(row.values()).most_common(1)[0]
    usual = 3 * words >= 2 * len(row)
    return [word for word in row if not (usual and row[word] == argument)]


def _is_token(part: Any) -> bool:
    return isinstance(part, str)


def without_kind(argument: Any) -> Any:
    """The parts that are joined: without a last negative number, which is the kind of what is made."""
    last = argument[-1]
    return argument[:-1] if isinstance(last, int) and last < 0 else argument


class ConcatArguments:
    """The arguments of rules, as frames of the same kinds have them."""

    def __init__(
        self,
        rules: Mapping[Any, Any],
        view: Callable[[Any], Any],
        alike: Callable[[Any], Any] | None,
        contexts: Mapping[Any, Contexts],
        kind_of: Callable[[Any], int],
    ) -> None:
        """Take the argument of each (operator, frame, memory), and how categories show a frame.

        `alike` shows a frame by categories of words that have the same arguments, where there are such. `contexts` has
        those whose argument the second frame tells.
        """
        self._rules, self._view, self._alike, self._contexts = rules, view, alike, contexts
        self._kinds: dict[Any, dict[Any, Any]] = {}
        self._by_class: dict[Any, set[Any]] = {}
        for (operator, top, memory), argument in rules.items():
            self._kinds.setdefault((operator, view(top), memory), {})[top] = argument
            if alike:
                self._by_class.setdefault((operator, alike(top), memory), set()).add(argument)
        self._above: dict[Any, list[Contexts]] = {}  # by kind
        for (operator, top, memory), found in contexts.items():
            self._above.setdefault((operator, view(top), memory), []).append(found)
        made = {kind: set(frames.values()) for kind, frames in self._kinds.items()}
        self._agreed = {kind: next(iter(arguments)) for kind, arguments in made.items() if len(arguments) == 1}
        divided = {kind: frames for kind, frames in self._kinds.items() if kind not in self._agreed}
        self._exchanges = Exchanges(divided, _is_token, kind_of)

    @property
    def peculiar(self) -> set[Any]:
        """Words that are known to ask for something else than most."""
        return self._exchanges.peculiar

    def find(self, operator: Any, top: Any, memory: Any, second: Any) -> Found | None:
        """The argument of an operator in a frame; None where no rule has one."""
        contexts = self._contexts.get((operator, top, memory))
        if contexts is not None:
            told = contexts.find(second)
            return OPEN if told is None else Found(told, True)
        exact = self._rules.get((operator, top, memory))
        if exact is not None:
            return Found(exact, True)
        kind = (operator, self._view(top), memory)
        frames = self._kinds.get(kind)
        if frames is None:
            return None
        if kind in self._above:
            others = [argument for frame, argument in frames.items() if not self.by_second(operator, frame, memory)]
            told = agreed_above(self._above[kind], others, second)
            return OPEN if told is None else Found(told, True)
        if kind in self._agreed and is_regular(frames, top, self.peculiar):
            return Found(self._agreed[kind], True)
        found = find(frames, top, self._exchanges)
        if not found.shown and self._alike:
            classes = self._by_class.get((operator, self._alike(top), memory), ())
            if len(classes) == 1:
                return Found(next(iter(classes)), False)
        return found

    def by_second(self, operator: Any, top: Any, memory: Any) -> bool:
        """Tell whether the second frame decides the argument of an operator in a frame."""
        key = (operator, top, memory)
        return key in self._contexts if key in self._rules else (operator, self._view(top), memory) in self._above

    def why_refused(self, operator: Any, top: Any, memory: Any) -> str:
        """Say which words leave an argument open that is refused."""
        if self.by_second(operator, top, memory):
            return "what joins such phrases depends on the words before them, and no example shows these words"
        return why_refused(self._kinds[operator, self._view(top), memory], top, self._exchanges)
