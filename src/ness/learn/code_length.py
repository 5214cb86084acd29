"""How long a description of examples is what was learned from them: of two, the shorter one is to be believed."""

from collections.abc import Sequence

from ness.config import Config
from ness.data.example import Example
from ness.learn.coding import Codec, by_size
from ness.learn.constituents.learning import FREEDOM
from ness.learn.cues import Cues
from ness.learn.fit import Hypothesis, categories, description_length
from ness.learn.freedom import FREEDOMS, judge_costs
from ness.learn.readings import Reading
from ness.learn.result import SURVIVORS, LearningResult
from ness.machine.boundaries import with_boundaries


def shorter(
    known: LearningResult, fresh: LearningResult, examples: Sequence[Example], config: Config
) -> LearningResult:
    """The better of two ways to learn the same examples; the other one, if it solves them too, is kept as a rival."""
    if len(fresh.traces) < len(known.traces) or len(fresh.memorised) > len(known.memorised):
        return known
    by_patterns = fresh.freedom == FREEDOM  # whose rules have no code here; they are taken where they are short
    if by_patterns or code_length(fresh, examples, config) <= code_length(known, examples, config):
        best, other = fresh, known
    else:
        best, other = known, fresh
    if len(other.traces) == len(best.traces) and other.freedom != FREEDOM:
        best.survivors = [other.table, *best.survivors][:SURVIVORS]
    return best


def code_length(learned: LearningResult, examples: Sequence[Example], config: Config) -> float:
    """The nats of examples by the rules that were learned: of two with the same, neither is simpler."""
    codec = Codec(examples)
    bounded = FREEDOMS[learned.freedom].reading != Reading.PLAIN
    traces = {}
    samples = []
    for example in examples:
        sample, source = codec.encode(*example), example.source
        if bounded:
            sample, source = codec.with_boundaries(sample), with_boundaries(source)
        samples.append(sample)
        if example in learned.traces:
            traces[sample] = codec.trace(source, learned.traces[example])
    samples.sort(key=by_size)
    hypothesis = Hypothesis(traces, contextual=bool(learned.table.contexts))
    hypothesis.classes = categories(
        hypothesis.rules(config.costs, Cues()), {word for source, _ in samples for word in source}
    )
    return description_length(hypothesis, samples, judge_costs(config), Cues(samples, config.costs.pair))
