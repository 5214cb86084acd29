"""Words as small integers, target phrases as strings of one character per token.

The search compares, hashes and looks for substrings millions of times; integers and strings make that cheap,
and nothing in it depends on what a word is called.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from types import MappingProxyType

from ness.machine import (
    BARE,
    EOS,
    PHRASE,
    ConcatM,
    ConcatS,
    Instruction,
    Operator,
    Part,
    Parts,
    Program,
    Reduce,
    Status,
    View,
    allowed,
    phrase_mark,
    steps_of,
)
from ness.machine.boundaries import BEGIN, END
from ness.machine.opcodes import CODES, CONCAT_M, CONCAT_S, FINAL, REDUCE, SHIFT

OPERATORS = tuple(Operator)  # an operator's code is its place here

# Marks in views, beside words (0, 1, 2, ...).
END_MARK = -1  # the next word when the input is used up
PHRASE_MARK = -2  # a phrase
NO_FRAME = (-3,)  # the second frame when there is none
WORD_MARK = -4  # any word (in shapes)
_KIND_MARKS = -1000  # less the number of its kind: a phrase of that kind

# The parts of a coded CONCAT are positions below this, and target tokens: this plus the character.
LITERAL = 1 << 21
# A REDUCE that makes a phrase of a kind ends with the character of this plus the number of the kind; a CONCAT ends with
# that number below zero.
_KINDS = 0x100000

CodedSource = tuple[int, ...]
CodedView = tuple[int, ...]
# (next word, view of the top frame, view of the second frame, is the memory full)
CodedStatus = tuple[int, CodedView, CodedView, int]
CodedParts = tuple[int, ...]
Argument = str | CodedParts | None
Step = tuple[CodedStatus, int, Argument]
CodedTrace = tuple[Step, ...]
Sample = tuple[CodedSource, str]

_FIRST_CHARACTER = 0x100  # well away from ASCII, so that a coded phrase is never mistaken for text


class Codec:
    """Translates examples, statuses and traces to codes and back."""

    def __init__(self, examples: Iterable[tuple[Sequence[str], Sequence[str]]]) -> None:
        texts = list(examples)
        words = dict.fromkeys(chain.from_iterable([source for source, _ in texts]))
        tokens = dict.fromkeys(chain.from_iterable([target for _, target in texts]))
        self.words = {word: number for number, word in enumerate(words)}
        self.tokens = {token: _character(number) for number, token in enumerate(tokens)}
        self._names = [*self.words, BEGIN, END]
        self._token_names = {character: token for token, character in self.tokens.items()}
        # Made once, shared by all programs.
        self._instructions: dict[tuple[int, Argument, tuple[str, ...]], Instruction] = {}

    @property
    def has_boundary_words(self) -> bool:
        """Whether the examples have words that stand for the boundaries."""
        return BEGIN in self.words or END in self.words

    @property
    def boundaries(self) -> tuple[int, int]:
        """The codes of begin and end of the input: after all words."""
        return len(self.words), len(self.words) + 1

    def with_boundaries(self, sample: Sample) -> Sample:
        """Put the boundaries around a sample's source."""
        begin, end = self.boundaries
        return (begin, *sample[0], end), sample[1]

    def encode(self, source: Sequence[str], target: Sequence[str]) -> Sample:
        return tuple([self.words[word] for word in source]), "".join([self.tokens[token] for token in target])

    def word(self, code: int) -> str:
        return self._names[code]

    def source(self, coded: CodedSource) -> tuple[str, ...]:
        return tuple(map(self._names.__getitem__, coded))

    def phrase(self, coded: str) -> tuple[str, ...]:
        return tuple(map(self._token_names.__getitem__, coded))

    def view(self, coded: CodedView) -> View:
        return tuple([phrase_mark(kind_of_mark(code)) if is_phrase(code) else self.word(code) for code in coded])

    def status(self, coded: CodedStatus) -> Status:
        next_word, top, second, memory = coded
        return Status(
            next=EOS if next_word == END_MARK else self.word(next_word),
            top=self.view(top),
            second=None if second == NO_FRAME else self.view(second),
            memory=(PHRASE,) if memory else (),
        )

    def instruction(self, operator: int, argument: Argument, own: Sequence[str] = ()) -> Instruction:
        """Decode an instruction; `own` are the phrases of the words that a CONCAT_S names."""
        if operator == REDUCE:
            assert isinstance(argument, str)
            kind = kind_of(argument)
            return Reduce(self.phrase(argument[:-1] if kind else argument), kind)
        if operator in (CONCAT_M, CONCAT_S):
            assert isinstance(argument, tuple)
            parts = tuple([self._part(part) for part in argument])
            return ConcatM(parts) if operator == CONCAT_M else ConcatS(parts, tuple(map(self.phrase, own)))
        return BARE[OPERATORS[operator]]

    def _part(self, coded: int) -> Part:
        return coded if coded < LITERAL else self._token_names[chr(coded - LITERAL)]

    def trace(self, source: Sequence[str], program: Program) -> CodedTrace:
        """Code an execution; all its words and tokens must be known."""
        return tuple(
            [
                (self.code_status(step.status), CODES[step.instruction.operator], self._argument(step.instruction))
                for step in steps_of(tuple(source), program)
            ]
        )

    def code_status(self, status: Status) -> CodedStatus:
        """Code a status whose words are all known."""
        next_word = self._number(status.next) if isinstance(status.next, str) else END_MARK
        return next_word, self.code_view(status.top), self.code_second(status.second), len(status.memory)

    def code_second(self, view: View | None) -> CodedView:
        """Code the view of a second frame."""
        return NO_FRAME if view is None else self.code_view(view)

    def code_view(self, view: View) -> CodedView:
        """Code the view of a frame."""
        return tuple([self._number(item) if isinstance(item, str) else kind_mark(item.kind) for item in view])

    def code_parts(self, parts: Parts) -> CodedParts:
        """Code the argument of a CONCAT."""
        return tuple([part if isinstance(part, int) else literal(self.tokens[part]) for part in parts])

    def _number(self, word: str) -> int:
        number = self.words.get(word)
        return len(self.words) + (BEGIN, END).index(word) if number is None else number

    def _argument(self, instruction: Instruction) -> Argument:
        if isinstance(instruction, Reduce):
            return "".join([self.tokens[token] for token in instruction.phrase]) + kind_character(instruction.kind)
        if isinstance(instruction, ConcatM | ConcatS):
            return self.code_parts(instruction.parts)
        return None

    def program(self, trace: CodedTrace, own: Mapping[int, str] = MappingProxyType({})) -> Program:
        """Decode a trace; `own` are the own phrases of words."""
        known = self._instructions
        keys = [(operator, argument, own_of(status, argument, own)) for status, operator, argument in trace]
        return tuple([known.get(key) or known.setdefault(key, self.instruction(*key)) for key in keys])


