"""Learning from ambiguous corpora: traces by phrases, rules that are weighed. No torch here."""

import time
from collections.abc import Collection, Sequence

from ness.config import Config
from ness.data.example import Example
from ness.data.files import review
from ness.inference.engine import translate
from ness.inference.noisy_engine import ProbabilisticEngine
from ness.rules import Categories, RuleTable
from ness.rules.probabilistic import ProbabilisticTable
from ness.search.phrase_model import PhraseConfig
from ness.search.phrase_order import likeliest_first
from ness.search.phrases import PhraseSearch
from ness.training.events import Report
from ness.training.learner import Learned

LEAST_SHARE = 0.1  # of examples whose source has several targets: beyond, no deterministic program fits
LEAST_EXAMPLES = 500  # fewer give no statistics; contradictions among them are mistakes to point out


def is_ambiguous(examples: Sequence[Example]) -> bool:
    """Tell whether the examples are a large corpus in which many sources have several targets."""
    distinct = len(set(examples))
    return distinct >= LEAST_EXAMPLES and len(review(examples).contradictions) > LEAST_SHARE * distinct


def learn_phrases(examples: Sequence[Example], config: Config, report: Report) -> Learned:
    """Cut all pairs into phrases that share few rules; an example counts as solved if the rules give a target of it."""
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
    return Learned(table, traces, _wrong(table, traces), [], [], time.monotonic() - started, 0, passes)


def _wrong(table: RuleTable, examples: Collection[Example]) -> list[Example]:
    """List the examples whose source is not translated to any of its targets."""
    targets: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for source, target in examples:
        targets.setdefault(source, []).append(target)
    answers = translate(ProbabilisticEngine(ProbabilisticTable(table)), list(targets))
    wrong = {answer.source for answer in answers if answer.output not in targets[answer.source]}
    return [example for example in examples if example.source in wrong]
