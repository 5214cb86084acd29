"""Kinds of phrases: words with several forms, which of them stands where, and what is made of new combinations."""

import pytest

from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data.example import Example
from ness.data.invented import invented
from ness.errors import CheckpointError
from ness.export.script import export_python
from ness.learn.coding import LITERAL, PHRASE_MARK, Codec
from ness.learn.derivations.inflections import find_inflections
from ness.learn.derivations.kinds import find_kinds, inflected
from ness.learn.derivations.rules import Derivation, FrameRule
from ness.learn.learner import learn
from ness.learn.result import LearningResult
from ness.rules.hand import obeying
from ness.rules.parse import parse_hand, parse_rules
from ness.rules.serialise import from_json, to_json
from ness.rules.text import format_rules
from ness.serve.pins import Pin, hand_of

THE, RED, NEAR = 100, 101, 102  # words that stay visible
CASA, MESA, LIBRO = 0, 1, 2  # content words


def frame(words: tuple[int, ...], output: str, *phrases: Derivation) -> Derivation:
    """A derivation by a frame whose phrases are marked; `output` has their places as digits."""
    parts = tuple([int(part) if part.isdigit() else LITERAL + ord(part) for part in output])
    span = (min([p.span[0] for p in phrases], default=0), max([p.span[1] for p in phrases], default=1))
    return Derivation(span, (0, 1), 0.0, FrameRule(words, parts), phrases)


def noun(place: int) -> Derivation:
    return Derivation((place, place + 1), (0, 1), 0.0)


def the(output: str, place: int = 0) -> Derivation:
    return frame((THE, PHRASE_MARK), output, noun(place))


def test_nouns_that_ask_for_the_same_articles_are_of_one_kind() -> None:
    trees = [(the("A1"), (noun_,)) for noun_ in (CASA, MESA)] + [(the("E1"), (LIBRO,))]
    kinds = find_kinds(trees)
    assert kinds is not None
    assert kinds.words[CASA] == kinds.words[MESA] != kinds.words[LIBRO]
    assert 0 not in kinds.words.values()


def test_without_choices_there_are_no_kinds() -> None:
    assert find_kinds([(the("A1"), (noun_,)) for noun_ in (CASA, MESA, LIBRO)]) is None


def test_what_is_made_of_a_phrase_has_its_kind() -> None:
    """`la casa` is `roja`, though `red` never stands in the frame of `house`."""
    trees = [
        (frame((PHRASE_MARK, RED), output, the(article)), (noun_,))
        for noun_, article, output in ((CASA, "A1", "0a"), (MESA, "A1", "0a"), (LIBRO, "E1", "0o"))
    ]
    kinds = find_kinds(trees)
    assert kinds is not None
    assert kinds.of(the("A1"), (CASA,)) == kinds.words[CASA] == kinds.of(the("A1"), (MESA,))
    assert kinds.of(the("E1"), (LIBRO,)) == kinds.words[LIBRO]


def test_the_phrase_that_is_never_contradicted_tells_the_kind_of_two() -> None:
    """`the house near the book is red`: as the house is."""

    def near(first: int, second: int) -> Derivation:
        outputs = {CASA: "A1", LIBRO: "E1"}
        pair = frame((PHRASE_MARK, NEAR, PHRASE_MARK), "0n2", the(outputs[first], 0), the(outputs[second], 1))
        return frame((PHRASE_MARK, RED), {CASA: "0a", LIBRO: "0o"}[first], pair)

    nouns = (CASA, LIBRO)
    kinds = find_kinds([(near(one, other), (one, other)) for one in nouns for other in nouns])
    assert kinds is not None
    for one in nouns:
        for other in nouns:
            assert kinds.of(near(one, other).phrases[0], (one, other)) == kinds.words[one]


def test_a_derivation_takes_the_forms_of_its_output() -> None:
    tree = Derivation((0, 2), (0, 2), 0.0, FrameRule((THE, PHRASE_MARK), (LITERAL + ord("A"), 1)), (_made(1, 2),))
    assert inflected(tree, "Ec").rule == FrameRule((THE, PHRASE_MARK), (LITERAL + ord("E"), 1))


def _made(first: int, last: int) -> Derivation:
    return Derivation((1, 2), (first, last), 0.0)


NOUNS = {"house": "casa", "rose": "rosa", "door": "porta", "book": "libro", "wall": "muro", "plate": "piatto"}
EXAMPLES = [
    Example((determiner, *adjective, noun), (*said, token, *(["ross" + token[-1]] if adjective else [])))
    for noun, token in NOUNS.items()
    for adjective in ((), ("red",))
    for determiner, forms in (("the", {"a": ["la"], "o": ["il"]}), ("my", {"a": ["la", "mia"], "o": ["il", "mio"]}))
    for said in (forms[token[-1]],)
]


def test_forms_are_found_by_counting_also_where_words_share_them() -> None:
    codec = Codec(EXAMPLES)
    found = find_inflections([codec.encode(*example) for example in EXAMPLES])
    assert {codec.word(word) for word in found.words} == {"the", "my", "red"}
    stems = [codec.phrase(found.stem(codec.encode(*example))[1]) for example in EXAMPLES if "red" in example.source]
    nouns = set(NOUNS.values())
    assert len({tuple(["noun" if token in nouns else token for token in stem]) for stem in stems}) == 2  # the, my


