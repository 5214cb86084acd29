"""Drop what only suspicious lines taught: their traces, and the distinctions among words that these made."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ness.learn.coding import CodedTrace, Sample
from ness.learn.costs import RuleCosts
from ness.learn.cues import Cues
from ness.learn.fit import Hypothesis, categories
from ness.learn.replay import Replay
from ness.learn.suspects import Verdict, find_suspects, is_contradicted, is_small_edit

ODD_LINES = 0.03  # of the samples may be odd without being suspicious, where others are wrong


def without_suspects(
    hypothesis: Hypothesis,
    rules: RuleCosts,
    samples: Sequence[Sample],
    *,
    lonely_too: bool = False,
    solved: Mapping[Sample, CodedTrace] | None = None,
) -> tuple[Hypothesis, Verdict]:
    """Judge samples by a hypothesis and its rules; leave out the traces of those that it still gets wrong, if it helps.

    A wrong line has a trace of its own that no other line follows, and keeps words apart that behave alike. Without
    such traces more is seen to be alike, and what remains wrong is told from errors of the rules. `lonely_too`: also
    the traces of lines that are right only by rules of their own, where those of all others say something else.
    `solved`: the traces of what the rules solve, if they are known.
    """
    verdict = find_suspects(rules, samples, solved=solved)
    failed = {*verdict.errors, *verdict.suspects}
    if lonely_too:
        failed.update(_lonely_samples(hypothesis, rules))
    if not failed & hypothesis.traces.keys():
        return hypothesis, verdict
    kept = hypothesis.forgetting(failed)
    bare = kept.rules(rules.config, Cues())
    kept = replace(kept, classes=categories(bare, {word for source, _ in samples for word in source}))
    cleaned = find_suspects(kept.rules(rules.config, Cues()), samples)
    if cleaned.suspects and len(cleaned.errors) <= len(verdict.errors):
        return kept, cleaned
    return hypothesis, verdict


def errors_of_rules(rules: RuleCosts, samples: Sequence[Sample], wrong_lines: int) -> list[Sample]:
    """The samples that rules get wrong by their own fault.

    Where lines are known to be wrong, a few more may be so, at most as many: if rules explain all others and miss these
    by little, no effort is to be spent on them.
    """
    errors, suspects = find_suspects(rules, samples)
    few = min(wrong_lines + len(suspects), max(1, ODD_LINES * len(samples)))
    return [] if len(errors) <= few and len(near_misses(rules, errors)) == len(errors) else errors


def near_misses(rules: RuleCosts, errors: Sequence[Sample]) -> list[Sample]:
    """The errors of the rules that differ from what they give in few tokens."""
    replay = Replay(rules)
    outputs = [replay.output(source) for source, _ in errors]
    return [e for e, output in zip(errors, outputs, strict=True) if output is not None and is_small_edit(output, e[1])]


def _lonely_samples(hypothesis: Hypothesis, rules: RuleCosts) -> list[Sample]:
    """The samples with a rule of their own that the rules of the others contradict."""
    found = []
    for sample, trace in hypothesis.traces.items():
        if not rules.is_settled(trace):
            rules.add(trace, -1)
            if is_contradicted(rules, sample, Replay(rules)):
                found.append(sample)
            rules.add(trace)
    return found
