"""Greedy execution of a rule table on a known example: its trace, if it is right and wastes nothing."""

from collections.abc import Mapping

from ness.learn.coded_rules import CodedRules
from ness.learn.coding import (
    END_MARK,
    LITERAL,
    NO_FRAME,
    OPERATORS,
    PHRASE_MARK,
    Argument,
    CodedParts,
    CodedSource,
    CodedStatus,
    CodedTrace,
    CodedView,
    Sample,
    Step,
    coded_view,
    join_coded,
    with_own_phrases,
)
from ness.learn.proposals import is_wasteful
from ness.machine import Frames, after
from ness.machine.opcodes import CONCAT_M, FINAL, POP, PUSH, REDUCE, SHIFT

Memo = dict[CodedStatus, tuple[int, Argument] | None]
_STEPS_PER_WORD = 8


def greedy_trace(rules: CodedRules, sample: Sample, memo: Memo, by_heart_too: bool = False) -> CodedTrace | None:
    """Follow the rules; return the trace if it yields the sample's target without waste, else None.

    What is learned by heart, several words reduced at once to several tokens, does not count unless asked for.
    """
    source, target = sample
    length = len(source)
    position = 0
    phrases: tuple[str | int, ...] = ()
    view: CodedView = ()
    below: list[tuple[tuple[str | int, ...], CodedView]] = []
    memory = ""
    steps: list[Step] = []
    for _ in range(_STEPS_PER_WORD * length + 6):
        status = (
            source[position] if position < length else END_MARK,
            view,
            below[-1][1] if below else NO_FRAME,
            1 if memory else 0,
        )
        if status in memo:
            decision = memo[status]
        else:
            decision = memo[status] = rules.decide(status)
        if decision is None:
            return None
        operator, argument = decision
        steps.append((status, operator, argument))
        if operator == SHIFT:
            phrases += (source[position],)
            view += (source[position],)
            position += 1
        elif operator == PUSH:
            below.append((phrases, view))
            phrases = view = ()
        elif operator == POP:
            lower, lower_view = below.pop()
            phrases, view = lower + phrases, lower_view + view
        elif operator == REDUCE:
            assert isinstance(argument, str)
            if argument not in target:
                return None
            phrases, view = (argument,), (PHRASE_MARK,)
        elif operator == FINAL:
            whole = length > 1 and len(target) > 1 and len(steps) == length + 2
            by_heart = whole and steps[-2][1] == REDUCE
            return tuple(steps) if phrases[0] == target and (by_heart_too or not by_heart) else None
        else:
            assert isinstance(argument, tuple)
            phrase = _joined(operator, phrases, memory, argument, rules.own)
            if phrase is None or phrase not in target:
                return None
            if operator == CONCAT_M:
                kept = [index for index in range(len(phrases)) if index not in argument]
                phrases = tuple([phrases[index] for index in kept])
                view = tuple([view[index] for index in kept])
                memory = phrase
            else:
                phrases, view, memory = (phrase,), (PHRASE_MARK,), ""
    return None


def _joined(
    operator: int, phrases: tuple[str | int, ...], memory: str, parts: CodedParts, own: Mapping[int, str]
) -> str | None:
    """The phrase that a CONCAT makes; None if it wastes another, or its parts are not there or no phrases."""
    items = with_own_phrases((*phrases, memory) if memory else phrases, own)
    selected = [part for part in parts if part < LITERAL]
    if max(selected) >= len(items) or is_wasteful(operator, phrases, bool(memory), parts):
        return None
    if not all(type(items[index]) is str for index in selected):
        return None
    return join_coded(items, parts)


def unsolved_samples(rules: CodedRules, samples: list[Sample]) -> list[Sample]:
    """The samples that the rules do not solve."""
    memo: Memo = {}
    return [sample for sample in samples if greedy_trace(rules, sample, memo) is None]


def follow(rules: CodedRules, source: CodedSource, memo: Memo) -> str | None:
    """Follow the rules on a source whose output is not known; None where they come to no end."""
    return follow_steps(rules, source, memo)[0]


def follow_steps(rules: CodedRules, source: CodedSource, memo: Memo) -> tuple[str | None, list[Step]]:
    """Follow the rules on a source whose output is not known; also the steps, as far as they go."""
    length = len(source)
    steps: list[Step] = []
    frames: Frames[int | str] = Frames()
    for _ in range(_STEPS_PER_WORD * length + 6):
        position, stack, memory = frames
        view = coded_view(stack[-1])
        second = coded_view(stack[-2]) if len(stack) > 1 else NO_FRAME
        status = (source[position] if position < length else END_MARK, view, second, len(memory))
        if status not in memo:
            memo[status] = rules.decide(status)
        decision = memo[status]
        if decision is None:
            break
        operator, argument = decision
        steps.append((status, operator, argument))
        if operator == FINAL:
            return str(stack[-1][0]), steps
        parts = argument if isinstance(argument, tuple) else ()
        candidates = with_own_phrases(frames.candidates, rules.own)
        if any(part < LITERAL and not isinstance(candidates[part], str) for part in parts):
            break
        phrase = join_coded(candidates, parts) if isinstance(argument, tuple) else argument or ""
        frames = after(frames, OPERATORS[operator], parts, source[position] if position < length else END_MARK, phrase)
    return None, steps
