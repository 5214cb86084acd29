"""Beyond the paper's machine: templates, boundaries, words by their token, words learned after the structure."""

import json
from itertools import product

import pytest

from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config, LearnerConfig
from ness.data.example import Example, example_of
from ness.export import runtime
from ness.export.script import compact_rules
from ness.learn.coding import Codec, degenerate_trace
from ness.learn.learner import learn
from ness.learn.lexical_words import lexical_words
from ness.learn.readings import Enclosure, find_enclosure, inputs_share_word
from ness.learn.result import LearningResult
from ness.machine import positions, run, status_of, with_boundaries, without_boundaries

WORDS = "abcde"


def learned(examples: list[Example], machine: str = "extended") -> LearningResult:
    return learn(examples, Config(machine=machine, learner=LearnerConfig(workers=1, attempts=8)))


def answers(found: LearningResult, *sources: str) -> list[str | None]:
    """By the rules; an exported file must say the same."""
    given = translate(RuleEngine(found.table), [source.split() for source in sources])
    outputs = [None if answer.output is None else " ".join(answer.output) for answer in given]
    rules = runtime.Rules(json.loads(json.dumps(compact_rules(found.table, "examples"))))
    for source, output in zip(sources, outputs, strict=True):
        if output is not None:
            assert " ".join(runtime.translate_tokens(source.split(), rules=rules)) == output
    return outputs


def lists() -> list[Example]:
    """`a and b` becomes `[ A , B ]`: no word stands for the brackets."""
    sources = [[*words] for n in (1, 2, 3, 4) for words in list(product(WORDS, repeat=n))[:: (1, 2, 9, 40)[n - 1]]]
    return [example_of(" and ".join(s), f"[ {' , '.join(word.upper() for word in s)} ]") for s in sources]


def test_tokens_around_the_whole_output_hang_on_the_boundaries() -> None:
    found = learned(lists())
    assert (found.freedom, found.unsolved, found.memorised) == ("templates, enclosed", [], [])
    assert answers(found, "a and b and c and d and e and a") == ["[ A , B , C , D , E , A ]"]
    assert answers(found, "‹begin› a", "a ‹end›") == [None, None]  # nobody types them


def test_tokens_between_the_parts_are_a_template() -> None:
    bare = [example_of(word, word.upper()) for word in WORDS]
    pairs = [example_of(f"( {x} or {y} )", f"OR < {x.upper()} ; {y.upper()} >") for x, y in product(WORDS, WORDS)]
    nested = [
        example_of(f"( ( {x} or {y} ) or {x} )", f"OR < OR < {x.upper()} ; {y.upper()} > ; {x.upper()} >")
        for x, y in product(WORDS[:3], WORDS)
    ]
    found = learned([*bare, *pairs, *nested])
    assert not found.unsolved
    parts = [arguments for _, counts in found.table.concat.items() for arguments in counts]
    assert any(len(positions(each)) < len(each) for each in parts)
    expected = "OR < OR < A ; B > ; OR < C ; D > >"
    assert answers(found, "( ( a or b ) or ( c or d ) )") == [expected]


def test_the_papers_machine_has_no_templates() -> None:
    found = learned(lists(), "paper")
    assert found.freedom == "paper"
    assert all(len(positions(each)) == len(each) for counts in found.table.concat.values() for each in counts)


def test_words_are_learned_after_the_structure() -> None:
    verbs = [f"v{n}" for n in range(150)]
    examples = [example_of(f"{verb} twice", f"{verb.upper()} {verb.upper()}") for verb in verbs]
    examples += [example_of(f"{x} and {y}", f"{x.upper()} {y.upper()}") for x, y in zip(verbs, verbs[7:], strict=False)]
    examples += [example_of(verb, verb.upper()) for verb in verbs[::3]]
    found = learned(examples)
    assert (found.unsolved, found.memorised) == ([], [])
    assert answers(found, "v149 twice and v1 and v140") == ["V149 V149 V1 V140"]


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([("x a", "Q A"), ("x b", "Q B"), ("x c", "Q C")], {"a": "A", "b": "B", "c": "C"}),  # x goes with everything
        ([("a b", "A B"), ("a b", "B A"), ("c", "C")], {"c": "C"}),  # a and b cannot be told apart
    ],
)
def test_content_words_have_a_token_of_their_own(pairs: list[tuple[str, str]], expected: dict[str, str]) -> None:
    examples = [example_of(*pair) for pair in pairs]
    codec = Codec(examples)
    found = lexical_words([codec.encode(*example) for example in examples])
    assert {codec.word(word): codec.phrase(token)[0] for word, token in found.items()} == expected


