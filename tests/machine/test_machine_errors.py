"""What the machine says when it cannot go on: every reason for illegality, malformed programs, runaway ones."""

import pickle

import pytest

from ness.errors import DataError, IllegalInstruction, MachineError, NessError, NoRule, StepLimitReached
from ness.machine import (
    EOS,
    PHRASE,
    ConcatS,
    Execution,
    Final,
    Instruction,
    Reduce,
    Shift,
    State,
    Status,
    boundaries,
    drive,
    entry,
    flatten,
    parse_program,
    run,
    status_of,
    step,
    why_illegal,
)

A, B = ("A",), ("B",)
START, END = State(("w",)), State(("w",), 1)


@pytest.mark.parametrize(
    ("state", "instruction", "reason"),
    [
        (END, "SHIFT", "the input is used up"),
        (State(("w",), 0, ((A,),)), "REDUCE X", "holds a phrase"),
        (START, "REDUCE X", "the top frame is empty, and so is the memory"),
        (State(("w",), 1, (("w",),)), "PUSH", "the input is used up"),
        (START, "PUSH", "still empty"),
        (State(("w",), 1, ((A,),)), "POP", "only the bottom frame"),
        (State(("w",), 1, (("w",), (A, "w"))), "POP", "not exactly one phrase"),
        (State(("w",), 1, (("w",), ("w",))), "POP", "not exactly one phrase"),
        (State(("w",), 1, (("w", A),)), "CONCAT_S 0", "position 0 is the word 'w'"),
        (State(("w",), 1, (("w", A),)), "CONCAT_S 1,2", "position 2 is outside 0..1"),
        (State(("w",), 1, (("w",),), (B,)), "CONCAT_M 1", "must select a phrase of the top frame"),
        (State(("w",), 1, ((A, "w"),), (B,)), "CONCAT_M 2,2", "must select a phrase of the top frame"),
        (State(("w",), 0, ((A,),)), "FINAL", "input is left"),
        (State(("w",), 1, (("w",), (A,))), "FINAL", "more than one frame"),
        (State(("w",), 1, (("w",),)), "FINAL", "not exactly one phrase"),
        (State(("w",), 1, ((A, A),)), "FINAL", "not exactly one phrase"),
        (State(("w",), 1, ((A,),), (B,)), "FINAL", "the memory is not empty"),
    ],
)
def test_illegal(state: State, instruction: str, reason: str) -> None:
    (parsed,) = parse_program(instruction)
    with pytest.raises(IllegalInstruction, match="is illegal here") as caught:
        step(state, parsed)
    assert reason in caught.value.reason
    assert entry(status_of(state), parsed) is None


@pytest.mark.parametrize("instruction", [Reduce(()), ConcatS(()), ConcatS((-1,))])
def test_empty_and_negative_arguments_are_illegal(instruction: Instruction) -> None:
    assert why_illegal(State(("w",), 1, (("w",),), (A,)), instruction)


def test_reduce_on_the_empty_frame_needs_a_memory() -> None:
    assert step(State(("w",), 1, ((),), (A,)), Reduce(B)) == State(("w",), 1, ((B,),), (A,))


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("", "program is empty"),
        (" ; ;", "program is empty"),
        ("JUMP", "Unknown instruction 'JUMP'; expected one of SHIFT, REDUCE, PUSH, POP, CONCAT_M, CONCAT_S, FINAL"),
        ("SHIFT 1", "SHIFT takes no argument"),
        ("REDUCE", "REDUCE needs the target tokens"),
        (r'REDUCE "\q"', "a quoted token is a JSON string"),
        ('REDUCE "a\tb"', "a quoted token is a JSON string"),
        ('REDUCE "a', "is a quote missing"),
        ("CONCAT_M", "CONCAT_M needs the positions"),
        ("CONCAT_S 1,a", "CONCAT_S needs the positions"),
        ("CONCAT_S -1", "CONCAT_S needs the positions"),
        ("CONCAT_S " + "9" * 5000, "too large for a position"),
    ],
)
def test_malformed_programs(program: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_program(program)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["CONCAT_S 1,0", "CONCAT_S 1 0", "CONCAT_S 1, 0", "CONCAT_S 1 ,0"])
def test_indices_may_be_spaced(text: str) -> None:
    assert parse_program(text) == (ConcatS((1, 0)),)


