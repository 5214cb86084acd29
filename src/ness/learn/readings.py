"""How the learner reads the examples: as they are, or with what all outputs have around them set apart.

Tokens around the whole output (`a and b` -> `[ a , b ]`) have no word to hang on. Begin and end of the input are words
that can carry them: either for a search that uses these words as it likes, or, much easier, after a search that never
saw the tokens: what it finds is put into a frame between the two words.
"""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from itertools import takewhile
from typing import NamedTuple

from ness.data.example import Example
from ness.learn.coding import END_MARK, NO_FRAME, PHRASE_MARK, CodedStatus, CodedTrace, Sample, Step, literal
from ness.learn.constituents.patterns import is_balanced, pairs_of_tokens
from ness.machine.opcodes import CONCAT_S, FINAL, POP, PUSH, REDUCE, SHIFT

_NEARLY_ALL = 0.9  # of the outputs
_PAIRED = 300  # outputs, the longest, that tell which tokens come in pairs


class Reading(StrEnum):
    """What a hypothesis is learned from."""

    PLAIN = "plain"
    INSIDE = "inside"  # without what encloses all outputs
    BOUNDED = "bounded"  # begin and end of the input are words


class Enclosure(NamedTuple):
    """The tokens around all outputs, or around those of all sentences."""

    begin: str
    end: str
    bare_words: bool = False  # whether inputs of one word have nothing around their outputs

    def inside(self, sample: Sample) -> Sample:
        """A sample without them."""
        source, target = sample
        if self.bare_words and len(source) == 1:
            return sample
        return source, _without(target, self.begin, self.end)

    def around(self, inner: Sample, trace: CodedTrace, begin: int, end: int) -> CodedTrace:
        """Put the trace of a sample without them into a frame between the words for begin and end."""
        bottom = (begin,)
        steps: list[Step] = [
            ((begin, (), NO_FRAME, 0), SHIFT, None),
            ((trace[0][0][0], bottom, NO_FRAME, 0), PUSH, None),
        ]
        if self.bare_words and len(inner[0]) == 1:  # the end, next to a word, tells that this is all
            word = inner[0][0]
            return (
                *steps,
                ((word, (), bottom, 0), SHIFT, None),
                ((end, (word,), bottom, 0), SHIFT, None),
                ((END_MARK, (word, end), bottom, 0), REDUCE, inner[1]),
                ((END_MARK, (PHRASE_MARK,), bottom, 0), POP, None),
                ((END_MARK, (begin, PHRASE_MARK), NO_FRAME, 0), CONCAT_S, (1,)),
                ((END_MARK, (PHRASE_MARK,), NO_FRAME, 0), FINAL, None),
            )
        steps += [
            (_one_frame_higher(status, bottom, end), operator, argument) for status, operator, argument in trace[:-1]
        ]
        assert trace[-1][1] == FINAL
        parts = (*map(literal, self.begin), 1, *map(literal, self.end))
        return (
            *steps,
            ((end, (PHRASE_MARK,), bottom, 0), POP, None),
            ((end, (begin, PHRASE_MARK), NO_FRAME, 0), SHIFT, None),
            ((END_MARK, (begin, PHRASE_MARK, end), NO_FRAME, 0), CONCAT_S, parts),
            ((END_MARK, (PHRASE_MARK,), NO_FRAME, 0), FINAL, None),
        )


def _one_frame_higher(status: CodedStatus, bottom: tuple[int, ...], end: int) -> CodedStatus:
    """A status as it is one frame higher, above the word for the begin."""
    next_word, top, second, memory = status
    return end if next_word == END_MARK else next_word, top, bottom if second == NO_FRAME else second, memory


def find_enclosure(samples: Sequence[Sample]) -> Enclosure | None:
    """What all outputs begin and end with, or those of all sentences; None if nothing. Something is left inside."""
    return _common_enclosure(samples) or _common_enclosure(sentences(samples), bare_words=True)


def sentences(samples: Sequence[Sample]) -> Sequence[Sample]:
    """The samples of more than one word; all, if there are none."""
    return [sample for sample in samples if len(sample[0]) > 1] or samples


def _common_enclosure(samples: Sequence[Sample], bare_words: bool = False) -> Enclosure | None:
    targets = [target for _, target in samples]
    room = min(map(len, targets)) - 1
    begin = common_prefix(targets)[:room]
    end = common_prefix([target[::-1] for target in targets])[: room - len(begin)][::-1]
    if not begin and not end:
        return None
    longest = sorted(targets, key=len)[-_PAIRED:]
    begin, end = _balanced(begin, end, longest)
    return Enclosure(begin, end, bare_words) if begin or end else None


def _balanced(begin: str, end: str, targets: Sequence[str]) -> tuple[str, str]:
    """As much of what outputs begin and end with as leaves nothing inside that is opened or closed only there."""
    # What each output has just once, such as a first token and a full stop, need not belong together.
    pairs = [pair for pair in pairs_of_tokens(targets) if any(target.count(pair[0]) > 1 for target in targets)]
    options = [(begin[:first], end[last:]) for first in range(len(begin) + 1) for last in range(len(end) + 1)]
    longest_first = sorted(options, key=lambda option: -len("".join(option)))
    return next(
        option
        for option in longest_first
        if all(is_balanced(tuple(_without(target, *option)), pairs) for target in targets)
    )


def _without(target: str, begin: str, end: str) -> str:
    return target[len(begin) : len(target) - len(end)]


def inputs_share_word(samples: Sequence[Sample]) -> bool:
    """Tell whether a word that all sentences have can be the reason for what encloses the outputs."""
    shared: set[int] | None = None
    for source, _ in sentences(samples):
        shared = set(source) if shared is None else shared.intersection(source)
        if not shared:
            return False
    return True


def enclosed_alike(examples: Sequence[Example]) -> list[Example]:
    """The examples whose outputs begin and end as nearly all do; none where all do, or nothing is so common.

    A few others may be wrong, and would hide what encloses the outputs: those that lack one of the two. Where one lacks
    both, nothing encloses the outputs.
    """
    tokens = []
    for place in (0, -1):
        token, count = Counter(target[place] for _, target in examples).most_common(1)[0]
        if count < _NEARLY_ALL * len(examples):
            return []
        tokens.append(token)
    sides = [(each.target[0] == tokens[0]) + (each.target[-1] == tokens[1]) for each in examples]
    alike = [each for each, n in zip(examples, sides, strict=True) if n == len(tokens) and len(each.target) > 1]
    return alike if all(sides) and _NEARLY_ALL * len(examples) <= len(alike) < len(examples) else []


def common_prefix(texts: Sequence[str]) -> str:
    """What all begin with."""
    first, last = min(texts, default=""), max(texts, default="")  # what these two share, all between them have
    shared = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return "".join([token for token, _ in shared])
