"""Codes of the search as the numbers that the network's predictors see, without a detour over words and tokens."""

from ness.learn.coding import (
    END_MARK,
    LITERAL,
    NO_FRAME,
    PHRASE_MARK,
    Codec,
    CodedParts,
    CodedStatus,
    CodedView,
    legal_opcodes,
)
from ness.machine import EOS
from ness.network.controller import Controller
from ness.network.rows import PHRASE_ITEM, Ids, word_item
from ness.network.shared_scores import OperatorSight

CodedArgument = str | CodedParts


class CodedItems:
    """Numbers statuses, frames and arguments of a codec for a controller with the same words and tokens."""

    def __init__(self, controller: Controller, codec: Codec) -> None:
        vocabularies = controller.vocabularies
        self._words = {code: word_item(vocabularies, word) for word, code in codec.words.items()}
        self._words |= {END_MARK: word_item(vocabularies, EOS), PHRASE_MARK: PHRASE_ITEM}
        self._tokens = {character: vocabularies.target_ids.get(token) for token, character in codec.tokens.items()}

    def view(self, coded: CodedView) -> Ids:
        """Number the items of a frame."""
        return () if coded == NO_FRAME else tuple([self._words[item] for item in coded])

    def operator(self, status: CodedStatus) -> OperatorSight:
        """Return what the operator predictor sees."""
        word, top, second, memory = status
        legal = sum([1 << code for code in legal_opcodes(status)])
        return OperatorSight(self._words[word], self.view(top), self.view(second), memory, legal)

    def argument(self, coded: CodedArgument) -> Ids | None:
        """Number an argument: tokens, or the positions of a CONCAT; None is what the network cannot say."""
        if not isinstance(coded, str):
            return coded if max(coded) < LITERAL else None
        tokens = [self._tokens.get(token) for token in coded]
        known = tuple([token for token in tokens if token is not None])
        return known if len(known) == len(tokens) else None
