"""Derivations where begin and end of the input are words, and where kinds or undivided words tell frames apart."""

import json
import math
from itertools import product

import pytest

from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data.example import Example, example_of
from ness.data.invented import invented
from ness.export import runtime
from ness.export.script import compact_rules
from ness.learn.coding import PHRASE_MARK, Codec, Sample, kind_mark, literal
from ness.learn.derivations.attempt import attempt_by_derivations
from ness.learn.derivations.content import content_sets
from ness.learn.derivations.factoring import taken_apart
from ness.learn.derivations.grammar import FrameGrammar, GrammarLimits
from ness.learn.derivations.hypothesis import torn_words
from ness.learn.derivations.rules import FrameRule, RuleBook
from ness.learn.freedom import FREEDOMS
from ness.learn.learner import learn
from ness.learn.lexical_words import lexical_phrases
from ness.learn.lexicon import Lexicon
from ness.learn.readings import Reading
from ness.machine import run
from ness.machine.opcodes import POP, PUSH, SHIFT

THINGS = ("lamp", "fan", "radio")
ENOUGH = GrammarLimits(16, 100_000)


def listed(things: tuple[str, ...]) -> Example:
    """`lamp and fan`: each thing has brackets of its own, which no word opens."""
    return example_of(" and ".join(things), f"[ {' , '.join(f'{{ name : {thing} }}' for thing in things)} ]")


def lists() -> tuple[Codec, list[Sample], list[Sample]]:
    """The coded lines, as they are and between the words for begin and end."""
    lines = [listed(things) for size in (1, 2, 3) for things in product(THINGS, repeat=size)]
    codec = Codec(lines)
    plain = [codec.encode(*line) for line in lines]
    return codec, plain, list(map(codec.with_boundaries, plain))


def test_the_frame_around_the_whole_has_begin_and_end() -> None:
    codec, plain, bounded = lists()
    content = next(each for each in content_sets(plain, lexical_phrases(plain)) if len(each) == len(THINGS))
    grammar = FrameGrammar(content, Lexicon(plain), ENOUGH, edges=codec.boundaries)
    assert grammar.learn(bounded)
    begin, end = codec.boundaries
    frames = {rule.frame for rule in grammar.book.uses if {begin, end}.intersection(rule.frame)}
    assert frames == {(begin, PHRASE_MARK, end)}
    for sample, trace in grammar.traces(bounded).items():
        program = codec.program(trace)
        assert codec.encode((), run(codec.source(sample[0]), program)[0])[1] == sample[1]
    # Without them there is no frame for a thing alone.
    grammar = FrameGrammar(content, Lexicon(plain), ENOUGH)
    assert grammar.learn(plain)
    assert None in grammar.derivations.values()


def test_what_no_word_opens_hangs_on_the_edges() -> None:
    """A single thing is a list, too, and nothing encloses it but the edges of the input."""
    _, plain, bounded = lists()
    lessons = {Reading.PLAIN: [plain[:12], plain[12:]]}
    alone = attempt_by_derivations(lessons, Config(), math.inf)
    assert alone is None or not alone.certain
    found = attempt_by_derivations(lessons | {Reading.BOUNDED: [bounded[:12], bounded[12:]]}, Config(), math.inf)
    assert found is not None
    assert found.certain
    assert FREEDOMS[found.attempt.best.hypothesis.freedom].reading == Reading.BOUNDED


@pytest.mark.parametrize("task", ["things", "grid"])
def test_parts_with_brackets_of_their_own(task: str) -> None:
    train, tests = invented(task)
    learned = learn(train, Config())
    assert not learned.unsolved
    sources, outputs = [test.source for test in tests], [test.target for test in tests]
    assert [answer.output for answer in translate(RuleEngine(learned.table), sources)] == outputs
    exported = runtime.Rules(json.loads(json.dumps(compact_rules(learned.table, "examples"))))
    assert [tuple(runtime.translate_tokens(source, rules=exported)) for source in sources[:20]] == outputs[:20]


