"""Items for networks that look beyond the status: phrases are known by how they were made, words by their queue."""

from collections.abc import Hashable, Sequence

import torch

from ness.config import ControllerConfig
from ness.machine import EOS, Frames, Operator, Status, Word, allowed, legal_operators
from ness.network.rows import (
    FIRST_WORD,
    PHRASE_ITEM,
    Ids,
    OperatorInput,
    PointerInput,
    Queues,
    padded,
    phrase_positions,
)
from ness.network.shadow import Shadow
from ness.network.vocabularies import Vocabularies

Place = tuple[int, int]  # the number of a source in a batch, and a position in it


class Items:
    """Numbers words (in their queues) and phrases (by derivation); remembers what each waits for."""

    def __init__(self, vocabularies: Vocabularies, controller: ControllerConfig) -> None:
        self._vocabularies, self._controller = vocabularies, controller
        self._numbers: dict[Hashable, int] = {}
        self.levels: dict[int, int] = {}
        self.words: list[int] = []
        self.word_items: list[int] = []
        self.places: list[Place] = []
        self.size = FIRST_WORD
        self._phrases = {PHRASE_ITEM}

    def queue(self, number: int, source: tuple[Word, ...]) -> list[int]:
        """Number the words of a source, and its end, each with what follows it where the network looks at that."""
        rest: int | None = None
        items = []
        for position in range(len(source), -1, -1):
            word = self._vocabularies.source_ids[source[position] if position < len(source) else EOS]
            key = (word, rest) if self._controller.input_encoder == "queue" else word
            known = self.size
            rest = self._number(key, 0)
            if rest == known:
                self.words.append(word)
                self.word_items.append(rest)
                self.places.append((number, position))
            items.append(rest)
        return items[::-1]

    def contexts(self, sources: Sequence[tuple[Word, ...]]) -> Queues | None:
        """Return where the numbered words stand in the sources; None if the network does not look at that."""
        if self._controller.input_encoder == "word":
            return None
        used = sorted({number for number, _ in self.places})
        rows = {number: row for row, number in enumerate(used)}
        numbers = self._vocabularies.source_ids
        ids = [[*map(numbers.__getitem__, sources[number]), numbers[EOS]] for number in used]
        row, position = torch.tensor([(rows[number], position) for number, position in self.places]).T
        return Queues.of(padded(ids), torch.tensor([len(source) for source in ids]), row, position)

    def phrase(self, operator: Operator, seen: Ids | PointerInput, argument: Ids, level: int) -> int:
        """Number the phrase that an instruction makes."""
        if self._controller.categories == "hard":
            return PHRASE_ITEM
        number = self._number((operator, seen, argument), level)
        self._phrases.add(number)
        return number

    def see(self, frames: Frames[int], queue: list[int]) -> tuple[OperatorInput, Ids]:
        """Return what the operator predictor sees, and the CONCAT candidates: phrases of the top frame, the memory."""
        position, stack, memory = frames
        top, nested = stack[-1], len(stack) > 1
        phrases = [place for place, item in enumerate(top) if item in self._phrases]
        ended = position == len(queue) - 1
        legal = allowed(ended, len(top) > len(phrases), min(len(phrases), 2), nested, bool(memory))
        seen = OperatorInput(queue[position], top, stack[-2] if nested else (), memory, legal)
        return seen, (*phrases, *range(len(top), len(top) + len(memory)))

    def level(self, *views: Ids) -> int:
        """Return the first level at which all these items are known."""
        return max((self.levels.get(item, 0) for view in views for item in view), default=0)

    def _number(self, key: Hashable, level: int) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self.size
            self.levels[number] = level
            self.size += 1
        return number


def see(status: Status, shadow: Shadow[int], queue: list[int]) -> OperatorInput:
    """Return what the operator predictor sees, as item numbers."""
    stack = shadow.stack
    second = stack[-2] if len(stack) > 1 else ()
    return OperatorInput(queue[shadow.position], stack[-1], second, shadow.memory, legal_operators(status))


def see_elements(status: Status, seen: OperatorInput, second_frame: bool) -> PointerInput:
    """Return what a CONCAT predictor sees, as item numbers."""
    second = seen.second if second_frame else ()
    return PointerInput(seen.top, seen.memory, second, phrase_positions(status))
