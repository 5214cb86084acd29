"""Rules by hand as the search knows them: in a pinned place there is nothing else to choose."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ness.learn.coding import (
    Codec,
    CodedParts,
    CodedStatus,
    CodedTrace,
    CodedView,
    is_phrase,
    join_coded,
    kind_character,
    kind_of,
    tokens_of,
)
from ness.machine.opcodes import CODES, CONCAT_M, CONCAT_S, PUSH, REDUCE, SHIFT
from ness.rules.arguments import without_kind
from ness.rules.hand import HandRules

ConcatPlace = tuple[int, CodedView, int]  # operator, top frame, memory


@dataclass(frozen=True)
class CodedPins:
    """What is allowed in pinned places, and what is forbidden in others."""

    operators: Mapping[CodedStatus, frozenset[int]] = field(default_factory=dict)
    reduce: Mapping[CodedView, frozenset[str]] = field(default_factory=dict)
    concat: Mapping[ConcatPlace, frozenset[CodedParts]] = field(default_factory=dict)
    no_reduce: frozenset[tuple[CodedView, str]] = frozenset()
    no_concat: frozenset[tuple[ConcatPlace, CodedParts]] = frozenset()

    @cached_property
    def empty(self) -> bool:
        """Whether nothing is ruled out."""
        return self == CodedPins()

    @cached_property
    def _words(self) -> frozenset[int]:
        """Words that are pinned by themselves: each becomes its phrase wherever it stands."""
        if self.operators:  # a whole table says where
            return frozenset()
        elsewhere = {word for _, top, _ in self.concat for word in top}
        elsewhere.update(word for frame in self.reduce if len(frame) > 1 for word in frame)
        return frozenset(frame[0] for frame in self.reduce if len(frame) == 1 and frame[0] not in elsewhere)

    @cached_property
    def _places(self) -> Mapping[int, frozenset[CodedView]]:
        """Words of pinned templates, with the frames that they may end: those that such a template begins with."""
        places: dict[int, set[CodedView]] = {}
        for _, top, _ in () if self.operators else self.concat:
            for place, word in enumerate(top):
                if not is_phrase(word):
                    places.setdefault(word, set()).add(top[: place + 1])
        return {word: frozenset(found) for word, found in places.items()}

    @cached_property
    def _complete(self) -> frozenset[CodedView]:
        """Frames that are a whole pinned template and no part of another: nothing but that is done there."""
        tops = set() if self.operators else {top for _, top, _ in self.concat}
        return frozenset(t for t in tops if not any(len(t) < len(other) and other[: len(t)] == t for other in tops))

    @cached_property
    def _begun(self) -> frozenset[CodedView]:
        """Frames that begin a pinned template, with a word of it: they are only read on."""
        return frozenset(place for places in self._places.values() for place in places) - self._complete

    def rule_out_operator(self, status: CodedStatus, operator: int) -> bool:
        """Tell whether another operator is pinned, or this one would lead around a pinned rule."""
        if status in self.operators:
            return operator not in self.operators[status]
        next_word, top, _, memory = status
        if len(top) == 1 and top[0] in self._words:
            return operator != REDUCE
        if top in self._complete:
            return (operator, top, memory) not in self.concat
        if top in self._begun and operator != PUSH:
            if operator != SHIFT:
                return (operator, top, memory) not in self.concat
            return (*top, next_word) not in self._places.get(next_word, ())
        if operator != SHIFT:
            return False
        misplaced = next_word in self._places and (*top, next_word) not in self._places[next_word]
        return misplaced or (len(top) > 0 and next_word in self._words)

    def rule_out_reduce(self, frame: CodedView, phrase: str) -> bool:
        """Tell whether another phrase is pinned, or this one has what is forbidden for its words."""
        if frame in self.reduce and self.reduce[frame].isdisjoint((phrase, phrase[:-1] if kind_of(phrase) else phrase)):
            return True  # what is pinned without a kind may be of any
        return any(unwanted in phrase and set(words) <= set(frame) for words, unwanted in self.no_reduce)

    def rule_out_concat(self, place: ConcatPlace, parts: CodedParts) -> bool:
        """Tell whether another argument is pinned, or this one forbidden, or a phrase forbidden for its words."""
        ways = (parts, without_kind(parts))  # what is said without a kind is meant whatever the kind
        if place in self.concat and self.concat[place].isdisjoint(ways):
            return True
        if not self.no_concat.isdisjoint((place, way) for way in ways):
            return True
        tokens = tokens_of(parts) if self.no_reduce else ""
        return any(unwanted in tokens and set(words) <= set(place[1]) for words, unwanted in self.no_reduce)

    def obeyed_by(self, trace: CodedTrace) -> bool:
        """Tell whether a trace does nothing that is ruled out."""
        if self.empty:
            return True
        for status, operator, argument in trace:
            if self.rule_out_operator(status, operator):
                return False
            if operator == REDUCE and self.rule_out_reduce(status[1], str(argument)):
                return False
            if operator in (CONCAT_M, CONCAT_S):
                assert isinstance(argument, tuple)
                if self.rule_out_concat((operator, status[1], status[3]), argument):
                    return False
        return True

    def pinned_arguments(
        self, place: ConcatPlace, items: tuple[int | str, ...], target: str
    ) -> list[tuple[CodedParts, str]]:
        """The pinned arguments of a CONCAT with what they make, where an output has it."""
        options = [(parts, join_coded(items, parts)) for parts in sorted(self.concat[place])]
        return [(parts, phrase) for parts, phrase in options if phrase in target]


NO_PINS = CodedPins()


def coded_pins(codec: Codec, hand: HandRules) -> CodedPins:
    """Code rules by hand; the codec knows their words and tokens."""
    pinned, forbidden = hand
    return CodedPins(
        {
            codec.code_status(status): frozenset(CODES[each] for each in found)
            for status, found in pinned.operators.items()
        },
        {
            codec.code_view(frame): frozenset(
                [phrase + kind_character(pinned.reduce_kinds.get(frame, 0)) for phrase in _phrases(codec, phrases)]
            )
            for frame, phrases in pinned.reduce.items()
        },
        {
            (CODES[operator], codec.code_view(top), len(memory)): frozenset(map(codec.code_parts, arguments))
            for (operator, top, memory), arguments in pinned.concat.items()
        },
        frozenset(
            (codec.code_view(frame), phrase)
            for frame, phrases in forbidden.reduce.items()
            for phrase in _phrases(codec, phrases)
        ),
        frozenset(
            ((CODES[operator], codec.code_view(top), len(memory)), codec.code_parts(parts))
            for (operator, top, memory), arguments in forbidden.concat.items()
            for parts in arguments
        ),
    )


def _phrases(codec: Codec, phrases: Iterable[tuple[str, ...]]) -> frozenset[str]:
    return frozenset("".join([codec.tokens[token] for token in phrase]) for phrase in phrases)
