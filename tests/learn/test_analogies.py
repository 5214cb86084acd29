"""Lines that analogous lines contradict are told before anything is learned; what is rare or has a reason is not."""

from itertools import product

from ness.data.example import Example, example_of
from ness.data.invented.schemes import random_scheme, wide_scheme
from ness.learn.analogies import compare_by_analogy
from ness.learn.deadline import Deadline

VERBS = ("walk", "run", "jump", "look")


def commands(**odd: str) -> list[Example]:
    """All commands of two verbs; some outputs are given, by their sources with `_` for spaces."""
    outputs = {verb: verb.upper() for verb in VERBS}
    outputs |= {f"{verb} twice": f"{verb.upper()} {verb.upper()}" for verb in VERBS}
    outputs |= {f"{a} and {b}": f"{outputs[a]} {outputs[b]}" for a, b in product(outputs, repeat=2)}
    outputs |= {source.replace("_", " "): output for source, output in odd.items()}
    return [example_of(source, output) for source, output in outputs.items()]


def test_a_wrong_line_is_named_with_its_right_output() -> None:
    found = compare_by_analogy(commands(walk_and_run_twice="WALK RUN LOOK")).contradicted
    assert found == {example_of("walk and run twice", "WALK RUN LOOK"): ("WALK", "RUN", "RUN")}


def test_lines_with_the_same_word_twice_are_judged_by_the_others() -> None:
    found = compare_by_analogy(commands(run_and_run="RUN")).contradicted
    assert found == {example_of("run and run", "RUN"): ("RUN", "RUN")}


def test_without_time_nothing_is_said() -> None:
    assert compare_by_analogy(commands(run_and_run="RUN"), Deadline(0.0)) == ({}, [], False)


def test_right_lines_are_not_named() -> None:
    assert compare_by_analogy(commands()).contradicted == {}
    for number in range(3):
        for train, _ in (random_scheme(number), wide_scheme(number)):
            assert compare_by_analogy(list(dict.fromkeys(train))).contradicted == {}


def test_a_word_that_is_always_odd_is_no_mistake() -> None:
    odd = {f"{verb}_and_jump": f"{verb.upper()} HOP JUMP" for verb in VERBS}
    odd |= {f"{verb}_twice_and_jump": f"{verb.upper()} {verb.upper()} HOP JUMP" for verb in VERBS}
    assert compare_by_analogy(commands(**odd)).contradicted == {}


def test_a_rare_construct_is_no_mistake() -> None:
    rare = [example_of("walk back", "TURN WALK"), example_of("run back", "TURN RUN")]
    assert compare_by_analogy([*commands(), *rare]).contradicted == {}


def test_operators_that_bind_otherwise_are_not_taken_for_each_other() -> None:
    """`a + b * c` differs from `a * b + c` in more than its words."""
    lines = [example_of(f"{a} * {b} + {c}", f"+ * {a} {b} {c}") for a, b, c in product("abcd", repeat=3)]
    lines += [example_of(f"{a} + {b} * {c}", f"+ {a} * {b} {c}") for a, b, c in product("abcd", repeat=3)]
    assert compare_by_analogy(lines).contradicted == {}


def test_what_repeats_a_word_does_not_outvote() -> None:
    """`turn left after turn left` says nothing about the order: one line against one decides nothing."""
    sides = ("left", "right")
    lines = [example_of(f"turn {a} and turn {b}", f"{a.upper()} {b.upper()}") for a, b in product(sides, repeat=2)]
    lines[1] = example_of("turn left and turn right", "RIGHT RIGHT")
    assert compare_by_analogy(lines).contradicted == {}


def test_lines_that_agree_confirm_each_other_and_a_wrong_one_is_not_among_them() -> None:
    lines = commands(walk_and_run_twice="WALK RUN LOOK")
    lone = example_of("walk and run and jump", "WALK RUN JUMP")  # no other line is like it
    found = compare_by_analogy([*lines, lone])
    assert set(found.confirmed) == set(lines) - set(found.contradicted)
    assert found.disputed
    assert not compare_by_analogy(commands()).disputed