def test_a_word_with_one_token_has_no_forms() -> None:
    examples = [Example(("a", word), ("x", word.upper())) for word in ("b", "c", "d", "e")] * 2
    codec = Codec(examples)
    assert not find_inflections([codec.encode(*example) for example in examples])


@pytest.fixture(scope="module")
def learned() -> tuple[LearningResult, list[Example]]:
    train, tests = invented("nearby")
    return learn(train, Config()), tests


def test_a_predicate_agrees_with_the_first_of_many_nouns(learned: tuple[LearningResult, list[Example]]) -> None:
    result, tests = learned
    assert not result.unsolved
    answers = translate(RuleEngine(result.table), [example.source for example in tests])
    assert [answer.output for answer in answers] == [example.target for example in tests]
    assert len(result.table.kinds) >= 2


def test_rules_with_kinds_can_be_written_read_and_exported(learned: tuple[LearningResult, list[Example]]) -> None:
    result, tests = learned
    table = result.table
    sources = [example.source for example in tests]
    outputs = [answer.output for answer in translate(RuleEngine(table), sources)]
    text = format_rules(table)
    assert "●1" in text.splitlines()[1]  # the legend says what that is
    for same in (from_json(to_json(table)), parse_rules(text)):
        assert same == table
        assert [answer.output for answer in translate(RuleEngine(same), sources)] == outputs
    names: dict[str, object] = {"__name__": "translator"}
    exec(export_python(table, "nearby"), names)
    translate_text = names["translate"]
    assert callable(translate_text)
    assert [tuple(translate_text(" ".join(source)).split()) for source in sources] == outputs


def test_new_words_are_refused_where_their_kind_matters(learned: tuple[LearningResult, list[Example]]) -> None:
    (answer,) = translate(RuleEngine(learned[0].table), [("the", "spoon", "is", "red")])
    assert answer.output is None


def test_more_examples_go_on_from_rules_with_kinds(learned: tuple[LearningResult, list[Example]]) -> None:
    result, tests = learned
    train, _ = invented("nearby")
    again = learn([*train, *tests[:10]], Config(), known=result.table)
    assert not again.unsolved
    assert again.table.kinds == result.table.kinds
    answers = translate(RuleEngine(again.table), [example.source for example in tests])
    assert [answer.output for answer in answers] == [example.target for example in tests]


def test_a_new_noun_is_learned_with_its_kind_where_examples_tell_it(
    learned: tuple[LearningResult, list[Example]],
) -> None:
    """One line in which other words agree with it."""
    train, _ = invented("nearby")
    line = Example(("the", "spoon", "is", "red"), ("il", "cucchiaio", "è", "rosso"))
    result = learn([*train, line], Config(), known=learned[0].table)
    (answer,) = translate(RuleEngine(result.table), [("the", "spoon", "is", "high")])
    assert answer.output == ("il", "cucchiaio", "è", "alto")


def test_a_rule_by_hand_without_a_kind_leaves_the_kind_as_it_is(learned: tuple[LearningResult, list[Example]]) -> None:
    train, _ = invented("nearby")
    hand = parse_hand("reduce\n  [boat] => [battello]\n")
    result = learn(train, Config(), hand=hand)
    assert result.nodes == 0  # nothing is searched
    (answer,) = translate(RuleEngine(result.table), [("the", "boat", "is", "red")])
    assert answer.output == ("il", "battello", "è", "rosso")


def test_another_phrase_by_hand_has_no_kind_that_was_learned_for_the_old_one(
    learned: tuple[LearningResult, list[Example]],
) -> None:
    table = obeying(learned[0].table, parse_hand("reduce\n  [boat] => [nave]\n"))
    (answer,) = translate(RuleEngine(table), [("the", "boat", "is", "red")])
    assert answer.output is None
    kind = learned[0].table.reduce_kinds["house",]
    table = obeying(learned[0].table, parse_hand(f"reduce\n  [boat] => [nave] ●{kind}\n"))
    (answer,) = translate(RuleEngine(table), [("the", "boat", "is", "red")])
    assert answer.output == ("la", "nave", "è", "rossa")


def test_the_phrases_of_a_word_are_of_one_kind() -> None:
    with pytest.raises(CheckpointError, match="of one kind"):
        parse_hand("reduce\n  [boat] => [nave] ●1\n  [boat] => [battello]\n")


def test_templates_on_the_page_keep_their_kinds(learned: tuple[LearningResult, list[Example]]) -> None:
    table = learned[0].table
    forbidden = obeying(table, hand_of([Pin("forbid", "CONCAT_S", "X dear", "X caro")], table))
    assert sum(map(len, forbidden.concat.values())) < sum(map(len, table.concat.values()))
    pinned = obeying(table, hand_of([Pin("pin", "CONCAT_S", "X dear", "X cara")], table))
    assert pinned.kinds == table.kinds
    (answer,) = translate(RuleEngine(pinned), [("the", "boat", "is", "dear")])
    assert answer.output == ("il", "battello", "è", "caro")
