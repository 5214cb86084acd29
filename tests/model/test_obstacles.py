"""What is in the way is told in the user's own words."""

from ness.config import Config
from ness.data.example import Example, example_of
from ness.machine import parse_program
from ness.model.model import Model
from ness.model.obstacles import obstacles
from ness.model.summary import Summary
from ness.network.vocabularies import Vocabularies
from ness.rules.table import Categories, RuleTable

TRACES = [
    (("a",), parse_program("SHIFT; REDUCE X; FINAL")),
    (("b",), parse_program("SHIFT; REDUCE Y; FINAL")),
    (("very", "a"), parse_program("SHIFT; PUSH; SHIFT; REDUCE X; POP; CONCAT_S 1,1; FINAL")),
]


def texts(*unsolved: tuple[str, str]) -> list[str]:
    examples: list[Example] = [example_of(*pair) for pair in unsolved]
    table = RuleTable.from_traces(TRACES, Categories())
    summary = Summary("my", "digest", len(TRACES) + len(examples), unsolved=examples)
    model = Model(Config(), Vocabularies((), ()), table, summary, TRACES)
    return [obstacle.text for obstacle in obstacles(model)]


def test_a_word_that_no_rule_was_found_for_is_shown_with_its_simplest_example() -> None:
    assert texts(("a / b", "F X Y"), ("a / a / b", "F X F X Y")) == [
        "nothing was learned about '/' (in 2 examples); no rule was found even for the simplest: a / b -> F X Y"
    ]


def test_a_word_that_comes_with_others_only_is_asked_for_alone() -> None:
    first, second = texts(("a / b !", "F X Y Z"), ("b / a !", "F Y X Z"))
    assert first.endswith("'/' (in 2 examples); an example of it without '!', which are new too, would help")
    assert second.endswith("'!' (in 2 examples); an example of it without '/', which are new too, would help")


def test_a_word_that_stands_for_many_tokens_is_recognised() -> None:
    (text,) = texts(("long a", "P Q R X"), ("long b", "P Q R Y"))
    assert text.endswith("it seems to stand for P Q R: try --set search.max_reduce_length=3")


def test_where_the_rules_stop_on_known_words_is_said() -> None:
    assert texts(("a b", "X Y"), ("b b b", "Y Y Y"), ("a very", "X X")) == [
        "the rules stop before 'b' in 2 examples; the shortest: a b -> X Y",
        "the rules stop before 'very' in 1 example; the shortest: a very -> X X",
    ]


def test_what_the_rules_answer_otherwise_is_said() -> None:
    (text,) = texts(("a", "Z"))
    assert text == "the rules answer 1 example with something else; the shortest: a -> Z"
