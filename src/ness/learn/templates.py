"""CONCAT_S arguments that hold target tokens of their own: which templates are worth trying in a frame.

Candidates are anchored in the known output: from each place in it, go on with a phrase of the frame or with a token,
until every phrase is used. A token needs evidence from the words of the frame, as the phrase of a new REDUCE rule does:
what other words explain is no part of the template.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

from ness.learn.coding import LITERAL, CodedParts, CodedView, literal, tokens_of, with_own_phrases, words_named
from ness.learn.costs import Policy, RuleCosts
from ness.learn.evidence import Evidence
from ness.machine.opcodes import CONCAT_S

_STEPS_PER_PLACE = 300  # partial templates looked at from one place in the output
_MAX_TEMPLATES = 600  # looked at in one frame
_MAX_CHOICES = 40  # of them the cheapest are tried

Item = int | str


class Choice(NamedTuple):
    """A CONCAT argument with its cost and the phrase that it makes."""

    cost: float
    parts: CodedParts
    phrase: str


def cheapest_templates(
    policy: Policy,
    rules: RuleCosts,
    evidence: Evidence,
    items: tuple[Item, ...],
    view: CodedView,
    memory: int,
    most_literals: int,
    most_positions: int,
) -> list[Choice]:
    """The cheapest templates of a frame; `items` are those of the top frame, then the memory."""
    words = tuple([item for item in items if isinstance(item, int)])
    items = with_own_phrases(items, rules.own)
    if not words or not any(isinstance(item, str) for item in items):
        return []
    own = "".join([rules.own.get(word, "") for word in words])
    found: dict[CodedParts, str] = {}
    for parts, phrase in _templates_in_output(evidence, items, words, own, most_literals, most_positions):
        found.setdefault(parts, phrase)
        if len(found) >= _MAX_TEMPLATES:
            break
    arguments = list(found)
    known = {
        *rules.concat.get((CONCAT_S, view, memory), ()),
        *rules.concat_by_category.get((CONCAT_S, rules.categorise(view), memory), ()),
    }
    owned = evidence.own_tokens(words)
    choices = []
    for cost, parts in zip(policy.concat_costs(CONCAT_S, view, memory, arguments), arguments, strict=True):
        more = 0.0
        if parts not in known:
            # A token of one word is rather that word's own phrase: so the template serves all words like it.
            more = rules.config.owned * len(owned.intersection(tokens_of(parts)))
            more += sum(evidence.novelty(words, run, False) for run in literal_runs(parts))
            more += rules.config.lexical * sum((word,) not in rules.reduce for word in words_named(view, parts))
        if math.isfinite(more):
            choices.append(Choice(cost + more, parts, found[parts]))
    choices.sort()
    return choices[:_MAX_CHOICES]


def _templates_in_output(
    evidence: Evidence,
    items: tuple[Item, ...],
    words: CodedView,
    own: str,
    most_literals: int,
    most_positions: int,
) -> Iterator[tuple[CodedParts, str]]:
    """Templates whose result stands in the output, with that result; every phrase is used, also those of words.

    The own tokens of words are written as their positions, never as tokens of the template.
    """
    target = evidence.target
    phrases = [(index, item) for index, item in enumerate(items) if isinstance(item, str)]
    every = (1 << len(items)) - 1 - sum(1 << i for i, item in enumerate(items) if isinstance(item, int))
    allowed = {token: token not in own and evidence.share(words, token) > 0 for token in set(target)}
    for start in range(len(target)):
        pending: list[tuple[int, CodedParts, int, int]] = [(start, (), 0, 0)]  # end, parts, literals, used phrases
        for _ in range(_STEPS_PER_PLACE):
            if not pending:
                break
            end, parts, literals, used = pending.pop()
            if used == every and (literals or (own and len(items) > 1)):  # a word alone is reduced
                yield parts, target[start:end]
            if end == len(target):
                continue
            if literals < most_literals and allowed[target[end]]:
                pending.append((end + 1, (*parts, literal(target[end])), literals + 1, used))
            if len(parts) - literals < most_positions:
                for index, phrase in phrases:
                    if target.startswith(phrase, end):
                        pending.append((end + len(phrase), (*parts, index), literals, used | 1 << index))


def literal_runs(parts: CodedParts) -> list[str]:
    """The stretches of tokens in a template."""
    runs, run = [], ""
    for part in parts:
        if part >= LITERAL:
            run += chr(part - LITERAL)
        elif run:
            runs.append(run)
            run = ""
    return [*runs, run] if run else runs
