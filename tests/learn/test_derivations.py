"""Structure without search: content words by context, grammars, and the traces of their derivations."""

import math
from itertools import permutations, product
from typing import Any

import pytest

from ness.answer.evaluation import evaluate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data import load_task
from ness.data.example import Example, example_of
from ness.data.invented import invented
from ness.data.invented.schemes import wide_scheme
from ness.data.lessons import by_length
from ness.learn.coding import LITERAL, Codec, Sample, literal
from ness.learn.deadline import Deadline, OutOfTime
from ness.learn.derivations.attempt import DerivedAttempt, attempt_by_derivations
from ness.learn.derivations.content import (
    content_sets,
    context_classes,
    is_written,
    is_written_once,
    places_of_words,
    without_attached_words,
    without_odd_words,
)
from ness.learn.derivations.grammar import FrameGrammar, GrammarLimits
from ness.learn.derivations.hypothesis import GrammarOptions, Way
from ness.learn.derivations.patterns import patterns_of
from ness.learn.derivations.rules import FrameRule, RuleBook
from ness.learn.learner import learn
from ness.learn.lexical_words import lexical_phrases, lexical_words
from ness.learn.lexicon import Lexicon
from ness.learn.readings import Reading, find_enclosure
from ness.machine import PHRASE, run

THINGS = ("fan", "lamp", "radio")
ROOMS = ("hall", "office")


def commands() -> list[Example]:
    """`switch the fan in the hall` becomes `{ device : fan , room : HALL }`; `then` joins commands."""
    single = [(f"switch the {x}", f"{{ device : {x} }}") for x in THINGS]
    single += [
        (f"switch the {x} in the {y}", f"{{ device : {x} , room : {y.upper()} }}") for x, y in product(THINGS, ROOMS)
    ]
    double = [(f"{a} then {c}", f"{b} ; {d}") for (a, b), (c, d) in product(single, single)]
    return [example_of(*pair) for pair in single + double]


def coded(examples: list[Example]) -> tuple[Codec, list[Sample]]:
    codec = Codec(examples)
    return codec, [codec.encode(*example) for example in examples]


def named(codec: Codec, content: dict[int, str]) -> dict[str, str]:
    return {codec.word(word): " ".join(codec.phrase(phrase)) for word, phrase in content.items()}


def text(codec: Codec, rule: FrameRule) -> str:
    frame = " ".join(map(str, codec.view(rule.frame)))
    parts = [str(part) if part < LITERAL else codec.phrase(chr(part - LITERAL))[0] for part in rule.parts]
    return f"{frame} -> {' '.join(parts)}"


def test_words_of_one_place_are_a_class() -> None:
    codec, samples = coded(commands()[:30])
    lexical = lexical_words(samples)
    places = places_of_words([source for source, _ in samples])
    classes = [{codec.word(word) for word in each} for each in context_classes(places, lexical, by_kind=True)]
    assert {"then"} in classes  # it has a token of its own, and no other word is like it
    assert set(THINGS) <= next(each for each in classes if "fan" in each)


def test_a_deadline_ends_the_search_for_classes() -> None:
    _, samples = coded(commands()[:30])
    places = places_of_words([source for source, _ in samples])
    with pytest.raises(OutOfTime):
        context_classes(places, lexical_words(samples), by_kind=True, deadline=Deadline(0.0))
    assert attempt_by_derivations({Reading.PLAIN: [samples]}, Config(), 0.0) is None


def test_an_operator_may_stay_visible() -> None:
    pairs = [(f"{x} {o} {y}", f"{o}! {x} {y}") for x, y in product("abcd", repeat=2) for o in ("plus", "times")]
    pairs += [(f"{x} {o} {y} plus {x}", f"plus! {o}! {x} {y} {x}") for x, y in product("ab", "cd") for o in ("times",)]
    codec, samples = coded([example_of(*pair) for pair in pairs])
    sets = [set(named(codec, content)) for content in content_sets(samples, lexical_words(samples))]
    assert {"a", "b", "c", "d"} in sets


def test_content_is_written_once_or_several_times() -> None:
    codec, samples = coded([example_of("a twice", "A A"), example_of("b twice", "B B"), example_of("a b", "A B")])
    content = {codec.words[word]: codec.tokens[word.upper()] for word in "ab"}
    assert not is_written_once(samples, content)
    assert is_written_once(samples[2:], content)
    assert is_written(samples, content)
    assert [dict(pattern.links) for pattern in patterns_of(samples[0], content)] == [{0: ((0, 1), (1, 2))}]


def test_a_repeated_word_may_be_written_in_either_place() -> None:
    codec, [sample] = coded([example_of("a to b and a", "( A , B ) A")])
    content = {codec.words[word]: codec.tokens[word.upper()] for word in "ab"}
    links = [pattern.links for pattern in patterns_of(sample, content)]
    first, second, third = ((1, 2),), ((3, 4),), ((5, 6),)
    assert links == [{0: first, 4: third, 2: second}, {0: third, 4: first, 2: second}]


