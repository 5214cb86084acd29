"""Where the execution of one example stands; each state is made once, however often it is searched or followed."""

from functools import lru_cache
from typing import TYPE_CHECKING

from ness.config import SearchConfig
from ness.learn.coding import (
    END_MARK,
    NO_FRAME,
    OPERATORS,
    PHRASE_MARK,
    Argument,
    CodedSource,
    CodedStatus,
    CodedView,
    Sample,
    coded_view,
    join_coded,
)
from ness.machine import Frames, after
from ness.machine.opcodes import CONCAT_M, CONCAT_S, FINAL, POP, PUSH, REDUCE, SHIFT

_MAX_CONCATS = 60  # arguments of one CONCAT that are considered, short ones first

_NO_ARGUMENT: tuple[Argument, ...] = (None,)

Frame = tuple[int | str, ...]
Indices = tuple[int, ...]
ConcatArguments = tuple[Indices, ...]
CodedFrames = Frames[int | str]
_NUMBERS: dict[CodedStatus, int] = {}  # of all statuses that were asked for theirs: quicker to look up by than they are


def status_of(frames: CodedFrames, source: CodedSource) -> CodedStatus:
    position, stack, memory = frames
    next_word = source[position] if position < len(source) else END_MARK
    second = coded_view(stack[-2]) if len(stack) > 1 else NO_FRAME
    return next_word, coded_view(stack[-1]), second, len(memory)


class CodedFrame:
    """A frame, made once in an execution: equal ones are the same object, so that states are looked up fast."""

    __slots__ = ("items", "longer", "phrases", "view")

    def __init__(self, items: Frame, view: CodedView, phrases: tuple[str, ...]) -> None:
        self.items, self.view, self.phrases = items, view, phrases
        self.longer: dict[int | str, CodedFrame] = {}

    def plus(self, item: int | str) -> "CodedFrame":
        """Return the frame with another item on top."""
        longer = self.longer.get(item)
        if longer is None:
            if isinstance(item, str):
                longer = CodedFrame((*self.items, item), (*self.view, PHRASE_MARK), (*self.phrases, item))
            else:
                longer = CodedFrame((*self.items, item), (*self.view, item), self.phrases)
            self.longer[item] = longer
        return longer


Stack = tuple["Stack | None", CodedFrame]  # what is below a frame, and this
_Place = tuple[int, Stack | None, CodedFrame, str]  # how much was read, what is below the top frame, this, the memory


class _Execution:
    """What all states of one example share."""

    __slots__ = ("concats", "empty", "known", "parts", "sample")

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.empty = CodedFrame((), (), ())
        self.known: dict[_Place, Moment] = {}
        self.parts: tuple[str, ...] | None = None  # of the target, as REDUCE makes them
        self.concats: dict[tuple[CodedFrame, str], tuple[ConcatArguments, ConcatArguments]] = {}  # by memory, too


class Moment:
    """A state of an execution, and what can follow."""

    __slots__ = ("_execution", "_place", "following", "memory", "number", "sample", "status", "top")
    number: int  # the same for the same status
    following: dict[tuple[int, Argument], "Moment"]  # what was executed so far by `next`

    def __init__(self, sample: Sample, place: _Place | None = None, execution: _Execution | None = None) -> None:
        self._execution = execution = execution or _Execution(sample)
        self._place = position, below, top, memory = place or (0, None, execution.empty, "")
        execution.known[self._place] = self
        self.sample, self.top, self.memory = sample, top, memory
        source = sample[0]
        self.status: CodedStatus = (
            source[position] if position < len(source) else END_MARK,
            top.view,
            below[1].view if below else NO_FRAME,
            1 if memory else 0,
        )

    if not TYPE_CHECKING:  # which would find no misspelt attribute any more

        def __getattr__(self, name: str) -> object:
            """Number the status, and remember what follows, when first asked: sampled searches meet millions of states,
            and do not ask."""
            if name == "number":
                self.number = _NUMBERS.setdefault(self.status, len(_NUMBERS))
                return self.number
            if name == "following":
                self.following = {}
                return self.following
            raise AttributeError(name)

    def after(self, operator: int, argument: Argument) -> "Moment | None":
        """Execute an instruction; None if it selects what is no phrase, or makes what the search would take back."""
        makes = (operator, argument) in self.following or argument is None or self._may_make(argument)
        return self.next(operator, argument) if makes else None

    def next(self, operator: int, argument: Argument) -> "Moment":
        """Execute an instruction with one of the `arguments`, and remember where it led."""
        key = operator, argument
        moment = self.following.get(key)
        if moment is None:
            moment = self.following[key] = self.execute(operator, argument)
        return moment

    def execute(self, operator: int, argument: Argument) -> "Moment":
        """Execute an instruction with one of the `arguments`: as `ness.machine.after`, with frames made once."""
        execution = self._execution
        position, below, top, memory = self._place
        if isinstance(argument, tuple):
            items = (*top.items, memory) if memory else top.items
            made: str = "".join([items[index] for index in argument])  # type: ignore[misc]
            top = execution.empty
            if operator == CONCAT_S:
                top, memory = top.longer.get(made) or top.plus(made), ""
            else:
                for place, item in enumerate(self.top.items):
                    if place not in argument:
                        top = top.longer.get(item) or top.plus(item)
                memory = made
        elif isinstance(argument, str):
            top = execution.empty.longer.get(argument) or execution.empty.plus(argument)
        elif operator == SHIFT:
            word = self.sample[0][position]
            top = top.longer.get(word) or top.plus(word)
            position += 1
        elif operator == PUSH:
            below, top = (below, top), execution.empty
        elif operator == POP:
            assert below is not None
            (phrase,) = top.phrases
            below, top = below
            top = top.longer.get(phrase) or top.plus(phrase)
        reached = position, below, top, memory
        return execution.known.get(reached) or Moment(self.sample, reached, execution)

    def forget(self) -> None:
        """Let go of all states of this execution, which hold each other."""
        self._execution.known.clear()

    def _may_make(self, argument: str | Indices) -> bool:
        """Whether the phrase of a REDUCE or CONCAT is a part of the target, and not by the degenerate trace."""
        if isinstance(argument, str):
            return argument in self.sample[1] and argument != self._degenerate()
        items = (*self.top.items, self.memory) if self.memory else self.top.items
        chosen = [items[index] for index in argument if index < len(items)]
        phrases = [item for item in chosen if isinstance(item, str)]
        return len(phrases) == len(argument) and "".join(phrases) in self.sample[1]

    def _degenerate(self) -> str | None:
        """What REDUCE must not make of the whole input; with a single word nothing else can be made of it."""
        source, target = self.sample
        return target if self.top.items == source and len(target) > 1 and len(source) > 1 else None

    @property
    def right(self) -> bool:
        """Whether FINAL would return the target."""
        return self.top.items == (self.sample[1],)

    def arguments(self, operator: int, config: SearchConfig) -> tuple[Argument, ...]:
        """The arguments that make a substring of the target."""
        if operator == REDUCE:
            return self._reduces(config.max_reduce_length)
        if operator in (CONCAT_M, CONCAT_S):
            return self._concats(config.max_indices)[operator == CONCAT_S]
        return _NO_ARGUMENT if operator != FINAL or self.right else ()

    def _reduces(self, longest: int) -> tuple[str, ...]:
        parts = self._execution.parts
        if parts is None:
            parts = self._execution.parts = tuple(substrings(self.sample[1], longest))
        degenerate = self._degenerate()
        return parts if degenerate is None else tuple([each for each in parts if each != degenerate])

    def _concats(self, longest: int) -> "tuple[ConcatArguments, ConcatArguments]":
        """The arguments of CONCAT_M and CONCAT_S; what can be joined depends on the phrases alone, not their places."""
        execution, top, memory = self._execution, self.top, self.memory
        found = execution.concats.get((top, memory))
        if found is None:
            joined = joins((*top.phrases, memory) if memory else top.phrases, self.sample[1], longest)
            found = execution.concats[top, memory] = _placed(joined, top.items, memory)
        return found