@pytest.mark.parametrize(
    ("pairs", "begin", "end"),
    [
        ([("a", "[ A ]"), ("b", "[ B ]")], "[", "]"),
        ([("a", "A ."), ("b", "B ."), ("a b", "A A B .")], "", "."),
        ([("a", "x x"), ("b", "x x")], "x", ""),  # something must be left inside
        ([("a", "a"), ("a b", "f ( a ) ."), ("b c", "b ( g ( c ) ) .")], "", "."),  # not what closes something inside
        ([("a", "from a ;"), ("b", "from b ;"), ("c", "from c x ;")], "from", ";"),
        ([("a b", "x from a b ;"), ("b", "from b ;"), ("c a", "y from c a ;")], "", ";"),
        ([("a b", "[ { a b } ]"), ("c a", "[ { c } { a } ]"), ("b d", "[ { b d } ]")], "[", "]"),
        ([("list a", "[ A ]"), ("list b", "[ B ]")], "[", "]"),
        ([("a", "A"), ("b", "B")], "", ""),
    ],
)
def test_outputs_are_enclosed_by_what_all_have(pairs: list[tuple[str, str]], begin: str, end: str) -> None:
    examples = [example_of(*pair) for pair in pairs]
    codec = Codec(examples)
    around = find_enclosure([codec.encode(*example) for example in examples]) or Enclosure("", "")
    assert [" ".join(codec.phrase(part)) for part in around[:2]] == [begin, end]


def test_a_word_of_all_inputs_explains_what_encloses_the_outputs() -> None:
    assert inputs_share_word([((1, 2), "x"), ((3, 1), "x")])
    assert not inputs_share_word([((1, 2), "x"), ((3, 2, 4), "x"), ((4, 1), "x")])
    assert inputs_share_word([((1, 2), "x"), ((1, 3), "x"), ((4,), "x")])  # a word is no sentence


def test_a_trace_inside_an_enclosure_is_an_execution_between_the_boundaries() -> None:
    examples = lists()
    codec = Codec(examples)
    samples = [codec.encode(*example) for example in examples]
    around = find_enclosure(samples)
    assert around is not None
    source, target = codec.encode(["a", "b"], ["[", "A", "]"])
    inner = degenerate_trace(around.inside((source, target)))
    outer = around.around(around.inside((source, target)), inner, *codec.boundaries)
    output, steps = run(with_boundaries(("a", "b")), codec.program(outer))
    assert output == ("[", "A", "]")
    assert [codec.status(status) for status, _, _ in outer] == [status_of(step.state) for step in steps]


def test_boundaries_are_put_on_once_and_taken_off() -> None:
    once = with_boundaries(("a", "b"))
    assert with_boundaries(once) == once
    assert without_boundaries(once) == ("a", "b")


def test_words_alone_may_lack_what_encloses_sentences() -> None:
    names = ("ann", "bob", "eva", "tim")
    lines = [(name, name) for name in names]
    lines += [(f"{name} {verb}s", f"{verb} ( {name} ) .") for name in names for verb in ("run", "sleep")]
    lines += [(f"{a} likes {b}", f"like ( {a} , {b} ) .") for a in names for b in names if a != b]
    lines += [(f"{a} says that {b} runs", f"say ( {a} , run ( {b} ) ) .") for a in names for b in names if a != b]
    learned = learn([example_of(*line) for line in lines], Config())
    assert learned.freedom.endswith("enclosed")
    assert not learned.unsolved
    assert not learned.memorised
    engine = RuleEngine(learned.table)
    for source, target in [
        ("tim", "tim"),
        ("ann says that bob says that eva likes tim", "say ( ann , say ( bob , like ( eva , tim ) ) ) ."),
    ]:
        assert " ".join(translate(engine, [tuple(source.split())])[0].output or ()) == target