def test_examples_with_repeated_words_are_derived_by_the_cheapest_reading() -> None:
    pairs = [(f"{x} to {y}", f"go ( {y} , {x} )") for x, y in product("abc", repeat=2)]
    pairs += [(f"{x} to {y} and {x} to {x}", f"go ( {y} , {x} ) ; go ( {x} , {x} )") for x, y in product("abc", "ab")]
    codec, samples = coded([example_of(*pair) for pair in pairs])
    content = {codec.words[word]: codec.tokens[word] for word in "abc"}
    grammar = FrameGrammar(content, Lexicon(samples), GrammarLimits(6, 40_000))
    assert grammar.learn(samples)
    assert {text(codec, rule) for rule in grammar.book.uses} == {
        "PHRASE to PHRASE -> go ( 2 , 0 )",
        "PHRASE and PHRASE -> 0 ; 2",
    }
    for sample in samples:
        trace = grammar.traces([sample]).get(sample)
        if trace is not None:  # a word three times or more says too little
            output, _ = run(tuple(map(codec.word, sample[0])), codec.program(trace))
            assert output == codec.phrase(sample[1])
    assert grammar.traces(samples[:1])


def test_a_phrase_has_what_always_stands_beside_it() -> None:
    kinds = {"digit": "[ 0-9 ]", "letter": "[ a-z ]", "sign": "[ + - ]"}
    pairs = list(kinds.items()) * 8
    pairs += [(f"{x} or {y}", f"( {kinds[x]} | {kinds[y]} )") for x, y in product(kinds, kinds) if x != y]
    codec, samples = coded([example_of(*pair) for pair in pairs])
    sets = [named(codec, content) for content in content_sets(samples, lexical_phrases(samples))]
    assert {"digit": "0-9", "letter": "a-z", "sign": "+ -"} in sets
    assert kinds in sets


def test_words_may_share_a_token() -> None:
    months, days = {"march": "03", "may": "05", "june": "06"}, {"third": "03", "fifth": "05", "tenth": "10"}
    pairs = [(f"the {x} of {y}", f"{days[x]} / {months[y]}") for x, y in product(days, months)]
    codec, samples = coded([example_of(*pair) for pair in pairs * 2])
    alone = named(codec, lexical_phrases(samples))
    assert (alone.get("june"), alone.get("march")) == ("06", None)
    assert named(codec, lexical_phrases(samples, alone=False)) == months | days


def test_the_grammar_of_a_command_language() -> None:
    codec, samples = coded(commands())
    content = content_sets(samples, lexical_words(samples))[0]
    grammar = FrameGrammar(content, Lexicon(samples), GrammarLimits(16, 100_000))
    assert grammar.learn(samples)
    assert {text(codec, rule) for rule in grammar.book.uses} == {
        "switch the PHRASE -> { device : 2 }",
        "PHRASE in the PHRASE -> 0 , room : 3",
        "PHRASE then PHRASE -> 0 ; 2",
    }


def test_two_parts_with_tokens_around_them_are_joined_by_a_rule_of_their_own() -> None:
    tags = ("note", "task")
    leaves = [(f"{tag} saying {x}", f"<{tag}> {x} </{tag}>") for tag in tags for x in ("red", "ten", "oslo")]
    single = [(f"{tag} holding {a} stop", f"<{tag}> {b} </{tag}>") for tag in tags for a, b in leaves]
    double = [
        (f"{tag} holding {a} and {c} stop", f"<{tag}> {b} {d} </{tag}>")
        for tag in tags
        for (a, b), (c, d) in product(leaves, leaves)
        if a.split()[-1] != c.split()[-1]
    ]
    codec, samples = coded([example_of(*pair) for pair in leaves + single + double])
    content = {word: phrase for word, phrase in lexical_phrases(samples).items() if codec.word(word) not in tags}
    grammar = FrameGrammar(content, Lexicon(samples), GrammarLimits(16, 100_000))
    assert grammar.learn(samples)
    rules = {text(codec, rule) for rule in grammar.book.uses}
    assert "PHRASE and PHRASE -> 0 2" in rules  # so that lists of three are understood
    assert not [rule for rule in rules if "and" in rule and "holding" in rule]


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("task", ["json", "sql", "latex", "clauses", "lisp_to_infix"])
def test_a_derivation_is_an_execution(task: str, shared: bool) -> None:
    examples = list(load_task(f"invented/{task}", seed=0).train)[:80]
    codec, samples = coded(examples)
    checked = 0
    for content in content_sets(samples, lexical_words(samples))[:2]:
        grammar = FrameGrammar(content, Lexicon(samples), GrammarLimits(16, 1_000_000), RuleBook(shared))
        grammar.learn(samples)
        for example, sample in zip(examples, samples, strict=True):
            trace = grammar.traces([sample]).get(sample)
            if trace is not None:
                program = codec.program(trace)
                assert run(example.source, program)[0] == example.target
                assert codec.trace(example.source, program) == trace  # its statuses as well
                checked += 1
    assert checked > 20


