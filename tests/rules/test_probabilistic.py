"""Interpolated decisions: one odd trace does not overrule many, and unseen combinations follow the frame."""

from ness.machine import PHRASE, Next, Operator, Program, Reduce, Seen, Shift, Status, View, parse_program
from ness.rules import Categories, RuleTable
from ness.rules.probabilistic import ProbabilisticTable

WHOLE = "SHIFT; SHIFT; REDUCE je suis; CONCAT_M 0; SHIFT; REDUCE {0}; CONCAT_S 1,0; FINAL"
JOINED = "SHIFT; SHIFT; SHIFT; REDUCE je ne suis pas; CONCAT_M 0; SHIFT; REDUCE {0}; CONCAT_S 1,0; FINAL"


def learned() -> ProbabilisticTable:
    traces: list[tuple[tuple[str, ...], Program]] = [
        (("i", "am", word), parse_program(WHOLE.format(word.upper()))) for word in ("tall", "happy", "late")
    ]
    traces += [(("i", "am", "not", word), parse_program(JOINED.format(word.upper()))) for word in ("tall", "happy")]
    traces.append((("i", "am", "daxy"), parse_program(WHOLE.format("DAXY"))))
    # The odd one: memorised, although "late" was split off elsewhere.
    traces.append((("i", "am", "late"), parse_program("SHIFT; SHIFT; SHIFT; REDUCE je tarde; FINAL")))
    return ProbabilisticTable(RuleTable.from_traces(traces, Categories()))


def frame(*top: Seen, following: Next, memory: View = ()) -> Status:
    return Status(following, top, None, memory)


def test_an_even_status_follows_its_frame() -> None:
    shares = learned().shares(frame("i", "am", following="late"))
    assert shares[Operator.REDUCE] > shares[Operator.SHIFT]


def test_what_all_traces_do_in_a_status_is_done() -> None:
    decision = learned().decide(frame("i", "am", following="not"))
    assert decision is not None
    assert (decision.instruction, decision.level, decision.support) == (Shift(), "category", 2)


def test_an_unseen_combination_follows_the_frame() -> None:
    decision = learned().decide(frame("i", "am", "not", following="daxy"))
    assert decision is not None
    assert decision.instruction == Reduce(("je", "ne", "suis", "pas"))
    assert (decision.level, decision.support) == ("frame", 0)


def test_words_that_no_trace_joins_are_not_joined() -> None:
    table = learned()
    assert Operator.SHIFT not in table.shares(frame("tall", following="happy", memory=(PHRASE,)))
    assert table.decide(frame(following="unheard")) is None


def test_options_are_probabilities() -> None:
    table = learned()
    for status in table.table.operators:
        options = table.options(status)
        assert abs(sum(probability for _, probability in options) - 1) < 1e-9
        decision = table.decide(status)
        assert decision is not None
        assert decision.instruction == options[0][0]
