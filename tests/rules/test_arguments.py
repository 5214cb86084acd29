"""Arguments that words of one category have differently: exchanged where examples tell what changes, else refused."""

import json
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ness.answer.engine import translate
from ness.answer.explain import refuse_unsupported
from ness.answer.rule_engine import RuleEngine
from ness.export import runtime
from ness.export.script import compact_rules
from ness.learn.coded_rules import CodedRules
from ness.learn.coding import Codec, Step
from ness.machine import EOS, PHRASE, ConcatS, Parts, Status, View, parse_program, phrase_mark
from ness.machine.opcodes import CONCAT_S
from ness.rules import Categories, RuleTable
from ness.rules.serialise import plain_status

LETTERS, SIGNS = ("x", "y", "z", "w"), ("+", "-")
TOKENS = ("A", "B", "C", "sx", "sy", "sz")
Rules = dict[View, Parts]


def status_of(top: View) -> Status:
    return Status(EOS, top, None, ())


def table_of(rules: Rules, times: int = 1, tokens: tuple[str, ...] = TOKENS) -> RuleTable:
    """Rules for CONCAT_S at the end of the input; what other words would be joined to shall be joined, too."""
    table = RuleTable(categories=Categories([LETTERS, SIGNS]), tokens=tokens)
    for top, parts in rules.items():
        table.add(status_of(top), ConcatS(parts), times)
    table.index()
    return table


def decided(rules: Rules, top: View) -> Parts | None:
    decision = table_of(rules).decide(status_of(top))
    if decision is None:
        return None
    assert isinstance(decision.instruction, ConcatS)
    return decision.instruction.parts


def test_a_word_does_not_get_the_argument_of_another_one() -> None:
    """Each word has its own token, so the third one has none of theirs."""
    rules: Rules = {("x", PHRASE): (1, "sx"), ("y", PHRASE): (1, "sy")}
    assert decided(rules, ("x", PHRASE)) == (1, "sx")
    assert decided(rules, ("z", PHRASE)) is None


def test_what_one_word_alone_shows_is_not_for_words_that_differ_from_it() -> None:
    """Only `x` was seen in the longer frame, but `x` and `y` differ elsewhere, in more than their tokens."""
    rules: Rules = {("x", PHRASE): (1, 1), ("y", PHRASE): (1, 1, 1), ("x", PHRASE, PHRASE): (1, 2, 1, 2)}
    assert decided(rules, ("y", PHRASE, PHRASE)) is None
    assert decided(rules, ("z", PHRASE, PHRASE)) is None
    assert decided({top: parts for top, parts in rules.items() if len(top) > 2}, ("y", PHRASE, PHRASE)) == (1, 2, 1, 2)


def test_tokens_are_exchanged_as_other_frames_show() -> None:
    rules: Rules = {
        ("x", PHRASE): (1, "sx"),
        ("y", PHRASE): (1, "sy"),
        ("x", PHRASE, PHRASE): (1, 2, "A", "sx"),
        ("z", PHRASE, PHRASE): (1, 2, "A", "sz"),
    }
    assert decided(rules, ("y", PHRASE, PHRASE)) == (1, 2, "A", "sy")
    assert decided(rules, ("z", PHRASE)) == (1, "sz")
    assert decided(rules, ("w", PHRASE)) is None


def test_a_token_that_may_be_a_word_s_own_is_not_given_to_another() -> None:
    """What stands for `A` is known, but not whether `sx` goes with `x`."""
    rules: Rules = {("x", PHRASE): (1, "A"), ("y", PHRASE): (1, "B"), ("x", PHRASE, PHRASE): (1, 2, "sx")}
    assert decided(rules, ("y", PHRASE, PHRASE)) is None
    assert decided({**rules, ("x", PHRASE, PHRASE): (2, 1)}, ("y", PHRASE, PHRASE)) == (2, 1)
    assert decided({**rules, ("x", PHRASE, PHRASE): (1, 2, "A", "C")}, ("y", PHRASE, PHRASE)) == (1, 2, "B", "C")


def test_a_word_that_stands_twice_leaves_open_which_tokens_are_exchanged() -> None:
    rules: Rules = {
        ("x", PHRASE): (1, "sx"),
        ("y", PHRASE): (1, "sy"),
        ("x", PHRASE, "x"): (1, "sx", "A", "sx"),
    }
    assert decided(rules, ("y", PHRASE, "x")) is None
    assert decided(rules, ("y", PHRASE, "y")) == (1, "sy", "A", "sy")


def test_an_exchanged_argument_is_extrapolated() -> None:
    rules: Rules = {
        ("x", PHRASE): (1, "sx"),
        ("y", PHRASE): (1, "sy"),
        ("x", PHRASE, PHRASE): (1, 2, "sx"),
    }
    table = table_of(rules, times=9)
    known, new = (table.decide(status_of((word, PHRASE, PHRASE))) for word in ("x", "y"))
    assert known is not None
    assert new is not None
    assert (known.support, new.support) == (9, 0)


