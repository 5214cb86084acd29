"""Engines: remembered and fresh, batched and single, errors instead of guesses, and long inputs."""

import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from controller_task import CATEGORIES, commands, fresh, held_out_commands, table, traces, trained, training_commands
from ness.answer.engine import DecisionCache, translate
from ness.answer.evaluation import compare, evaluate
from ness.answer.extraction import differences, extract_rules
from ness.answer.network_engine import ControllerEngine
from ness.answer.rule_engine import RuleEngine
from ness.config import ControllerConfig
from ness.data.example import Example
from ness.errors import ConfigError
from ness.machine import PHRASE, ConcatS, Instruction, Pop, Reduce, Shift, Status, View, run
from ness.rules.table import Categories, Decision, RuleTable

SOURCES = [example.source for example in commands()]


class Counting(ControllerEngine):
    """Notes how often the network is asked, and about how many statuses."""

    calls = 0
    asked = 0

    def decide(self, statuses: Sequence[Status]) -> list[Decision | None]:
        self.calls += 1
        self.asked += len(statuses)
        return super().decide(statuses)


class Scripted:
    """Decides by a function; knows all words of the small language."""

    def __init__(self, decide: "type[Shift] | dict[View, object]") -> None:
        self.words = frozenset(word for source in SOURCES for word in source)
        self.unlearned: frozenset[str] = frozenset()
        self.cache = DecisionCache()
        self._decide = decide

    def decide(self, statuses: Sequence[Status]) -> list[Decision | None]:
        found = [self._decide.get(s.top) if isinstance(self._decide, dict) else self._decide() for s in statuses]
        return [None if each is None else Decision(each, 1, 1.0, "status") for each in found]  # type: ignore[arg-type]

    def support(self, status: Status, instruction: Instruction) -> int:
        return 1

    def why_undecided(self, status: Status) -> str:
        return ""


def engine() -> ControllerEngine:
    return ControllerEngine(trained()[0], table())


def test_each_status_is_asked_once_and_misses_are_asked_together() -> None:
    counting = Counting(trained()[0], table())
    translate(counting, SOURCES)
    assert counting.asked == len(counting.cache.table)
    assert counting.calls <= 30
    calls = counting.calls
    translate(counting, SOURCES)
    assert counting.calls == calls


@pytest.mark.slow
def test_remembered_answers_equal_fresh_ones_and_batched_equal_single() -> None:
    together = engine()
    batch = translate(together, SOURCES)
    assert translate(together, SOURCES) == batch
    single = engine()
    for answer in batch[::7]:
        single.cache.forget()
        (alone,) = translate(single, [answer.source])
        assert alone == answer
        assert alone.program() == answer.program()


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(SOURCES), max_size=6))
def test_answers_come_in_the_order_of_the_sources(sources: list[tuple[str, ...]]) -> None:
    expected = {example.source: example.target for example in commands()}
    assert [answer.output for answer in translate(RuleEngine(full_table()), sources)] == [expected[s] for s in sources]


@cache
def full_table() -> RuleTable:
    return RuleTable.from_traces(traces(commands()), CATEGORIES)


def test_an_answer_explains_itself() -> None:
    (answer,) = translate(engine(), [("walk", "twice", "and", "jump")])
    assert answer.error is None
    assert answer.support >= 1
    assert 0.5 < answer.probability <= 1
    output, trace = run(answer.source, answer.program())
    assert output == answer.output
    assert answer.trace() == trace


def test_support_is_zero_where_the_network_extrapolates() -> None:
    others = [e for e in training_commands() if e.source[:2] != ("walk", "after")]
    thin = RuleTable.from_traces(traces(others), Categories())
    (answer,) = translate(ControllerEngine(trained()[0], thin), [("walk", "after", "run")])
    assert answer.output == ("I_RUN", "I_WALK")
    assert answer.support == 0


def test_support_is_zero_where_no_trace_does_what_the_network_does() -> None:
    """A network that contradicts all traces is not supported by them, however many there are."""
    known = table()
    for status in known.operators:
        decision = known.decide(status)
        assert decision is not None
        assert known.support(status, decision.instruction) == decision.support > 0
        assert known.support(status, Reduce(("never", "said"))) == 0