def test_simpler_readings_come_first() -> None:
    """What needs no edges is learned without them."""
    numbers = ("one", "two", "three")
    lines = [example_of(number, number.upper()) for number in numbers]
    for (word, sign), *three in product((("plus", "+"), ("minus", "-")), numbers, numbers, numbers):
        for size in (2, 3):
            source, target = f" {word} ".join(three[:size]), f" {sign} ".join(three[:size])
            lines.append(example_of(source, target.upper()))
    learned = learn(list(dict.fromkeys(lines)), Config())
    assert not learned.unsolved
    assert FREEDOMS[learned.freedom].reading == Reading.PLAIN


def test_another_template_costs_little_where_kinds_may_tell() -> None:
    """A list of two begins and ends; one more item goes behind what is there, whatever it holds."""
    book = RuleBook(kinds=True)
    pair = FrameRule((PHRASE_MARK, 1, PHRASE_MARK), (literal("a"), 0, literal("b"), 2))
    more = FrameRule(pair.frame, (0, literal("b"), 2))
    book.count([(pair, 0), (pair, 0)], 1)
    plain = RuleBook()
    plain.count([(pair, 0), (pair, 0)], 1)
    assert book.price(more, 0) < plain.price(more, 0)
    assert book.conflict < plain.conflict


OF, THE, AND = range(3)


def test_words_that_some_traces_divide_are_torn() -> None:
    def step(top: tuple[int, ...], word: int, operator: int) -> tuple[object, int, None]:
        return (word, top, (), 0), operator, None

    masculine, feminine = (PHRASE_MARK, OF), (kind_mark(1), OF)
    one = (step(masculine, THE, SHIFT), step((PHRASE_MARK,), AND, SHIFT))
    other = (step(feminine, THE, PUSH), step((PHRASE_MARK,), AND, POP))
    assert torn_words([one, other]) == {(OF, THE)}  # type: ignore[list-item]
    assert torn_words([one, one]) == set()  # type: ignore[list-item]


def contractions() -> list[Example]:
    """`of the king` is `du roi`, `of the queen` is `de la reine`, and `the queen` alone is `la reine`."""
    nouns = {"king": ("roi", "m"), "dog": ("chien", "m"), "queen": ("reine", "f"), "door": ("porte", "f")}
    the = {"m": "le", "f": "la"}
    of_the = {"m": "du", "f": "de la"}
    lines = [example_of(f"the {noun}", f"{the[kind]} {token}") for noun, (token, kind) in nouns.items()]
    for (one, (first, kind)), (other, (second, last)) in product(nouns.items(), repeat=2):
        lines.append(example_of(f"the {one} of the {other}", f"{the[kind]} {first} {of_the[last]} {second}"))
        lines.append(example_of(f"the {one} and the {other}", f"{the[kind]} {first} et {the[last]} {second}"))
    return lines


def test_no_phrase_begins_with_the_second_of_undivided_words() -> None:
    lines = contractions()
    codec = Codec(lines)
    samples = [codec.encode(*line) for line in lines]
    words = ("king", "dog", "queen", "door")
    content = {codec.words[word]: phrase for word, phrase in zip(words, _phrases(codec), strict=True)}
    grammar = FrameGrammar(content, Lexicon(samples), ENOUGH, RuleBook(kinds=True))
    assert grammar.learn(samples)
    of, the = codec.words["of"], codec.words["the"]
    assert torn_words(grammar.traces(samples).values()) == {(of, the)}
    assert grammar.learn_undivided(samples, {(of, the)})
    assert not torn_words(grammar.traces(samples).values())
    frames = {rule.frame for rule in grammar.book.uses}
    assert (PHRASE_MARK, of, PHRASE_MARK) not in frames


def _phrases(codec: Codec) -> list[str]:
    return [codec.encode((), (token,))[1] for token in ("roi", "chien", "reine", "porte")]


def test_undivided_words_are_not_taken_apart() -> None:
    whole = FrameRule((PHRASE_MARK, OF, THE, PHRASE_MARK), (0, literal("d"), literal("l"), 3))
    known = FrameRule((THE, PHRASE_MARK), (literal("l"), 1))
    of = FrameRule((PHRASE_MARK, OF, PHRASE_MARK), (0, literal("d"), 2))
    uses = {whole: 5, known: 9, of: 3}
    assert taken_apart(uses, {})[whole].inner == known
    assert whole not in taken_apart(uses, {}, undivided={(OF, THE)})