def test_words_in_two_places_are_exchanged_together() -> None:
    rules: Rules = {
        ("x", PHRASE, "+"): (1, "A", "sx"),
        ("y", PHRASE, "+"): (1, "A", "sy"),
        ("x", PHRASE, "-"): (1, "B", "sx"),
    }
    assert decided(rules, ("y", PHRASE, "-")) == (1, "B", "sy")


def test_what_depends_on_one_word_is_not_asked_of_another() -> None:
    """Positions that differ cannot be exchanged, but the sign does not matter."""
    rules: Rules = {("x", PHRASE, "+"): (1,), ("y", PHRASE, "+"): (1, 1), ("x", PHRASE, "-"): (1,)}
    assert decided(rules, ("y", PHRASE, "-")) == (1, 1)


def test_an_exception_leaves_the_others_their_rule() -> None:
    rules: Rules = {("x", PHRASE): (1, "A"), ("y", PHRASE): (1, "A"), ("z", PHRASE): (1, 1)}
    assert decided(rules, ("w", PHRASE)) == (1, "A")
    assert decided({**rules, ("x", PHRASE, PHRASE): (2, 1)}, ("w", PHRASE, PHRASE)) == (2, 1)
    assert decided({**rules, ("x", PHRASE, PHRASE): (2, 1)}, ("z", PHRASE, PHRASE)) is None


def test_a_kind_is_compared_in_the_same_place_where_that_is_shown() -> None:
    """The second phrase tells the article, the first one tells nothing, though it may be of the same kinds."""
    one, other = map(phrase_mark, (1, 2))
    rules: Rules = {
        (one, "x", one): (0, "A", 2, -1),
        (one, "x", other): (0, "B", "C", 2, -1),
        (other, "x", one): (0, "A", 2, -2),
    }
    assert decided(rules, (other, "x", other)) == (0, "B", "C", 2, -2)


def test_a_frame_that_words_do_not_matter_in_is_for_all_of_them() -> None:
    """`x` and `y` differ elsewhere and agree here."""
    rules: Rules = {
        ("x", PHRASE): (1, 1),
        ("y", PHRASE): (1,),
        ("x", PHRASE, PHRASE): (2, 1),
        ("y", PHRASE, PHRASE): (2, 1),
    }
    assert decided(rules, ("z", PHRASE, PHRASE)) == (2, 1)
    assert decided(rules, ("z", PHRASE)) is None


def test_examples_that_contradict_each_other_leave_it_open() -> None:
    rules: Rules = {("x", PHRASE, "+"): (1,), ("y", PHRASE, "-"): (1, 1)}
    assert decided(rules, ("x", PHRASE, "-")) is None


def test_nothing_else_is_done_where_an_argument_is_open() -> None:
    """A rarer operator is no way out: what is to be done is known, but not with what."""
    table = table_of({("x", PHRASE): (1, "sx"), ("y", PHRASE): (1, "sy")}, times=5)
    for word in ("x", "y"):
        table.add(Status("x", (word, PHRASE), None, ()), ConcatS((1, f"s{word}")), 5)
        table.add(Status("x", (word, PHRASE), None, ()), parse_program("SHIFT")[0])
    table.index()
    assert table.decide(Status("x", ("z", PHRASE), None, ())) is None


STATEMENTS = {
    "set x 1": "SHIFT; SHIFT; PUSH; SHIFT; REDUCE one; POP; CONCAT_S 2 store_x; FINAL",
    "set y 1": "SHIFT; SHIFT; PUSH; SHIFT; REDUCE one; POP; CONCAT_S 2 store_y; FINAL",
    "1": "SHIFT; REDUCE one; FINAL",
}


def statements() -> RuleTable:
    """`z` is read as `x` and `y` are, but what it makes is in no example."""
    traces = [(tuple(source.split()), parse_program(program)) for source, program in STATEMENTS.items()]
    return RuleTable.from_traces(traces, Categories([["x", "y", "z"]]))


def test_the_error_names_the_words_that_decide_and_the_export_says_the_same() -> None:
    engine = RuleEngine(statements())
    known, refused = translate(engine, [["set", "x", "1"], ["set", "z", "1"]])
    assert known.output == ("one", "store_x")
    assert refused.output is None
    assert refused.error == (
        "step 7, at the end of the input, with 'set', 'z' and a translated part on top of the stack: 'x' and 'y' ask "
        "for different outputs, and no example shows 'z' in such a place; add a short example that ends so"
    )
    rules = runtime.Rules(json.loads(json.dumps(compact_rules(statements(), "examples"))))
    with pytest.raises(runtime.TranslationError) as caught:
        runtime.translate_tokens(["set", "z", "1"], rules=rules)
    assert str(caught.value) == refused.error


