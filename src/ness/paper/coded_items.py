"""Codes of the search as the numbers that the network's predictors see, without a detour over words and tokens."""

from ness.learn.coding import (
    END_MARK,
    LITERAL,
    NO_FRAME,
    OPERATORS,
    PHRASE_MARK,
    Codec,
    CodedParts,
    CodedStatus,
    CodedView,
    legal_opcodes,
)
from ness.machine import EOS
from ness.machine.opcodes import REDUCE
from ness.network.controller import Controller
from ness.network.rows import PHRASE_ITEM, Ids, OperatorInput, PointerInput, word_item

CodedArgument = str | CodedParts


class CodedItems:
    """Numbers statuses, frames and arguments of a codec for a controller with the same words and tokens."""

    def __init__(self, controller: Controller, codec: Codec) -> None:
        vocabularies = controller.vocabularies
        self._words = {code: word_item(vocabularies, word) for word, code in codec.words.items()}
        self._words |= {END_MARK: word_item(vocabularies, EOS), PHRASE_MARK: PHRASE_ITEM}
        self._tokens = {character: vocabularies.target_ids.get(token) for token, character in codec.tokens.items()}
        self._generates = controller.concat_s.tokens > 0

    def view(self, coded: CodedView) -> Ids:
        """Number the items of a frame."""
        return () if coded == NO_FRAME else tuple([self._words[item] for item in coded])

    def operator(self, status: CodedStatus) -> OperatorInput:
        """Return what the operator predictor sees."""
        word, top, second, memory = status
        legal = tuple([OPERATORS[code] for code in legal_opcodes(status)])
        return OperatorInput(self._words[word], self.view(top), self.view(second), (PHRASE_ITEM,) * memory, legal)

    def predictor(self, operator: int, top: CodedView, memory: int) -> Ids | PointerInput:
        """Return what the predictor of an operator's arguments sees; CONCAT without the second frame."""
        if operator == REDUCE:
            return self.view(top)
        places = [place for place, item in enumerate(top) if item == PHRASE_MARK]
        candidates = (*places, *range(len(top), len(top) + memory))
        return PointerInput(self.view(top), (PHRASE_ITEM,) * memory, (), candidates)

    def argument(self, coded: CodedArgument) -> Ids | None:
        """Number an argument: tokens, or parts as a CONCAT predictor has them; None is what the network cannot say."""
        if isinstance(coded, str):
            return _all_known([self._tokens.get(token) for token in coded])
        if max(coded) < LITERAL:
            return coded
        if not self._generates:
            return None
        tokens = [self._tokens.get(chr(part - LITERAL)) if part >= LITERAL else 0 for part in coded]
        known = _all_known(tokens)
        return known and tuple([part if part < LITERAL else -token for part, token in zip(coded, known, strict=True)])


def _all_known(tokens: list[int | None]) -> Ids | None:
    known = tuple([token for token in tokens if token is not None])
    return known if len(known) == len(tokens) else None