def _character(index: int) -> str:
    """Return the index-th character that may stand for a token; surrogates are left out."""
    code = _FIRST_CHARACTER + index
    return chr(code if code < 0xD800 else code + 0x800)


@lru_cache(maxsize=100_000)
def legal_opcodes(status: CodedStatus, own: bool = False) -> tuple[int, ...]:
    """List the operators that some argument makes legal; `own`: words may stand for their own phrases."""
    next_word, top, second, memory = status
    phrases = without_kinds(top).count(PHRASE_MARK)
    words, nested = len(top) > phrases, second != NO_FRAME
    operators = allowed(next_word == END_MARK, words, min(phrases, 2), nested, bool(memory), own)
    return tuple([CODES[operator] for operator in operators])


def kind_mark(kind: int) -> int:
    """The mark of a phrase of a kind; 0 is none."""
    return _KIND_MARKS - kind if kind else PHRASE_MARK


def kind_of_mark(mark: int) -> int:
    """The kind of the phrase that a mark stands for; 0 is none."""
    return max(0, _KIND_MARKS - mark)


def kind_character(kind: int) -> str:
    """What the argument of a REDUCE ends with that makes a phrase of a kind; nothing for none."""
    return chr(_KINDS + kind) if kind else ""


def kind_part(kind: int) -> CodedParts:
    """The same for a CONCAT."""
    return (-kind,) if kind else ()


