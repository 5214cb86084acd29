"""Greedy execution of a rule table on a known example: its trace, if it is right and wastes nothing."""

from ness.learn.best_first import wasteful
from ness.learn.coding import END, NO_FRAME, Argument, CodedStatus, CodedTrace, CodedView, P, Sample, Step
from ness.learn.costs import RuleCosts
from ness.machine.opcodes import CONCAT_M, FINAL, POP, PUSH, REDUCE, SHIFT

Memo = dict[CodedStatus, tuple[int, Argument] | None]
_STEPS_PER_WORD = 8


def greedy_trace(rules: RuleCosts, sample: Sample, memo: Memo, degenerate_too: bool = False) -> CodedTrace | None:
    """Follow the rules; return the trace if it yields the sample's target without waste, else None.

    The degenerate trace does not count, unless asked for.
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
            source[position] if position < length else END,
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
            phrases, view = (argument,), (P,)
        elif operator == FINAL:
            degenerate = length > 1 and len(target) > 1 and len(steps) == length + 2
            return tuple(steps) if phrases[0] == target and (degenerate_too or not degenerate) else None
        else:
            assert isinstance(argument, tuple)
            items = (*phrases, memory) if memory else phrases
            if max(argument) >= len(items) or wasteful(operator, phrases, bool(memory), argument):
                return None
            parts = [items[index] for index in argument]
            if not all(type(part) is str for part in parts):
                return None
            phrase = "".join(parts)  # type: ignore[arg-type]
            if phrase not in target:
                return None
            if operator == CONCAT_M:
                kept = [index for index in range(len(phrases)) if index not in argument]
                phrases = tuple([phrases[index] for index in kept])
                view = tuple([view[index] for index in kept])
                memory = phrase
            else:
                phrases, view, memory = (phrase,), (P,), ""
    return None


def errors(rules: RuleCosts, samples: list[Sample]) -> list[Sample]:
    """The samples that the rules do not solve."""
    memo: Memo = {}
    return [sample for sample in samples if greedy_trace(rules, sample, memo) is None]