def execute(frames: CodedFrames, source: CodedSource, operator: int, argument: Argument) -> CodedFrames:
    word = source[frames.position] if frames.position < len(source) else END_MARK
    if isinstance(argument, tuple):
        return after(frames, OPERATORS[operator], argument, word, join_coded(frames.candidates, argument))
    return after(frames, OPERATORS[operator], (), word, argument or "")


def substrings(target: str, longest: int) -> dict[str, None]:
    """The distinct parts of a target up to a length, short ones first."""
    return {target[i : i + n]: None for n in range(1, longest + 1) for i in range(len(target) - n + 1)}


def concat_arguments(top: Frame, memory: str, target: str, longest: int) -> dict[int, ConcatArguments]:
    """By operator, the CONCAT arguments that make a part of the target and are not without effect, short ones first."""
    phrases = tuple([item for item in top if isinstance(item, str)])
    moved, joined = _placed(joins((*phrases, memory) if memory else phrases, target, longest), top, memory)
    return {CONCAT_M: moved, CONCAT_S: joined}


@lru_cache(maxsize=1 << 17)
def joins(phrases: tuple[str, ...], target: str, longest: int) -> ConcatArguments:
    """The ways to join phrases, by number, to a part of the target; short ones first, hardly more than count.

    An example is searched again in each epoch, and most of what can be joined there was joined before.
    """
    most = _MAX_CONCATS + longest + 1  # so many are left whatever an operator does without
    found: list[Indices] = []
    if len(phrases) == 1:
        made = phrases[0]
        while len(found) < longest and made in target:
            found.append((0,) * (len(found) + 1))
            made += phrases[0]
        return tuple(found)
    singles = [((number,), phrase) for number, phrase in enumerate(phrases)]
    longer: list[tuple[Indices, str]] = [each for each in singles if each[1] in target]
    while longer:
        found += [numbers for numbers, _ in longer]
        if len(found) >= most or len(longer[0][0]) == longest:
            break
        longer = [
            (numbers + number, joined)
            for numbers, made in longer
            for number, phrase in singles
            if (joined := made + phrase) in target
        ]
    return tuple(found)


def _placed(joined: ConcatArguments, top: Frame, memory: str) -> tuple[ConcatArguments, ConcatArguments]:
    """Of what can be joined of a frame's phrases and the memory, the arguments of CONCAT_M and CONCAT_S."""
    size = len(top)
    places = [place for place, item in enumerate(top) if isinstance(item, str)]
    if len(places) < size:
        places.append(size)
        joined = tuple([tuple([places[number] for number in numbers]) for numbers in joined])
    moved = tuple([indices for indices in joined if indices[0] < size or min(indices) < size]) if memory else joined
    apart = joined[1:] if size + bool(memory) == 1 else joined  # (0,) would leave all as it is
    return moved[:_MAX_CONCATS], apart[:_MAX_CONCATS]
