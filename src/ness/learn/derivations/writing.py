"""The trace of a derivation."""

from collections.abc import Mapping

from ness.learn.coding import (
    END_MARK,
    LITERAL,
    NO_FRAME,
    PHRASE_MARK,
    Argument,
    CodedStatus,
    CodedTrace,
    Sample,
    Step,
    kind_character,
    kind_mark,
    kind_of,
    kind_part,
)
from ness.learn.derivations.compounds import NONE, Compounds
from ness.learn.derivations.kinds import Kinds
from ness.learn.derivations.rules import Derivation
from ness.machine.opcodes import CONCAT_S, FINAL, POP, PUSH, REDUCE, SHIFT


class TraceWriter:
    """Writes the trace of a derivation: the leftmost phrase of a frame is built in it, the others above it."""

    def __init__(
        self, sample: Sample, content: Mapping[int, str], kinds: Kinds | None = None, compounds: Compounds = NONE
    ) -> None:
        self._source, self._target = sample  # compounds are words in it
        self._words = [word for each in self._source for word in compounds.words(each)]
        self._content = content
        self._kinds = kinds
        self._compounds = compounds
        self._steps: list[Step] = []
        self._frames: list[list[int]] = [[]]
        self._place = 0

    def trace(self, tree: Derivation) -> CodedTrace:
        self._write(tree)
        self._step(FINAL)
        return tuple(self._steps)

    def _status(self) -> CodedStatus:
        next_word = self._words[self._place] if self._place < len(self._words) else END_MARK
        second = tuple(self._frames[-2]) if len(self._frames) > 1 else NO_FRAME
        return next_word, tuple(self._frames[-1]), second, 0

    def _step(self, operator: int, argument: Argument = None) -> None:
        self._steps.append((self._status(), operator, argument))
        if operator == SHIFT:
            self._frames[-1].append(self._words[self._place])
            self._place += 1
        elif operator == PUSH:
            self._frames.append([])
        elif operator == POP:
            top = self._frames.pop()
            self._frames[-1] += top
        elif operator in (REDUCE, CONCAT_S):
            self._frames[-1] = [kind_mark(kind_of(argument or ()))]

    def _read(self, word: int) -> None:
        for _ in self._compounds.words(word):
            self._step(SHIFT)

    def _write(self, tree: Derivation) -> None:
        kind = self._kinds.of(tree, self._source) if self._kinds else 0
        if tree.rule is None:
            word = self._source[tree.span[0]]
            self._read(word)
            self._step(REDUCE, self._content[word] + kind_character(kind))
            return
        frame, parts = tree.rule
        phrases = iter(tree.phrases)
        for index, item in enumerate(frame):
            if item != PHRASE_MARK:
                self._read(item)
            elif index == 0:
                self._write(next(phrases))
            else:
                self._step(PUSH)
                self._write(next(phrases))
                self._step(POP)
        if PHRASE_MARK in frame:
            self._step(CONCAT_S, (*parts, *kind_part(kind)))
        else:
            self._step(REDUCE, "".join([chr(part - LITERAL) for part in parts]) + kind_character(kind))