@pytest.mark.parametrize("program", ["SHIFT; REDUCE A", "SHIFT; REDUCE A; FINAL; FINAL", "SHIFT; FINAL; REDUCE A"])
def test_a_program_has_one_final_at_its_end(program: str) -> None:
    with pytest.raises(MachineError, match="exactly one FINAL"):
        run(["w"], parse_program(program))


def test_a_policy_that_never_ends_is_stopped() -> None:
    program = iter([*parse_program("SHIFT; REDUCE A"), *(ConcatS((0,)) for _ in range(1000))])
    with pytest.raises(
        StepLimitReached, match="no FINAL within 120 steps for 1 word, still at the end of the input, with"
    ):
        drive(["w"], lambda _: next(program))


def test_the_fast_machine_stops_a_table_that_never_ends() -> None:
    steps = {}
    for state, instruction in (
        (START, "SHIFT"),
        (State(("w",), 1, (("w",),)), "REDUCE A"),
        (State(("w",), 1, ((A,),)), "CONCAT_S 0"),
    ):
        (parsed,) = parse_program(instruction)
        found = entry(status_of(state), parsed)
        assert found is not None
        steps[status_of(state)] = found
    with pytest.raises(StepLimitReached, match="no FINAL within 120 steps"):
        Execution(("w",)).advance(steps)


def test_exponential_outputs_are_refused_before_they_are_built() -> None:
    rope: list[object] = [("A",), ("A",)]
    for _ in range(200):
        rope = [rope, rope]
    with pytest.raises(StepLimitReached, match="longer than 1,000 tokens"):
        flatten(rope, max_output=1000)
    thousandfold = ConcatS((0,) * 1000)
    with pytest.raises(StepLimitReached, match="longer than 50,000,000 tokens"):
        run(["w"], (Shift(), Reduce(A), thousandfold, thousandfold, thousandfold, Final()))


@pytest.mark.parametrize(
    "error",
    [
        IllegalInstruction(START, Reduce(A), "the top frame is empty"),
        NoRule(Status("w", ("a", PHRASE), None, ()), 3, "the word 'w' is new"),
        StepLimitReached("no FINAL"),
    ],
)
def test_errors_travel_between_processes(error: NessError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


def test_a_status_reads_as_words() -> None:
    status = Status(EOS, ("let", PHRASE), (PHRASE, "."), (PHRASE,))
    assert str(status) == "next end of input, top [let ●], second [● .], memory [●]"
    assert status.in_words() == (
        "at the end of the input, with 'let' and a translated part on top of the stack, "
        "a translated part and '.' below it, a translated part in the memory"
    )


def test_the_boundaries_of_the_input_are_no_words_for_people() -> None:
    status = Status(boundaries.END, (boundaries.BEGIN, PHRASE), None, ())
    assert status.in_words() == "at the end of the input, with the beginning and a translated part on top of the stack"
    assert status.wanted() == "add a short example that ends so"


def test_a_missing_rule_is_told_in_one_plain_line() -> None:
    assert str(NoRule(Status("w", (), None, ()), 3)) == (
        "step 3, before the word 'w', with an empty stack: no training example shows what to do; "
        "add a short example with 'w' in such a place"
    )
    long = str(NoRule(Status(EOS, ("a",) * 200, (), ()), 9, "it is too long"))
    assert long == (
        "step 9, at the end of the input, with 194 more, 'a', 'a', 'a', 'a', 'a' and 'a' on top of the stack: "
        "it is too long; add a short example that ends so"
    )
