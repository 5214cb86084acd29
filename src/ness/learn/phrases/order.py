"""Which pairs to learn from first, where one source has several targets: those that the other pairs explain.

A free translation ("they are brave" as "ils n ont pas froid aux yeux") is cut into phrases that mean nothing
elsewhere, yet each of them counts as much as the phrases of a literal one. So the pairs are put in order by how
likely their cuts are; where rules have equal counts, those of the first pair are preferred.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from ness.learn.phrases.lexicon import Pair
from ness.learn.phrases.search import Segment
from ness.machine import Word

_OWN_USE = 0.5  # what a pair's own use of a rule is worth to it; with 1 the most special rules would be the likeliest


def likeliest_first(cuts: Iterable[tuple[Pair, Sequence[Segment]]]) -> list[Pair]:
    """Order pairs by the likelihood of their cuts, given the other pairs, as a share of the best of their source."""
    rules = {pair: {(segment.words, segment.phrase) for segment in segments} for pair, segments in cuts}
    uses = Counter(rule for used in rules.values() for rule in used)
    totals: Counter[tuple[Word, ...]] = Counter()
    for (words, _), count in uses.items():
        totals[words] += count
    scores = {
        pair: math.fsum(math.log((uses[rule] - 1 + _OWN_USE) / totals[rule[0]]) for rule in used)
        for pair, used in rules.items()
    }
    best: dict[tuple[Word, ...], float] = {}
    for (source, _), score in scores.items():
        best[source] = max(score, best.get(source, -math.inf))
    return sorted(rules, key=lambda pair: (best[pair[0]] - scores[pair], pair))
