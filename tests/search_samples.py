"""Help for tests of the search: coded samples, a scripted policy, and exhaustive enumeration on the real machine."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from ness.learn.coding import (
    END_MARK,
    NO_FRAME,
    Argument,
    Codec,
    CodedParts,
    CodedStatus,
    CodedTrace,
    CodedView,
    Sample,
    kind_mark,
)
from ness.learn.costs import RuleCosts
from ness.machine import (
    ConcatM,
    ConcatS,
    Final,
    Instruction,
    Operator,
    Parts,
    Phrase,
    Pop,
    Push,
    Reduce,
    Shift,
    State,
    Status,
    TraceStep,
    View,
    Word,
    status_of,
    step,
    why_illegal,
)
from ness.machine.opcodes import REDUCE


def price_of(rules: RuleCosts, trace: CodedTrace) -> float:
    """The cost of a trace under a table."""
    total = 0.0
    for status, operator, argument in trace:
        total += rules.operator_costs(status, (operator,))[0]
        if isinstance(argument, str):
            total += rules.reduce_costs(status[1], (argument,))[0]
        elif argument is not None:
            total += rules.concat_costs(operator, status[1], status[3], (argument,))[0]
    return total


Cost = Callable[[int, CodedView, Argument], float]  # of an operator's argument, given the top frame
ARGUMENT_COST = 0.25  # of a token or an index, in the uniform policy


def coded(source: str, target: str) -> tuple[Codec, Sample]:
    """Code one example, given as text."""
    example = (source.split(), target.split())
    codec = Codec([example])
    return codec, codec.encode(*example)


def uniform(operator: int, top: CodedView, argument: Argument) -> float:
    """Every token and every index costs the same."""
    return 0.0 if argument is None else ARGUMENT_COST * len(argument)


class Scripted:
    """A policy with given costs: 1 for each operator if not said otherwise. It notes what it was asked about."""

    def __init__(self, cost: Cost = uniform, operators: Mapping[int, float] | None = None) -> None:
        self._cost = cost
        self._operators = operators or {}
        self.asked: list[CodedStatus] = []

    def operator_costs(self, status: CodedStatus, operators: Sequence[int]) -> list[float]:
        self.asked.append(status)
        return [self._operators.get(operator, 1.0) for operator in operators]

    def reduce_costs(self, frame: CodedView, phrases: Sequence[str]) -> list[float]:
        return [self._cost(REDUCE, frame, phrase) for phrase in phrases]

    def concat_costs(self, operator: int, top: CodedView, memory: int, arguments: Sequence[CodedParts]) -> list[float]:
        return [self._cost(operator, top, argument) for argument in arguments]

    def total(self, trace: CodedTrace) -> float:
        """The cost of a whole trace."""
        return sum(
            self._operators.get(operator, 1.0) + self._cost(operator, status[1], argument)
            for status, operator, argument in trace
        )


def cheapest(source: tuple[Word, ...], target: Phrase, depth: int, max_reduce_length: int = 2) -> float | None:
    """The least uniform cost of any sensible program of at most `depth` steps; None if there is none."""
    layer = {State(source): 0.0}
    best: float | None = None
    for _ in range(depth):
        following: dict[State, float] = {}
        for state, cost in layer.items():
            for instruction in _sensible(state, target, max_reduce_length):
                total = cost + 1.0 + ARGUMENT_COST * _size(instruction)
                if isinstance(instruction, Final):
                    if state.top == (target,):
                        best = total if best is None else min(best, total)
                    continue
                after = step(state, instruction)
                following[after] = min(total, following.get(after, total))
        layer = following
    return best


def _sensible(state: State, target: Phrase, max_reduce_length: int) -> Iterator[Instruction]:
    """Legal instructions that lose no phrase, move none for nothing and do not memorise the whole output."""
    memorise = len(state.source) == 1 or len(target) == 1
    spans = {target[i : i + n] for n in range(1, max_reduce_length + 1) for i in range(len(target) - n + 1)}
    options: list[Instruction] = [Shift(), Push(), Pop(), Final()]
    memorise = memorise or state.top != state.source  # a part of the input may stand for the whole output
    options += [Reduce(span) for span in sorted(spans) if memorise or span != target]
    phrases = [index for index, item in enumerate(state.candidates) if isinstance(item, tuple)]
    for indices in _joinable(state, phrases, target):
        options += [ConcatM(indices), ConcatS(indices)]
    for instruction in options:
        if why_illegal(state, instruction) is None and not _wastes(state, instruction, phrases):
            yield instruction


def _wastes(state: State, instruction: Instruction, phrases: list[int]) -> bool:
    match instruction:
        case ConcatM(indices):
            overwritten = bool(state.memory) and len(state.top) not in indices
            return overwritten or (len(state.top) == 1 and len(indices) == 1)
        case ConcatS(indices):
            return set(indices) != set(phrases) or step(state, instruction) == state
    return False


def _joinable(state: State, phrases: list[int], target: Phrase) -> Iterator[Parts]:
    """Yield the arguments whose concatenation is a substring of the output."""
    pending: list[tuple[Parts, Phrase]] = [((), ())]
    while pending:
        indices, phrase = pending.pop()
        for index in phrases:
            longer = (*phrase, *state.candidates[index])
            if _within(longer, target):
                yield (*indices, index)
                pending.append(((*indices, index), longer))


def _within(phrase: Phrase, target: Phrase) -> bool:
    return any(target[i : i + len(phrase)] == phrase for i in range(len(target) - len(phrase) + 1))


def _size(instruction: Instruction) -> int:
    """Tokens or indices of an argument."""
    match instruction:
        case Reduce(argument) | ConcatM(argument) | ConcatS(argument):
            return len(argument)
    return 0


def code_status(codec: Codec, status: Status) -> CodedStatus:
    """The reverse of `Codec.status`."""
    return (
        codec.words[status.next] if isinstance(status.next, str) else END_MARK,
        _code_view(codec, status.top),
        NO_FRAME if status.second is None else _code_view(codec, status.second),
        len(status.memory),
    )


def _code_view(codec: Codec, view: View) -> CodedView:
    return tuple(codec.words[item] if isinstance(item, str) else kind_mark(item.kind) for item in view)


def code_trace(codec: Codec, steps: Sequence[TraceStep]) -> CodedTrace:
    """Code an execution of the machine."""
    return tuple(
        (
            code_status(codec, status_of(state)),
            list(Operator).index(instruction.operator),
            codec.encode((), instruction.phrase)[1]
            if isinstance(instruction, Reduce)
            else getattr(instruction, "parts", None),
        )
        for state, instruction in steps
    )
