"""Where the execution of one example stands; each state is made once, however often it is searched or followed."""

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

Frame = tuple[int | str, ...]
Indices = tuple[int, ...]
CodedFrames = Frames[int | str]


def status_of(frames: CodedFrames, source: CodedSource) -> CodedStatus:
    position, stack, memory = frames
    next_word = source[position] if position < len(source) else END_MARK
    second = coded_view(stack[-2]) if len(stack) > 1 else NO_FRAME
    return next_word, coded_view(stack[-1]), second, len(memory)


class Moment:
    """A state of an execution, and what can follow."""

    __slots__ = ("_arguments", "_following", "_known", "frames", "sample", "status")

    def __init__(
        self, sample: Sample, frames: CodedFrames | None = None, known: "dict[CodedFrames, Moment] | None" = None
    ) -> None:
        self.sample, self.frames = sample, frames or Frames()
        self.status = status_of(self.frames, sample[0])
        self._known = {self.frames: self} if known is None else known  # all states of this execution
        self._following: dict[tuple[int, Argument], Moment | None] = {}
        self._arguments: dict[int, tuple[Argument, ...]] = {}

    def after(self, operator: int, argument: Argument) -> "Moment | None":
        """Execute an instruction; None if it selects what is no phrase, or makes what the search would take back."""
        key = operator, argument
        if key not in self._following:
            makes = argument is None or self._may_make(argument)
            frames = execute(self.frames, self.sample[0], operator, argument) if makes else None
            self._following[key] = None if frames is None else self._at(frames)
        return self._following[key]

    def _at(self, frames: CodedFrames) -> "Moment":
        moment = self._known.get(frames)
        if moment is None:
            moment = self._known[frames] = Moment(self.sample, frames, self._known)
        return moment

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
        if operator not in self._arguments:
            self._arguments[operator] = tuple(self._possible(operator, config))
        return self._arguments[operator]

    def _possible(self, operator: int, config: SearchConfig) -> list[Argument]:
        target = self.sample[1]
        if operator == FINAL:
            return [None] if self.right else []
        if operator == REDUCE:
            degenerate = self._degenerate()
            return [each for each in substrings(target, config.max_reduce_length) if each != degenerate]
        if operator in (CONCAT_M, CONCAT_S):
            memory = "".join(map(str, self.frames.memory))
            return concat_arguments(operator, self.frames.stack[-1], memory, target, config.max_indices)
        return [None]


def execute(frames: CodedFrames, source: CodedSource, operator: int, argument: Argument) -> CodedFrames:
    word = source[frames.position] if frames.position < len(source) else END_MARK
    if isinstance(argument, tuple):
        return after(frames, OPERATORS[operator], argument, word, join_coded(frames.candidates, argument))
    return after(frames, OPERATORS[operator], (), word, argument or "")


def substrings(target: str, longest: int) -> dict[str, None]:
    """The distinct parts of a target up to a length, short ones first."""
    return {target[i : i + n]: None for n in range(1, longest + 1) for i in range(len(target) - n + 1)}


def concat_arguments(operator: int, top: Frame, memory: str, target: str, longest: int) -> list[Argument]:
    """CONCAT arguments that make a substring of the target and are not without effect, short ones first."""
    items = (*top, memory) if memory else top
    found: list[Argument] = []
    pending: list[tuple[Indices, str]] = [((), "")]
    for indices, phrase in pending:  # grows while it is read
        legal_ = any(index < len(top) for index in indices) if operator == CONCAT_M else bool(indices)
        if legal_ and not (operator == CONCAT_S and indices == (0,) and len(items) == 1):
            found.append(indices)
            if len(found) == _MAX_CONCATS:
                break
        if len(indices) < longest:
            pending += [
                ((*indices, index), phrase + item)
                for index, item in enumerate(items)
                if isinstance(item, str) and phrase + item in target
            ]
    return found
