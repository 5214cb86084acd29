"""The exported translator decides, answers and fails as the rule table does, as a file of its own."""

import ast
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.data.scan import commands
from ness.export import export_json, export_python, runtime
from ness.export.script import compact_rules
from ness.machine import EOS, PHRASE, ConcatS, Final, Operator, Reduce, Shift, Status, Word, drive, parse_program
from ness.machine.boundaries import BEGIN, END
from ness.rules import Categories, RuleTable
from ness.rules.serialise import from_json, plain_status
from rule_tables import crowded_statuses, crowded_table, rule_tables, statuses

SCAN_CATEGORIES = [
    ["walk", "look", "run", "jump"],
    ["left", "right"],
    ["twice", "thrice"],
    ["and", "after"],
    ["around", "opposite"],
]


def load(source: str) -> dict[str, Any]:
    """Execute an exported file as a module would be."""
    names: dict[str, Any] = {"__name__": "translator"}
    exec(compile(source, "translator.py", "exec", dont_inherit=True), names)
    return names


def learned(oracle: oracles.Oracle, sources: list[tuple[Word, ...]], classes: list[list[str]]) -> RuleTable:
    traces = [(source, [step.instruction for step in drive(source, oracle)[1]]) for source in sources]
    return RuleTable.from_traces(traces, Categories(classes))


@pytest.fixture(scope="module")
def scan_table() -> RuleTable:
    """Rules from a third of the short commands; categories carry them to the others."""
    return learned(oracles.scan, [e.source for e in commands() if len(e.source) <= 6][::3], SCAN_CATEGORIES)


