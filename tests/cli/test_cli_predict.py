"""`ness predict`: one answer a line, in order, whatever comes."""

import json
import subprocess
from pathlib import Path

import pytest

from commands import NESS, ness
from ness.config import Config
from ness.machine import parse_program
from ness.model.model import Model
from ness.model.run_folder import save_run
from ness.model.summary import Summary
from ness.network.vocabularies import Vocabularies
from ness.rules.table import Categories, RuleTable
from own_data import trained_run


def test_arguments_and_standard_input_give_the_same() -> None:
    done = ness("predict", trained_run(), "jump twice", "walk")
    assert (done.returncode, done.stdout, done.stderr) == (0, "JUMP JUMP\nWALK\n", "")
    assert ness("predict", trained_run(), stdin="jump twice\nwalk\n").stdout == done.stdout


def test_lines_stay_aligned_where_there_is_no_answer() -> None:
    done = ness("predict", trained_run(), stdin="walk\nfly\n\nrun twice")
    assert (done.returncode, done.stdout) == (1, "WALK\n\n\nRUN RUN\n")
    first, second = done.stderr.splitlines()
    assert first.startswith("line 2: unknown word 'fly' (word 1 of the input)")
    assert second == "line 3: step 1: the input is empty; give at least one word"


def test_json_lines() -> None:
    done = ness("predict", trained_run(), "--jsonl", stdin="jump twice\nfly\n")
    good, bad = map(json.loads, done.stdout.splitlines())
    assert good["status"] == "ok"
    assert good["output"] == "JUMP JUMP"
    assert good["support"] >= 1
    assert 0 < good["probability"] <= 1
    assert good["trace"][0] == "SHIFT"
    assert good["trace"][-1] == "FINAL"
    assert (bad["status"], bad["output"]) == ("error", None)
    assert "unknown word 'fly'" in bad["error"]


def test_strict_refuses_what_no_trace_supports() -> None:
    assert ness("predict", trained_run(), "walk twice twice").stdout == "WALK WALK WALK WALK\n"
    done = ness("predict", trained_run(), "--strict", "walk twice twice", "walk twice")
    assert (done.returncode, done.stdout) == (1, "\nWALK WALK\n")
    assert done.stderr == (
        "line 1: step 4, before the word 'twice', with a translated part and 'twice' on top of the stack: no training "
        "example shows this, the answer would be extrapolated; add a short example with 'twice' in such a place\n"
    )


def test_unknown_words_can_be_copied() -> None:
    done = ness("predict", trained_run(), "--unknown", "copy", "fly", "fly twice")
    assert (done.returncode, done.stdout) == (0, "fly\nfly fly\n")
    strict = ness("predict", trained_run(), "--unknown", "copy", "--strict", "fly twice")
    assert (strict.returncode, strict.stdout) == (1, "\n")
    assert "'fly'" in strict.stderr


def test_several_answers_are_separated_by_tabs() -> None:
    done = ness("predict", trained_run(), "--n-best", "3", "jump twice")
    assert done.returncode == 0
    assert done.stdout.rstrip("\n").split("\t")[0] == "JUMP JUMP"
    record = json.loads(ness("predict", trained_run(), "--n-best", "2", "--jsonl", "jump twice").stdout)
    assert record["candidates"][0]["output"] == "JUMP JUMP"


def test_a_beam_finds_the_same() -> None:
    assert ness("predict", trained_run(), "--beam", "5", "jump twice").stdout == "JUMP JUMP\n"


