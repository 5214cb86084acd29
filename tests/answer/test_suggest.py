"""Which inputs to label next: those that rest on a guess or on which surviving rules disagree."""

from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.answer.suggest import Suggestion, suggest
from ness.config import Config
from ness.data.example import Example
from ness.learn.learner import learn
from ness.learn.result import LearningResult
from ness.machine import without_boundaries
from ness.rules.table import RuleTable
from nine_examples import SEVEN

POOL = [("jump", "twice"), ("hop",), ("hop", "twice"), ("walk", "and", "run", "twice"), ("walk", "twice", "and", "run")]


def learned(pairs: dict[str, str]) -> LearningResult:
    examples = [Example(tuple(source.split()), tuple(target.split())) for source, target in pairs.items()]
    return learn(examples, Config())


def asked(pairs: dict[str, str], pool: list[tuple[str, ...]] | None, n: int = 10) -> list[Suggestion]:
    found = learned(pairs)
    traces = [(example.source, program) for example, program in found.traces.items()]
    return suggest(found.table, found.survivors, traces, pool, n)


def test_new_words_are_asked_first_and_alone() -> None:
    first, *others = asked(SEVEN, POOL)
    assert first.input == ("hop",)
    assert "'hop'" in first.why
    assert first.candidates == ()
    assert ("hop", "twice") not in [other.input for other in others]  # settled by the first, as far as is known


def test_what_no_example_shows_is_asked_with_the_rules_answer_first() -> None:
    found = {one.input: one for one in asked(SEVEN, POOL)}
    question = found["walk", "and", "run", "twice"]
    assert question.candidates[0] in {("WALK", "RUN", "RUN"), ("WALK", "RUN", "WALK", "RUN")}
    assert "no example" in question.why or "other rules" in question.why


def test_what_the_examples_show_is_not_asked() -> None:
    assert not asked(SEVEN, [tuple(source.split()) for source in SEVEN])


def test_survivors_that_disagree_are_reason_enough() -> None:
    found = learned(SEVEN)
    traces = [(example.source, program) for example, program in found.traces.items()]
    other = learned({source: target.replace("WALK", "CRAWL") for source, target in SEVEN.items()})
    pool = [("walk", "and", "walk"), ("run", "and", "run")]
    (one,) = suggest(found.table, [other.table], traces, pool, 1)
    assert one.input == ("walk", "and", "walk")
    assert "other rules" in one.why
    assert set(one.candidates) >= {("WALK", "WALK"), ("CRAWL", "CRAWL")}


def test_each_question_says_what_no_earlier_one_settles() -> None:
    questions = asked({"walk": "WALK", "run": "RUN", "walk twice": "WALK WALK", "walk and run": "WALK RUN"}, None, 4)
    reasons = [question.why.partition(";")[2].partition(";")[0] for question in questions]  # without the numbers
    assert len(questions) == len(set(reasons)) == 4


def test_without_a_pool_inputs_are_made_of_parts_of_the_examples() -> None:
    found = asked(SEVEN, None, 3)
    words = {word for source in SEVEN for word in source.split()}
    assert found
    for one in found:
        assert words.issuperset(one.input)
        assert " ".join(one.input) not in SEVEN
        assert one.input == without_boundaries(one.input)


def test_nothing_learned_yet_begins_with_the_shortest() -> None:
    (one,) = suggest(RuleTable(), [], [], POOL, 1)
    assert one.input == ("hop",)


def test_survivors_solve_the_examples() -> None:
    pairs = SEVEN | {"walk twice and run": "WALK WALK RUN", "jump and walk twice": "JUMP WALK WALK"}
    found = learned(pairs)
    assert found.survivors
    for table in found.survivors:
        answers = translate(RuleEngine(table), [tuple(source.split()) for source in pairs])
        assert [" ".join(answer.output or ()) for answer in answers] == list(pairs.values())
