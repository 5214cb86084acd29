"""Learning from ambiguous corpora: traces by phrases, rules that are weighed. No torch here."""

import time
from collections.abc import Callable, Sequence

from ness.config import Config
from ness.data.example import Example
from ness.data.files import review
from ness.learn.phrases.model import PhraseConfig
from ness.learn.phrases.order import likeliest_first
from ness.learn.phrases.search import PhrasePass, PhraseSearch
from ness.learn.result import LearningResult
from ness.rules import Categories, RuleTable

LEAST_SHARE = 0.1  # of examples whose source has several targets: beyond, no deterministic program fits
LEAST_EXAMPLES = 500  # fewer give no statistics; contradictions among them are mistakes to point out


def is_ambiguous(examples: Sequence[Example]) -> bool:
    """Tell whether the examples are a large corpus in which many sources have several targets."""
    distinct = len(set(examples))
    return distinct >= LEAST_EXAMPLES and len(review(examples).contradictions) > LEAST_SHARE * distinct


def learn_phrases(examples: Sequence[Example], config: Config, report: Callable[[PhrasePass], None]) -> LearningResult:
    """Cut all pairs into phrases that share few rules. Which examples the weighed rules solve is not told here."""
    started = time.monotonic()
    longest = max(PhraseConfig().max_reduce_length, config.search.max_reduce_length)
    search = PhraseSearch(examples, PhraseConfig(max_reduce_length=longest), config.seed)
    passes = 0
    for done in search.passes():
        report(done)
        passes += 1
        if time.monotonic() - started > config.learner.time_limit:
            break
    programs = search.programs()
    traces = {Example(*pair): programs[pair] for pair in likeliest_first(search.segmentations())}
    table = RuleTable.from_traces(((source, program) for (source, _), program in traces.items()), Categories())
    return LearningResult(table, traces, [], [], [], time.monotonic() - started, 0, passes)
