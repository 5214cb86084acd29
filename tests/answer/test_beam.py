"""The beam: probabilities of executions with one output add up."""

import pytest

from ness.answer.beam import beam_search
from ness.machine import PHRASE, ConcatS, EndMark, Final, Instruction, PhraseMark, Reduce, Shift, Status
from ness.machine import ConcatM as Keep


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
