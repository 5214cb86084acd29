"""What examples tell about spelling: where outputs have spaces, and which marks end inputs."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from ness.data.spelling import Spelling, is_word, pieces

_ENDS = ".!?…"  # marks that end a sentence


def fitted(spelling: Spelling, sources: Sequence[str], targets: Iterable[str]) -> Spelling:
    """Learn from texts: outputs will be spaced as the targets are, marks that no source has are not read."""
    unread = ""
    if spelling.source == "punctuation":
        unread = "".join(mark for mark in _ENDS if not any(mark in text for text in sources))
    plain = spelling._replace(unread=unread, before=(), after=(), odd=())
    return _spaced(plain, _gaps(targets)) if spelling.target == "punctuation" else plain


def _gaps(targets: Iterable[str]) -> Counter[tuple[str, str]]:
    """Of neighbours, how much more often they are apart than together."""
    gaps: Counter[tuple[str, str]] = Counter()
    for text in targets:
        for (left, _), (right, apart) in pairwise(pieces(text)):
            gaps[left, right] += 1 if apart else -1
    return gaps


def _spaced(spelling: Spelling, gaps: Counter[tuple[str, str]]) -> Spelling:
    """Describe gaps by the marks beside them, and what that gets wrong by its neighbours."""
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    for (left, right), gap in gaps.items():  # each pair counts once: a frequent one must not speak for all
        before[right] += 1 if gap > 0 else -1
        after[left] += 1 if gap > 0 else -1
    spaced = spelling._replace(before=_tight(before), after=_tight(after))
    wrong = [pair for pair, gap in gaps.items() if (" " in spaced.join(pair)) != (gap > 0)]
    return spaced._replace(odd=tuple(sorted(wrong)))


def _tight(gaps: Counter[str]) -> tuple[str, ...]:
    return tuple(sorted(mark for mark, gap in gaps.items() if gap <= 0 and not is_word(mark)))
