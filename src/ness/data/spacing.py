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
    signs = {pair: 1 if gap > 0 else -1 for pair, gap in gaps.items()}  # a frequent pair must not speak for all
    before = _tight((right, sign) for (_, right), sign in signs.items())
    after = _tight((left, sign) for (left, right), sign in signs.items() if right not in before)
    spaced = spelling._replace(before=before, after=after)
    wrong = [pair for pair, gap in gaps.items() if (" " in spaced.join(pair)) != (gap > 0)]
    return spaced._replace(odd=tuple(sorted(wrong)))


def _tight(signs: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """The marks that are rather together with their neighbours."""
    totals: Counter[str] = Counter()
    for mark, sign in signs:
        totals[mark] += sign
    return tuple(sorted(mark for mark, total in totals.items() if total <= 0 and not is_word(mark)))
