"""The rules of a set of coded traces: counted, taken back, followed. What a step costs under them is in `costs`."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ness.learn.coding import (
    LITERAL,
    NO_FRAME,
    Argument,
    CodedParts,
    CodedStatus,
    CodedTrace,
    CodedView,
    Sample,
    kind_of_mark,
    legal_opcodes,
    shape,
    without_kinds,
    words_named,
)
from ness.learn.pins import NO_PINS, CodedPins
from ness.learn.uses import count_uses
from ness.machine import Operator
from ness.machine.opcodes import CONCAT_M, CONCAT_S, REDUCE
from ness.rules.arguments import Exchanges, find, is_regular
from ness.rules.backoff import REFUSED, BackOff, FrameNotation, Row, bump, most_used
from ness.rules.contexts import Contexts, agreed_above

Ban = tuple[CodedStatus, int]  # a decision (status, operator) that a hypothesis does without
ConcatKey = tuple[int, CodedView, int]  # operator, top frame, memory
_NOTATION = FrameNotation(shape, NO_FRAME)


class CodedRules:
    """Counts of rules: each trace counts once for each rule that it uses."""

    def __init__(self) -> None:
        self._classes: dict[int, int] = {}
        self._category_views: dict[CodedView, CodedView] = {}
        self.pins: CodedPins = NO_PINS  # rules by hand
        self.own: Mapping[int, str] = {}  # phrases of words that a CONCAT_S may name; none: it may not
        self.set_phrases: Collection[Sample] = frozenset()  # samples that one REDUCE may solve
        self.contextual = False  # whether the second frame may tell the argument of a CONCAT
        self.clear()

    def clear(self) -> None:
        self.operators = BackOff(range(len(Operator)), _NOTATION)
        rows = self.operators.rows
        self.by_status: dict[CodedStatus, Row] = rows["status"]
        self.by_category: dict[CodedStatus, Row] = rows["category"]
        self.by_outline: dict[CodedStatus, Row] = rows["outline"]
        self.by_next: dict[tuple[int, CodedView, int], Row] = rows["next"]
        self.by_frame: dict[tuple[CodedView, int], Row] = rows["frame"]
        self.by_shape: dict[tuple[CodedView, int], Row] = rows["shape"]
        self.reduce: dict[CodedView, dict[str, int]] = {}
        self.concat: dict[ConcatKey, dict[CodedParts, int]] = {}
        self.concat_by_category: dict[ConcatKey, dict[CodedParts, int]] = {}
        self.concat_by_shape: dict[ConcatKey, dict[CodedParts, int]] = {}
        self._frames: dict[ConcatKey, dict[CodedView, int]] = {}  # by category -> frames, with how many arguments
        self._divided: set[ConcatKey] = set()  # by category: those with several arguments
        self._exchanges: Exchanges | None = None  # None: not known by now
        self._by_second: dict[ConcatKey, dict[CodedView, dict[CodedParts, int]]] = {}  # by category of these
        self._contexts: dict[ConcatKey, Contexts] = {}  # made when they are needed

    @property
    def size(self) -> int:
        """How many rules there are, those of words of one category counted once."""
        return len(self.by_category) + len(self.reduce) + len(self.concat_by_category)

    @property
    def classes(self) -> dict[int, int]:
        """Word -> representative of its category."""
        return self._classes

    @classes.setter
    def classes(self, classes: dict[int, int]) -> None:
        self._classes = classes
        self._category_views = {}

    def categorise(self, view: CodedView) -> CodedView:
        """Show words as their categories."""
        found = self._category_views.get(view)
        if found is None:
            of = self._classes.get
            found = self._category_views[view] = tuple([of(item, item) for item in view])
        return found

    def _outlook(self, view: CodedView) -> CodedView:
        """Show words as their categories, and phrases of all kinds alike: what operators depend on."""
        return without_kinds(self.categorise(view))

    def category_status(self, status: CodedStatus) -> CodedStatus:
        next_word, top, second, memory = status
        return self._classes.get(next_word, next_word), self._outlook(top), self._outlook(second), memory

    def add(self, trace: CodedTrace, times: int = 1) -> None:
        """Count the rules of a trace (`times` -1 takes them back)."""
        for status, operator, argument in dict.fromkeys(trace):
            self._add(status, operator, argument, times)

    def rebuild(self, traces: Iterable[CodedTrace]) -> None:
        """Count anew, as after a change of categories; a rule by hand counts as if one trace had used it."""
        self.clear()
        self._add_pins()
        for (status, operator, argument), times in count_uses(traces).items():
            self._add(status, operator, argument, times)

    def _add_pins(self) -> None:
        for status, operators in self.pins.operators.items():
            for operator in sorted(operators):
                self.operators.add(status, self.category_status(status), operator)
        for frame, phrases in self.pins.reduce.items():
            for phrase in sorted(phrases):
                bump(self.reduce, frame, phrase, 1)
        for (operator, top, memory), arguments in self.pins.concat.items():
            for parts in sorted(arguments):
                self.add_concat(operator, top, memory, parts, 1)

    def _add(self, status: CodedStatus, operator: int, argument: Argument, times: int) -> None:
        by_category = self.category_status(status)
        self.operators.add(status, by_category, operator, times)
        if operator == REDUCE:
            bump(self.reduce, status[1], argument, times)
        elif operator in (CONCAT_M, CONCAT_S):
            self.add_concat(operator, status[1], status[3], argument, times)
            if self.contextual:
                self.add_context((operator, status[1], status[3]), by_category[2], argument, times)
            for word in words_named(status[1], argument) if self.own and isinstance(argument, tuple) else ():
                bump(self.reduce, (word,), self.own[word], times)

    def add_concat(self, operator: int, top: CodedView, memory: int, argument: Argument, times: int) -> None:
        """Count a CONCAT, on all its levels."""
        by_category = self._outlook(top)
        kind = (operator, by_category, memory)
        change = bump(self.concat, (operator, top, memory), argument, times)
        if change:
            bump(self._frames, kind, top, change)
        change = bump(self.concat_by_category, kind, argument, times)
        if change:
            bump(self.concat_by_shape, (operator, shape(by_category), memory), argument, change)
            if len(self.concat_by_category.get(kind, ())) > 1:
                self._divided.add(kind)
            elif kind in self._divided:
                self._divided.remove(kind)
                self._exchanges = None
        if kind in self._divided:
            self._exchanges = None

    def add_context(self, key: ConcatKey, second: CodedView, argument: Argument, times: int) -> None:
        """Count a CONCAT by the second frame, shown by category."""
        bump(self._by_second.setdefault(key, {}), second, argument, times)
        self._contexts.pop(key, None)

    def decide(self, status: CodedStatus) -> tuple[int, Argument] | None:
        """The most used legal instruction: by status, by categories, else by less and less of the status."""
        seen = self.by_status.get(status)
        if seen is not None and len(seen) == 1:  # mostly: then it is legal
            (operator,) = seen
            argument = self._argument(status, operator)
            if argument is not None and argument is not REFUSED:
                return operator, argument or None
        legal = legal_opcodes(status, bool(self.own))
        by_category = self.category_status(status)
        found = self.operators.decide(status, by_category, legal, lambda operator: self._argument(status, operator))
        return None if found is None or found[1] is REFUSED else (found[0], found[1] or None)

    def _argument(self, status: CodedStatus, operator: int) -> Argument:
        """The most used argument of an operator; empty where it has none, None where no rule has one."""
        if not self.pins.empty and self.pins.rule_out_operator(status, operator):
            return None
        _, top, second, memory = status
        if operator == REDUCE:
            return most_used(self.reduce.get(top))  # type: ignore[no-any-return]
        if operator in (CONCAT_M, CONCAT_S):
            exact = self.concat.get((operator, top, memory))
            if not exact:
                parts = self._argument_of_kind((operator, self._outlook(top), memory), top, second)
            elif (contexts := self._contexts_of((operator, top, memory))) is not None:
                parts = _or_refused(contexts.find(self._outlook(second)))
            else:
                parts = most_used(exact)
            known = not parts or parts is REFUSED or not self.own or all(w in self.own for w in words_named(top, parts))
            return parts if known else None
        return ()

    def arguments_above(self, key: ConcatKey, second: CodedView | None) -> Mapping[CodedParts, int]:
        """The arguments of a frame with their counts, where second frames may tell them above this one alone."""
        exact = self.concat.get(key, {})
        if second is None or not self.contextual or len(exact) < 2:
            return exact
        return self._by_second.get(key, {}).get(self._outlook(second), {})

    def _contexts_of(self, key: ConcatKey) -> Contexts | None:
        """The arguments of a frame by second frames, where these tell them."""
        if not self.contextual or len(self.concat[key]) < 2:
            return None
        contexts = self._contexts.get(key)
        if contexts is None:
            contexts = self._contexts[key] = Contexts(self._by_second.get(key, {}), _NOTATION)
        return contexts if contexts.tell else None

    def _argument_of_kind(self, kind: ConcatKey, top: CodedView, second: CodedView) -> Any:
        """The argument of a new frame: one that frames with the same categories have, as far as these tell.

        Arguments with exchanged tokens are refused here, though answers may have them: rules that need one frame for
        each word would be believed before others are looked for that do not.
        """
        arguments = self.concat_by_category.get(kind)
        if not arguments:
            return None
        if self.contextual and (above := self._argument_of_kind_above(kind, second)) is not None:
            return above
        if self._exchanges is None:
            kinds = {each: self._frames_of(each) for each in self._divided}
            divided = {each: frames for each, frames in kinds.items() if len(set(frames.values())) > 1}
            self._exchanges = Exchanges(divided, LITERAL.__le__, kind_of_mark)
        if len(arguments) == 1 and is_regular(self._frames[kind], top, self._exchanges.peculiar):
            return most_used(arguments)
        found = find(self._frames_of(kind), top, self._exchanges)
        return found.argument if found.argument in arguments else REFUSED

    def _argument_of_kind_above(self, kind: ConcatKey, second: CodedView) -> Any:
        """The argument of a new frame of a kind whose frames have them by second frame; None where none of them has."""
        operator, _, memory = kind
        contexts = {frame: self._contexts_of((operator, frame, memory)) for frame in self._frames[kind]}
        told = [found for found in contexts.values() if found is not None]
        if not told:
            return None
        others = [most_used(self.concat[operator, frame, memory]) for frame in contexts if contexts[frame] is None]
        return _or_refused(agreed_above(told, others, self._outlook(second)))

    def _frames_of(self, kind: ConcatKey) -> dict[CodedView, CodedParts]:
        operator, _, memory = kind
        return {top: most_used(self.concat[operator, top, memory]) for top in self._frames[kind]}

    def is_settled(self, trace: CodedTrace) -> bool:
        """Tell whether other traces alone already dictate every step: without this one, nothing changes."""
        for status, operator, argument in trace:
            row = self.by_status[status]
            if len(row) > 1 or row[operator] < 2:
                return False
            if operator == REDUCE:
                reductions = self.reduce[status[1]]
                if len(reductions) > 1 or reductions[argument] < 2:  # type: ignore[index]
                    return False
            elif operator in (CONCAT_M, CONCAT_S):
                arguments = self.concat[operator, status[1], status[3]]
                if len(arguments) > 1 or arguments[argument] < 2:  # type: ignore[index]
                    return False
        return True


def _or_refused(argument: Any) -> Any:
    return REFUSED if argument is None else argument