def test_patterns_are_derived_otherwise_where_their_rules_are_blamed() -> None:
    codec, samples = coded(commands())
    content = content_sets(samples, lexical_words(samples))[0]
    grammar = FrameGrammar(content, Lexicon(samples), GrammarLimits(16, 100_000))
    assert grammar.learn(samples)
    before = dict(grammar.derivations)
    joined = [sample for example, sample in zip(commands(), samples, strict=True) if "then" in example.source]
    assert grammar.learn_otherwise(joined)
    assert "PHRASE then PHRASE -> 0 ; 2" not in {text(codec, rule) for rule in grammar.book.uses}
    kept = [key for key in before if grammar.derivations[key] is before[key]]
    assert len(kept) == 2  # `switch the fan` and `switch the fan in the hall`
    for example, sample in zip(commands(), samples, strict=True):
        trace = grammar.traces([sample]).get(sample)
        assert trace is not None
        assert run(example.source, codec.program(trace))[0] == example.target
    assert not grammar.learn_otherwise([])  # nothing is to blame


def test_readings_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    enclosed = [Example(source, ("[", *target, "]")) for source, target in commands()]
    codec = Codec(enclosed)
    plain = [[codec.encode(*example) for example in part] for part in by_length(enclosed)]
    around = find_enclosure([sample for part in plain for sample in part])
    assert around is not None
    inside = [[around.inside(sample) for sample in part] for part in plain]
    asked: list[tuple[Way, Reading]] = []
    limited = True

    def fail(options: Any, lessons: Any, reading: Reading, config: Config) -> None:
        asked.append((options.way, reading))
        options.limited = limited

    monkeypatch.setattr("ness.learn.derivations.attempt._attempt_without_odd_lines", fail)
    monkeypatch.setattr("ness.learn.derivations.attempt._attempt_if_clear", fail)
    assert attempt_by_derivations({Reading.PLAIN: plain, Reading.INSIDE: inside}, Config(), math.inf) is None
    # `switch` is in all inputs, so what encloses all outputs may belong to it: the plain reading comes first.
    assert [reading for _, reading in asked[:2]] == [Reading.PLAIN, Reading.INSIDE]
    assert asked[-1][0].effort > asked[0][0].effort
    # Where effort was no limit, more of it would find the same.
    asked, limited = [], False
    assert attempt_by_derivations({Reading.PLAIN: plain, Reading.INSIDE: inside}, Config(), math.inf) is None
    ways = {way for way, _ in asked}
    assert len({(way.shared, way.contextual, way.once) for way in ways}) == len(ways)


def test_too_much_effort_ends_a_grammar() -> None:
    _, samples = coded(commands())
    content = content_sets(samples, lexical_words(samples))[0]
    assert not FrameGrammar(content, Lexicon(samples), GrammarLimits(16, 10)).learn(samples)
    assert not FrameGrammar(content, Lexicon(samples), GrammarLimits(16, 1_000_000, deadline=0)).learn(samples)


def test_what_is_derived_foresees_the_longest_lesson() -> None:
    codec = Codec(commands())
    lessons = [[codec.encode(*example) for example in part] for part in by_length(commands())]
    found = attempt_by_derivations({Reading.PLAIN: lessons}, Config(), math.inf)
    assert found is not None
    assert (found.wrong, found.foreseen, found.attempt.best.hypothesis.freedom) == (0.0, True, "templates")
    alone = attempt_by_derivations({Reading.PLAIN: lessons[:2]}, Config(), math.inf)  # nothing told what a room is
    assert alone is not None
    assert not alone.foreseen


def copying() -> list[Example]:
    """`mib` writes what follows it before and after the rest; `twice` binds tighter, and both may be nested."""
    words = [(word, word.upper()) for word in "abcd"]
    twice = [(f"{a} twice", f"{x} {x}") for a, x in words]
    pairs = [(f"{a} mib {b}", f"( {y} {x} {y} )") for (a, x), (b, y) in permutations(words + twice, 2) if a[0] != b[0]]
    triples = [
        (f"{a} mib {b} mib {c}", f"( {z} ( {y} {x} {y} ) {z} )") for (a, x), (b, y), (c, z) in permutations(words, 3)
    ]
    return [example_of(*pair) for pair in words + twice + pairs + triples]


