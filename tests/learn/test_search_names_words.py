"""Word positions in the search: a CONCAT_S names a word of its frame, which stands for the word's own phrase."""

import math
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data.example import Example, example_of
from ness.data.invented import invented
from ness.data.lessons import by_length
from ness.learn.attempts import Attempt, Journal
from ness.learn.best_first import search
from ness.learn.coding import LITERAL, Codec, words_named
from ness.learn.cues import Cues
from ness.learn.decoding import decode_rules
from ness.learn.finish import finish
from ness.learn.fit import Hypothesis, description_length
from ness.learn.freedom import FREEDOMS, LADDER, QUICK, least_freedom, schedule
from ness.learn.journal import FileJournal
from ness.learn.judge import Judge
from ness.learn.lexical_words import lexical_words, words_decide
from ness.learn.lexicon import Lexicon
from ness.learn.population import Population
from ness.learn.readings import Reading
from ness.learn.replay import Replay
from ness.machine import PHRASE, ConcatS, Operator, Program, run
from ness.machine.opcodes import CONCAT_S
from ness.rules import RuleTable

CONFIG = Config()
WORDS = "word positions"


def _attempt(codec: Codec, examples: Sequence[Example], journal: Journal | None = None) -> Attempt:
    lessons = [[codec.encode(*example) for example in part] for part in by_length(examples)]
    judge = Judge({Reading.PLAIN: lessons}, CONFIG)
    population = Population(
        {Reading.PLAIN: lessons}, CONFIG, lambda jobs: [judge(job) for job in jobs], math.inf, lambda _: None, journal
    )
    population.lexical = lexical_words([sample for part in lessons for sample in part])
    return population.attempt(1, random.Random(0), 10**6, freedom=WORDS, effort=QUICK)


@pytest.fixture(scope="module")
def tenses() -> tuple[RuleTable, dict[Example, Program], list[Example]]:
    """Verbs of three classes make their past differently."""
    train, test = invented("tenses")
    codec = Codec(train)
    best = _attempt(codec, train).best
    finished = finish(best.hypothesis, [codec.encode(*example) for example in train], CONFIG, math.inf)
    table, programs = decode_rules(codec, finished.rules, finished.traces)
    return table, programs, test


def test_the_word_that_decides_stays_in_its_frame(
    tenses: tuple[RuleTable, dict[Example, Program], list[Example]],
) -> None:
    table, _, test = tenses
    assert table.names_words
    rules = {top: set(rules) for (operator, top, _), rules in table.concat.items() if operator is Operator.CONCAT_S}
    assert rules[PHRASE, "past", "jump"] == {(0, 2, "-ed")}
    assert rules[PHRASE, "past", "bake"] == {(0, 2, "-d")}
    assert rules[PHRASE, "past", "cut"] == {(0, 2)}
    answers = translate(RuleEngine(table), [source for source, _ in test])
    assert [answer.output for answer in answers] == [target for _, target in test]


def test_each_trace_can_be_executed_by_itself(
    tenses: tuple[RuleTable, dict[Example, Program], list[Example]],
) -> None:
    _, programs, _ = tenses
    assert all(run(source, program)[0] == target for (source, target), program in programs.items())
    named = [each.own for program in programs.values() for each in program if isinstance(each, ConcatS)]
    assert ("jump",) in {phrase for own in named for phrase in own}


def test_a_token_of_a_word_in_the_frame_is_never_written_by_the_template(
    tenses: tuple[RuleTable, dict[Example, Program], list[Example]],
) -> None:
    table, _, _ = tenses
    own = {words[0]: phrases.most_common(1)[0][0] for words, phrases in table.reduce.items() if len(words) == 1}
    for (_, top, _), rules in table.concat.items():
        tokens = {token for word in top if isinstance(word, str) for token in own.get(word, ())}
        assert not tokens & {part for parts in rules for part in parts}


def test_a_frame_of_words_alone_is_joined() -> None:
    codec = Codec([example_of("the cat", "* cat"), example_of("the dog", "* dog")])
    sample = codec.encode(("the", "cat"), ("*", "cat"))
    hypothesis = Hypothesis(freedom=WORDS, own={codec.words["cat"]: codec.tokens["cat"]})
    rules = hypothesis.rules(CONFIG.costs, Cues())
    config = FREEDOMS[WORDS].search(CONFIG.search)
    lexicon = Lexicon([sample, codec.encode(("the", "dog"), ("*", "dog"))])
    trace = search(rules, rules, lexicon, sample, config).trace
    assert trace is not None
    whole = [argument for status, operator, argument in trace if operator == CONCAT_S and len(status[1]) == 2]
    assert whole == [(LITERAL + ord(codec.tokens["*"]), 1)]
    rules.add(trace)
    assert Replay(rules).trace(sample) == trace
    assert Replay(rules).output(sample[0]) == sample[1]
    # What a word stands for has its price, whoever writes it.
    paid = Hypothesis({sample: trace}, own=hypothesis.own)
    free = Hypothesis({sample: trace})
    length = [description_length(each, [sample], CONFIG.costs, Cues()) for each in (paid, free)]
    assert length[0] > length[1]


def test_words_that_decide_nothing_ask_for_no_word_positions() -> None:
    decided = [("ann slept", "sleep ( agent ann )"), ("bob burned", "burn ( theme bob )")] * 2
    alike = [("ann slept", "sleep ( agent ann )"), ("bob ran", "run ( agent bob )")] * 2
    for examples, expected in ((decided, True), (alike, False)):
        pairs = [example_of(*example) for example in examples]
        codec = Codec(pairs)
        own = {codec.words[word]: codec.tokens[token] for word, token in zip(*_content(examples), strict=True)}
        assert words_decide([codec.encode(*example) for example in pairs], own) is expected
    named = [freedom.name for freedom, _ in schedule("extended", {Reading.PLAIN}, words_decide=True)]
    assert named.count(WORDS) == 2
    assert WORDS not in [freedom.name for freedom, _ in schedule("extended", {Reading.PLAIN})]
    assert LADDER[-1].name == WORDS  # whatever less does is done with less
    assert all(least_freedom(n, n, Reading.PLAIN).name != WORDS for n in range(20))


def _content(examples: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    words = [word for source, _ in examples[:2] for word in source.split()]
    tokens = [token for _, target in examples[:2] for token in (target.split()[3], target.split()[0])]
    return words, tokens


def test_what_was_interrupted_goes_on_with_its_words(tmp_path: Path) -> None:
    train, _ = invented("tenses")
    codec = Codec(train)
    samples = [codec.encode(*example) for example in train]
    first = _attempt(codec, train, FileJournal(tmp_path / "journal", samples, "digest")).best.hypothesis
    again = _attempt(codec, train, FileJournal(tmp_path / "journal", samples, "digest")).best.hypothesis
    assert again == first
    assert any(words_named(status[1], a) for t in again.traces.values() for status, _, a in t if isinstance(a, tuple))