def test_an_unknown_word_is_named() -> None:
    for each in (engine(), RuleEngine(table())):
        (answer,) = translate(each, [("walk", "and", "jumpp")])
        assert answer.output is None
        assert answer.error is not None
        assert "'jumpp'" in answer.error
        assert "did you mean 'jump'" in answer.error
        assert answer.trace() == ()


def test_an_empty_input_is_an_error() -> None:
    (answer,) = translate(engine(), [()])
    assert answer.output is None
    assert "empty" in str(answer.error)


def test_a_missing_decision_is_an_error_that_names_step_and_status() -> None:
    (answer,) = translate(Scripted({(): Shift()}), [("walk", "twice")])
    assert answer.output is None
    assert answer.error == (
        "step 2, before the word 'twice', with 'walk' on top of the stack: "
        "no training example shows what to do; add a short example with 'twice' in such a place"
    )
    assert answer.program() == (Shift(),)
    assert len(answer.trace()) == 1


@pytest.mark.parametrize("wrong", [Pop(), ConcatS((1,)), Reduce(())])
def test_an_illegal_decision_is_an_error(wrong: object) -> None:
    (answer,) = translate(Scripted({(): Shift(), ("walk",): wrong}), [("walk",)])
    assert answer.output is None
    assert "illegal" in str(answer.error)
    assert "step 2" in str(answer.error)


def test_an_execution_that_does_not_end_is_an_error() -> None:
    loop = Scripted({(): Shift(), ("walk",): Reduce(("A",)), (PHRASE,): ConcatS((0, 0))})
    (answer,) = translate(loop, [("walk",)])
    assert answer.output is None
    assert answer.error == (
        "step 120: no FINAL within 120 steps for 1 word, still at the end of the input, "
        "with a translated part on top of the stack; add a short example that ends so"
    )


def test_a_frame_that_only_grows_is_an_error() -> None:
    (answer,) = translate(Scripted(Shift), [("walk",) * 5000])
    assert "more than 200 items" in str(answer.error)


@pytest.mark.slow
def test_20000_words_are_translated_without_recursion() -> None:
    source = ("x", "=", "1") + (";", "y", "=", "0") * 5000
    oracle = Scripted({})
    oracle.words = frozenset(source)
    oracle.decide = lambda statuses: [  # type: ignore[method-assign]
        Decision(oracles.while_lang(status), 1, 1.0, "status") for status in statuses
    ]
    (answer,) = translate(oracle, [source])
    assert answer.error is None
    assert answer.output is not None
    assert len(answer.output) > 20_000
    assert answer.probability == 1.0


def test_evaluation_counts_wrong_and_missing_outputs() -> None:
    examples = [*held_out_commands()[:3], Example(("walk",), ("WRONG",)), Example(("hop",), ("I_HOP",))]
    evaluation = evaluate(engine(), examples)
    assert evaluation.n == 5
    assert evaluation.exact == pytest.approx(0.6)
    assert [mistake.answer.source for mistake in evaluation.errors] == [("walk",), ("hop",)]
    assert str(evaluation.errors[0]) == "walk -> I_WALK (expected WRONG)"


def test_engines_are_compared_output_by_output() -> None:
    assert compare(engine(), RuleEngine(full_table()), SOURCES) == []
    silent = Scripted({})
    assert [each.source for each in compare(engine(), silent, SOURCES[:2])] == SOURCES[:2]


def test_rules_extracted_from_the_network_are_those_of_the_traces() -> None:
    extracted = extract_rules(engine(), table())
    assert differences(extracted, table()) == []
    assert extracted.operators == table().operators
    other = table()
    other.add(Status("and", ("walk",), None, ()), Shift(), 10_000)
    (difference,) = differences(extracted, other)
    assert (difference.kind, difference.first, difference.second) == ("operator", "REDUCE", "SHIFT")


def test_a_network_that_is_not_local_needs_its_own_engine() -> None:

    with pytest.raises(ConfigError, match="controller_engine"):
        ControllerEngine(fresh(ControllerConfig(8, 8, categories="soft")), table())


def test_rules_work_without_torch() -> None:
    source = Path(__file__).parents[2] / "src"
    code = f"import sys; sys.path.insert(0, {str(source)!r}); import ness.answer; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
