"""Arguments worth trying in one example, with their costs: phrases for REDUCE, positions for CONCAT.

Templates, CONCAT arguments with tokens of their own, are in `templates`.
"""

import math
import time

from ness.learn.coding import PHRASE_MARK, CodedSource, CodedView, Sample
from ness.learn.costs import Policy, RuleCosts
from ness.learn.evidence import Evidence
from ness.learn.set_phrases import JOINT_LENGTH
from ness.learn.templates import Choice
from ness.machine.opcodes import CONCAT_M

Item = int | str
Frame = tuple[Item, ...]
Indices = tuple[int, ...]

CLOCK_EVERY = 16  # nodes or phrases; one may take long where the output has thousands of tokens
_MAX_CONCATS = 60
_MAX_CONCAT_QUEUE = 400


class ReduceProposals:
    """REDUCE arguments worth trying in this sample, with their costs; unlikely ones are left out."""

    def __init__(
        self,
        policy: Policy,
        rules: RuleCosts,
        evidence: Evidence,
        sample: Sample,
        max_length: int,
        deadline: float = math.inf,
    ) -> None:
        self._source, target = sample
        self._deadline = deadline
        self._policy = policy
        self._rules = rules
        self._evidence = evidence
        self._phrases = sorted(
            {target[i : i + n] for n in range(1, max_length + 1) for i in range(len(target) - n + 1)}
        )
        several = len(self._source) > 1 and len(target) > 1 and sample not in rules.set_phrases
        self._whole = target if several else ""

    def of(self, frame: CodedView) -> list[tuple[float, str]]:
        pinned = self._rules.pins.reduce.get(frame)
        if pinned is not None:
            wanted = sorted(phrase for phrase in pinned if phrase in self._evidence.target)
            return list(zip(self._policy.reduce_costs(frame, wanted), wanted, strict=True))
        known = self._rules.reduce.get(frame, {})
        phrases, extra = [], []
        own = (self._rules.own or self._rules.lexical).get(frame[0], "") if len(frame) == 1 else ""
        for number, phrase in enumerate(self._phrases):
            if number % CLOCK_EVERY == CLOCK_EVERY - 1 and time.monotonic() > self._deadline:
                break  # the evidence for one phrase takes a while where the output has thousands of tokens
            if phrase == self._whole and frame == self._source:
                continue  # that would be the sample by heart
            if (len(phrase) > JOINT_LENGTH and len(frame) > 1) or own not in phrase:
                continue  # long phrases are of single words, and a word's own token is in its phrase
            if own and self._rules.own and phrase != own:
                continue  # what a CONCAT_S that names the word says
            more = 0.0 if phrase in known else self._evidence.novelty(frame, phrase)
            if math.isfinite(more):
                phrases.append(phrase)
                extra.append(more)
        costs = self._policy.reduce_costs(frame, phrases)
        return [(cost + more, phrase) for cost, more, phrase in zip(costs, extra, phrases, strict=True)]


def concat_choices(
    policy: Policy, operator: int, top: Frame, view: CodedView, memory: str, target: str, max_indices: int
) -> list[Choice]:
    """CONCAT arguments whose result is a substring of the target and which waste nothing, with costs."""
    items: tuple[Item, ...] = (*top, memory) if memory else top
    candidates = [(index, item) for index, item in enumerate(items) if type(item) is str]
    found: list[tuple[Indices, str]] = []
    pending: list[tuple[Indices, str]] = [((), "")]
    for indices, phrase in pending:  # grows while it is read: breadth first, short arguments first
        if indices and not is_wasteful(operator, top, bool(memory), indices):
            found.append((indices, phrase))
            if len(found) >= _MAX_CONCATS:
                break
        if len(indices) < max_indices and len(pending) < _MAX_CONCAT_QUEUE:
            for index, item in candidates:
                longer = phrase + item
                if longer in target:
                    pending.append(((*indices, index), longer))
    costs = policy.concat_costs(operator, view, 1 if memory else 0, [indices for indices, _ in found])
    return [Choice(cost, indices, phrase) for cost, (indices, phrase) in zip(costs, found, strict=True)]


def pinned_choices(
    policy: Policy, rules: RuleCosts, operator: int, top: Frame, view: CodedView, memory: str, target: str
) -> list[Choice]:
    """The CONCAT arguments that a person wants here, where they serve this example."""
    items: tuple[Item, ...] = (*top, memory) if memory else top
    found = rules.pins.pinned_arguments((operator, view, 1 if memory else 0), items, target)
    found = [(parts, phrase) for parts, phrase in found if not is_wasteful(operator, top, bool(memory), parts)]
    costs = policy.concat_costs(operator, view, 1 if memory else 0, [parts for parts, _ in found])
    return [Choice(cost, parts, phrase) for cost, (parts, phrase) in zip(costs, found, strict=True)]


def is_wasteful(operator: int, top: Frame | CodedSource, memory: bool, indices: Indices) -> bool:
    """Tell whether a CONCAT loses a phrase for good, or moves a lone one for nothing."""
    size = len(top)
    if operator == CONCAT_M:
        if not any(index < size for index in indices):
            return True
        return (memory and size not in indices) or (len(indices) == 1 and size == 1)
    if memory and size not in indices:
        return True
    if any((item == PHRASE_MARK or type(item) is str) and index not in indices for index, item in enumerate(top)):
        return True
    return indices == (0,) and size == 1
