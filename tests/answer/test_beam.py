"""The beam: probabilities of executions with one output add up."""

import pytest

from ness.answer.beam import beam_search
from ness.answer.engine import translate
from ness.answer.explain import explain, refuse_unsupported
from ness.answer.n_best import BeamDecoder
from ness.answer.rule_engine import RuleEngine
from ness.machine import (
    PHRASE,
    ConcatS,
    EndMark,
    Final,
    Instruction,
    PhraseMark,
    Reduce,
    Shift,
    Status,
    parse_program,
    run,
    with_boundaries,
)
from ness.machine import ConcatM as Keep
from ness.rules.table import Categories, RuleTable


class Scripted:
    """Reads [a b] whole or word by word; the halves are likelier to be joined than the whole is to be memorised."""

    def options(self, status: Status) -> list[tuple[Instruction, float]]:
        match status.top, status.memory, status.next:
            case (), _, _:
                return [(Shift(), 1.0)]
            case ("a",), _, _:
                return [(Shift(), 0.5), (Reduce(("A",)), 0.3), (Reduce(("X",)), 0.2)]
            case ("a", "b"), _, _:
                return [(Reduce(("A", "B")), 0.6), (Reduce(("Z",)), 0.4)]
            case ("b",), _, _:
                return [(Reduce(("B",)), 1.0)]
            case (PhraseMark(),), (), str():
                return [(Keep((0,)), 1.0)]
            case (PhraseMark(),), (PhraseMark(),), EndMark():
                return [(ConcatS((1, 0)), 1.0)]
            case _:
                return [(Final(), 1.0)]


def test_probabilities_of_one_output_add_up() -> None:
    found = {candidate.output: candidate.probability for candidate in beam_search(Scripted(), ("a", "b"))}
    assert found == pytest.approx({("A", "B"): 0.5 * 0.6 + 0.3, ("Z",): 0.2, ("X", "B"): 0.2})


def test_the_likeliest_comes_first() -> None:
    probabilities = [candidate.probability for candidate in beam_search(Scripted(), ("a", "b"))]
    assert probabilities == sorted(probabilities, reverse=True)


def test_a_narrow_beam_finds_one_answer() -> None:
    assert [candidate.output for candidate in beam_search(Scripted(), ("a", "b"), width=1)] == [("A", "B")]


class Silent:
    def options(self, status: Status) -> list[tuple[Instruction, float]]:
        return []


def test_no_options_no_answers() -> None:
    assert beam_search(Silent(), ("a",)) == []


class Circling:
    """Moves a phrase to the memory and back, for ever."""

    def options(self, status: Status) -> list[tuple[Instruction, float]]:
        if status.top == (PHRASE,) and not status.memory:
            return [(Keep((0,)), 1.0)]
        if status.memory:
            return [(ConcatS((0,)), 1.0)]
        return [(Reduce(("A",)) if status.top else Shift(), 1.0)]


def test_executions_without_end_are_given_up() -> None:
    assert beam_search(Circling(), ("a",)) == []


def conflicting() -> RuleTable:
    """Greedily `a b` is read as a whole, mostly as Z; all in all A B is likelier."""
    programs = {
        "SHIFT; SHIFT; REDUCE Z; FINAL": 5,
        "SHIFT; SHIFT; REDUCE A B; FINAL": 4,
        "SHIFT; REDUCE A; CONCAT_M 0; SHIFT; REDUCE B; CONCAT_S 1,0; FINAL": 4,
    }
    traces = [(("a", "b"), parse_program(text)) for text, count in programs.items() for _ in range(count)]
    return RuleTable.from_traces(traces, Categories())


def test_a_beam_finds_what_greedy_decisions_do_not() -> None:
    engine = RuleEngine(conflicting())
    (greedy,) = translate(engine, [("a", "b")])
    assert greedy.output == ("Z",)
    best, second = BeamDecoder(engine).answers(("a", "b"))
    assert (best.answer.output, second.answer.output) == (("A", "B"), ("Z",))
    assert (best.probability, second.probability) == pytest.approx((8 / 13, 5 / 13))


def test_an_answer_of_a_beam_has_its_own_trace() -> None:
    answers = BeamDecoder(RuleEngine(conflicting())).answers(("a", "b"))
    assert len(answers) == 2
    for found in answers:
        output, trace = run(("a", "b"), found.answer.program())
        assert output == found.answer.output
        assert (found.answer.trace(), found.answer.steps) == (trace, len(trace))


class Halves(RuleEngine):
    """Of what the rules say, nothing supports reducing a word alone."""

    def support(self, status: Status, instruction: Instruction) -> int:
        return 0 if status.top == ("a",) and isinstance(instruction, Reduce) else 7


def test_an_answer_of_a_beam_has_its_own_support() -> None:
    table = conflicting()
    table.reduce["a", "b"].pop(("A", "B"))  # what is left of A B is made of its halves
    engine = Halves(table)
    best, second = BeamDecoder(engine).answers(("a", "b"))
    assert [(each.answer.output, each.answer.support) for each in (best, second)] == [(("Z",), 7), (("A", "B"), 0)]
    refused = refuse_unsupported(engine, second.answer)
    assert refused.output is None
    assert refused.error
    assert refused.error.startswith("step 2, ")
    assert explain(engine, second.answer)[1][1]["support"] == 0


def test_what_cannot_be_read_says_why() -> None:
    (found,) = BeamDecoder(RuleEngine(conflicting())).answers(("c",))
    assert found.answer.output is None
    assert "unknown word 'c'" in (found.answer.error or "")


def test_a_beam_reads_the_boundaries_where_the_rules_do() -> None:
    source = with_boundaries(("a",))
    program = parse_program('SHIFT; PUSH; SHIFT; REDUCE A; POP; SHIFT; CONCAT_S "[" 1 "]"; FINAL')
    table = RuleTable.from_traces([(source, program)], Categories())
    (found,) = BeamDecoder(RuleEngine(table)).answers(("a",))
    assert found.answer.output == ("[", "A", "]")
