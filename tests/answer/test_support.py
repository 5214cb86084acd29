"""Support counts training traces: never more than those that did the same in a status of the same category."""

from controller_task import CATEGORIES, commands, table, traces
from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.machine import Operator, Status, parse_program, status_of, steps_of
from ness.rules.table import Categories, RuleTable


def traces_behind() -> dict[tuple[Status, Operator], int]:
    """Count the traces that did something in a status of a category, each once."""
    found: dict[tuple[Status, Operator], int] = {}
    for source, program in traces():
        steps = steps_of(source, program)
        for key in {(CATEGORIES.status(status_of(state)), each.operator) for state, each in steps}:
            found[key] = found.get(key, 0) + 1
    return found


def test_no_step_has_more_support_than_traces_behind_it() -> None:
    engine, behind = RuleEngine(table()), traces_behind()
    for answer in translate(engine, [example.source for example in commands()]):
        supports = [engine.support(status_of(state), each) for state, each in answer.trace()]
        traced = [behind.get((CATEGORIES.status(status_of(state)), each.operator), 0) for state, each in answer.trace()]
        assert all(support <= most for support, most in zip(supports, traced, strict=True))
        assert answer.support == min(supports)


def test_an_alternative_has_its_own_support() -> None:
    programs = {
        "SHIFT; SHIFT; REDUCE Z; FINAL": 5,
        "SHIFT; REDUCE A; CONCAT_M 0; SHIFT; REDUCE B; CONCAT_S 1,0; FINAL": 2,
    }
    rules = RuleTable.from_traces(
        [(("a", "b"), parse_program(text)) for text, count in programs.items() for _ in range(count)], Categories()
    )
    (shift, *_), reduce = parse_program("SHIFT; FINAL"), parse_program("REDUCE A; FINAL")[0]
    status = Status("b", ("a",), None, ())
    assert (rules.support(status, shift), rules.support(status, reduce)) == (5, 2)


def test_a_trace_that_meets_a_category_twice_counts_once() -> None:
    """`x s a s b` reads `a` and `b` in the same place, once each: one trace, not two."""
    program = (
        "SHIFT; REDUCE X; SHIFT; PUSH; SHIFT; REDUCE A; POP; CONCAT_S 0,2; "
        "SHIFT; PUSH; SHIFT; REDUCE B; POP; CONCAT_S 0,2; FINAL"
    )
    rules = RuleTable.from_traces([(tuple("xsasb"), parse_program(program))], Categories(["ab"]))
    (answer,) = translate(RuleEngine(rules), [tuple("xsbsa")])
    assert (answer.output, answer.support) == (("X", "B", "A"), 1)
    assert all(rules.support(status_of(state), each) == 1 for state, each in answer.trace())