@pytest.fixture(scope="module")
def undecided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose likeliest answer to `a b` is not the one that greedy decisions find."""
    programs = {
        "SHIFT; SHIFT; REDUCE Z; FINAL": 5,
        "SHIFT; SHIFT; REDUCE A B; FINAL": 4,
        "SHIFT; REDUCE A; CONCAT_M 0; SHIFT; REDUCE B; CONCAT_S 1,0; FINAL": 4,
    }
    traces = [(("a", "b"), parse_program(text)) for text, count in programs.items() for _ in range(count)]
    table = RuleTable.from_traces(traces, Categories())
    words = Vocabularies(("a", "b", "c"), ("A", "B", "Z"))
    folder = tmp_path_factory.mktemp("undecided") / "run"
    save_run(folder, Model(Config(), words, table, Summary("x", "digest", 1), traces))
    return folder


def test_support_and_trace_are_those_of_the_answer_that_is_printed(undecided: Path) -> None:
    greedy = json.loads(ness("predict", undecided, "a b", "--jsonl").stdout)
    found = json.loads(ness("predict", undecided, "a b", "--jsonl", "--n-best", "2").stdout)
    assert (greedy["output"], found["output"]) == ("Z", "A B")
    for record in (greedy, found):
        done = ness("run", "; ".join(record["trace"]), "a b", "--json")
        assert " ".join(json.loads(done.stdout)["output"]) == record["output"]
    assert [one["output"] for one in found["candidates"]] == ["A B", "Z"]
    assert ness("predict", undecided, "a b", "--beam", "5").stdout == "A B\n"


def test_a_word_of_unsolved_examples_is_told_apart_from_an_unknown_one(undecided: Path) -> None:
    done = ness("predict", undecided, "a c", "a d")
    assert done.stderr == (
        "line 1: nothing was learned about 'c' (word 2 of the input): it occurs only in training examples that were "
        "not solved\nline 2: unknown word 'd' (word 2 of the input): nothing learned has it\n"
    )


def test_answers_come_while_input_is_open() -> None:
    process = subprocess.Popen([NESS, "predict", trained_run()], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    for line, answer in ((b"walk\n", b"WALK\n"), (b"jump\n", b"JUMP\n")):
        process.stdin.write(line)
        process.stdin.flush()
        assert process.stdout.readline() == answer
    process.stdin.close()
    assert process.wait() == 0
    process.stdout.close()


@pytest.mark.parametrize("content", ["\ufeffwalk\r\nrun twice\r\n", "  walk  \n\trun   twice"])
def test_windows_line_ends_byte_order_marks_and_spaces_do_not_matter(content: str) -> None:
    assert ness("predict", trained_run(), stdin=content).stdout == "WALK\nRUN RUN\n"


def test_bytes_that_are_no_text_are_an_unknown_word() -> None:
    done = ness("predict", trained_run(), stdin=b"\xff\xfe\nwalk\n")
    assert (done.returncode, done.stdout) == (1, "\nWALK\n")
    assert "unknown word" in done.stderr


def test_a_very_long_line_is_answered_or_refused_in_one_line() -> None:
    done = ness("predict", trained_run(), stdin="walk " * 200_000 + "\nwalk\n")
    assert done.returncode == 1
    assert done.stdout == "\nWALK\n"
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 1000


def test_an_output_without_end_is_refused() -> None:
    done = ness("predict", trained_run(), "walk " + "thrice " * 100)
    assert (done.returncode, done.stdout) == (1, "\n")
    steps = len(trace_of("walk thrice")) + 99 * (len(trace_of("walk thrice")) - len(trace_of("walk")))
    assert done.stderr == (
        f"line 1: step {steps}: the output would be longer than 50,000,000 tokens; give a shorter input\n"
    )


def trace_of(text: str) -> list[str]:
    record: dict[str, list[str]] = json.loads(ness("predict", trained_run(), "--jsonl", text).stdout)
    return record["trace"]


@pytest.mark.parametrize("engine", ["both", "controller", "network"])
@pytest.mark.parametrize("command", ["predict", "eval", "trace", "rules"])
def test_a_network_that_was_not_trained_is_not_replaced_by_rules(command: str, engine: str) -> None:
    text = ["walk"] if command in ("predict", "trace") else []
    done = ness(command, trained_run(), *text, "--engine", engine)
    assert (done.returncode, done.stdout) == (1, "")
    if engine == "both" and command in ("trace", "rules"):
        assert done.stderr == "error: Unknown engine 'both'; use controller (the neural network) or rules\n"
        return
    data = trained_run().parent / "train.tsv"
    assert done.stderr == (
        f"error: {trained_run()} has rules only, no network for --engine {engine}; use --engine rules, "
        f"or add the network with: ness train {data} --out {trained_run()} --resume\n"
    )


@pytest.mark.parametrize("command", ["predict", "eval"])
def test_an_engine_that_does_not_exist_is_answered_with_the_choices(command: str) -> None:
    done = ness(command, trained_run(), "walk", "--engine", "steam")
    assert done.stderr == "error: Unknown engine 'steam'; use controller (the neural network), rules or both\n"


@pytest.mark.parametrize("command", ["predict", "trace"])
@pytest.mark.parametrize("name", ["test.tsv", "no-such-file.tsv"])
def test_a_file_in_place_of_a_text_is_recognised(command: str, name: str) -> None:
    file = trained_run().parent / name
    done = ness(command, trained_run(), file)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"error: '{file}' looks like a file, but ness {command} takes the text itself; for all its lines: "
        f"ness predict {trained_run()} --file {file}; to test on its examples: ness eval {trained_run()} {file}\n"
    )


def test_a_sentence_that_ends_with_the_name_of_a_file_is_a_sentence() -> None:
    done = ness("predict", trained_run(), "walk", "walk to notes.txt")
    assert (done.returncode, done.stdout) == (1, "WALK\n\n")
    assert done.stderr == "line 2: unknown word 'to' (word 2 of the input): nothing learned has it\n"


def test_a_known_word_is_no_file_even_if_there_is_one(tmp_path: Path) -> None:
    (tmp_path / "walk").touch()
    assert ness("predict", trained_run(), "walk", cwd=tmp_path).stdout == "WALK\n"


def test_a_folder_that_is_no_run_is_told_apart_from_one_that_was_stopped(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "stopped" / "state").mkdir(parents=True)
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").touch()
    messages = {
        "empty": "no run in empty; train one with: ness train FILE --out empty",
        "letters": "no run in letters; train one with: ness train FILE --out letters/my",
        "letters/dear.txt": "letters/dear.txt is a file, not the folder of a run; "
        "train on it with: ness train letters/dear.txt",
        "stopped": "no finished run in stopped: its training was stopped; "
        "go on with: ness train FILE --out stopped --resume",
        str(trained_run().parent): f"{trained_run().parent} is not a run but holds 1; "
        f"name one of them, such as {trained_run()}",
    }
    for folder, message in messages.items():
        for command in (["predict", folder, "walk"], ["eval", folder], ["rules", folder]):
            done = ness(*command, cwd=tmp_path)
            assert (done.returncode, done.stdout, done.stderr) == (1, "", f"error: {message}\n")