def is_phrase(item: int) -> bool:
    """Tell whether an item of a view is a phrase, of whatever kind."""
    return item == PHRASE_MARK or item <= _KIND_MARKS


def kind_of(argument: str | CodedParts) -> int:
    """The kind of the phrase that an argument makes; 0 is none."""
    last = argument[-1] if argument else 0
    return max(0, ord(last) - _KINDS if isinstance(last, str) else -last)


@lru_cache(maxsize=100_000)
def without_kinds(view: CodedView) -> CodedView:
    """Show phrases of all kinds alike."""
    return tuple([PHRASE_MARK if item <= _KIND_MARKS else item for item in view])


def literal(token: str) -> int:
    """Code a target token as a part of a template."""
    return LITERAL + ord(token)


def coded_view(frame: Sequence[int | str]) -> CodedView:
    """Show a frame as a decision sees it."""
    return tuple([PHRASE_MARK if isinstance(item, str) else item for item in frame])


def tokens_of(parts: CodedParts) -> str:
    """The target tokens of a coded CONCAT."""
    return "".join([chr(part - LITERAL) for part in parts if part >= LITERAL])


def words_named(view: CodedView, parts: CodedParts) -> list[int]:
    """The words of a frame that the parts of a CONCAT name, each place once."""
    places = dict.fromkeys([part for part in parts if 0 <= part < len(view)])
    return [view[place] for place in places if view[place] >= 0]


def own_of(status: CodedStatus, argument: Argument, own: Mapping[int, str]) -> tuple[str, ...]:
    """The own phrases of the words that a CONCAT names."""
    named = words_named(status[1], argument) if own and isinstance(argument, tuple) else ()
    return tuple([own[word] for word in named])


def with_own_phrases(items: tuple[int | str, ...], own: Mapping[int, str]) -> tuple[int | str, ...]:
    """Put their own phrases in the place of words that have one."""
    return tuple([own.get(item, item) if isinstance(item, int) else item for item in items]) if own else items


def join_coded(items: Sequence[int | str], parts: CodedParts) -> str:
    """Join the coded phrases at the positions and the tokens; a last negative part is a kind."""
    return "".join([str(items[part]) if part < LITERAL else chr(part - LITERAL) for part in parts if part >= 0])


@lru_cache(maxsize=100_000)
def shape(view: CodedView) -> CodedView:
    """Show every word of a view as WORD_MARK: what is left is where the phrases stand."""
    return view if view == NO_FRAME else tuple([PHRASE_MARK if is_phrase(item) else WORD_MARK for item in view])


def outline(status: CodedStatus) -> CodedStatus:
    """Forget which words stand in the second frame."""
    next_word, top, second, memory = status
    return next_word, top, shape(second), memory


def by_size(sample: Sample) -> tuple[int, int, Sample]:
    """Sort the shortest samples first."""
    return len(sample[0]), len(sample[1]), sample


def degenerate_trace(sample: Sample) -> CodedTrace:
    """SHIFT to the end, one REDUCE with the whole output, FINAL."""
    source, target = sample
    steps: list[Step] = [((word, source[:n], NO_FRAME, 0), SHIFT, None) for n, word in enumerate(source)]
    return (
        *steps,
        ((END_MARK, source, NO_FRAME, 0), REDUCE, target),
        ((END_MARK, (PHRASE_MARK,), NO_FRAME, 0), FINAL, None),
    )
