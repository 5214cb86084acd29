"""Where the execution of one example stands; each state is made once, however often it is searched or followed."""

from typing import TYPE_CHECKING

from ness.config import SearchConfig
from ness.learn.coding import (
    END_MARK,
    NO_FRAME,
    OPERATORS,
    Argument,
    CodedSource,
    CodedStatus,
    Sample,
    coded_view,
    join_coded,
)
from ness.machine import Frames, after
from ness.machine.opcodes import CONCAT_M, CONCAT_S, FINAL, REDUCE

_MAX_CONCATS = 60  # arguments of one CONCAT that are considered, short ones first

_NO_ARGUMENT: tuple[Argument, ...] = (None,)

Frame = tuple[int | str, ...]
Indices = tuple[int, ...]
CodedFrames = Frames[int | str]
_NUMBERS: dict[CodedStatus, int] = {}  # of all statuses that were asked for theirs: quicker to look up by than they are


def status_of(frames: CodedFrames, source: CodedSource) -> CodedStatus:
    position, stack, memory = frames
    next_word = source[position] if position < len(source) else END_MARK
    second = coded_view(stack[-2]) if len(stack) > 1 else NO_FRAME
    return next_word, coded_view(stack[-1]), second, len(memory)


class _Execution:
    """What all states of one example share."""

    __slots__ = ("concats", "known", "parts", "sample")

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.known: dict[CodedFrames, Moment] = {}
        self.parts: tuple[str, ...] | None = None  # of the target, as REDUCE makes them
        self.concats: dict[tuple[Frame, Frame], dict[int, tuple[Indices, ...]]] = {}  # by top frame and memory


class Moment:
    """A state of an execution, and what can follow."""

    __slots__ = ("_execution", "following", "frames", "number", "sample", "status")
    number: int  # the same for the same status

    def __init__(self, sample: Sample, frames: CodedFrames | None = None, execution: _Execution | None = None) -> None:
        self.sample, self.frames = sample, frames or Frames()
        self.status = status_of(self.frames, sample[0])
        self._execution = execution or _Execution(sample)
        self._execution.known[self.frames] = self
        self.following: dict[tuple[int, Argument], Moment] = {}  # what was executed so far

    if not TYPE_CHECKING:  # which would find no misspelt attribute any more

        def __getattr__(self, name: str) -> int:
            """Number the status when that is first asked for: sampled searches meet millions, and do not ask."""
            if name != "number":
                raise AttributeError(name)
            self.number = _NUMBERS.setdefault(self.status, len(_NUMBERS))
            return self.number

    def after(self, operator: int, argument: Argument) -> "Moment | None":
        """Execute an instruction; None if it selects what is no phrase, or makes what the search would take back."""
        makes = (operator, argument) in self.following or argument is None or self._may_make(argument)
        return self.next(operator, argument) if makes else None

    def next(self, operator: int, argument: Argument) -> "Moment":
        """Execute an instruction with one of the `arguments`."""
        key = operator, argument
        moment = self.following.get(key)
        if moment is None:
            frames = execute(self.frames, self.sample[0], operator, argument)
            known = self._execution.known.get(frames)
            moment = self.following[key] = known or Moment(self.sample, frames, self._execution)
        return moment

    def forget(self) -> None:
        """Let go of all states of this execution, which hold each other."""
        for moment in self._execution.known.values():
            moment.following.clear()
        self._execution.known.clear()

    def _may_make(self, argument: str | Indices) -> bool:
        """Whether the phrase of a REDUCE or CONCAT is a part of the target, and not by the degenerate trace."""
        if isinstance(argument, str):
            return argument in self.sample[1] and argument != self._degenerate()
        items = self.frames.candidates
        chosen = [items[index] for index in argument if index < len(items)]
        phrases = [item for item in chosen if isinstance(item, str)]
        return len(phrases) == len(argument) and "".join(phrases) in self.sample[1]

    def _degenerate(self) -> str | None:
        """What REDUCE must not make of the whole input; with a single word nothing else can be made of it."""
        source, target = self.sample
        return target if self.frames.stack[-1] == source and len(target) > 1 and len(source) > 1 else None

    @property
    def right(self) -> bool:
        """Whether FINAL would return the target."""
        return self.frames.stack[-1] == (self.sample[1],)

    def arguments(self, operator: int, config: SearchConfig) -> tuple[Argument, ...]:
        """The arguments that make a substring of the target."""
        if operator == REDUCE:
            return self._reduces(config.max_reduce_length)
        if operator in (CONCAT_M, CONCAT_S):
            return self._concats(operator, config.max_indices)
        return _NO_ARGUMENT if operator != FINAL or self.right else ()

    def _reduces(self, longest: int) -> tuple[str, ...]:
        parts = self._execution.parts
        if parts is None:
            parts = self._execution.parts = tuple(substrings(self.sample[1], longest))
        degenerate = self._degenerate()
        return parts if degenerate is None else tuple([each for each in parts if each != degenerate])

    def _concats(self, operator: int, longest: int) -> tuple[Argument, ...]:
        _, stack, memory = self.frames
        key = stack[-1], memory
        found = self._execution.concats.get(key)
        if found is None:
            kept = "".join(map(str, memory))
            found = self._execution.concats[key] = concat_arguments(stack[-1], kept, self.sample[1], longest)
        return found[operator]


def execute(frames: CodedFrames, source: CodedSource, operator: int, argument: Argument) -> CodedFrames:
    word = source[frames.position] if frames.position < len(source) else END_MARK
    if isinstance(argument, tuple):
        return after(frames, OPERATORS[operator], argument, word, join_coded(frames.candidates, argument))
    return after(frames, OPERATORS[operator], (), word, argument or "")


def substrings(target: str, longest: int) -> dict[str, None]:
    """The distinct parts of a target up to a length, short ones first."""
    return {target[i : i + n]: None for n in range(1, longest + 1) for i in range(len(target) - n + 1)}


def concat_arguments(top: Frame, memory: str, target: str, longest: int) -> dict[int, tuple[Indices, ...]]:
    """By operator, the CONCAT arguments that make a part of the target and are not without effect, short ones first."""
    items = (*top, memory) if memory else top
    phrases = [(index, item) for index, item in enumerate(items) if isinstance(item, str)]
    most = _MAX_CONCATS + longest + 1  # so many are left whatever an operator does without
    found: list[Indices] = []
    made: list[tuple[Indices, str]] = [((), "")]
    for _ in range(longest):
        made = [
            ((*indices, index), longer)
            for indices, phrase in made
            for index, item in phrases
            if (longer := phrase + item) in target
        ]
        found += [indices for indices, _ in made]
        if not made or len(found) >= most:
            break
    moved = [indices for indices in found if min(indices) < len(top)] if memory else found
    joined = found[1:] if len(items) == 1 else found  # (0,) would leave all as it is
    return {CONCAT_M: tuple(moved[:_MAX_CONCATS]), CONCAT_S: tuple(joined[:_MAX_CONCATS])}