def test_phrases_that_are_written_twice_are_derived() -> None:
    codec, samples = coded(copying())
    grammar = FrameGrammar(lexical_phrases(samples), Lexicon(samples), GrammarLimits(16, 100_000))
    assert grammar.learn(samples)
    assert {text(codec, rule) for rule in grammar.book.uses} == {
        "PHRASE twice -> 0 0",
        "PHRASE mib PHRASE -> ( 2 0 2 )",
    }
    for example, sample in zip(copying(), samples, strict=True):
        trace = grammar.traces([sample]).get(sample)
        assert trace is not None
        assert run(example.source, codec.program(trace))[0] == example.target


@pytest.mark.parametrize("foreseen", [True, False])
def test_phrases_that_are_written_twice_must_be_foreseen(foreseen: bool) -> None:
    _, samples = coded(copying())
    of_length = {length: [s for s in samples if len(s[0]) == length] for length in range(1, 6)}
    lessons = [of_length[1], of_length[2], of_length[3] + of_length[5], of_length[4]]
    found = attempt_by_derivations({Reading.PLAIN: lessons if foreseen else lessons[:2]}, Config(), math.inf)
    assert (found is not None) == foreseen


def test_nothing_is_derived_where_words_have_no_tokens() -> None:
    codec = Codec(pairs := [example_of(f"{x} {y}", "A B") for x, y in permutations("abcde", 2)])
    assert (
        attempt_by_derivations({Reading.PLAIN: [[codec.encode(*pair) for pair in pairs]]}, Config(), math.inf) is None
    )


def test_a_phrase_closes_what_it_opens() -> None:
    codec, samples = coded(invented("geography")[0])
    content = content_sets(samples, lexical_phrases(samples))[0]
    grammar = FrameGrammar(content, Lexicon(samples), GrammarLimits(16, 100_000))
    assert grammar.learn(samples)
    opening, closing = (literal(codec.tokens[token]) for token in "()")
    frame = codec.code_view(("the", PHRASE, "of", PHRASE))
    assert FrameRule(frame, (1, opening, 3, closing)) in grammar.book.uses


def test_words_stay_visible_where_phrases_are_copied() -> None:
    """`leaf mib` writes the leaf three times; `mib` is no phrase of its own, though each has its own `{`."""
    train, tests = wide_scheme(7206)
    learned = learn(train, Config())
    assert evaluate(RuleEngine(learned.table), tests).exact == 1


def test_words_that_ask_for_another_output_are_no_content() -> None:
    """`size is missing` is not written as `size is red` is; which of the words is odd, several lines tell together."""
    lines = [(f"{a} is {b}", f"{a.upper()} = {b.upper()}") for a in ("size", "hue") for b in ("red", "blue")]
    lines += [("size is missing", "SIZE NULL"), ("hue is missing", "HUE NULL")]
    codec = Codec([example_of(*line) for line in lines])
    samples = [codec.encode(source.split(), target.split()) for source, target in lines]
    meanings = {"size": "SIZE", "hue": "HUE", "red": "RED", "blue": "BLUE", "missing": "NULL"}
    content = {codec.encode((word,), (token,))[0][0]: codec.encode((), (token,))[1] for word, token in meanings.items()}
    left = {codec.word(word) for word in without_odd_words(samples, content)}
    assert left == {"size", "hue", "red", "blue"}


def test_words_that_always_stand_beside_another_stay_visible() -> None:
    """In `price descending` the second word is an operator; that of `just price` is none."""
    columns = ("price", "age", "name")
    lines = [(each, each.upper()) for each in columns]
    lines += [(f"{each} descending", f"{each.upper()} DESC") for each in columns]
    codec = Codec([example_of(*line) for line in lines])
    samples = [codec.encode(source.split(), target.split()) for source, target in lines]
    own = {word: codec.encode((word,), (word.upper(),)) for word in columns}
    own["descending"] = codec.encode(("descending",), ("DESC",))
    content = {source[0]: target for source, target in own.values()}
    operator = own["descending"][0][0]
    left = without_attached_words(
        places_of_words([source for source, _ in samples]),
        content,
        [frozenset(content) - {operator}, frozenset({operator})],
    )
    assert left == {word: phrase for word, phrase in content.items() if word != operator}


def test_several_templates_of_a_frame_are_told_by_what_encloses_it_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """A comma between columns is not one between conditions: other sets of content words are tried after that."""
    tried: list[tuple[Way, dict[int, str]]] = []

    def record(options: GrammarOptions, *others: Any) -> DerivedAttempt | None:
        tried.append((options.way, dict(options.content)))
        options.torn = not options.way.contextual
        return None

    monkeypatch.setattr("ness.learn.derivations.attempt._attempt_without_odd_lines", record)
    samples = coded(commands())[1]
    attempt_by_derivations({Reading.PLAIN: [samples]}, Config(), math.inf)
    (way, content), (then, same) = tried[:2]
    assert not way.contextual
    assert (then, same) == (way._replace(contextual=True), content)