@pytest.fixture(scope="module")
def translator(scan_table: RuleTable, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "translator.py"
    path.write_text(export_python(scan_table, "SCAN"), encoding="utf-8")
    return path


def run_file(path: Path, *arguments: str, stdin: str | None = None, python: str = sys.executable) -> Any:
    return subprocess.run(
        [python, "-I", str(path), *arguments], input=stdin, capture_output=True, encoding="utf-8", timeout=60
    )


@pytest.mark.parametrize("seed", range(60))
def test_it_decides_as_the_table_does_where_rules_conflict(seed: int) -> None:
    table = crowded_table(seed)
    assert_same_decisions(table, crowded_statuses())


@settings(max_examples=30)
@given(rule_tables(), st.lists(statuses(), max_size=5))
def test_it_decides_as_the_table_does_with_awkward_words(table: RuleTable, others: list[Status]) -> None:
    known = [*table.operators, *others]
    mixed = [status._replace(next=other.next, second=other.second) for status in known for other in known]
    assert_same_decisions(table, mixed)


def assert_same_decisions(table: RuleTable, asked: list[Status]) -> None:
    rules = runtime.Rules(json.loads(json.dumps(compact_rules(table, "examples"))))
    for status in asked:
        decision = table.decide(status)
        found = rules.decide(runtime._status(*plain_status(status).values()))
        if decision is None:
            assert found is None
        else:
            instruction = decision.instruction
            argument = getattr(instruction, "phrase", getattr(instruction, "parts", ()))
            assert found == (instruction.operator, argument, decision.support == 0)


@settings(max_examples=30)
@given(rule_tables(), st.data())
def test_it_answers_and_fails_as_the_rule_engine_does(table: RuleTable, data: st.DataObject) -> None:
    names = load(export_python(table))
    engine = RuleEngine(table)
    words = st.sampled_from([*sorted(engine.words), "unheard of"])
    for source in data.draw(st.lists(st.lists(words, max_size=6), min_size=1, max_size=5)):
        (answer,) = translate(engine, [source])
        if answer.output is not None:
            assert names["translate_tokens"](source) == list(answer.output)
        else:
            assert failure(names, source) == answer.error


def failure(names: dict[str, Any], source: Sequence[str]) -> str:
    with pytest.raises(names["TranslationError"]) as caught:
        names["translate_tokens"](source)
    return str(caught.value)


@pytest.mark.parametrize("text", ["", "jumq", "twice", "jump and", "look " * 300, "jump twice left opposite"])
def test_errors_are_those_of_the_rule_engine(scan_table: RuleTable, text: str) -> None:
    (answer,) = translate(RuleEngine(scan_table), [text.split()])
    assert answer.error
    assert failure(load(export_python(scan_table)), text.split()) == answer.error


def test_an_endless_execution_is_stopped_alike() -> None:
    table = RuleTable()
    table.add(Status("a", (), None, ()), Shift())
    table.add(Status(EOS, ("a",), None, ()), Reduce(("X",)))
    table.add(Status(EOS, (PHRASE,), None, ()), ConcatS((0,)))
    table.index()
    (answer,) = translate(RuleEngine(table), [["a"]])
    assert answer.error == (
        "step 120: no FINAL within 120 steps for 1 word, still at the end of the input, "
        "with a translated part on top of the stack; add a short example that ends so"
    )
    assert failure(load(export_python(table)), ["a"]) == answer.error


def test_the_boundaries_are_told_alike() -> None:
    table = RuleTable.from_traces(
        [((BEGIN, "a", END), parse_program("SHIFT; SHIFT; SHIFT; REDUCE X; FINAL"))], Categories()
    )
    for text in ("a a", "a"):
        if text == "a":
            del table.operators[Status(END, (BEGIN, "a"), None, ())]
            table.index()
        (answer,) = translate(RuleEngine(table), [text.split()])
        assert answer.error
        assert BEGIN not in answer.error
        assert END not in answer.error
        assert failure(load(export_python(table)), text.split()) == answer.error


def test_the_top_frame_is_bounded_alike() -> None:
    piles = {Status("a", ("a",) * length, None, ()): Counter({Operator.SHIFT: 1}) for length in range(300)}
    table = RuleTable(piles)
    (answer,) = translate(RuleEngine(table), [["a"] * 250])
    assert answer.error
    assert answer.error.startswith("step 202, ")
    assert failure(load(export_python(table)), ["a"] * 250) == answer.error


def test_every_scan_command_comes_out_as_from_the_table(scan_table: RuleTable, translator: Path) -> None:
    examples = commands()[::7]
    result = run_file(translator, stdin="\n".join(" ".join(example.source) for example in examples) + "\n")
    assert result.stdout.splitlines() == [" ".join(example.target) for example in examples]
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize(
    ("oracle", "text"),
    [
        (oracles.while_lang, "x = 1 ; while x == y { y = x + 1 * y } ; x = y if 0"),
        (oracles.lambda_lang, "let a = lam b . b c in a a"),
    ],
)
def test_parsing_is_exported_too(oracle: oracles.Oracle, text: str) -> None:
    source = tuple(text.split())
    expected = drive(source, oracle)[0]
    names = load(export_python(learned(oracle, [source], [])))
    assert names["translate"](text) == " ".join(expected)


def test_long_inputs_take_linear_time() -> None:
    """20,000 words in nested frames: copying phrases or recursion would not survive this."""
    table = learned(
        oracles.lambda_lang, [tuple(text.split()) for text in ("a", "a b", "a b c", "a b c d")], [["a", "b", "c", "d"]]
    )
    names = load(export_python(table))
    source = ["a"] + ["b"] * 20_000
    output = names["translate_tokens"](source)
    assert output[:20_000] == ["App"] * 20_000
    assert len(output) == 20_000 + 2 * 20_001


def test_the_file_keeps_rules_by_category(scan_table: RuleTable) -> None:
    rules = json.loads(load(export_python(scan_table))["RULES"])
    assert len(rules["operators"]) < len(scan_table.operators) / 2
    assert not rules["operator_exceptions"]


def test_arguments_and_help(translator: Path) -> None:
    result = run_file(translator, "jump twice", "turn left")
    assert result.stdout == "I_JUMP I_JUMP\nI_TURN_LEFT\n"
    assert "SCAN" in run_file(translator, "--help").stdout


def test_failures_keep_lines_aligned(translator: Path) -> None:
    result = run_file(translator, stdin="\ufeffjump\r\nhop twice\ntwice\n\nlook\n")
    assert result.stdout.splitlines() == ["I_JUMP", "", "", "", "I_LOOK"]
    assert result.returncode == 1
    unknown, uncovered, empty = result.stderr.splitlines()
    assert unknown == "hop twice: unknown word 'hop' (word 1 of the input): nothing learned has it"
    assert uncovered == (
        "twice: step 1, before the word 'twice', with an empty stack: "
        "no training example shows what to do; add a short example with 'twice' in such a place"
    )
    assert empty == ": step 1: the input is empty; give at least one word"


def test_strict_refuses_extrapolation() -> None:
    traces = [
        (source, [s.instruction for s in drive(source, oracles.scan)[1]]) for source in [("jump", "twice"), ("look",)]
    ]
    names = load(export_python(RuleTable.from_traces(traces, Categories())))
    assert names["translate"]("look twice") == "I_LOOK I_LOOK"
    with pytest.raises(names["TranslationError"], match="step 2, before the word 'twice', with 'look'"):
        names["translate"]("look twice", strict=True)


def test_older_pythons_can_read_it(scan_table: RuleTable, translator: Path) -> None:
    ast.parse(export_python(scan_table), feature_version=(3, 9))
    for python in Path(sys.base_prefix).parent.glob("3.9*/bin/python3.9"):
        assert run_file(translator, "jump", python=str(python)).stdout == "I_JUMP\n"


def test_only_the_standard_library_is_imported(scan_table: RuleTable) -> None:
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(export_python(scan_table)))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
    }
    assert imported <= sys.stdlib_module_names


@pytest.mark.parametrize("word", ['"""', "\\", '\\"""', "'''", "\u202e", "\ud800", "a\nb", "é", ""])
def test_odd_words_stay_data(word: str) -> None:
    program = (Shift(), Reduce((word,)), Final())
    source = export_python(RuleTable.from_traces([((word,), program)], Categories()), title=word)
    source.encode("utf-8")
    assert load(source)["translate_tokens"]([word]) == [word]


def test_words_can_be_given(scan_table: RuleTable) -> None:
    names = load(export_python(scan_table, words=["jump", "hop"]))
    assert names["translate"]("jump") == "I_JUMP"
    with pytest.raises(names["TranslationError"], match="unknown word 'look'"):
        names["translate"]("look")
    with pytest.raises(names["TranslationError"], match="no training example shows"):
        names["translate"]("hop")


@settings(max_examples=20)
@given(rule_tables())
def test_json_reads_back(table: RuleTable) -> None:
    assert from_json(json.loads(export_json(table))) == table