def test_strict_answers_rest_on_frames_that_agree() -> None:
    """An exchanged token is no guess, but no example shows it either."""
    table = statements()
    for word in ("x", "y"):
        table.add(Status(EOS, ("put", word, PHRASE), None, ()), ConcatS((2, f"put_{word}")))
    table.add(Status(EOS, ("put", "z", PHRASE), None, ()), ConcatS((2, "put_z")))
    table.index()
    assert table.why_undecided(Status(EOS, ("set", "z", PHRASE), None, ()))
    for word in ("x", "y", "z"):
        table.add(Status(EOS, ("get", word, PHRASE), None, ()), ConcatS((2, f"store_{word}")))
    table.index()
    engine = RuleEngine(table)
    (answer,) = translate(engine, [["set", "z", "1"]])
    assert (answer.output, answer.support) == (("one", "store_z"), 0)
    assert refuse_unsupported(engine, answer).output is None


def coded_of(codec: Codec, rules: Rules) -> CodedRules:
    coded = CodedRules()
    words = codec.words
    coded.classes = {words[word]: words[group[0]] for group in (LETTERS, SIGNS) for word in group}
    coded.rebuild([(step_of(codec, top, parts),) for top, parts in rules.items()])
    return coded


def step_of(codec: Codec, top: View, parts: Parts) -> Step:
    return codec.code_status(status_of(top)), CONCAT_S, codec.code_parts(parts)


frames: list[View] = [(letter, PHRASE) for letter in LETTERS]
frames += [(letter, PHRASE, sign) for letter in LETTERS for sign in SIGNS]
templates: list[Parts] = [
    (1,),
    (1, 1),
    (1, "A"),
    (1, "B"),
    (1, "sx"),
    (1, "sy"),
    (1, "sz"),
    (1, "A", "sx"),
    (1, "B", "sy"),
]
some_rules = st.dictionaries(st.sampled_from(frames), st.sampled_from(templates), min_size=1, max_size=9)


@settings(max_examples=150)
@given(some_rules, st.permutations(LETTERS))
def test_learner_table_and_export_refuse_alike_whatever_words_are_called(rules: Rules, renamed: list[str]) -> None:
    codec = Codec([((*LETTERS, *SIGNS), TOKENS)])
    coded, table = coded_of(codec, rules), table_of(rules)
    exported = runtime.Rules(json.loads(json.dumps(compact_rules(table, "examples"))))
    names = dict(zip(LETTERS, renamed, strict=True)) | {sign: sign for sign in SIGNS}

    def other(top: View) -> View:
        return tuple([names[item] if isinstance(item, str) else item for item in top])

    otherwise = table_of({other(top): parts for top, parts in rules.items()})
    for top in frames:
        status = status_of(top)
        expected, decision = coded.decide(codec.code_status(status)), table.decide(status)
        plain = runtime._status(*plain_status(status).values())
        found, elsewhere = exported.decide(plain), otherwise.decide(status_of(other(top)))
        if decision is None:
            assert expected is None
            assert found is None
            assert elsewhere is None
            assert exported.why_undecided(plain) == (table.why_undecided(status) or runtime.UNKNOWN)
        else:
            assert isinstance(decision.instruction, ConcatS)
            assert elsewhere is not None
            parts = decision.instruction.parts
            of_its_kind = {rules[each] for each in rules if len(each) == len(top)}
            # The learner believes no argument that it would have to make.
            assert expected == ((CONCAT_S, codec.code_parts(parts)) if parts in of_its_kind else None)
            assert found == ("CONCAT_S", parts, decision.support == 0)
            assert (elsewhere.instruction, elsewhere.support) == (decision.instruction, decision.support)


@settings(max_examples=60)
@given(some_rules, some_rules)
def test_counts_that_were_taken_back_leave_no_trace(rules: Rules, gone: Rules) -> None:
    codec = Codec([((*LETTERS, *SIGNS), TOKENS)])
    fresh, changed = coded_of(codec, rules), coded_of(codec, rules)
    asked = [codec.code_status(status_of(top)) for top in frames]
    for times in (1, -1):
        for top, parts in gone.items():
            changed.add((step_of(codec, top, parts),), times)
        decisions = [changed.decide(status) for status in asked]
    assert decisions == [fresh.decide(status) for status in asked]


def test_refusals_and_exchanges_are_among_the_cases() -> None:
    """In how many cases the properties above are about them."""
    rules: Rules = {("x", PHRASE): (1, "sx"), ("y", PHRASE): (1, "sy"), ("x", PHRASE, "+"): (1, "A", "sx")}
    assert decided(rules, ("y", PHRASE, "-")) == (1, "A", "sy")
    assert decided(rules, ("z", PHRASE, "-")) is None


def test_rules_can_be_sent_to_another_process() -> None:
    rules: Rules = {("x", PHRASE): ("sx", 1), ("y", PHRASE): ("sy", 1)}
    sent = pickle.loads(pickle.dumps(table_of(rules)))
    assert [sent.decide(status_of(top)) for top in rules] == [table_of(rules).decide(status_of(top)) for top in rules]
